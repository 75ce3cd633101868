import {
  isGrpcServiceError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { BatchgateError } from '../contract/errors';
import { fromFailureFields } from '../core/failures';

const NOT_FOUND = 5;
const WORKER_HINT =
  'Check that the Temporal server and a worker are running (`batchgate up`), then send it again: the same decision is never carried out twice.';

/** Any failure of a call to Temporal as an error of the public surface. */
export function toBatchgateError(error: unknown): BatchgateError {
  if (error instanceof BatchgateError) return error;
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError) {
    const { cause } = error;
    const known =
      cause instanceof ApplicationFailure
        ? fromFailureFields({ ...cause, message: cause.message })
        : undefined;
    if (known) return BatchgateError.from(known);
    return new BatchgateError(
      'INTERNAL',
      cause?.message ?? error.message,
      'Look at the operation in the Temporal UI.',
    );
  }
  if (isMissing(error)) {
    return new BatchgateError('NOT_FOUND', 'No such operation.', 'Take the id from `batchgate list`.');
  }
  if (isTransport(error) || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    return new BatchgateError(
      'TEMPORAL_UNAVAILABLE',
      `Temporal did not answer: ${textOf(error)}`,
      WORKER_HINT,
    );
  }
  return new BatchgateError(
    'INTERNAL',
    error instanceof Error ? error.message : 'Unknown error',
    'This is a defect; please report it.',
  );
}

export function isMissing(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || grpcCode(error) === NOT_FOUND;
}

/** The SDK wraps what the transport says in an error of its own. */
function grpcCode(error: unknown): number | undefined {
  const inner = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(inner) ? Number(inner.code) : undefined;
}

function isTransport(error: unknown): error is Error {
  return error instanceof ServiceError || grpcCode(error) !== undefined;
}

function textOf(error: Error): string {
  return error instanceof ServiceError && error.cause instanceof Error ? error.cause.message : error.message;
}

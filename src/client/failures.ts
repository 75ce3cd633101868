import {
  isGrpcDeadlineError,
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, TerminatedFailure } from '@temporalio/common';
import { BatchgateError } from '../contract/errors';
import { READ_AHEAD } from '../contract/text';
import { fromFailureFields } from '../core/shared/failures';
import { noSuchJob } from './job-kinds';

const CANCELLED = 1;
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const PERMISSION_DENIED = 7;
const FAILED_PRECONDITION = 9;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;
const WORKER_HINT =
  'Check that the Temporal server and a worker are running (`batchgate up`), then send it again: the same decision is never carried out twice.';

/** Converts any failure of a call to Temporal to an error of the public surface. */
export function toBatchgateError(error: unknown): BatchgateError {
  if (error instanceof BatchgateError) return error;
  if (isUnread(error)) return unanswered(error.cause.message);
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError) {
    const cause = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
    const body =
      cause instanceof ApplicationFailure
        ? fromFailureFields({ ...cause, message: cause.message })
        : undefined;
    if (body) return BatchgateError.from(body);
    if (isEndedMeanwhile(error) || cause instanceof TerminatedFailure) return endedMeanwhile();
    return new BatchgateError(
      'INTERNAL',
      cause?.message ?? error.message,
      'Look at the operation in the Temporal UI.',
    );
  }
  const refused = fromServersRefusal(error);
  if (refused !== undefined) return refused;
  if (isMissing(error)) {
    return noSuchJob();
  }
  if (isTransport(error) || isReadAhead(error) || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    return unanswered(textOf(error));
  }
  return new BatchgateError(
    'INTERNAL',
    error instanceof Error ? error.message : 'Unknown error',
    'This is a defect; please report it.',
  );
}

const unanswered = (why: string) =>
  new BatchgateError('TEMPORAL_UNAVAILABLE', `Temporal did not answer: ${why}`, WORKER_HINT);

/** A busy worker dropped the update with a late task, so the server rejected it. The type name is the server's. */
const isUnread = (error: unknown): error is WorkflowUpdateFailedError & { cause: ApplicationFailure } =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'UnprocessedUpdate';

/** The run of an accepted update was terminated, deleted or reset before its answer. The type name is the server's. */
export const isEndedMeanwhile = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'AcceptedUpdateCompletedWorkflow';

const endedMeanwhile = () =>
  new BatchgateError(
    'OPERATION_CLOSED',
    'It was ended in Temporal before it answered.',
    'See its status or report for what was done.',
  );

/** The server's refusals of the request, the namespace or the credentials, which do not concern the operation. */
function fromServersRefusal(error: unknown): BatchgateError | undefined {
  const text = error instanceof Error ? textOf(error) : '';
  if (/^Namespace not found|Namespace \S+ is not found/.test(text)) {
    return new BatchgateError(
      'NOT_CONFIGURED',
      `${text.replace(/^5 NOT_FOUND: /, '').replace(/\.$/, '')}.`,
      'Set TEMPORAL_NAMESPACE to a namespace of this server; `npx batchgate doctor` checks it.',
    );
  }
  const code = grpcCode(error);
  if (code === INVALID_ARGUMENT) {
    return new BatchgateError(
      'INVALID_INPUT',
      `Temporal refused the request: ${text.replace(/^3 INVALID_ARGUMENT: /, '')}`,
      'Correct what it names, such as an operation id that is empty or too long. Nothing was read or touched.',
    );
  }
  if (code !== PERMISSION_DENIED && code !== UNAUTHENTICATED) return undefined;
  return new BatchgateError(
    code === UNAUTHENTICATED ? 'UNAUTHORIZED' : 'FORBIDDEN',
    `Temporal refused these credentials: ${text}`,
    'Correct TEMPORAL_API_KEY or the TLS certificate, and check that they may use TEMPORAL_NAMESPACE.',
  );
}

export function isMissing(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || grpcCode(error) === NOT_FOUND;
}

/** The workflow has no handler for the update, so it is of another kind. The text is the SDK's. */
export const isUnknownUpdate = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  /^No registered handler for update/.test(error.cause?.message ?? '');

/** A `catch` handler. Returns undefined if the workflow is missing, and throws any other failure again. */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof BatchgateError) || error.code !== 'NOT_FOUND') throw error;
}

/** The server has no such call. */
export function isUnimplemented(error: unknown): boolean {
  return grpcCode(error) === UNIMPLEMENTED;
}

/** The server does not support a field that a list uses. */
export function isRefusedQuery(error: unknown): boolean {
  return grpcCode(error) === INVALID_ARGUMENT || isUnimplemented(error);
}

/** Workflows of its kind have no handler for the query. */
export const isUnknownQuery = (error: unknown): boolean =>
  error instanceof QueryNotRegisteredError && !isReadAhead(error);

const isReadAhead = (error: unknown): error is QueryNotRegisteredError =>
  error instanceof QueryNotRegisteredError && error.message.includes(READ_AHEAD);

/**
 * The run's last workflow tasks failed or were lost, the server lost the worker that had the call (the text is the
 * server's), a worker dropped the call, or it read past the last task for a query. The next task resolves all of these.
 */
export function isUnsettled(error: unknown): boolean {
  if (isReadAhead(error) || isUnread(error)) return true;
  if (!isTransport(error)) return false;
  // An update can fail in this way with any code.
  if (/unexpected workflow task failure/.test(textOf(error))) return true;
  const code = grpcCode(error);
  if (code === CANCELLED) return /context canceled/.test(textOf(error));
  return code === FAILED_PRECONDITION && /workflow task/i.test(textOf(error));
}

/**
 * The deadline of a call has passed. The server also observes it and resets the stream, which gRPC reports as a
 * cancellation. Its message for a cancellation by this client is different.
 */
export function isTimeUp(error: unknown): boolean {
  if (isGrpcDeadlineError(error)) return true;
  return isTransport(error) && grpcCode(error) === CANCELLED && /Call cancelled$/.test(textOf(error));
}

/** Returns the gRPC code of an error. The SDK wraps the transport's message in an error of its own. */
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

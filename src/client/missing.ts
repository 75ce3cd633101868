import { BatchgateError } from '../contract/errors';
import type { BulkStatus } from '../contract/operation';
import { tooLate } from '../core/bulk/closed';
import { isClosed } from '../core/bulk/transitions';
import { unlessMissing } from './failures';

/**
 * Why an operation did not answer a decision: it never existed, it had ended, or its run was ended in Temporal before
 * its answer. The details say where it stands, with the items that can still be resolved.
 */
export async function whyNoAnswer(
  operationId: string,
  ended: 'before' | 'meanwhile',
  statusNow: () => Promise<BulkStatus>,
): Promise<BatchgateError> {
  const status = await statusNow().catch((error: unknown) => {
    if (ended === 'before') throw error;
    return unlessMissing(error);
  });
  if (status === undefined)
    return new BatchgateError(
      'OPERATION_CLOSED',
      'The operation was deleted in Temporal before it answered, and the ledger cannot be read.',
      `Its report is in the ledger of its worker: npx batchgate report ${operationId}`,
    );
  const details = detailsOf(status);
  if (!isClosed(status.state))
    return new BatchgateError(
      'OPERATION_CLOSED',
      'The run that was asked has ended: the operation was reset in Temporal before it answered, and goes on in another run.',
      'Read its status, and decide about the question that it asks now.',
      details,
    );
  const { code, message, hint } = tooLate({ ...status, how: status.state });
  const why = status.error?.code === 'OPERATION_CLOSED' ? `${status.error.message} ` : '';
  return new BatchgateError(code, `${why}${message}`, hint, details);
}

function detailsOf(status: BulkStatus) {
  const { guard: _, confirmations: __, errors, ...turn } = status;
  const doubtful = errors.filter(({ error }) => error.startsWith('In doubt: '));
  return {
    status: turn,
    items_in_doubt: doubtful.map(({ item_id, display_name }) => ({ item_id, display_name })),
  };
}

import type { ErrorBody } from '../../contract/errors';
import type { BulkState } from '../../contract/operation';

/** End states after which a new operation can run the rest. */
const RESUMABLE: ReadonlySet<string> = new Set<BulkState>(['expired', 'cancelled']);

/** The error for an operation that was reset in Temporal after its end and gets no slot. */
export function noSlotAfterReset(operationId: string, refusal: ErrorBody): ErrorBody {
  return {
    ...refusal,
    message: `It was reset in Temporal after its end, and has no slot to run again. ${refusal.message}`,
    hint: `${refusal.hint} What is left can be run by a new operation: \`npx batchgate resume ${operationId}\`.`,
  };
}

/** The answer to a late decision: the outcome of the operation, and how to run the rest. */
export function tooLate(operation: {
  operation_id: string;
  /** The end state, or a phrase such as `about to end as cancelled`. */
  how: string;
  total: number;
  remaining: number;
  sent_back?: unknown;
}): ErrorBody {
  const { operation_id, how, total, remaining, sent_back } = operation;
  const sentence = `The operation is ${how}; it takes no more decisions.`;
  if (sent_back !== undefined && how.endsWith('cancelled'))
    return {
      code: 'OPERATION_CLOSED',
      message: `The operation was sent back with guidance; it takes no more decisions. ${remaining} of ${total} items were not run.`,
      hint: `Start a new operation that follows the guidance and names this one: {"revises": ${JSON.stringify(operation_id)}}. It asks again.`,
    };
  if (!RESUMABLE.has(how) || remaining === 0) {
    return {
      code: 'OPERATION_CLOSED',
      message: sentence,
      hint: 'See its status or report for what was done.',
    };
  }
  return {
    code: 'OPERATION_CLOSED',
    message: `${sentence} ${remaining} of ${total} items were not run.`,
    hint:
      `Start a new operation over the rest, which asks again: \`npx batchgate resume ${operation_id}\`, ` +
      `or POST /v1/operations/${encodeURIComponent(operation_id)}/resume.`,
  };
}

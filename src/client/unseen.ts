import { BatchgateError } from '../contract/errors';
import type { BulkStatus, BulkTurn } from '../contract/operation';
import type { SeenGate } from '../core/intent/conversation';

/** No gate has this digest. It stands for a person who was shown no question. */
export const NO_GATE = { digest: 'none' };

/** The answer to a confirmation whose sender was not shown the open question: that question, in `details`. */
export function questionNotSeen(
  { operation_id, message, next_batch, last_batch }: BulkStatus,
  hint: string,
): BatchgateError {
  const gate = next_batch && `batch ${next_batch.number}, attempt ${next_batch.attempt}`;
  return new BatchgateError(
    'QUESTION_NOT_SEEN',
    gate
      ? `The open question is ${gate}, which you have not been shown.`
      : 'You have been shown no open question.',
    `${hint} Nothing was run.`,
    { operation_id, message, ...(last_batch && { last_batch }), ...(next_batch && { next_batch }) },
  );
}

/** The question that a turn was judged on: the answer is for it, not for a later one. */
export function gateOf({ next_batch: gate }: Pick<BulkTurn, 'next_batch'>): SeenGate | undefined {
  return gate && { batch: gate.number, attempt: gate.attempt, digest: gate.digest };
}

import type { BulkTurn, BulkStatus } from '../contract/operation';
import { BatchgateError } from '../contract/errors';
import type { SeenGate } from '../core/intent/conversation';

/** The question last shown to each caller of a door, by operation. An answer without a question's name is for it. */
export interface ShownGates {
  keep(callerId: string, status: Pick<BulkTurn, 'operation_id' | 'next_batch'>): void;
  of(callerId: string, operationId: string): KeptGate | undefined;
}

export interface ShownGate {
  batch: number;
  attempt: number;
  digest: string;
}

/** `since`: when it was first shown, in milliseconds since the epoch. */
interface KeptGate extends ShownGate {
  since: number;
}

/** The maximum number of remembered questions. Older ones must be shown again before they can be answered. */
const REMEMBERED = 10_000;

export function createShownGates(): ShownGates {
  const gates = new Map<string, KeptGate>();
  const keyOf = (callerId: string, operationId: string) => JSON.stringify([callerId, operationId]);
  return {
    keep(callerId, { operation_id, next_batch: gate }) {
      const key = keyOf(callerId, operation_id);
      const before = gates.get(key);
      gates.delete(key);
      if (!gate) return;
      const since = before?.digest === gate.digest ? before.since : Date.now();
      gates.set(key, { batch: gate.number, attempt: gate.attempt, digest: gate.digest, since });
      const [oldest] = gates.keys();
      if (gates.size > REMEMBERED && oldest !== undefined) gates.delete(oldest);
    },
    of: (callerId, operationId) => gates.get(keyOf(callerId, operationId)),
  };
}

/** A digest that no gate has. It represents a person who was shown no question. */
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

/** Returns the open question of a turn. An answer is for this question, not for a later one. */
export function gateOf({ next_batch: gate }: Pick<BulkTurn, 'next_batch'>): SeenGate | undefined {
  return gate && { batch: gate.number, attempt: gate.attempt, digest: gate.digest };
}

import type { BulkTurn } from '../contract/operation';

/** The question that each caller of a door was shown last, by operation. An answer without a name is for this one. */
export interface ShownGates {
  keep(callerId: string, status: Pick<BulkTurn, 'operation_id' | 'next_batch'>): void;
  of(callerId: string, operationId: string): ShownGate | undefined;
}

export interface ShownGate {
  batch: number;
  attempt: number;
  digest: string;
}

/** Older ones are forgotten, and must be shown again before they can be answered. */
const REMEMBERED = 10_000;

export function createShownGates(): ShownGates {
  const gates = new Map<string, ShownGate>();
  const keyOf = (callerId: string, operationId: string) => JSON.stringify([callerId, operationId]);
  return {
    keep(callerId, { operation_id, next_batch: gate }) {
      const key = keyOf(callerId, operation_id);
      gates.delete(key);
      if (!gate) return;
      gates.set(key, { batch: gate.number, attempt: gate.attempt, digest: gate.digest });
      const [oldest] = gates.keys();
      if (gates.size > REMEMBERED && oldest !== undefined) gates.delete(oldest);
    },
    of: (callerId, operationId) => gates.get(keyOf(callerId, operationId)),
  };
}

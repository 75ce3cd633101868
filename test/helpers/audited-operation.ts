import type { Confirmation } from '../../src/contract/operation';
import type { Store } from '../../src/postgres/store/open';
import { AT, claimOf, confirmed, first, items, plan, runOf, second, statusOf } from './ledger';

export const QUESTION = {
  attempt: 1,
  digest: 'd'.repeat(64),
  asked_at: AT,
  door: 'page',
  note: 'Seems right.',
} as const;
const refusal: Confirmation = {
  ...{ batch: 1, attempt: 1, decision: 'continue', outcome: 'STALE_CONFIRMATION', by: 'Bert', via: 'signal' },
  ...{ at: AT, assurance: 'asserted' },
};

/** An operation with one batch, and its end. */
export async function runOne({ ledger }: Store, id: string): Promise<void> {
  await ledger.recordPlan(plan(id), items);
  const skipped = [{ index: 2, reason: 'It belongs to Carla.' }];
  await ledger.claim(claimOf(id), {
    ...{ items: [first, second], skipped, deadline: 1_000 },
    confirmed: { ...confirmed, question: QUESTION },
  });
  const failed = { index: 1, state: 'failed', error: 'Message 1 is locked.', retryable: false } as const;
  await ledger.record(claimOf(id), [{ index: 0, state: 'succeeded' }, failed]);
  await ledger.resolve({
    operation_id: id,
    index: 3,
    outcome: 'failed',
    reason: 'I looked.',
    by: 'Dora',
    at: AT,
  });
  const { by, via, at, assurance } = confirmed;
  const accepted = { batch: 1, decision: 'continue', outcome: 'accepted', by, via, at, assurance } as const;
  await ledger.close(id, runOf(id), {
    ...statusOf(id, 'cancelled'),
    confirmations: [{ ...accepted, ...QUESTION }, refusal],
  });
}

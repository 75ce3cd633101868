import type { BulkStatus } from '../../src/contract/operation';
import { itemsPerMinute, NO_PACE, observeBatch, workLeft } from '../../src/core/bulk/pace';

const START = Date.parse('2026-01-01T00:00:00Z');
const confirmations: BulkStatus['confirmations'] = [
  {
    batch: 1,
    attempt: 1,
    decision: 'continue',
    outcome: 'accepted',
    via: 'update',
    assurance: 'asserted' as const,
    at: iso(0),
  },
  {
    batch: 2,
    attempt: 1,
    decision: 'continue',
    outcome: 'STALE_CONFIRMATION',
    via: 'signal',
    assurance: 'asserted' as const,
    at: iso(5),
  },
  {
    batch: 2,
    attempt: 1,
    decision: 'continue',
    outcome: 'accepted',
    via: 'update',
    assurance: 'asserted' as const,
    at: iso(600),
  },
];
const waiting = { state: 'awaiting_confirmation' as const, confirmations };

function iso(seconds: number): string {
  return new Date(START + seconds * 1_000).toISOString();
}

function batch(
  number: number,
  items: Partial<Record<'succeeded' | 'failed' | 'skipped' | 'in_doubt', number>>,
) {
  const none = { succeeded: 0, failed: 0, skipped: 0, in_doubt: 0 };
  return (duration_ms: number) => ({ last_batch: { number, attempt: 1, ...none, ...items, duration_ms } });
}

it('knows no rate before a batch ran', () => {
  expect(itemsPerMinute(NO_PACE, waiting, undefined, START)).toBeUndefined();
  expect(itemsPerMinute(observeBatch(NO_PACE, {}), waiting, undefined, START)).toBeUndefined();
  expect(workLeft(10, undefined)).toBeUndefined();
});

it('counts the time of the batches, and not that of the person between them', () => {
  const first = observeBatch(NO_PACE, batch(1, { succeeded: 8, failed: 2 })(5_000));
  const both = observeBatch(first, batch(2, { succeeded: 10 })(15_000));
  expect(itemsPerMinute(both, waiting, undefined, START + 3_600_000)).toBe(60);
  expect(workLeft(30, 60)).toBe(30_000);
});

it('counts a batch once, however often it was read, and skipped items not at all', () => {
  const ran = batch(1, { succeeded: 4, skipped: 6 })(4_000);
  const seen = [ran, ran, ran].reduce(observeBatch, NO_PACE);
  expect(itemsPerMinute(seen, waiting, undefined, START)).toBe(60);
});

it('forgets old batches', () => {
  const slow = observeBatch(NO_PACE, batch(1, { succeeded: 10 })(600_000));
  const fast = [2, 3, 4, 5, 6].map((number) => batch(number, { succeeded: 10 })(1_000));
  expect(itemsPerMinute(fast.reduce(observeBatch, slow), waiting, undefined, START)).toBe(600);
});

it('measures a running batch from the decision that was accepted for it', () => {
  const running = { state: 'running_batch' as const, confirmations };
  const progress = { batch: 2, attempt: 1, done: 4, total: 10 };
  expect(itemsPerMinute(NO_PACE, running, progress, START + 602_000)).toBe(120);
  expect(itemsPerMinute(NO_PACE, running, { ...progress, done: 0 }, START + 602_000)).toBeUndefined();
  expect(itemsPerMinute(NO_PACE, running, { ...progress, attempt: 2 }, START + 602_000)).toBeUndefined();
});

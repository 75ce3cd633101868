import fc from '../helpers/properties';
import { BatchgateError } from '../../src/contract/errors';
import { bulkProgressContractSchema, type BulkProgressContract } from '../../src/contract/progress';
import { checkCompletionGuard } from '../../src/core/progress/completion-guard';
import {
  CONTRACT_CAPS,
  createProgressContract,
  recordCompleted,
  recordFailed,
  recordSkipped,
  type ContractCaps,
} from '../../src/core/progress/contract';
import { bytesOf } from '../../src/core/shared/bounds';
import { inLongRun } from '../helpers/long-run';

const NOW = 1_000;
const NO_CAPS: ContractCaps = { listed: Infinity, bytes: Infinity, items: Infinity };

const items = Array.from({ length: 12 }, (_, at) => `https://site.test/${at}`);
const start = createProgressContract(
  { contract_id: 'c1', expected_items: items, failed_policy: 'allow_with_reason' },
  NOW,
);
const step = fc.record({
  kind: fc.constantFrom('completed', 'failed', 'skipped'),
  items: fc.array(fc.constantFrom(...items, 'stray'), { maxLength: 4 }),
  reason: fc.constantFrom('timeout', 'gone', ' '),
});
type Step = { kind: string; items: string[]; reason: string };

function apply(of: BulkProgressContract, { kind, items: given, reason }: Step, caps: ContractCaps) {
  const entries = given.map((item) => ({ item, reason }));
  if (kind === 'completed') return recordCompleted(of, given, NOW, caps);
  if (kind === 'skipped') return recordSkipped(of, entries, NOW, caps);
  // No record takes a failure without a reason.
  const explained = entries.map((entry) => ({ ...entry, reason: reason.trim() || 'unknown' }));
  return recordFailed(of, explained, NOW, caps);
}

const counts = ({ completed, failed, skipped, truncation }: BulkProgressContract) => ({
  completed: completed.length + (truncation?.completed ?? 0),
  failed: failed.length + (truncation?.failed ?? 0),
  skipped: skipped.length + (truncation?.skipped ?? 0),
});

it('counts and judges a contract with truncated lists like one with whole lists', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), fc.integer({ min: 0, max: 3 }), (steps, cap) => {
      const caps = { listed: cap, bytes: Infinity, items: 100 };
      let cut = start;
      let whole = start;
      for (const taken of steps) {
        cut = apply(cut, taken, caps);
        whole = apply(whole, taken, NO_CAPS);
        expect(counts(cut)).toEqual(counts(whole));
        expect(apply(cut, taken, caps)).toEqual(cut);
        expect(Math.max(cut.completed.length, cut.failed.length, cut.skipped.length)).toBeLessThanOrEqual(
          cap,
        );
      }
      const { allowed, missing_count, failed_count } = checkCompletionGuard(whole);
      expect(checkCompletionGuard(cut)).toMatchObject({ allowed, missing_count, failed_count });
      expect(bulkProgressContractSchema.parse(JSON.parse(JSON.stringify(cut)))).toEqual(cut);
    }),
    { seed: 20261122, numRuns: inLongRun(2_000, 200) },
  );
});

it('accepts as many items as it promises, and refuses one more', () => {
  const many = Array.from({ length: CONTRACT_CAPS.items }, (_, at) => `https://site.test/page/${at}`);
  const empty = createProgressContract({ contract_id: 'c1', expected_total: many.length }, NOW);
  const full = recordCompleted(empty, many, NOW);
  expect(full.completed.length).toBeLessThanOrEqual(CONTRACT_CAPS.listed);
  expect(bytesOf(full.completed)).toBeLessThanOrEqual(CONTRACT_CAPS.bytes);
  expect(full.truncation).toEqual({ completed: CONTRACT_CAPS.items - full.completed.length });
  expect(checkCompletionGuard(full).allowed).toBe(true);
  expect(recordCompleted(full, many, NOW)).toBe(full);
  expect(() => recordCompleted(full, ['one more'], NOW)).toThrow(BatchgateError);
});

import fc from '../helpers/properties';
import { bulkProgressContractSchema, type BulkProgressContract } from '../../src/contract/progress';
import { checkCompletionGuard } from '../../src/core/progress/completion-guard';
import {
  createProgressContract,
  recordCompleted,
  recordFailed,
  recordSkipped,
  updateCursor,
} from '../../src/core/progress/contract';

const LATER = 2_000;

/** Freezes a contract at all levels, so that a change in place throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const items = ['a', 'b', 'c', 'd', 'e'];
const start = createProgressContract(
  { contract_id: 'c1', expected_items: items, failed_policy: 'allow', skipped_policy: 'allow' },
  1_000,
);
const item = fc.constantFrom(...items, 'stray');
const step = fc.oneof(
  fc.record({ kind: fc.constant('completed' as const), items: fc.array(item, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('failed' as const), items: fc.array(item, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('skipped' as const), items: fc.array(item, { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('cursor' as const), items: fc.array(item, { maxLength: 1 }) }),
);
const apply = (of: BulkProgressContract, { kind, items: given }: { kind: string; items: string[] }) => {
  const entries = given.map((name) => ({ item: name, reason: `${kind} ${name}` }));
  if (kind === 'completed') return recordCompleted(of, given, LATER);
  if (kind === 'failed') return recordFailed(of, entries, LATER);
  if (kind === 'skipped') return recordSkipped(of, entries, LATER);
  return updateCursor(of, given.join(), LATER);
};

/** The outcome of an item after a record: completed stays completed, and a skip does not replace a failure. */
function next(before: string | undefined, kind: string): string {
  return before === 'completed' || (before === 'failed' && kind === 'skipped') ? before : kind;
}

it('keeps one outcome per item, changes nothing in place, survives JSON, and allows exactly the full set', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let of = frozen(start);
      const outcomes = new Map<string, string>();
      for (const taken of steps) {
        of = frozen(apply(of, taken));
        expect(apply(of, taken)).toEqual(of);
        if (taken.kind === 'cursor') continue;
        for (const name of taken.items) outcomes.set(name, next(outcomes.get(name), taken.kind));
      }
      const found = [
        ...of.completed.map((name) => [name, 'completed'] as const),
        ...of.failed.map((entry) => [entry.item, 'failed'] as const),
        ...of.skipped.map((entry) => [entry.item, 'skipped'] as const),
      ];
      expect(found).toHaveLength(outcomes.size);
      expect(new Map(found)).toEqual(outcomes);
      expect(checkCompletionGuard(of).allowed).toBe(items.every((name) => outcomes.has(name)));
      expect(bulkProgressContractSchema.parse(JSON.parse(JSON.stringify(of)))).toEqual(of);
    }),
    { seed: 20261121, numRuns: 1_000 },
  );
});

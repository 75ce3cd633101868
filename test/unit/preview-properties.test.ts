import fc from '../helpers/properties';
import { changeBetween, restored, restoringOf } from '../../activities/adapters/kit/frozen';
import { createSqlAdapter } from '../../activities/adapters/sql';
import type { RowState } from '../../activities/adapters/sql/rows';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import type { ItemState } from '../../src/contract/preview';
import type { Databases } from '../../src/postgres/databases';
import { inLongRun } from '../helpers/long-run';

const RUNS = { numRuns: inLongRun(10_000, 200) };
/** A preview reads nothing. */
const adapter = createSqlAdapter({ databases: {} as Databases, concurrency: 1 });
const previewItem = (of: BulkItem, context: PreparedBulkContext) => adapter.previewItem!(of, context);

type Row = NonNullable<RowState['row']>;
type Wanted = Row | null;
const stateOf = (row: Wanted): RowState | null => row && { row };
const shown = (row: Wanted, action: string): ItemState => {
  if (action === 'update') return row ?? { row: null };
  const columns = Object.entries(row ?? {}).map(([name, value]) => `${name}: ${value ?? 'null'}`);
  return { row: row && columns.join(', ') };
};

const item = (raw_data: object): BulkItem => ({ id: '1', display_name: '1', raw_data: { ...raw_data } });
const change = (was: Wanted, target: RowState | null) => ({
  state: stateOf(was),
  to: changeBetween(stateOf(was), target),
});

/** As the plan of an undo keeps a row that is `now` so. */
function undoOf(now: Wanted, was: Wanted, done: Wanted): BulkItem {
  const undo = { to: change(was, stateOf(done)) };
  const restoring = restoringOf(item({ undo }));
  return item({ ...change(now, restored(stateOf(now), restoring!, [])), undo });
}

describe('a row with any values, previewed, changed and restored,', () => {
  const value = fc.option(fc.string({ maxLength: 30 }));
  const row: fc.Arbitrary<Row> = fc.record({ a: value, b: value });
  const context = (action: string): PreparedBulkContext => ({
    ...{ tool_name: 'sql', action, query_params: {} },
    action_params: {
      ...{ database: 'shop', table: { schema: 'public', name: 'things', key: ['id'] }, marks: null },
      ...(action === 'update' && { set: { a: 'x', b: null } }),
    },
  });
  const isSame = (one: Wanted, other: Wanted) => JSON.stringify(one) === JSON.stringify(other);

  test.each(['update', 'delete'] as const)('by %s is as previewed, and then as it was', (action) => {
    const asked = context(action);
    const undone: PreparedBulkContext = { ...asked, undo: true };
    const property = fc.property(row, row, fc.option(row), (was, set, theirs) => {
      const done = action === 'update' ? set : null;
      const before = previewItem(item(change(was, stateOf(done))), asked);
      expect(before).toMatchObject({ before: shown(was, action), after: shown(done, action) });
      expect(before.already === true).toBe(isSame(was, done));
      // An undo leaves it.
      if (before.already) return;
      const undo = previewItem(undoOf(done, was, done), undone);
      expect(undo).not.toHaveProperty('conflict');
      expect(undo.after).toEqual(before.before);
      // Someone else changed the row in any way, or deleted it.
      const drifted = previewItem(undoOf(theirs, was, done), undone);
      expect(drifted.already === true).toBe(isSame(theirs, was));
      expect(drifted.conflict !== undefined).toBe(!isSame(theirs, was) && !isSame(theirs, done));
    });
    fc.assert(property, RUNS);
  });
});

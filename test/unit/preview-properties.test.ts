import fc from 'fast-check';
import { previewRow, shows, stateOf as rowState, type Row } from '../../activities/adapters/sql/frozen';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { inLongRun } from '../helpers/long-run';

const RUNS = { numRuns: inLongRun(10_000, 200) };
const undone = (context: PreparedBulkContext): PreparedBulkContext => ({ ...context, undo: true });
const withUndo = (now: BulkItem, before: BulkItem): BulkItem => ({
  ...now,
  raw_data: { ...now.raw_data, undo: { to: before.raw_data ?? {} } },
});
const contextOf = (tool_name: string, action: string, action_params: object): PreparedBulkContext => ({
  tool_name,
  action,
  query_params: {},
  action_params: { ...action_params },
});

describe('a row with any values, previewed, changed and restored,', () => {
  const value = fc.option(fc.string({ maxLength: 30 }));
  const row: fc.Arbitrary<NonNullable<Row>> = fc.record({ a: value, b: value });
  const context = (action: string) =>
    contextOf('sql', action, {
      ...{ database: 'shop', table: { schema: 'public', name: 'things', key: ['id'] }, marks: null },
      ...(action === 'update' && { set: { a: 'x', b: null } }),
    });
  const item = (values: Row, more: object = {}): BulkItem => ({
    ...{ id: '1', display_name: '1' },
    raw_data: { before: values === null ? null : JSON.stringify(values), values, ...more },
  });

  test.each(['update', 'delete'] as const)('by %s is as previewed, and then as it was', (action) => {
    const asked = context(action);
    const property = fc.property(row, row, fc.option(row), (was, set, theirs) => {
      const done = action === 'update' ? set : null;
      const before = item(was, { set: done });
      const shown = previewRow(before, asked);
      expect(shown).toMatchObject({ before: rowState(was, { action }), after: rowState(done, { action }) });
      expect(shown.already === true).toBe(shows(was, done));
      const undo = withUndo(item(done), before);
      expect(previewRow(undo, undone(asked))).not.toHaveProperty('conflict');
      if (!shown.already) expect(previewRow(undo, undone(asked)).after).toEqual(shown.before);
      // Someone else changed the row in any way, or deleted it.
      const drifted = previewRow(withUndo(item(theirs), before), undone(asked));
      expect(drifted.already === true).toBe(shows(theirs, was));
      expect(drifted.conflict !== undefined).toBe(!shows(theirs, was) && !shows(theirs, done));
    });
    fc.assert(property, RUNS);
  });
});

import fc from 'fast-check';
import { GMAIL_ACTIONS, changeOf } from '../../activities/adapters/gmail/parameters';
import {
  freeze,
  labelsFor,
  previewEmail,
  stateOf,
  touchedLabel,
} from '../../activities/adapters/gmail/state';
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

describe('an email with any labels, previewed, changed and restored,', () => {
  const labels = fc.uniqueArray(fc.constantFrom('INBOX', 'UNREAD', 'STARRED', 'TRASH', 'L1', 'L2', 'SENT'));

  test.each(Object.keys(GMAIL_ACTIONS))('by %s is as previewed, and then as it was', (action) => {
    const context = contextOf('gmail', action, { label_id: 'L1', label_name: 'Later' });
    const label = touchedLabel(changeOf(context));
    const frozen = (has: readonly string[]): BulkItem => ({
      id: 'e',
      display_name: 'e',
      raw_data: { ...freeze(has, label) },
    });
    const apply = (has: readonly string[], item: BulkItem, by: PreparedBulkContext) => {
      const { add, remove } = labelsFor(item, by, label)!;
      return [...new Set([...has, ...add])].filter((one) => !remove.includes(one)).sort();
    };
    const property = fc.property(labels, labels, (has, theirs) => {
      const before = frozen(has);
      const { after, already } = previewEmail(before, context);
      expect(already === true).toBe(
        JSON.stringify(apply(has, before, context)) === JSON.stringify([...has].sort()),
      );
      const done = apply(has, before, context);
      expect(stateOf(done.includes(label), context)).toEqual(after);
      if (already) return;
      // Someone else sets other labels meanwhile. The undo must leave them alone.
      const others = theirs.filter((one) => one !== label && one !== 'INBOX');
      const meanwhile = [...done.filter((one) => one === label || one === 'INBOX'), ...others];
      const now = withUndo(frozen(meanwhile), before);
      expect(previewEmail(now, undone(context))).not.toHaveProperty('conflict');
      const restored = apply(meanwhile, now, undone(context));
      const inbox = has.filter((one) => one === label || one === 'INBOX');
      expect(restored).toEqual([...new Set([...inbox, ...others])].sort());
    });
    fc.assert(property, RUNS);
  });
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

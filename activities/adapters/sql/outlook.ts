import { z } from 'zod';
import type { Change } from '../../../src/contract/change';
import type { ItemState } from '../../../src/contract/preview';
import { shortened } from '../../../src/contract/text';
import type { Outlook } from '../kit/types';
import type { Table } from './catalogue';
import type { Dependents } from './dependents';
import { alteredColumns, type Row } from './expressions';
import { shownTable, type SqlChange } from './parameters';
import { isRefused, type Reach } from './references';

/** Rows of another table that change with a row. `rows`: null if they were not counted. */
export const followSchema = z.object({ table: z.string(), does: z.string(), rows: z.number().nullable() });
type Follow = z.infer<typeof followSchema>;

/** The effect of `on update cascade`. The undo restores the value in these rows, too. */
const CARRIED = 'changed too';
const MAX_TABLES = 5;
const UNCOUNTED: Follow = {
  table: 'other tables',
  does: 'changed (there was no time to count them)',
  rows: null,
};

/**
 * Returns the effects of the change of one row on other rows, the reason that it will fail, and whether it can be
 * undone. `dependents`: the rows that refer to it; undefined if they were not counted.
 */
export function outlookOf(
  table: Table,
  change: SqlChange,
  { unseen }: Pick<Reach, 'unseen'>,
  dependents: readonly Dependents[] | undefined,
): Outlook & { follows: Follow[] } {
  const refused = (dependents ?? []).filter(({ kind }) => isRefused(kind));
  const follows = [
    ...(dependents ?? [])
      .filter(({ kind }) => !isRefused(kind))
      .map(({ kind, rows }) => followOf(kind, rows)),
    ...unseen.filter((kind) => !isRefused(kind)).map((kind) => followOf(kind, null)),
    ...(dependents ? [] : [UNCOUNTED]),
  ];
  const expected_error = missingRight(table, change) ?? emptied(table, change) ?? refused.map(standing)[0];
  return {
    follows: limited(follows),
    reversible: restoresOf(table, change, follows),
    ...(expected_error !== undefined && { expected_error }),
  };
}

/** Returns the outlook of an inserted row. No row refers to it yet. */
export function outlookOfNew(table: Table, { set }: SqlChange): Outlook {
  const { reacts, mayDelete, key } = table;
  const denied = table.columns.find(
    ({ name, mayInsert }) =>
      !mayInsert && (Object.hasOwn(set, name) || key.some((column) => column.name === name)),
  );
  const reversible = !mayDelete ? 'no' : reacts.insert || reacts.delete ? 'partly' : 'yes';
  return {
    reversible,
    ...(denied && { expected_error: `This role may not set the column '${denied.name}' of a new row` }),
  };
}

/**
 * Returns the outlook of an undo, which restores the row `to`, or deletes the row. `isThere`: whether the row exists
 * now.
 */
export function outlookOfUndo(table: Table, change: SqlChange, to: Row | null, isThere: boolean): Outlook {
  const denied = isThere
    ? missingRight(table, to ? { ...change, action: 'update' } : change)
    : to && missingInsert(table);
  const expected_error = (to && lostColumn(table, change, to)) ?? denied;
  const isTriggered = Object.values(table.reacts).includes(true);
  return { reversible: isTriggered ? 'partly' : 'yes', ...(expected_error && { expected_error }) };
}

/** Returns an error for a column of an undo that no longer exists. `to`: the row to restore. */
export function lostColumn(table: Table, change: SqlChange, to: Row): string | undefined {
  const names = alteredColumns(table, change).map(({ name }) => name);
  const lostName = Object.keys(to).find((name) => to[name] !== null && !names.includes(name));
  return lostName === undefined
    ? undefined
    : `The column '${lostName}' is not there any more, and its old value has no place`;
}

/** Returns the rows that change along with a row; for an undo, the rows that are not restored with it. */
export function besideRow(follows: readonly Follow[] = [], undo: boolean): readonly [ItemState, ItemState] {
  const [before, after] = statesOf(undo ? follows.filter(({ does }) => does !== CARRIED) : follows);
  return undo
    ? [after, Object.fromEntries(Object.keys(after).map((name) => [name, 'not restored']))]
    : [before, after];
}

/** Returns the fields that show that a row is created or deleted, in addition to its columns. */
export function besideNew(state: RowValues, target: RowValues): readonly [ItemState, ItemState] {
  const none = (of: RowValues) => Object.fromEntries(Object.keys(of?.row ?? {}).map((name) => [name, null]));
  if (state === null && target !== null) return [{ ...none(target), row: null }, { row: 'new row' }];
  if (state === null || target !== null) return [{}, {}];
  return [{ row: 'as it was inserted' }, { ...none(state), row: null }];
}
type RowValues = { readonly row?: Row | undefined } | null;

/** Returns, for each table, the number of rows and the effect on them. */
function statesOf(follows: readonly Follow[]): [ItemState, ItemState] {
  const states = [...new Set(follows.map(({ table }) => table))].map((table) => {
    const tableFollows = follows.filter((follow) => follow.table === table);
    const counted = tableFollows.every(({ rows }) => rows !== null);
    const total = tableFollows.reduce((sum, { rows }) => sum + (rows ?? 0), 0);
    const after = tableFollows
      .map(({ does, rows }) => (tableFollows.length > 1 && rows !== null ? `${rows} ${does}` : does))
      .join(', ');
    return { name: `rows of ${table}`, before: counted ? String(total) : 'an unknown number', after };
  });
  const side = (of: 'before' | 'after') => Object.fromEntries(states.map((state) => [state.name, state[of]]));
  return [side('before'), side('after')];
}

/** Describes all rows, as `2 rows, and 300 rows of 2 other tables`. Undefined if only the rows of the plan change. */
export function scopeOf(rows: number, follows: readonly Follow[], ownTable: string): string | undefined {
  if (follows.length === 0) return undefined;
  const total = follows.reduce((sum, { rows: count }) => sum + (count ?? 0), 0);
  const tables = new Set(follows.map(({ table }) => table));
  const isOwn = tables.has(ownTable);
  const where = `${tables.size} ${isOwn ? '' : 'other '}${tables.size === 1 ? 'table' : 'tables'}`;
  const isUncounted = follows.some(({ rows: count }) => count === null);
  const others = isUncounted && total === 0 ? 'rows' : counted(total, isOwn ? 'more ' : '');
  const uncounted = isUncounted ? `, ${total === 0 ? 'which' : 'some of which'} could not be counted` : '';
  return `${counted(rows, '')}, and ${others} of ${where}${uncounted}`;
}

const counted = (count: number, more: string) => `${count} ${more}${count === 1 ? 'row' : 'rows'}`;

function restoresOf(table: Table, { action }: SqlChange, follows: readonly Follow[]): Change['reversible'] {
  const { reacts } = table;
  if (action === 'update') {
    // An undo of the value also restores it in the rows to which it was cascaded.
    const isCarried = ({ does, rows }: Follow) => does === CARRIED && rows !== null;
    return reacts.update || !follows.every(isCarried) ? 'partly' : 'yes';
  }
  if (missingInsert(table) !== undefined) return 'no';
  return follows.length > 0 || reacts.delete || reacts.insert ? 'partly' : 'yes';
}

function followOf({ schema, name, effect, columns }: Dependents['kind'], rows: number | null): Follow {
  const table = shortened(shownTable({ schema, name }), 60);
  const what = shortened(columns.join(', '), 60);
  if (effect === 'deleted') return { table, does: 'deleted', rows };
  return { table, does: effect === 'changed' ? CARRIED : `${what} ${effect}`, rows };
}

function limited(follows: readonly Follow[]): Follow[] {
  if (follows.length <= MAX_TABLES) return [...follows];
  const rest = follows.slice(MAX_TABLES - 1);
  const rows = rest.reduce((sum, { rows }) => sum + (rows ?? 0), 0);
  return [
    ...follows.slice(0, MAX_TABLES - 1),
    { table: `${rest.length} further tables`, does: 'changed', rows },
  ];
}

function missingRight(table: Table, { action, set }: Pick<SqlChange, 'action' | 'set'>): string | undefined {
  if (action === 'delete')
    return table.mayDelete ? undefined : `This role may not delete rows of ${shownTable(table)}`;
  const denied = table.columns.find(({ name, mayUpdate }) => Object.hasOwn(set, name) && !mayUpdate);
  return denied && `This role may not update the column '${denied.name}' of ${shownTable(table)}`;
}

function missingInsert(table: Table): string | undefined {
  const denied = table.columns.some(({ computed, mayInsert }) => !computed && !mayInsert);
  return denied ? `This role may not insert rows into ${shownTable(table)}` : undefined;
}

function emptied(table: Table, { set }: SqlChange): string | undefined {
  const column = table.columns.find(({ name, notNull }) => notNull && set[name] === null);
  return column && `The column '${column.name}' cannot be empty`;
}

function standing({ kind, rows }: Dependents): string {
  const refer = `${rows} ${rows === 1 ? 'row' : 'rows'} of ${shownTable(kind)} ${rows === 1 ? 'refers' : 'refer'} to it`;
  return kind.effect === 'blocks'
    ? `${refer}, so the database refuses the change`
    : `${refer}, by a column that cannot be empty (${kind.columns.join(', ')})`;
}

import type { Change } from '../../../src/contract/change';
import type { BulkItem } from '../../../src/contract/items';
import { MAX_REASON_LENGTH } from '../../../src/contract/preview';
import { shortened } from '../../../src/contract/text';
import { NOT_RECORDED } from '../shared/frozen-state';
import type { Table } from './catalogue';
import { refusals, type Dependents } from './dependents';
import { alteredColumns } from './expressions';
import { CARRIED, restorationOf, type Follow, type Outlook, type Row } from './frozen';
import { shownTable, type SqlChange } from './parameters';
import { isRefused, type Reach } from './references';

const MAX_TABLES = 5;
const UNCOUNTED: Follow = {
  table: 'other tables',
  does: 'changed (there was no time to count them)',
  rows: null,
};

/**
 * Predicts the other effects of the change of one row, why it will fail, and how far it can be undone. `found` are the
 * rows that refer to it; undefined if they were not counted.
 */
export function outlookOf(
  table: Table,
  change: SqlChange,
  { unseen }: Pick<Reach, 'unseen'>,
  found: readonly Dependents[] | undefined,
): Outlook {
  const refused = refusals(found ?? []);
  const follows = [
    ...(found ?? []).filter(({ kind }) => !isRefused(kind)).map(({ kind, rows }) => followOf(kind, rows)),
    ...unseen.filter((kind) => !isRefused(kind)).map((kind) => followOf(kind, null)),
    ...(found ? [] : [UNCOUNTED]),
  ];
  const expected = missingRight(table, change) ?? emptied(table, change) ?? refused.map(standing)[0];
  return {
    restores: restoresOf(table, change, follows),
    ...(follows.length > 0 && { follows: limited(follows) }),
    ...(expected !== undefined && { expected: shortened(expected, MAX_REASON_LENGTH - 1) }),
  };
}

/** Why an undo of one row will fail, and whether it can be taken back itself; the row is there now, or not. */
export function outlookOfUndo(table: Table, change: SqlChange, item: BulkItem, now: Row): Outlook {
  const back = restorationOf(item, change);
  if (back === undefined) return { expected: NOT_RECORDED };
  const expected = missingForUndo(table, change, back.to, now);
  const isTriggered = Object.values(table.reacts).includes(true);
  return { restores: isTriggered ? 'partly' : 'yes', ...(expected !== undefined && { expected }) };
}

function missingForUndo(table: Table, change: SqlChange, to: Row, now: Row): string | undefined {
  if (to === null) return now === null ? undefined : missingRight(table, change);
  const isNew = now === null && change.action === 'delete';
  const lost = lostColumn(table, change, to);
  if (lost !== undefined || isNew) return lost ?? missingInsert(table);
  return change.action === 'update' ? missingRight(table, change) : undefined;
}

/** A column of an undo that is not there any more; `to`: the row to restore. */
export function lostColumn(table: Table, change: SqlChange, to: NonNullable<Row>): string | undefined {
  const there = alteredColumns(table, change).map(({ name }) => name);
  const lost = Object.keys(to).find((name) => to[name] !== null && !there.includes(name));
  return lost === undefined
    ? undefined
    : `The column '${lost}' is not there any more, and its old value has no place`;
}

function restoresOf(table: Table, { action }: SqlChange, follows: readonly Follow[]): Change['reversible'] {
  const { reacts } = table;
  if (action === 'update') {
    // A value that goes back goes back in the rows that it was carried to.
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

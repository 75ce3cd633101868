import { sql } from 'kysely';
import { outdated, ProviderFailure } from '../../shared/failure';
import { NOT_RECORDED } from '../../shared/frozen-state';
import type { Wanted } from '../engine';
import { alteredColumns, printedValues, tableRef, type ColumnValue, type Row } from '../expressions';
import { valuesOfRow } from '../file-rows';
import { lostColumn } from '../outlook';
import { bringsRows } from '../parameters';
import { stateOf, type RowState } from '../rows';
import { isReached, wouldBe } from '../write';
import { Unfit, type Dialect, type Raw } from './dialect';
import { isRow, keptTexts, keyIs, rawRows, versionOf } from './rows';

/**
 * Changes one row together with its commit marker, in its own transaction, which locks the row before it reads it. If
 * the row does not reach its target, the transaction is rolled back.
 */
export const writeRow = (dialect: Dialect, task: Wanted): Promise<RowState | null> =>
  dialect.transact(task.database, task.call, 'read write', async (db) => {
    const { table, change, item, target, call } = task;
    const outcome = await dialect.mark(db, change.marks!, change.action, item.id, call);
    if (outcome === 'done') return target;
    if (outcome === 'fenced')
      throw new ProviderFailure('not_sent', 'This change was abandoned before it reached the database');
    const readRow = async (lock: boolean) =>
      (await rawRows(dialect, db, table, keyIs(dialect, table, item.id), { lock }))[0]?.raw;
    const before = await readRow(true);
    if (!isAsPlanned(dialect, task, before)) throw outdated();
    await statementFor(dialect, task, before).execute(db);
    const after = await readRow(false);
    const state =
      after === undefined ? null : stateOf(keptTexts(dialect, task, after), task, target?.row !== undefined);
    if (!isReached(state, target)) throw missed(task, state);
    if (after && before === undefined && bringsRows(change.action)) keepWhole(dialect, task, after);
    return state;
  });

function isAsPlanned(dialect: Dialect, task: Wanted, before: Raw | undefined): boolean {
  const { table, item } = task;
  if (item.state === null) return before === undefined;
  return (
    before !== undefined &&
    isRow(dialect, table, before, item.id) &&
    (item.version === undefined || versionOf(dialect, task, before) === item.version)
  );
}

/** Stores the whole row after the change, for its undo. */
function keepWhole(dialect: Dialect, { table, change, item }: Wanted, after: Raw): void {
  const wholeScope = { table, change: { ...change, action: 'delete' } };
  item.keep({ left: stateOf(keptTexts(dialect, wholeScope, after), wholeScope, true) });
}

function statementFor(dialect: Dialect, task: Wanted, before: Raw | undefined) {
  const { table, item, target } = task;
  const isKey = keyIs(dialect, table, item.id);
  if (target === null) return sql`delete from ${tableRef(table)} where ${isKey}`;
  const values = valuesFor(task, target.row);
  const names = values.map(({ column }) => sql.id(column.name));
  const stored = values.map((value) => storedFor(dialect, value));
  if (before === undefined)
    return sql`insert into ${tableRef(table)} (${sql.join(names)}) values (${sql.join(stored)})`;
  const set = names.flatMap((name, at) =>
    values[at]!.column.keyPosition === null && !values[at]!.column.computed
      ? [sql`${name} = ${stored[at]}`]
      : [],
  );
  return sql`update ${tableRef(table)} set ${sql.join(set)} where ${isKey}`;
}

function storedFor({ bound, stored }: Dialect, { column, text }: ColumnValue) {
  try {
    return bound(column, stored(column, text));
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new ProviderFailure('refused', `The column '${column.name}' no longer stores this value`);
  }
}

/** Returns the values that a statement writes: the planned values, or the values that an undo restores. */
function valuesFor(task: Wanted, row: Row | undefined): ColumnValue[] {
  const { table, change } = task;
  if (!change.undo)
    return bringsRows(change.action)
      ? valuesOfRow(task)
      : valuesOfRow(task).filter(({ column }) => column.keyPosition === null);
  const lost = row ? lostColumn(table, change, row) : NOT_RECORDED;
  if (row === undefined || lost !== undefined) throw new ProviderFailure('refused', lost ?? NOT_RECORDED);
  return printedValues(alteredColumns(table, change), row);
}

/** Returns the failure if a trigger changed the row further, or prevented its deletion. */
function missed({ target }: Wanted, state: RowState | null): ProviderFailure {
  const effect = target === null && state ? 'would keep the row' : 'would make something else of the row';
  const outcome = wouldBe(state ?? undefined, target ?? undefined);
  return new ProviderFailure(
    'refused',
    `The database ${effect}, because of a trigger${outcome}. It was left as it was`,
  );
}

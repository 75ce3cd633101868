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
 * Changes one row, with its commit marker, in its own transaction, which has the row's lock before it looks. A row that
 * does not become as the change requires stays as it was.
 */
export const writeRow = (dialect: Dialect, wanted: Wanted): Promise<RowState | null> =>
  dialect.transact(wanted.database, wanted.call, 'read write', async (db) => {
    const { table, change, item, target, call } = wanted;
    const marked = await dialect.mark(db, change.marks!, change.action, item.id, call);
    if (marked === 'done') return target;
    if (marked === 'fenced')
      throw new ProviderFailure('not_sent', 'This change was abandoned before it reached the database');
    const now = async (lock: boolean) =>
      (await rawRows(dialect, db, table, keyIs(dialect, table, item.id), { lock }))[0]?.raw;
    const before = await now(true);
    if (!isAsPlanned(dialect, wanted, before)) throw outdated();
    await statementFor(dialect, wanted, before).execute(db);
    const after = await now(false);
    const state =
      after === undefined
        ? null
        : stateOf(keptTexts(dialect, wanted, after), wanted, target?.row !== undefined);
    if (!isReached(state, target)) throw missed(wanted, state);
    if (after && before === undefined && bringsRows(change.action)) keepWhole(dialect, wanted, after);
    return state;
  });

function isAsPlanned(dialect: Dialect, wanted: Wanted, before: Raw | undefined): boolean {
  const { table, item } = wanted;
  if (item.state === null) return before === undefined;
  return (
    before !== undefined &&
    isRow(dialect, table, before, item.id) &&
    (item.version === undefined || versionOf(dialect, wanted, before) === item.version)
  );
}

/** The whole row as the change left it, for its undo. */
function keepWhole(dialect: Dialect, { table, change, item }: Wanted, after: Raw): void {
  const whole = { table, change: { ...change, action: 'delete' } };
  item.keep({ left: stateOf(keptTexts(dialect, whole, after), whole, true) });
}

function statementFor(dialect: Dialect, wanted: Wanted, before: Raw | undefined) {
  const { table, item, target } = wanted;
  const isKey = keyIs(dialect, table, item.id);
  if (target === null) return sql`delete from ${tableRef(table)} where ${isKey}`;
  const values = valuesFor(wanted, target.row);
  const names = values.map(({ column }) => sql.id(column.name));
  const stored = values.map((one) => storedFor(dialect, one));
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

/** What a statement writes: the values that were planned, or those that an undo restores. */
function valuesFor(wanted: Wanted, row: Row | undefined): ColumnValue[] {
  const { table, change } = wanted;
  if (!change.undo)
    return bringsRows(change.action)
      ? valuesOfRow(wanted)
      : valuesOfRow(wanted).filter(({ column }) => column.keyPosition === null);
  const lost = row ? lostColumn(table, change, row) : NOT_RECORDED;
  if (row === undefined || lost !== undefined) throw new ProviderFailure('refused', lost ?? NOT_RECORDED);
  return printedValues(alteredColumns(table, change), row);
}

/** A trigger made something else of the row, or kept it. */
function missed({ target }: Wanted, state: RowState | null): ProviderFailure {
  const kept = target === null && state ? 'would keep the row' : 'would make something else of the row';
  const outcome = wouldBe(state ?? undefined, target ?? undefined);
  return new ProviderFailure(
    'refused',
    `The database ${kept}, because of a trigger${outcome}. It was left as it was`,
  );
}

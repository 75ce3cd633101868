import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import { outdated, ProviderFailure } from '../../shared/failure';
import { NOT_RECORDED } from '../../shared/frozen-state';
import type { Wanted } from '../engine';
import { alteredColumns, printedValues, type ColumnValue, type Row } from '../expressions';
import { valuesOfRow } from '../file-rows';
import { lostColumn } from '../outlook';
import { bringsRows } from '../parameters';
import { stateOf, type RowState } from '../rows';
import { isReached, wouldBe } from '../write';
import { mark, MARKS } from './marks';
import { keptTexts, keyIs, rawRows, tableRef, versionOf } from './rows';
import { inSqlite } from './transaction';
import { storedAs, Unfit, type Raw } from './values';

/**
 * Changes one row, with its commit marker, in its own transaction, which has the only lock for writing. A row that does
 * not become as the change requires stays as it was.
 */
export const writeRow = (wanted: Wanted): Promise<RowState | null> =>
  inSqlite(wanted.database, wanted.call, 'read write', async (db) => {
    const { table, change, item, target, call } = wanted;
    const marked = await mark(db, MARKS, change.action, item.id, call);
    if (marked === 'done') return target;
    if (marked === 'fenced')
      throw new ProviderFailure('not_sent', 'This change was abandoned before it reached the database');
    const [before] = await rawRows(db, table, keyIs(table, item.id));
    if (!isAsPlanned(wanted, before)) throw outdated();
    await (await statementFor(wanted, before)).execute(db);
    const [after] = await rawRows(db, table, keyIs(table, item.id));
    const state =
      after === undefined ? null : stateOf(keptTexts(wanted, after), wanted, target?.row !== undefined);
    if (!isReached(state, target)) throw missed(wanted, state);
    if (after && before === undefined && bringsRows(change.action)) keepWhole(wanted, after);
    return state;
  });

function isAsPlanned({ table, change, item }: Wanted, before: Raw | undefined): boolean {
  if (item.state === null) return before === undefined;
  return (
    before !== undefined && (item.version === undefined || versionOf(table, change, before) === item.version)
  );
}

/** The whole row as the change left it, for its undo. */
function keepWhole({ table, change, item }: Wanted, after: Raw): void {
  const whole = { table, change: { ...change, action: 'delete' } };
  item.keep({ left: stateOf(keptTexts(whole, after), whole, true) });
}

async function statementFor(wanted: Wanted, before: Raw | undefined) {
  const { table, item, target } = wanted;
  const isKey = keyIs(table, item.id);
  if (target === null) return sql`delete from ${tableRef(table)} where ${isKey}`;
  const values = valuesFor(wanted, target.row);
  const names = values.map(({ column }) => sql.id(column.name));
  const stored = values.map((one) => sql`${storedFor(one)}`);
  if (before === undefined)
    return sql`insert into ${tableRef(table)} (${sql.join(names)}) values (${sql.join(stored)})`;
  const set = names.flatMap((name, at) =>
    values[at]!.column.keyPosition === null && !values[at]!.column.computed
      ? [sql`${name} = ${stored[at]}`]
      : [],
  );
  return Promise.resolve(sql`update ${tableRef(table)} set ${sql.join(set)} where ${isKey}`);
}

function storedFor({ column, text }: ColumnValue) {
  try {
    return storedAs(column, text);
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

/** Running changes have the lock for writing, so that whoever gets a lock sees their outcome. */
export const lockItem = async (db: Db): Promise<void> => {
  await sql`select 1 from sqlite_schema limit 1`.execute(db);
};

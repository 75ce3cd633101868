import { sql } from 'kysely';
import { shortened } from '../../../src/contract/text';
import { isPrivate } from '../../../src/core/shared/plain-secrets';
import { nameText, quoted } from '../../../src/core/shared/plain-text';
import type { Db } from '../../../src/postgres/databases';
import type { Piece } from '../../../src/postgres/databases/conditions';
import { outdated, ProviderFailure } from '../shared/failure';
import { NOT_RECORDED } from '../shared/frozen-state';
import {
  alteredColumns,
  assignments,
  digestOf,
  insertion,
  keyIs,
  printedValues,
  restoredColumns,
  tableRef,
  type ColumnValue,
  type Row,
} from './expressions';
import type { Wanted } from './engine';
import { QUOTES_VALUE } from './failure';
import { valuesOfRow } from './file-rows';
import { lockItem, mark } from './marks';
import { lostColumn } from './outlook';
import { bringsRows } from './parameters';
import { firstUnkept } from './prepare';
import { keptTexts, rowOf, stateOf, type RowItem, type RowState, type Scope } from './rows';
import { inTransaction } from './transaction';

type State = RowState | null;

/** insufficient_privilege, which concerns this statement or a trigger and not the whole account. */
const NOT_PERMITTED = '42501';

/**
 * Changes one row together with its commit marker, in its own transaction. If the row does not reach its target, the
 * transaction is rolled back.
 */
export async function writeRow(task: Wanted): Promise<State> {
  const { database, call, item, target } = task;
  try {
    return await inTransaction(database, call, 'read write', async (db) => {
      if (await isDone(db, task)) return target;
      const { rows } = await (await statementFor(db, task)).execute(db);
      if (rows.length > 1) throw new ProviderFailure('refused', `${rows.length} rows have this key`);
      const after = rows[0] && (await stateAfter(db, task, rows[0]));
      if (after === undefined || !isReached(after.state, target))
        throw new Missed(await rowOf(db, task, task.item.id));
      if (after.left) item.keep({ left: after.left });
      return after.state;
    });
  } catch (error) {
    if (error instanceof Missed) throw await whyNot(task, error.left);
    throw error instanceof ProviderFailure ? ofThisRow(task, error) : error;
  }
}

/** Returns a failure that quotes no private value, and concerns this row alone. */
function ofThisRow({ table, change }: Scope, failure: ProviderFailure): ProviderFailure {
  const { reason = '', message } = failure;
  if (QUOTES_VALUE.test(reason) && alteredColumns(table, change).some(({ name }) => isPrivate(name)))
    return new ProviderFailure('refused', 'A value does not fit its column', { reason });
  return reason === NOT_PERMITTED ? new ProviderFailure('refused', message, { reason }) : failure;
}

/** Ends the transaction, because the row does not have its target after the statement. `left`: the row. */
class Missed extends ProviderFailure {
  constructor(readonly left: RowItem | undefined) {
    super('refused', 'The row is not as the change says');
  }
}

/** Returns true if this operation has already made the change. */
async function isDone(db: Db, { change: { marks, action }, item: { id }, call }: Wanted): Promise<boolean> {
  if (marks === null) await lockItem(db, id, call);
  const outcome = marks && (await mark(db, marks, action, id, call));
  if (outcome !== 'fenced') return outcome === 'done';
  throw new ProviderFailure('not_sent', 'This change was abandoned before it reached the database');
}

async function statementFor(db: Db, task: Wanted) {
  const { table, change, item, target } = task;
  const isKey = keyIs(table, item.id);
  const isAsPlanned =
    item.version === undefined ? sql`true` : sql`${digestOf(table, change)} = ${item.version}::text`;
  const where = sql`${isKey} and ${isAsPlanned}`;
  const after = target === null ? sql`cast(null as text)` : keptTexts(task);
  const returning = (statement: Piece) =>
    sql<Written>`${statement} returning ${after} as row, ${wholeRow(task)} as whole`;
  const setting = (values: Piece) => returning(sql`update ${tableRef(table)} set ${values} where ${where}`);
  if (target === null) return returning(sql`delete from ${tableRef(table)} where ${where}`);
  if (change.action === 'update' && !change.undo) return setting(assignments(table, change.set));
  if (!change.undo) {
    const values = fileValues(task, target.row);
    const others = values.filter(({ column }) => column.keyPosition === null);
    if (item.state === null) return returning(insertion(table, values, isKey));
    return setting(restoredColumns(others));
  }
  const values = await restoredValues(db, task, target.row);
  return item.state === null
    ? returning(insertion(table, values, isKey))
    : setting(restoredColumns(values.filter(({ column }) => !column.generated)));
}

/** Returns the values that an undo restores. @throws ProviderFailure if a column was altered or dropped since. */
async function restoredValues(db: Db, { table, change }: Scope, row: Row | undefined) {
  const lost = row ? lostColumn(table, change, row) : NOT_RECORDED;
  if (row === undefined || lost !== undefined) throw new ProviderFailure('refused', lost ?? NOT_RECORDED);
  const values = printedValues(alteredColumns(table, change), row);
  const unkept = await firstUnkept(db, values);
  if (unkept === undefined) return values;
  throw new ProviderFailure('refused', `The column '${unkept.column.name}' no longer stores its old value`);
}

/** Returns the planned values: the given values of a plan of an earlier version can contain `now` itself. */
function fileValues(task: Wanted, row: Row = {}): ColumnValue[] {
  return valuesOfRow(task).map((value) => printedValues([value.column], row)[0] ?? value);
}

/** A row after a statement. `whole`: all columns, if the change creates the row. */
interface Written {
  readonly row: string | null;
  readonly whole: string | null;
}

const wholeOf = ({ table, change }: Scope): Scope => ({ table, change: { ...change, action: 'delete' } });

const wholeRow = (task: Wanted): Piece =>
  bringsRows(task.change.action) && task.item.state === null
    ? keptTexts(wholeOf(task))
    : sql`cast(null as text)`;

/**
 * Returns the row after the statement. If the table has triggers, runs the deferred ones now and reads the row again.
 */
async function stateAfter(db: Db, task: Wanted, returned: Written) {
  const { table, item, target } = task;
  let texts = returned;
  if (Object.values(table.reacts).includes(true)) {
    await sql`set constraints all immediate`.execute(db);
    const { rows } = await sql<Written>`
      select ${keptTexts(task)} as row, ${wholeRow(task)} as whole
      from ${tableRef(table)} where ${keyIs(table, item.id)}`.execute(db);
    texts = rows[0] ?? { row: null, whole: null };
  }
  const { row, whole } = texts;
  return {
    state: row === null ? null : stateOf(row, task, target?.row !== undefined),
    left: whole === null ? undefined : stateOf(whole, wholeOf(task), true),
  };
}

export function isReached(state: State, target: State): boolean {
  if (state === null || target === null) return state === target;
  return target.row ? differences(state.row, target.row).length === 0 : state.digest === target.digest;
}

const differences = (row: Row = {}, expected: Row): string[] =>
  Object.keys(expected).filter((name) => row[name] !== expected[name]);

/** Returns the reason that a row does not have its target: others changed it, or the database itself changes it. */
async function whyNot(task: Wanted, left: RowItem | undefined): Promise<ProviderFailure> {
  const { database, item, target, call } = task;
  const now = await inTransaction(database, call, 'read only', (db) => rowOf(db, task, item.id));
  if (now?.version !== item.version) return outdated();
  const by = 'because of a trigger, a rule or a policy';
  if (left && left.version === now?.version)
    return new ProviderFailure('refused', `The database left the row unchanged, ${by}`);
  const effect = target === null && left ? 'would keep the row' : 'would make something else of the row';
  const outcome = wouldBe(left?.state ?? undefined, target ?? now?.state ?? undefined);
  return new ProviderFailure('refused', `The database ${effect}, ${by}${outcome}. It was left as it was`);
}

/** Describes the columns that differ from the target because of a trigger. */
export function wouldBe(left: RowState | undefined, than: RowState | undefined): string {
  if (left === undefined) return ': it would not be there';
  const { row = {} } = left;
  const value = (text: string | null | undefined) => (text == null ? 'null' : quoted(shortened(text, 60)));
  const parts = differences(than?.row, row).map((name) => `${nameText(name)} would be ${value(row[name])}`);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

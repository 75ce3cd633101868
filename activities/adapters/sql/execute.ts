import { sql } from 'kysely';
import type { BatchCall, Reconciliation } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { shortened } from '../../../src/contract/text';
import { nameText, quoted } from '../../../src/core/shared/plain-text';
import type { Database, Db } from '../../../src/postgres/databases';
import { failureOf, ProviderFailure } from '../shared/failure';
import { changedSincePreview, difference, NOT_RECORDED } from '../shared/frozen-state';
import type { Table } from './catalogue';
import {
  alteredColumns,
  assignments,
  digestOf,
  holds,
  insertion,
  keyIs,
  printedValues,
  restoredColumns,
  tableRef,
} from './expressions';
import { results } from './failure';
import { frozenOf, restorationOf, shows, stateOf, wishedRow, type Frozen, type Row } from './frozen';
import { ensureMarks, fence, mark } from './marks';
import type { SqlChange } from './parameters';
import { lostColumn } from './outlook';
import { firstUnkept, frozenRow, tableOf } from './rows';
import type { Piece } from '../../../src/postgres/databases/conditions';
import { inTransaction } from './transaction';

/**
 * Changes one row, with its commit marker, in its own transaction. A row that does not become as the change requires
 * stays as it was.
 */
export async function changeRow(
  database: Database,
  table: Table,
  change: SqlChange,
  item: BulkItem,
  call: BatchCall,
): Promise<BulkResult> {
  try {
    await inTransaction(database, call, 'read write', async (db) => {
      if (await isDone(db, change, item, call)) return;
      if (change.undo) await refuseLoss(db, table, change, item);
      const { rows } = await statementFor(table, change, item).execute(db);
      if (rows.length > 1) throw new ProviderFailure('refused', `${rows.length} rows have this key`);
      if (rows.length === 0 || !(await isReached(db, table, change, item)))
        throw new Missed(await frozenRow(db, table, change, item));
    });
    return { item_id: item.id, success: true };
  } catch (error) {
    if (!(error instanceof Missed)) return results.failed(item.id, failureOf(error));
    return whyNot(database, table, change, item, { left: error.left, call });
  }
}

/** The row is not as the change requires after the statement. `left` is its state; the transaction ends. */
class Missed extends ProviderFailure {
  constructor(readonly left: Frozen | undefined) {
    super('refused', 'The row is not as the change says');
  }
}

async function isDone(db: Db, change: SqlChange, item: BulkItem, call: BatchCall): Promise<boolean> {
  if (change.marks === null) {
    await lockItem(db, item, call);
    return false;
  }
  const marked = await mark(db, change.marks, change.action, item.id, call);
  if (marked !== 'fenced') return marked === 'done';
  throw new ProviderFailure('not_sent', 'This change was abandoned before it reached the database');
}

/** A column may have been altered since its values were kept, and would store them otherwise, or be gone. */
async function refuseLoss(db: Db, table: Table, change: SqlChange, item: BulkItem): Promise<void> {
  const row = restorationOf(item, change)?.to;
  if (!row) return;
  const gone = lostColumn(table, change, row);
  if (gone !== undefined) throw new ProviderFailure('refused', gone);
  const values = printedValues(alteredColumns(table, change), row);
  const lost = await firstUnkept(db, values);
  if (lost !== undefined)
    throw new ProviderFailure('refused', `The column '${lost.column.name}' no longer stores its old value`);
}

/**
 * Without triggers and rules a statement has no other effects. Those that wait for the end of the transaction run now.
 */
async function isReached(db: Db, table: Table, change: SqlChange, item: BulkItem): Promise<boolean> {
  const { reacts, schema, name } = table;
  if (!reacts.insert && !reacts.update && !reacts.delete) return true;
  await sql`set constraints all immediate`.execute(db);
  if (change.action === 'update' && !change.undo) {
    const { rows } = await sql`
      select from ${sql.id(schema, name)} where ${keyIs(table, item.id)} and ${holds(table, change.set)}`.execute(
      db,
    );
    return rows.length === 1;
  }
  const wished = change.undo ? wishedRow(item, change) : null;
  const row = await frozenRow(db, table, change, item);
  return wished === null ? row === undefined : shows(row?.values, wished);
}

function statementFor(table: Table, change: SqlChange, item: BulkItem) {
  const where = sql`${keyIs(table, item.id)} and ${isAsFrozen(table, change, item)}`;
  if (change.undo) return restoring(table, change, item, where);
  return change.action === 'delete'
    ? sql`delete from ${tableRef(table)} where ${where} returning 1`
    : sql`update ${tableRef(table)} set ${assignments(table, change.set)} where ${where} returning 1`;
}

/** Restores a row: deletes it, inserts it, or sets its changed columns. */
function restoring(table: Table, change: SqlChange, item: BulkItem, where: Piece) {
  const back = restorationOf(item, change);
  if (back === undefined) throw new ProviderFailure('refused', NOT_RECORDED);
  if (back.to === null) return sql`delete from ${tableRef(table)} where ${where} returning 1`;
  const columns = alteredColumns(table, change);
  if (change.action === 'delete' && frozenOf(item.raw_data)?.before === null)
    return insertion(table, columns, back.to, keyIs(table, item.id));
  const kept = back.to;
  const settable = columns.filter(({ generated, name }) => !generated && Object.hasOwn(kept, name));
  return sql`update ${tableRef(table)} set ${restoredColumns(settable, back.to)} where ${where} returning 1`;
}

function isAsFrozen(table: Table, change: SqlChange, item: BulkItem) {
  const frozen = frozenOf(item.raw_data);
  return frozen ? sql`${digestOf(table, change)} = cast(${frozen.before} as text)` : sql`true`;
}

/** Why a row is not as the change requires: somebody else changed it, or the database itself changes it. */
async function whyNot(
  database: Database,
  table: Table,
  change: SqlChange,
  item: BulkItem,
  { left, call }: { left: Frozen | undefined; call: BatchCall },
): Promise<BulkResult> {
  try {
    const now = await inTransaction(database, call, 'read only', (db) => frozenRow(db, table, change, item));
    const frozen = frozenOf(item.raw_data);
    const wished = change.undo ? wishedRow(item, change) : null;
    if (now === undefined && change.undo && wished === null)
      return changedSincePreview(item.id, 'the row was deleted');
    // An undo that inserts a row finds none.
    const inserts = change.undo && frozen?.before === null;
    if (now === undefined && !inserts)
      return results.failed(item.id, new ProviderFailure('refused', 'Row not found', { status: 404 }));
    if (frozen === undefined || now === undefined || now.before === frozen.before)
      return results.failed(item.id, new ProviderFailure('refused', keptBy(change, item, left, now)));
    const known = frozen.values !== undefined && now.values !== undefined;
    return changedSincePreview(
      item.id,
      known ? difference(stateOf(frozen.values!, change), stateOf(now.values!, change)) : undefined,
    );
  } catch (error) {
    return results.failed(item.id, failureOf(error));
  }
}

const BY = 'because of a trigger, a rule or a policy';

function keptBy(
  change: SqlChange,
  item: BulkItem,
  left: Frozen | undefined,
  now: Frozen | undefined,
): string {
  if (left?.before === now?.before && left !== undefined) return `The database left the row unchanged, ${BY}`;
  const wished = change.undo || change.action === 'update' ? wishedRow(item, change) : null;
  const row = left === undefined ? null : left.values;
  const outcome = row === undefined ? undefined : wouldBe(row, wished ?? now?.values ?? null);
  const kept =
    wished === null && left !== undefined ? 'would keep the row' : 'would make something else of the row';
  return `The database ${kept}, ${BY}${outcome ? `: ${outcome}` : ''}. It was left as it was`;
}

/** The columns of a row that a trigger made otherwise. */
function wouldBe(row: Row, than: Row): string {
  if (row === null) return 'it would not be there';
  const names = Object.keys(row).filter((name) => than === null || row[name] !== (than[name] ?? null));
  const value = (text: string | null | undefined) => (text == null ? 'null' : quoted(shortened(text, 60)));
  return names.map((name) => `${nameText(name)} would be ${value(row[name])}`).join(', ');
}

/** Reads back whether one row was changed, and prevents every earlier call from changing it afterwards. */
export async function readBack(
  database: Database,
  change: SqlChange,
  item: BulkItem,
  call: BatchCall,
): Promise<Reconciliation> {
  const { marks } = change;
  if (marks !== null) {
    await ensureMarks(database, marks, call);
    return inTransaction(database, call, 'read write', (db) => fence(db, marks, item.id, call));
  }
  return inTransaction(database, call, 'read only', async (db) => {
    await lockItem(db, item, call);
    return compare(db, await tableOf(db, change), change, item);
  });
}

/** Without markers: taking the lock waits for a running change, and then sees its outcome. */
async function lockItem(db: Db, item: BulkItem, { operation_id, run_id }: BatchCall): Promise<void> {
  const key = JSON.stringify([operation_id, run_id, item.id]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}::text, 0))`.execute(db);
}

async function compare(db: Db, table: Table, change: SqlChange, item: BulkItem): Promise<Reconciliation> {
  if (change.undo) return compareRestored(db, table, change, item);
  const applied = change.action === 'delete' ? sql`false` : holds(table, change.set);
  const { rows } = await sql<{ applied: boolean; same: boolean | null }>`
    select ${applied} as applied, ${isAsFrozen(table, change, item)} as same
    from ${tableRef(table)} where ${keyIs(table, item.id)}`.execute(db);
  const [row] = rows;
  // Deleted before or after an update, or moved to another key by it.
  if (row === undefined) return change.action === 'delete' ? 'applied' : 'unknown';
  if (row.applied) return 'applied';
  // Neither the old nor the new value: somebody else changed the row, before or after us.
  return row.same === true ? 'not_applied' : 'unknown';
}

async function compareRestored(
  db: Db,
  table: Table,
  change: SqlChange,
  item: BulkItem,
): Promise<Reconciliation> {
  const wished = wishedRow(item, change);
  const now = (await frozenRow(db, table, change, item)) ?? { before: null, values: null };
  if (shows(now.values, wished)) return 'applied';
  return now.before === frozenOf(item.raw_data)?.before ? 'not_applied' : 'unknown';
}

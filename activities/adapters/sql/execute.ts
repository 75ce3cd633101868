import { sql } from 'kysely';
import type { BatchCall, Reconciliation } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
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
import { frozenOf, isSame, restorationOf, stateOf, wishedRow } from './frozen';
import { ensureMarks, fence, mark } from './marks';
import type { SqlChange } from './parameters';
import { firstUnkept, rowOfItem, tableOf } from './rows';
import type { Piece } from '../../../src/postgres/databases/conditions';
import { inTransaction } from './transaction';

/** Changes one row, with its commit marker, in its own transaction. */
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
      const changed = await statementFor(table, change, item).execute(db);
      const why =
        changed.rows.length === 1 ? undefined : await whyNot(db, table, change, item, changed.rows.length);
      if (why) throw why;
    });
    return { item_id: item.id, success: true };
  } catch (error) {
    if (error instanceof Changed) return changedSincePreview(item.id, error.what);
    return results.failed(item.id, failureOf(error));
  }
}

/** The row has changed since it was frozen, and the statement did not change it. */
class Changed extends ProviderFailure {
  constructor(readonly what: string | undefined) {
    super('refused', 'The row was changed since the preview', { retryable: true });
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

/** A column may have been altered since its values were kept, and would store them otherwise. */
async function refuseLoss(db: Db, table: Table, change: SqlChange, item: BulkItem): Promise<void> {
  const row = restorationOf(item, change)?.to;
  if (!row) return;
  const values = printedValues(alteredColumns(table, change), row);
  const lost = await firstUnkept(db, values);
  if (lost !== undefined)
    throw new ProviderFailure('refused', `The column '${lost.column.name}' no longer stores its old value`);
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
    return insertion(table, columns, back.to);
  const settable = columns.filter(({ generated }) => !generated);
  return sql`update ${tableRef(table)} set ${restoredColumns(settable, back.to)} where ${where} returning 1`;
}

function isAsFrozen(table: Table, change: SqlChange, item: BulkItem) {
  const frozen = frozenOf(item.raw_data);
  return frozen ? sql`${digestOf(table, change)} = cast(${frozen.before} as text)` : sql`true`;
}

/** Why a statement did not change exactly one row; undefined if the row already is as intended. */
async function whyNot(
  db: Db,
  table: Table,
  change: SqlChange,
  item: BulkItem,
  changed: number,
): Promise<ProviderFailure | undefined> {
  if (changed > 1) return new ProviderFailure('refused', `${changed} rows have this key`);
  const frozen = frozenOf(item.raw_data);
  const wished = wishedRow(item, change);
  const row = await rowOfItem(db, table, change, item);
  if (row === undefined) {
    // Somebody else has already deleted what an undo would delete.
    if (change.undo && wished === null) return undefined;
    return new ProviderFailure('refused', 'Row not found', { status: 404 });
  }
  const now = frozenOf(row.raw_data);
  if (frozen === undefined || now?.before === frozen.before)
    return new ProviderFailure(
      'refused',
      'The database left the row unchanged, because of a trigger or a policy',
    );
  if (isSame(now?.values, wished)) return undefined;
  const known = frozen.values !== undefined && now?.values !== undefined;
  return new Changed(
    known ? difference(stateOf(frozen.values!, change), stateOf(now.values!, change)) : undefined,
  );
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
  const row = await rowOfItem(db, table, change, item);
  const now = row === undefined ? { before: null, values: null } : frozenOf(row.raw_data);
  if (isSame(now?.values, wished)) return 'applied';
  return now?.before === frozenOf(item.raw_data)?.before ? 'not_applied' : 'unknown';
}

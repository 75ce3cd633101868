import { sql } from 'kysely';
import { z } from 'zod';
import type { BatchCall, Reconciliation } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import type { Database } from '../../../src/postgres/databases';
import { failureOf, ProviderFailure } from '../shared/failure';
import type { Table } from './catalogue';
import { assignments, digestOf, holds, keyIs, tableRef } from './expressions';
import { results } from './failure';
import { ensureMarks, fence, mark } from './marks';
import type { SqlChange } from './parameters';
import { tableOf } from './rows';
import { inTransaction, type Db } from './transaction';

/** `before`: the digest in the plan; null if there was no row then. Absent: nothing was frozen. */
const frozenSchema = z.object({ before: z.string().nullable() });

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
      const changed = await statementFor(table, change, item).execute(db);
      if (changed.rows.length !== 1) throw await whyNot(db, table, change, item, changed.rows.length);
    });
    return { item_id: item.id, success: true };
  } catch (error) {
    return results.failed(item.id, failureOf(error));
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

function statementFor(table: Table, change: SqlChange, item: BulkItem) {
  const where = sql`${keyIs(table, item.id)} and ${isAsFrozen(table, change, item)}`;
  return change.action === 'delete'
    ? sql`delete from ${tableRef(table)} where ${where} returning 1`
    : sql`update ${tableRef(table)} set ${assignments(table, change.set)} where ${where} returning 1`;
}

function isAsFrozen(table: Table, change: SqlChange, item: BulkItem) {
  const frozen = frozenSchema.safeParse(item.raw_data);
  return frozen.success ? sql`${digestOf(table, change)} = cast(${frozen.data.before} as text)` : sql`true`;
}

/** Why a statement did not change exactly one row. */
async function whyNot(
  db: Db,
  table: Table,
  change: SqlChange,
  item: BulkItem,
  changed: number,
): Promise<ProviderFailure> {
  if (changed > 1) return new ProviderFailure('refused', `${changed} rows have this key`);
  const { rows } = await sql<{ same: boolean | null }>`
    select ${isAsFrozen(table, change, item)} as same from ${tableRef(table)}
    where ${keyIs(table, item.id)}`.execute(db);
  const [row] = rows;
  if (row === undefined) return new ProviderFailure('refused', 'Row not found', { status: 404 });
  return row.same === true
    ? new ProviderFailure('refused', 'The database left the row unchanged, because of a trigger or a policy')
    : new ProviderFailure('refused', 'The row was changed since it was planned', { retryable: true });
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

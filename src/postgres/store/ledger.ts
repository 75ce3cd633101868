import { sql } from 'kysely';
import type { RecordResolutionInput, LedgerRecord, PlannedItem } from '../../contract/activities';
import type { Ledger } from '../../contract/ledger';
import type { BulkStatus } from '../../contract/operation';
import { fenceBatch, holdsBatch, inconsistent, newRow, takeBatch, writeResults, writeRows } from './batches';
import { jsonb, type Db, now, excluded, present } from './schema';
import { writePlan } from './plan';

/** The ledger over the store's tables. */
export function createLedger(db: Db, storeId: string): Ledger {
  return {
    storeId,
    recordPlan: (plan, items) => db.transaction().execute((trx) => writePlan(trx, plan, items)),
    planned: (operationId, indexes) => readPlanned(db, operationId, indexes),
    claim: (claim, { items, skipped, confirmed, deadline }) =>
      db.transaction().execute(async (trx) => {
        if (!(await takeBatch(trx, claim, confirmed))) return false;
        const intents = items.map((item) => newRow(item, 'intended'));
        const excluded = skipped.map(({ item, reason }) => newRow(item, 'skipped', reason));
        await writeRows(trx, claim, [...intents, ...excluded], deadline);
        return true;
      }),
    intend: (claim, items, deadline) =>
      db.transaction().execute(async (trx) => {
        if (!(await holdsBatch(trx, claim))) return false;
        const intents = items.map((item) => newRow(item, 'intended'));
        await writeRows(trx, claim, intents, deadline);
        return true;
      }),
    async record(claim, results) {
      const { held, written } = await writeResults(db, claim, results);
      if (held && written < results.length) throw inconsistent(claim, 'a result has no intent');
      return held;
    },
    fence: (claim) => db.transaction().execute((trx) => fenceBatch(trx, claim)),
    async settle(claim, results) {
      const { held } = await writeResults(db, claim, results);
      if (!held) throw inconsistent(claim, 'a later claim or fence holds it');
    },
    resolve: (resolution) => writeResolution(db, resolution),
    close: (operationId, status) => writeStatus(db, operationId, status),
    read: (operationId) => readOperation(db, operationId),
  };
}

/** A person resolves items without an outcome; a recorded outcome stays. */
async function writeResolution(db: Db, resolution: RecordResolutionInput): Promise<void> {
  const { operation_id, index, outcome, reason, by, at } = resolution;
  await db
    .updateTable('items')
    .set({
      state: outcome,
      error: outcome === 'failed' ? reason : null,
      // A person has checked the item, so a retry repeats nothing.
      retryable: outcome === 'failed' ? true : null,
      resolution: jsonb({ outcome, reason, by, at }),
      finished_at: at,
      updated_at: now,
    })
    .where('operation_id', '=', operation_id)
    .where('index', '=', index)
    .where('state', 'in', ['planned', 'intended', 'in_doubt'])
    .execute();
}

/** Inserts the operation if it is missing: it was refused before its plan, or planned in another store. */
async function writeStatus(db: Db, operationId: string, status: BulkStatus): Promise<void> {
  await db
    .insertInto('operations')
    .values({
      operation_id: operationId,
      domain: status.domain,
      action: status.action,
      session_id: status.session_id ?? null,
      batch_size: status.batch_size,
      status: jsonb(status),
      created_at: status.created_at,
    })
    .onConflict((conflict) =>
      conflict.column('operation_id').doUpdateSet({ ...excluded('status'), updated_at: now }),
    )
    .execute();
}

/** The ledger's record of one operation, items in the order of the plan. */
async function readOperation(db: Db, operationId: string): Promise<LedgerRecord | null> {
  const operation = await db
    .selectFrom('operations')
    .select([
      'operation_id',
      'domain',
      'action',
      'session_id',
      'requested_by',
      'batch_size',
      'terms',
      'change_params',
      'metadata',
      'noun',
      'change',
      'status',
    ])
    .select([
      'created_at',
      // The last write of any of its rows; the operation's own row changes only at the end.
      sql<Date>`greatest(operations.updated_at, (
        select max(items.updated_at) from batchgate.items where items.operation_id = operations.operation_id
      ))`.as('updated_at'),
    ])
    .where('operation_id', '=', operationId)
    .executeTakeFirst();
  if (operation === undefined) return null;
  const items = await db
    .selectFrom('items')
    .select(['index', 'id', 'display_name', 'raw_data', 'batch', 'state', 'error', 'retryable'])
    .select(['confirmed_by', 'confirmed_at', 'finished_at'])
    .where('operation_id', '=', operationId)
    .orderBy('index')
    .execute();
  return {
    ...present(operation),
    created_at: operation.created_at.toISOString(),
    updated_at: operation.updated_at.toISOString(),
    items: items.map(({ confirmed_at, finished_at, ...item }) =>
      present({
        ...item,
        confirmed_at: confirmed_at?.toISOString() ?? null,
        finished_at: finished_at?.toISOString() ?? null,
      }),
    ),
  };
}

async function readPlanned(db: Db, operationId: string, indexes: readonly number[]): Promise<PlannedItem[]> {
  if (indexes.length === 0) return [];
  const rows = await db
    .selectFrom('items')
    .select(['index', 'id', 'display_name', 'raw_data'])
    .where('operation_id', '=', operationId)
    .where('index', 'in', indexes)
    .execute();
  return rows.map(present);
}

import type { RecordResolutionInput } from '../../contract/activities';
import type { Ledger } from '../../contract/ledger';
import type { BulkStatus } from '../../contract/operation';
import { fenceBatch, holdsBatch, inconsistent, newRow, takeBatch, writeResults, writeRows } from './batches';
import { writePlan } from './plan';
import { findPlace, readOperation, readPage, readPlanned } from './read';
import { jsonb, type Db, now, excluded } from './schema';

/** The ledger over the store's tables. */
export function createLedger(db: Db, storeId: string): Ledger {
  return {
    storeId,
    recordPlan: (plan, items) => db.transaction().execute((trx) => writePlan(trx, plan, items)),
    planPage: (operationId, from, to) => readPage(db, operationId, from, to),
    findItem: (operationId, itemId) => findPlace(db, operationId, itemId),
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
    fence: (claim, skipped = []) =>
      db.transaction().execute((trx) => {
        const excluded = skipped.map(({ item, reason }) => newRow(item, 'skipped', reason));
        return fenceBatch(trx, claim, excluded);
      }),
    async settle(claim, results) {
      const { held } = await writeResults(db, claim, results);
      if (!held) throw inconsistent(claim, 'a later claim or fence holds it');
    },
    resolve: (resolution) => writeResolution(db, resolution),
    close: (operationId, status) => writeStatus(db, operationId, status),
    read: (operationId, from) => readOperation(db, operationId, from),
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

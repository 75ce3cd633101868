import type { RecordResolutionInput } from '../../contract/activities';
import type { Ledger } from '../../contract/ledger';
import type { BulkStatus } from '../../contract/operation';
import {
  exclusionOf,
  fenceAll,
  fenceBatch,
  inconsistent,
  intentOf,
  writeIntents,
  writeResults,
} from './batches';
import { claimRecords, decisionRecord, endRecords, resolutionRecord } from '../../core/bulk/audit-records';
import { appendAudit } from './audit';
import { writePlan } from './plan';
import { writeQuestions } from './questions';
import { findPlace, findPreview, findRevisions, readEvidence, readOperation, readPlanned } from './read';
import { adoptPlan, readEditions, stagePlan } from './editions';
import { jsonb, type Db, now, excluded } from './schema';
import { readStats } from './stats';

/** Creates the ledger on the store's tables. */
export function createLedger(db: Db, storeId: string): Ledger {
  return {
    storeId,
    fenceAll: (operationId, runId) => db.transaction().execute((trx) => fenceAll(trx, operationId, runId)),
    recordPlan: (plan, items) => db.transaction().execute((trx) => writePlan(trx, plan, items)),
    planned: (operationId, parts) => readPlanned(db, operationId, parts),
    findItem: (operationId, itemId) => findPlace(db, operationId, itemId),
    evidenceOf: (operationId, itemId) => readEvidence(db, operationId, itemId),
    claim: (claim, { items, skipped, deadline, frozen, ...confirmation }) =>
      writeIntents(db, claim, [...items.map(intentOf), ...skipped.map(exclusionOf)], deadline, {
        ...confirmation,
        records: claimRecords(claim, confirmation.confirmed, skipped, frozen),
      }),
    intend: (claim, items, deadline) => writeIntents(db, claim, items.map(intentOf), deadline),
    async record(claim, results) {
      const { isHeld, written } = await writeResults(db, claim, results);
      if (isHeld && written < results.length) throw inconsistent(claim, 'a result has no intent');
      return isHeld;
    },
    fence: (claim, skipped = [], part) =>
      db.transaction().execute((trx) => fenceBatch(trx, claim, skipped.map(exclusionOf), part)),
    async settle(claim, results) {
      const { isHeld } = await writeResults(db, claim, results);
      if (!isHeld) throw inconsistent(claim, 'a later claim or fence holds it');
    },
    resolve: (resolution) => db.transaction().execute((trx) => writeResolution(trx, resolution)),
    recordDecisions: (operationId, decisions) =>
      db.transaction().execute(async (trx) => {
        await writeQuestions(trx, operationId, { confirmations: decisions });
        await appendAudit(trx, operationId, ...decisions.map(decisionRecord));
      }),
    stagePlan: (plan) => stagePlan(db, plan),
    adoptPlan: (adoption) => db.transaction().execute((trx) => adoptPlan(trx, adoption)),
    editions: (operationId) => readEditions(db, operationId),
    async keepPreview(operationId, digest) {
      const row = db.updateTable('operations').set({ preview_digest: digest, updated_at: now });
      await row.where('operation_id', '=', operationId).execute();
    },
    findPreview: (digest) => findPreview(db, digest),
    revisionsOf: (operationId) => findRevisions(db, operationId),
    close: (operationId, runId, status, decisions = []) =>
      db.transaction().execute(async (trx) => {
        if (await writeStatus(trx, operationId, runId, status))
          await writeQuestions(trx, operationId, status);
        await appendAudit(trx, operationId, ...decisions.map(decisionRecord), ...endRecords(status));
      }),
    stats: (filter) => readStats(db, filter),
    read: (operationId, from) => readOperation(db, operationId, from),
  };
}

/** Writes a person's resolution of an item without an outcome. A recorded outcome does not change. */
async function writeResolution(db: Db, resolution: RecordResolutionInput): Promise<void> {
  const { operation_id, index, outcome, reason, by, at, assurance } = resolution;
  const row = await db
    .updateTable('items')
    .set({
      state: outcome,
      error: outcome === 'failed' ? reason : null,
      // A person has checked the item, so a retry repeats nothing.
      retryable: outcome === 'failed' ? true : null,
      resolution: jsonb({ outcome, reason, by, at, assurance }),
      finished_at: at,
      updated_at: now,
    })
    .where('operation_id', '=', operation_id)
    .where('index', '=', index)
    .where('state', 'in', ['planned', 'intended', 'in_doubt'])
    .returning('id')
    .executeTakeFirst();
  if (row) await appendAudit(db, operation_id, resolutionRecord(resolution));
}

/**
 * Inserts the operation if it is missing: it was refused before its plan, or planned in another store. Returns false if
 * the plan is that of another use of the id, whose record does not change.
 */
async function writeStatus(db: Db, operationId: string, runId: string, status: BulkStatus): Promise<boolean> {
  const row = await db
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
      conflict
        .column('operation_id')
        .doUpdateSet({ ...excluded('status'), updated_at: now })
        .where((eb) => eb.or([eb('operations.run_id', 'is', null), eb('operations.run_id', '=', runId)])),
    )
    .returning('operation_id')
    .executeTakeFirst();
  return row !== undefined;
}

import { sql } from 'kysely';
import type { Confirmed, Exclusion } from '../../contract/activities';
import { BatchgateError } from '../../contract/errors';
import type { Claim, FencedItem, LedgerResult } from '../../contract/ledger';
import type { AuditRecord } from '../../contract/audit';
import { exclusionRecord } from '../../core/bulk/audit-records';
import { appendAudit } from './audit';
import { jsonb, type Db, now, present, excluded } from './schema';

/** The error code of `batchgate.refuse`, a function of the store: it ends the statement that calls it. */
const REFUSED = 'BG001';
const NAMED_ITEMS = 5;

/** An item and its new state. */
interface NewRow {
  index: number;
  state: 'intended' | 'skipped';
  error?: string;
}

export const intentOf = ({ index }: { index: number }): NewRow => ({ index, state: 'intended' });
export const exclusionOf = ({ index, reason }: Exclusion): NewRow => ({
  index,
  state: 'skipped',
  error: reason,
});

interface IntentOptions {
  confirmed?: Confirmed;
  edition?: number | undefined;
  /** Rows for the audit record. */
  records?: readonly AuditRecord[];
}

/**
 * Writes intents and skipped items, under a new claim if `confirmed` is set, else under the claim that holds the batch.
 * Returns false if the batch is not held. See batch-functions.ts.
 * @throws BatchgateError `INTERNAL` when an item already has an outcome and would run twice, or is not in the plan.
 * Then nothing was written.
 */
export async function writeIntents(
  db: Db,
  claim: Claim,
  rows: readonly NewRow[],
  deadline: number,
  { confirmed, edition, records = [] }: IntentOptions = {},
): Promise<boolean> {
  const { operation_id, batch, epoch } = claim;
  const { first, last } = placesOf(rows);
  if (new Set(rows.map(({ index }) => index)).size < rows.length)
    throw inconsistent(claim, 'an item is named twice');
  const call = sql`batchgate.write_intents(${operation_id}, ${batch}, ${epoch},
    ${confirmed ? jsonb(confirmed) : null}, ${jsonb(rows)}, ${first}, ${last}, ${byItsClock(deadline)},
    ${jsonb(records)}) as held`;
  // The lock prevents a concurrent edit.
  const statement =
    edition === undefined
      ? sql<{ held: boolean }>`select ${call}`
      : sql<{ held: boolean }>`with own as materialized (
          select from batchgate.operations
          where operation_id = ${operation_id} and edition = ${edition} for share
        ) select ${call} from own`;
  const answer = await statement.execute(db).catch((error: unknown) => {
    throw refusal(claim, error) ?? error;
  });
  return answer.rows[0]?.held ?? false;
}

const ITS_CLOCK = sql`(extract(epoch from statement_timestamp()) * 1000)::bigint`;

/**
 * A time of this machine by the clock of the database. Another worker reads it by its own clock (`byOurClock`), so that
 * machines whose clocks differ agree on how long a request may still be carried out.
 */
const byItsClock = (moment: number) => sql`${ITS_CLOCK} + ${Math.ceil(moment - Date.now())}::bigint`;

const byOurClock = (left: string | number | null): number | null =>
  left === null ? null : Date.now() + Number(left);

/** Returns the first and the last place of rows, or an empty range for no rows. */
function placesOf(rows: readonly { index: number }[]): { first: number; last: number } {
  const places = rows.map(({ index }) => index);
  return rows.length === 0
    ? { first: 0, last: -1 }
    : { first: Math.min(...places), last: Math.max(...places) };
}

/** Converts an error of `batchgate.refuse`. Undefined for any other error. */
function refusal(claim: Claim, error: unknown): BatchgateError | undefined {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== REFUSED) return undefined;
  const items = (JSON.parse(error.message) as string[]).slice(0, NAMED_ITEMS);
  return inconsistent(
    claim,
    `some of its items are missing, already have an outcome or an open intent: ${items.join(', ')}`,
  );
}

/**
 * Writes results if the claim still holds the batch: one statement, one commit. Outcomes of earlier epochs and skipped
 * items do not change. Idempotent.
 */
export async function writeResults(
  db: Db,
  claim: Claim,
  results: readonly (LedgerResult | { index: number; state: 'planned' })[],
): Promise<{ isHeld: boolean; written: number }> {
  const { operation_id, batch, epoch } = claim;
  const { first, last } = placesOf(results);
  const statement = sql<{ written: number }>`
    select batchgate.write_results(${operation_id}, ${batch}, ${epoch}, ${jsonb(results)}, ${first}, ${last})
      as written`;
  const written = (await statement.execute(db)).rows[0]?.written ?? -1;
  return { isHeld: written >= 0, written };
}

/**
 * Raises the epoch and writes the skipped items, then reads the items in another statement, which includes the last
 * writes of the previous holder of the batch. Idempotent.
 * @throws BatchgateError `INTERNAL` when there is a claim of this epoch, or a later epoch.
 */
export async function fenceBatch(
  db: Db,
  claim: Claim,
  skipped: readonly NewRow[],
  part?: { from: number; to: number },
): Promise<FencedItem[]> {
  const { operation_id, batch, epoch } = claim;
  const fence = await db
    .insertInto('batches')
    .values({ operation_id, batch, epoch, fenced: true })
    .onConflict((conflict) =>
      conflict
        .columns(['operation_id', 'batch'])
        .doUpdateSet({ ...excluded('epoch'), fenced: true })
        .where((eb) =>
          eb.or([
            eb('batches.epoch', '<', eb.ref('excluded.epoch')),
            eb.and([eb('batches.epoch', '=', eb.ref('excluded.epoch')), eb.ref('batches.fenced')]),
          ]),
        ),
    )
    .returning('epoch')
    .executeTakeFirst();
  if (fence === undefined) throw inconsistent(claim, 'a later claim or fence holds it');
  if (skipped.length > 0)
    await writeIntents(db, claim, skipped, 0, { records: [exclusionRecord(claim, skipped)] });
  const rows = await db
    .selectFrom('items')
    .select(['index', 'state', 'error', 'retryable'])
    .select(sql<string | number | null>`deadline - ${ITS_CLOCK}`.as('left'))
    .where('operation_id', '=', operation_id)
    .where((eb) =>
      part ? eb.and([eb('index', '>=', part.from), eb('index', '<', part.to)]) : eb('batch', '=', batch),
    )
    .orderBy('index')
    .execute();
  return rows.map(({ left, ...row }) => present({ ...row, deadline: byOurClock(left) }));
}

/**
 * Fences all batches of an operation, and marks their begun items as in doubt. Locks the rows of the batches, so that a
 * worker that still runs one has already written its results, or can no longer write them.
 */
export async function fenceAll(db: Db, operationId: string, runId: string): Promise<number | null> {
  const operation = await db
    .selectFrom('operations')
    .select('run_id')
    .where('operation_id', '=', operationId)
    .executeTakeFirst();
  if (operation?.run_id !== runId) return null;
  const batches = await db
    .updateTable('batches')
    .set({ epoch: sql<number>`epoch + 1 + epoch % 2`, fenced: true })
    .where('operation_id', '=', operationId)
    .returning('epoch')
    .execute();
  if (batches.length === 0) return null;
  const rows = await db
    .updateTable('items')
    .set({ state: 'in_doubt', error: BEGUN, updated_at: now })
    .where('operation_id', '=', operationId)
    .where('state', '=', 'intended')
    .returning(['index', 'id', 'display_name'])
    .execute();
  const items = rows.map(({ index, ...item }) => ({ index, outcome: 'in_doubt', private: item }));
  if (items.length > 0)
    await appendAudit(db, operationId, { kind: 'outcomes', facts: { reset: true, items } });
  return Math.max(...batches.map(({ epoch }) => epoch));
}

const BEGUN = 'Its run was reset in Temporal while it was being changed.';

export function inconsistent({ operation_id, batch, epoch }: Claim, what: string): BatchgateError {
  return new BatchgateError(
    'INTERNAL',
    `Batch ${batch} of ${operation_id} stopped under epoch ${epoch}: ${what}.`,
    'Check the status of the operation before you continue, and report this with the operation id.',
    { operation_id, batch, epoch },
  );
}

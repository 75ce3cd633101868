import { sql } from 'kysely';
import type { PlannedItem } from '../../contract/activities';
import { BatchgateError } from '../../contract/errors';
import type { Claim, FencedItem, LedgerResult } from '../../contract/ledger';
import { jsonb, type Db, now, present, excluded } from './schema';

interface NewRow {
  index: number;
  id: string;
  display_name: string;
  state: 'intended' | 'skipped';
  error?: string;
}

export function newRow(item: PlannedItem, state: NewRow['state'], error?: string): NewRow {
  const { index, id, display_name } = item;
  return { index, id, display_name, state, ...(error === undefined ? {} : { error }) };
}

/** Sets the epoch if it is later. */
export async function takeBatch(
  db: Db,
  { operation_id, batch, epoch }: Claim,
  confirmed: { by?: string; via: string; at: string },
): Promise<boolean> {
  const taken = await db
    .insertInto('batches')
    .values({
      operation_id,
      batch,
      epoch,
      fenced: false,
      confirmed_by: confirmed.by ?? null,
      confirmed_via: confirmed.via,
      confirmed_at: confirmed.at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['operation_id', 'batch'])
        .doUpdateSet({
          ...excluded('epoch', 'confirmed_by', 'confirmed_via', 'confirmed_at'),
          fenced: false,
        })
        .whereRef('batches.epoch', '<', 'excluded.epoch'),
    )
    .returning('epoch')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Locks the batch if the claim still holds it. */
export async function holdsBatch(db: Db, claim: Claim): Promise<boolean> {
  return (await heldBatch(db, claim).executeTakeFirst()) !== undefined;
}

/**
 * The row of a batch is its fence: every transaction that writes for the batch first locks the row and then checks its
 * epoch, so the writes of a claim end before the next claim or fence, or do not happen.
 */
function heldBatch(db: Db, claim: Claim) {
  return db
    .selectFrom('batches')
    .select('epoch')
    .where('operation_id', '=', claim.operation_id)
    .where('batch', '=', claim.batch)
    .where('epoch', '=', claim.epoch)
    .forUpdate();
}

/**
 * Writes intents and skipped items under the caller's lock. Inserts missing rows.
 * @throws BatchgateError `INTERNAL` when an item already has an outcome: it would run twice.
 */
export async function writeRows(
  db: Db,
  claim: Claim,
  rows: readonly NewRow[],
  deadline: number,
): Promise<void> {
  const written = await db
    .insertInto('items')
    .columns([
      ...(['operation_id', 'batch', 'epoch', 'confirmed_by', 'confirmed_via', 'confirmed_at'] as const),
      ...(['index', 'id', 'display_name', 'state', 'error', 'deadline', 'finished_at'] as const),
    ])
    .expression(rowsOfBatch(db, claim, rows, deadline))
    .onConflict((conflict) =>
      conflict
        .columns(['operation_id', 'index'])
        .doUpdateSet({
          ...excluded('id', 'display_name', 'batch', 'state', 'error', 'epoch', 'deadline', 'finished_at'),
          ...excluded('confirmed_by', 'confirmed_via', 'confirmed_at'),
          retryable: null,
          updated_at: now,
        })
        .where((eb) =>
          eb.or([
            eb('items.state', 'in', ['planned', 'skipped']),
            eb.and([
              eb('items.state', '=', 'intended'),
              eb('excluded.state', '=', 'intended'),
              eb('items.batch', '=', eb.ref('excluded.batch')),
              eb('items.id', '=', eb.ref('excluded.id')),
            ]),
          ]),
        ),
    )
    .returning('items.index')
    .execute();
  if (written.length === rows.length) return;
  const indexes = new Set(written.map(({ index }) => index));
  const refused = rows.filter(({ index }) => !indexes.has(index)).map(({ id }) => id);
  throw inconsistent(
    claim,
    `some of its items already have an outcome or an open intent: ${refused.join(', ')}`,
  );
}

/** The rows with the claim of their batch: the columns of `writeRows` in its order. */
function rowsOfBatch(db: Db, claim: Claim, rows: readonly NewRow[], deadline: number) {
  const given = sql<Required<NewRow>>`jsonb_to_recordset(${jsonb(rows)})`.as<'r'>(
    sql`r(index integer, id text, display_name text, state text, error text)`,
  );
  return db
    .selectFrom(['batches as b', given])
    .where('b.operation_id', '=', claim.operation_id)
    .where('b.batch', '=', claim.batch)
    .select(['b.operation_id', 'b.batch', 'b.epoch', 'b.confirmed_by', 'b.confirmed_via', 'b.confirmed_at'])
    .select(['r.index', 'r.id', 'r.display_name', 'r.state', 'r.error'])
    .select([
      sql<number | null>`case r.state when 'intended' then ${deadline}::bigint end`.as('deadline'),
      sql<Date | null>`case r.state when 'skipped' then now() end`.as('finished_at'),
    ]);
}

/**
 * Writes results if the claim still holds the batch: one statement, one commit. Outcomes of earlier epochs and skipped
 * items stay as they are. Idempotent.
 */
export async function writeResults(
  db: Db,
  claim: Claim,
  results: readonly (LedgerResult | { index: number; state: 'planned' })[],
): Promise<{ held: boolean; written: number }> {
  const given = sql<Required<LedgerResult>>`jsonb_to_recordset(${jsonb(results)})`.as<'r'>(
    sql`r(index integer, state text, error text, retryable boolean)`,
  );
  const { held, written } = await db
    .with('held', (q) => heldBatch(q as unknown as Db, claim))
    .with('written', (q) =>
      q
        .updateTable('items')
        .from(['held', given])
        .set((eb) => ({
          state: eb.ref('r.state'),
          error: eb.ref('r.error'),
          retryable: eb.ref('r.retryable'),
          epoch: eb.ref('held.epoch'),
          deadline: sql<number | null>`case r.state when 'planned' then null else items.deadline end`,
          finished_at: sql<Date | null>`case r.state when 'planned' then null else now() end`,
          updated_at: now,
        }))
        .whereRef('items.index', '=', 'r.index')
        .where('items.operation_id', '=', claim.operation_id)
        .where('items.batch', '=', claim.batch)
        .where((eb) =>
          eb.or([
            eb('items.state', 'in', ['planned', 'intended', 'in_doubt']),
            eb.and([eb('items.epoch', '=', claim.epoch), eb('items.state', '<>', 'skipped')]),
          ]),
        )
        .returning('items.index'),
    )
    .selectNoFrom((eb) => [
      eb
        .selectFrom('held')
        .select(sql<boolean>`count(*) > 0`.as('held'))
        .as('held'),
      eb
        .selectFrom('written')
        .select(sql<number>`count(*)::integer`.as('n'))
        .as('written'),
    ])
    .executeTakeFirstOrThrow();
  return { held: held === true, written: written ?? 0 };
}

/**
 * Raises the epoch and writes the skipped items, then reads in a further statement, which sees what the last holder of
 * the batch wrote while this one waited for the lock. Idempotent.
 * @throws BatchgateError `INTERNAL` when there is a claim of this epoch, or a later epoch.
 */
export async function fenceBatch(db: Db, claim: Claim, skipped: readonly NewRow[]): Promise<FencedItem[]> {
  const { operation_id, batch, epoch } = claim;
  const fenced = await db
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
  if (fenced === undefined) throw inconsistent(claim, 'a later claim or fence holds it');
  if (skipped.length > 0) await writeRows(db, claim, skipped, 0);
  const rows = await db
    .selectFrom('items')
    .select(['index', 'state', 'error', 'retryable', 'deadline'])
    .where('operation_id', '=', operation_id)
    .where('batch', '=', batch)
    .orderBy('index')
    .execute();
  return rows.map((row) =>
    present({ ...row, deadline: row.deadline === null ? null : Number(row.deadline) }),
  );
}

export function inconsistent({ operation_id, batch, epoch }: Claim, what: string): BatchgateError {
  return new BatchgateError(
    'INTERNAL',
    `Batch ${batch} of ${operation_id} stopped under epoch ${epoch}: ${what}.`,
    'Check the status of the operation before you continue, and report this with the operation id.',
    { operation_id, batch, epoch },
  );
}

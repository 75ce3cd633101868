import { sql } from 'kysely';
import type { PlannedItem } from '../contract/activities';
import { BatchgateError } from '../contract/errors';
import type { Claim, FencedItem, LedgerResult } from '../contract/ledger';
import { jsonb, type Db, now, present } from './schema';

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

/** Sets the epoch when it is a later one. */
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
        .doUpdateSet((eb) => ({
          epoch: eb.ref('excluded.epoch'),
          fenced: false,
          confirmed_by: eb.ref('excluded.confirmed_by'),
          confirmed_via: eb.ref('excluded.confirmed_via'),
          confirmed_at: eb.ref('excluded.confirmed_at'),
        }))
        .whereRef('batches.epoch', '<', 'excluded.epoch'),
    )
    .returning('epoch')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Locks the batch when the claim still holds it. */
export async function holdsBatch(db: Db, claim: Claim): Promise<boolean> {
  return (await heldBatch(db, claim).executeTakeFirst()) !== undefined;
}

/**
 * The row of a batch is its fence: every transaction that writes for the batch locks it first and looks at its epoch
 * then, so that the writes of a claim end before the next claim or fence, or do not happen.
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
 * Writes intents and skipped items under a lock that the caller has. Missing rows are made.
 * @throws BatchgateError `INTERNAL` when an item has an outcome already: it would be run twice.
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
        .doUpdateSet((eb) => ({
          id: eb.ref('excluded.id'),
          display_name: eb.ref('excluded.display_name'),
          batch: eb.ref('excluded.batch'),
          state: eb.ref('excluded.state'),
          error: eb.ref('excluded.error'),
          retryable: null,
          epoch: eb.ref('excluded.epoch'),
          deadline: eb.ref('excluded.deadline'),
          confirmed_by: eb.ref('excluded.confirmed_by'),
          confirmed_via: eb.ref('excluded.confirmed_via'),
          confirmed_at: eb.ref('excluded.confirmed_at'),
          finished_at: eb.ref('excluded.finished_at'),
          updated_at: now,
        }))
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
    `it was to run or skip items that have an outcome or an open intent: ${refused.join(', ')}`,
  );
}

/** The rows with what the batch says of its claim: the columns of `writeRows` in its order. */
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
 * Writes results where the claim still holds the batch: one statement, one commit. An outcome of an earlier epoch and
 * a skipped item stay as they are; the same write again changes nothing.
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
 * Raises the epoch, then reads in a second statement, which sees what the batch's last holder wrote while this one
 * waited for the lock. The same fence again is no change.
 * @throws BatchgateError `INTERNAL` when a claim of this epoch or a later epoch is there.
 */
export async function fenceBatch(db: Db, claim: Claim): Promise<FencedItem[]> {
  const { operation_id, batch, epoch } = claim;
  const fenced = await db
    .insertInto('batches')
    .values({ operation_id, batch, epoch, fenced: true })
    .onConflict((conflict) =>
      conflict
        .columns(['operation_id', 'batch'])
        .doUpdateSet((eb) => ({ epoch: eb.ref('excluded.epoch'), fenced: true }))
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
    `Batch ${batch} of ${operation_id} went no further under epoch ${epoch}: ${what}.`,
    'Look at the status of the operation before you go on, and report this with the operation id.',
    { operation_id, batch, epoch },
  );
}

import { sql, type RawBuilder } from 'kysely';
import type { Confirmed, PlannedItem } from '../../contract/activities';
import { BatchgateError } from '../../contract/errors';
import type { Claim, FencedItem, ItemRef, LedgerResult } from '../../contract/ledger';
import type { ItemPreview } from '../../contract/preview';
import { jsonb, type Db, present, excluded } from './schema';

/** The error code of `batchgate.refuse`, a function of the store: it ends the statement that calls it. */
const REFUSED = 'BG001';
const NAMED_ITEMS = 5;

interface NewRow {
  index: number;
  id: string;
  display_name?: string;
  /** Without a state, the row is only read. */
  state?: 'intended' | 'skipped';
  error?: string;
}

export function newRow(item: ItemRef, state?: NewRow['state'], error?: string): NewRow {
  const { index, id, display_name } = item;
  return { index, id, display_name, state, error };
}

/**
 * Between the first and the last place of some rows. Without these bounds the planner, which has no statistics in the
 * embedded database, reads all rows of the operation for each batch.
 */
function within(table: 'i' | 'p', rows: readonly { index: number }[]): RawBuilder<boolean> {
  if (rows.length === 0) return sql`false`;
  const places = rows.map(({ index }) => index);
  return sql`${sql.ref(`${table}.index`)} between ${Math.min(...places)}::integer and ${Math.max(...places)}::integer`;
}

/** The row of a batch under a new claim: its epoch is raised, unless the batch has this epoch or a later one. */
export function taken(
  { operation_id, batch, epoch }: Claim,
  { by, via, assurance, at }: Confirmed,
): BatchRow {
  return sql`
    insert into batchgate.batches as b
      (operation_id, batch, epoch, fenced, confirmed_by, confirmed_via, confirmed_assurance, confirmed_at)
    values (${operation_id}, ${batch}, ${epoch}, false, ${by ?? null}, ${via}, ${assurance}, ${at})
    on conflict (operation_id, batch) do update set
      epoch = excluded.epoch, fenced = false, confirmed_by = excluded.confirmed_by,
      confirmed_via = excluded.confirmed_via, confirmed_assurance = excluded.confirmed_assurance,
      confirmed_at = excluded.confirmed_at
    where b.epoch < excluded.epoch
    returning b.*`;
}

/** The row of a batch, locked, if the claim still holds it. */
export function held({ operation_id, batch, epoch }: Claim): BatchRow {
  return sql`
    select * from batchgate.batches
    where operation_id = ${operation_id} and batch = ${batch} and epoch = ${epoch} for update`;
}

/**
 * A statement for the row of a batch, which is the batch's fence: whatever writes for the batch first locks the row and
 * checks its epoch, so the writes of a claim end before the next claim or fence, or do not happen.
 */
type BatchRow = RawBuilder<unknown>;

/**
 * Writes intents and skipped items under the lock of the batch's row, in one statement with it: one commit. Inserts
 * items that the plan lacks if they are given whole. Where some are not, answers the items that are not skipped, in the
 * order of the rows, else none; null if the batch is not held.
 * @throws BatchgateError `INTERNAL` when an item already has an outcome and would run twice, or is not as it was
 * planned. Then nothing was written.
 */
export async function writeRows(
  db: Db,
  claim: Claim,
  batch: BatchRow,
  rows: readonly NewRow[],
  deadline: number,
): Promise<PlannedItem[] | null> {
  const areWhole = rows.every(({ display_name }) => display_name !== undefined);
  const statement = sql<Row>`
    with batch as (${batch}),
    given as (${areWhole ? given(rows) : completed(claim, rows)}),
    written as (
      insert into batchgate.items as i
        (operation_id, batch, epoch, confirmed_by, confirmed_via, confirmed_assurance, confirmed_at,
         index, id, display_name, state, error, deadline, finished_at)
      select b.operation_id, b.batch, b.epoch, b.confirmed_by, b.confirmed_via, b.confirmed_assurance, b.confirmed_at,
        r.index, r.id, r.name, r.state, r.error,
        case r.state when 'intended' then ${deadline}::bigint end, case r.state when 'skipped' then now() end
      from batch b cross join given r
      where r.state is not null and r.name is not null
      on conflict (operation_id, index) do update set
        id = excluded.id, display_name = excluded.display_name, batch = excluded.batch, state = excluded.state,
        error = excluded.error, epoch = excluded.epoch, deadline = excluded.deadline,
        finished_at = excluded.finished_at, confirmed_by = excluded.confirmed_by,
        confirmed_via = excluded.confirmed_via, confirmed_assurance = excluded.confirmed_assurance,
        confirmed_at = excluded.confirmed_at, retryable = null, updated_at = now()
      where i.state in ('planned', 'skipped')
        or (i.state = 'intended' and excluded.state = 'intended'
          and i.batch = excluded.batch and i.id = excluded.id)
      returning i.index
    ),
    refused as (
      select batchgate.refuse(jsonb_agg(jsonb_build_object('id', r.id, 'missing', r.name is null))) as nothing
      from batch cross join given r
      where r.name is null or (r.state is not null and r.index not in (select index from written))
    )
    ${areWhole ? HELD : READ}`;
  const { rows: found } = await statement.execute(db).catch((error: unknown) => {
    throw refusal(claim, error) ?? error;
  });
  if (found.length === 0) return null;
  return found.filter((row): row is FoundRow => row.index !== null).map(present);
}

function given(rows: readonly NewRow[]): RawBuilder<unknown> {
  return sql`
    select r.*, r.display_name as name
    from rows from (
      jsonb_to_recordset(${jsonb(rows)}) as (index integer, id text, display_name text, state text, error text)
    ) with ordinality as r(index, id, display_name, state, error, place)`;
}

/** The rows with what the plan has of them. */
function completed({ operation_id }: Claim, rows: readonly NewRow[]): RawBuilder<unknown> {
  return sql`
    select r.index, r.id, r.state, r.error, r.place, p.raw_data, p.preview,
      coalesce(r.display_name, p.display_name) as name
    from (${given(rows)}) as r
    left join batchgate.items p
      on p.operation_id = ${operation_id} and ${within('p', rows)} and p.index = r.index and p.id = r.id`;
}

const HELD = sql`select null::integer as index from batch cross join refused`;
const READ = sql`
  select r.index, r.id, r.name as display_name, r.raw_data, r.preview
  from batch cross join refused left join given r on r.state is distinct from 'skipped'
  order by r.place`;

interface FoundRow {
  index: number;
  id: string;
  display_name: string;
  raw_data: Record<string, unknown> | null;
  preview: ItemPreview | null;
}
/** A held batch without rows answers one row of nulls. */
type Row = FoundRow | { index: null };

/** What `batchgate.refuse` raised. */
function refusal(claim: Claim, error: unknown): BatchgateError | undefined {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== REFUSED) return undefined;
  const items = JSON.parse(error.message) as { id: string; missing: boolean }[];
  const gone = items.find(({ missing }) => missing);
  if (!gone) {
    const named = items.slice(0, NAMED_ITEMS).map(({ id }) => id);
    return inconsistent(
      claim,
      `some of its items already have an outcome or an open intent: ${named.join(', ')}`,
    );
  }
  return new BatchgateError(
    'INTERNAL',
    `The ledger does not hold item ${gone.id} as it was planned; nothing of batch ${claim.batch} was run.`,
    'Cancel, and start a new operation over what remains: rows of the ledger were changed or removed.',
  );
}

/**
 * Writes results if the claim still holds the batch: one statement, one commit. Outcomes of earlier epochs and skipped
 * items stay as they are. Idempotent.
 */
export async function writeResults(
  db: Db,
  claim: Claim,
  results: readonly (LedgerResult | { index: number; state: 'planned' })[],
): Promise<{ isHeld: boolean; written: number }> {
  const statement = sql<{ held: boolean; written: number }>`
    with held as (${held(claim)}),
    written as (
      update batchgate.items as i set
        state = r.state, error = r.error, retryable = r.retryable, epoch = held.epoch,
        deadline = case r.state when 'planned' then null else i.deadline end,
        finished_at = case r.state when 'planned' then null else now() end,
        updated_at = now()
      from held, jsonb_to_recordset(${jsonb(results)})
        as r(index integer, state text, error text, retryable boolean)
      where i.operation_id = ${claim.operation_id} and ${within('i', results)}
        and i.index = r.index and i.batch = ${claim.batch}
        -- What a person left out stays so; a result that says it once more is the same.
        and (i.state in ('planned', 'intended', 'in_doubt')
          or (i.epoch = ${claim.epoch} and (i.state <> 'skipped' or r.state = 'skipped')))
      returning i.index
    )
    select (select count(*) > 0 from held) as held, (select count(*)::integer from written) as written`;
  const { rows } = await statement.execute(db);
  return { isHeld: rows[0]?.held === true, written: rows[0]?.written ?? 0 };
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
  if (skipped.length > 0) await writeRows(db, claim, held(claim), skipped, 0);
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

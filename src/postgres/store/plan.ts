import { BatchgateError } from '../../contract/errors';
import type { PlanRecord } from '../../contract/plans';
import type { FrozenItem } from '../../contract/items';
import { namedTwice } from '../../core/bulk/input';
import { conflictDetail, namesOf, startsSkipped } from '../../core/bulk/preview';
import { batchAt, rampOf } from '../../core/bulk/ramp';
import { planRecord } from '../../core/bulk/audit-records';
import { sql } from 'kysely';
import { appendAudit } from './audit';
import { json, jsonb, type Db, now, excluded, present } from './schema';

/**
 * Writes the operation and its items, from the plan's `offset` on. A repeated plan replaces only untouched items. Returns
 * the salts of the items, which a repeated plan does not change.
 */
export async function writePlan(db: Db, plan: PlanRecord, items: readonly FrozenItem[]): Promise<string[]> {
  await forgetEarlierUse(db, plan);
  await refuseNamedTwice(db, plan, items);
  await writeOperation(db, plan);
  const { offset = 0 } = plan;
  for (let at = 0; at < items.length; at += ROWS_AT_A_TIME)
    await writeItems(db, plan, items.slice(at, at + ROWS_AT_A_TIME), offset + at);
  await db
    .deleteFrom('items')
    .where('operation_id', '=', plan.operation_id)
    .where('index', '>=', offset + items.length)
    .where(untouched)
    .execute();
  // A preview is not part of the audit record.
  if (!plan.operation_id.startsWith('preview-'))
    await appendAudit(db, plan.operation_id, planRecord(plan, items.length));
  const rows = await db
    .selectFrom('items')
    .select('salt')
    .where('operation_id', '=', plan.operation_id)
    .where('index', '>=', offset)
    .orderBy('index')
    .execute();
  return rows.map(({ salt }) => salt);
}

/** @throws BatchgateError `INVALID_INPUT` if an earlier part of the plan has one of these items, by another name. */
async function refuseNamedTwice(
  db: Db,
  { operation_id, offset = 0 }: PlanRecord,
  items: readonly FrozenItem[],
): Promise<void> {
  const byId = new Map(items.map((item) => [item.id, item]));
  if (offset === 0 || byId.size === 0) return;
  const earlier = await db
    .selectFrom('items')
    .select(['id', 'preview'])
    .where('operation_id', '=', operation_id)
    .where('index', '<', offset)
    .where('id', 'in', [...byId.keys()])
    .orderBy('index')
    .limit(1)
    .executeTakeFirst();
  if (!earlier) return;
  const names = [present(earlier), byId.get(earlier.id) ?? { id: earlier.id }].flatMap(namesOf);
  throw BatchgateError.from(namedTwice([...new Set(names)]));
}

/** No batch has touched the row since the plan wrote it. */
const untouched = sql<boolean>`(items.state = 'planned' or (items.state = 'skipped' and items.epoch = 0))`;

const ROWS_AT_A_TIME = 1_000;

async function writeItems(
  db: Db,
  plan: PlanRecord,
  items: readonly FrozenItem[],
  from: number,
): Promise<void> {
  const ramp = rampOf({ ...plan, batch_sizes: plan.terms.batch_sizes });
  const rows = items.map(({ id, display_name, raw_data, preview }, at) => ({
    index: from + at,
    id,
    display_name,
    raw_data: raw_data ?? null,
    preview: preview ?? null,
    ...(startsSkipped({ id, preview }, plan.overwrite)
      ? { state: 'skipped', ...conflictDetail(preview) }
      : { state: 'planned', error: null, retryable: null }),
    batch: batchAt(ramp, from + at),
  }));
  const planned = sql<(typeof rows)[number]>`json_to_recordset(${json(rows)})`.as<'r'>(
    sql`r(index integer, id text, display_name text, raw_data json, preview jsonb, batch integer,
      state text, error text, retryable boolean)`,
  );
  await db
    .insertInto('items')
    .columns([
      ...(['operation_id', 'index', 'id', 'display_name', 'raw_data', 'preview', 'batch'] as const),
      ...(['state', 'error', 'retryable', 'finished_at'] as const),
    ])
    .expression((eb) =>
      eb
        .selectFrom(planned)
        .select((row) => [
          row.val(plan.operation_id).as('operation_id'),
          'r.index',
          'r.id',
          'r.display_name',
          'r.raw_data',
          'r.preview',
          'r.batch',
          'r.state',
          'r.error',
          'r.retryable',
          sql<Date | null>`case r.state when 'skipped' then now() end`.as('finished_at'),
        ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['operation_id', 'index'])
        .doUpdateSet({
          ...excluded('id', 'display_name', 'raw_data', 'preview', 'batch'),
          ...excluded('state', 'error', 'retryable', 'finished_at'),
          updated_at: now,
        })
        .where(untouched),
    )
    .execute();
}

/** Deletes the rows of an earlier run with this id: Temporal allows the id of a closed workflow to be reused. */
async function forgetEarlierUse(db: Db, { operation_id, run_id }: PlanRecord): Promise<void> {
  await db
    .with('own', (own) =>
      own.selectFrom('operations').select('run_id').where(of(operation_id)).where('run_id', '=', run_id),
    )
    .with('old_items', (old) => old.deleteFrom('items').where(of(operation_id)).where(notOwn))
    .with('old_batches', (old) => old.deleteFrom('batches').where(of(operation_id)).where(notOwn))
    .with('old_questions', (old) => old.deleteFrom('questions').where(of(operation_id)).where(notOwn))
    .with('old_editions', (old) => old.deleteFrom('plan_editions').where(of(operation_id)).where(notOwn))
    .deleteFrom('operations')
    .where(of(operation_id))
    .where(notOwn)
    .execute();
}

const of = (operation_id: string) => sql<boolean>`operation_id = ${operation_id}`;
const notOwn = sql<boolean>`not exists (select from own)`;

/** Writes the operation. A repeated plan may have prepared it differently. */
async function writeOperation(db: Db, plan: PlanRecord): Promise<void> {
  const prepared = {
    change_params: json(plan.change_params),
    noun: jsonb(plan.noun),
    context: json(plan.context),
    change: jsonb(plan.change),
  };
  // The policy may have decided differently. It evaluates the first part, whose terms apply to all parts.
  const policyTerms = plan.offset ? {} : { batch_size: plan.batch_size, terms: jsonb(plan.terms) };
  await db
    .insertInto('operations')
    .values({
      operation_id: plan.operation_id,
      run_id: plan.run_id,
      domain: plan.context.tool_name,
      action: plan.context.action,
      session_id: plan.session_id ?? null,
      requested_by: plan.requested_by ?? null,
      batch_size: plan.batch_size,
      terms: jsonb(plan.terms),
      ...(plan.metadata && { metadata: jsonb(plan.metadata) }),
      undoes: plan.undoes ?? null,
      ...prepared,
    })
    .onConflict((conflict) =>
      conflict.column('operation_id').doUpdateSet({ ...prepared, ...policyTerms, updated_at: now }),
    )
    .execute();
}

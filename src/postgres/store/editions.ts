import { sql } from 'kysely';
import type { AdoptInput, LedgerEdit, PlanEdition, StagedPlan } from '../../contract/edits';
import { BatchgateError } from '../../contract/errors';
import { conflictDetail, startsSkipped } from '../../core/bulk/preview';
import { editRecord } from '../../core/bulk/audit-records';
import { appendAudit } from './audit';
import { json, jsonb, type Db, now } from './schema';

/** The token of the plan that an operation started with. */
const FIRST = '';

/** The columns of the rows of a staged plan. */
const ROWS = sql`r(index integer, id text, display_name text, raw_data json, preview jsonb, salt uuid,
  state text, error text, retryable boolean)`;

/** Writes a new plan for some places beside the plan in force. */
export async function stagePlan(db: Db, plan: StagedPlan): Promise<void> {
  const { operation_id, edition, token, items } = plan;
  const rows = items.map(({ index, id, display_name, raw_data, preview, salt }) => ({
    ...{ index, id, display_name, raw_data: raw_data ?? null, preview: preview ?? null, salt },
    ...(startsSkipped({ id, preview })
      ? { state: 'skipped', ...conflictDetail(preview) }
      : { state: 'planned', error: null, retryable: null }),
  }));
  await db
    .insertInto('plan_editions')
    .values({
      ...{ operation_id, edition, token, adopted: false },
      ...{ context: json(plan.context), change: jsonb(plan.change) },
      ...{ change_params: json(plan.change_params), items: json(rows) },
    })
    .execute();
}

/** Puts a staged plan in force. The lock of the operation's row blocks every claim of a batch under the old plan. */
export async function adoptPlan(db: Db, adoption: Omit<AdoptInput, 'store_id'>): Promise<void> {
  const { operation_id, run_id, edition, token, attempt, edit } = adoption;
  const operation = await db
    .selectFrom('operations')
    .select(['edition', 'context', 'change', 'change_params'])
    .where('operation_id', '=', operation_id)
    .where('run_id', '=', run_id)
    .forUpdate()
    .executeTakeFirst();
  const staged = db
    .selectFrom('plan_editions')
    .select(['adopted', 'context', 'change', 'change_params'])
    .select(sql<number>`json_array_length(items)`.as('count'))
    .where('operation_id', '=', operation_id)
    .where('edition', '=', edition)
    .where('token', '=', token);
  const next = await staged.executeTakeFirst();
  if (next?.adopted && operation && operation.edition >= edition) return;
  if (!operation || !next || operation.edition !== edition - 1) throw overtaken(adoption);
  await keepReplaced(db, adoption, operation);
  await writeRows(db, adoption, next.count);
  const { context, change, change_params } = next;
  await db
    .updateTable('operations')
    .set({
      ...{ context: json(context), change: jsonb(change), change_params: json(change_params) },
      ...{ edition, updated_at: now },
    })
    .where('operation_id', '=', operation_id)
    .execute();
  const editions = db.updateTable('plan_editions').where('operation_id', '=', operation_id);
  await editions
    .set({ adopted: true, items: json([]), edit: jsonb(edit), attempt })
    .where('edition', '=', edition)
    .where('token', '=', token)
    .execute();
  await appendAudit(db, operation_id, editRecord(adoption));
  // Other staged plans, which this one supersedes.
  await db
    .deleteFrom('plan_editions')
    .where('operation_id', '=', operation_id)
    .where('adopted', '=', false)
    .execute();
}

/** Stores the replaced rows with the edition whose questions showed them. */
async function keepReplaced(
  db: Db,
  { operation_id, edition, token }: Omit<AdoptInput, 'store_id'>,
  operation: Pick<StagedPlanRow, 'context' | 'change' | 'change_params'>,
): Promise<void> {
  const replaced = sql<string>`(
    select coalesce(json_agg(json_build_object('index', i.index, 'id', i.id, 'display_name', i.display_name,
      'raw_data', i.raw_data, 'preview', i.preview, 'salt', i.salt) order by i.index), '[]')
    from batchgate.items i
    where i.operation_id = ${operation_id} and i.index in (
      select r.index from batchgate.plan_editions p, json_to_recordset(p.items) as ${ROWS}
      where p.operation_id = ${operation_id} and p.edition = ${edition} and p.token = ${token}))`;
  if (edition > 2) {
    await db
      .updateTable('plan_editions')
      .set({ items: replaced })
      .where('operation_id', '=', operation_id)
      .where('edition', '=', edition - 1)
      .where('adopted', '=', true)
      .execute();
    return;
  }
  await db
    .insertInto('plan_editions')
    .values({
      ...{ operation_id, edition: edition - 1, token: FIRST, adopted: true, items: replaced },
      ...{ context: json(operation.context), change: jsonb(operation.change) },
      ...{ change_params: json(operation.change_params) },
    })
    .execute();
}

interface StagedPlanRow {
  context: unknown;
  change: unknown;
  change_params: unknown;
}

async function writeRows(db: Db, adoption: Omit<AdoptInput, 'store_id'>, count: number): Promise<void> {
  const { operation_id, edition, token } = adoption;
  const update = await sql`
    update batchgate.items as i set
      id = r.id, display_name = r.display_name, raw_data = r.raw_data, preview = r.preview, salt = r.salt,
      state = r.state, error = r.error, retryable = r.retryable, edition = ${edition},
      finished_at = case r.state when 'skipped' then now() end, updated_at = now()
    from batchgate.plan_editions p, json_to_recordset(p.items) as ${ROWS}
    where p.operation_id = ${operation_id} and p.edition = ${edition} and p.token = ${token}
      and i.operation_id = ${operation_id} and i.index = r.index and i.state = 'planned'`.execute(db);
  if (Number(update.numAffectedRows ?? 0) !== count) throw overtaken(adoption);
}

/** Returns the editions that were in force, and the highest attempt with which one of them began. */
export async function readEditions(
  db: Db,
  operationId: string,
): Promise<{ editions: PlanEdition[]; attempt: number }> {
  const rows = await db
    .selectFrom('plan_editions')
    .select(['edition', 'context', 'change', 'attempt'])
    .where('operation_id', '=', operationId)
    .where('adopted', '=', true)
    .orderBy('edition')
    .execute();
  return {
    editions: rows.map(({ edition, context, change }) => ({ edition, context, change })),
    attempt: Math.max(0, ...rows.map(({ attempt }) => attempt ?? 0)),
  };
}

/** Returns the edits of an operation, in order. */
export async function readEdits(db: Db, operationId: string): Promise<LedgerEdit[]> {
  const rows = await db
    .selectFrom('plan_editions')
    .select('edit')
    .where('operation_id', '=', operationId)
    .where('adopted', '=', true)
    .orderBy('edition')
    .execute();
  return rows.flatMap(({ edit }) => edit ?? []);
}

const overtaken = ({ operation_id, edition }: Omit<AdoptInput, 'store_id'>) =>
  new BatchgateError(
    'INTERNAL',
    `Edition ${edition} of the plan of ${operation_id} does not follow what its ledger has; nothing was changed.`,
    'Read the status of the operation again, and edit what it asks now.',
  );

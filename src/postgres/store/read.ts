import { sql } from 'kysely';
import type { ItemEvidence, QuestionTree } from '../../contract/item-proof';
import type { FrozenItem } from '../../contract/items';
import type { PlannedItems } from '../../contract/ledger';
import type { LedgerRecord, OperationTerms } from '../../contract/ledger-record';
import { requesterOf } from '../../core/bulk/requester';
import { fitting } from '../../core/shared/bounds';
import { ANSWER_COLUMNS, answerOf, readAnswers } from './questions';
import { readEdits } from './editions';
import { type Db, present } from './schema';

/** The number of rows per read, and the maximum size of the items in one payload. */
const ROWS = 500;
const MAX_ITEMS_BYTES = 80_000;

/** Returns the ledger's record of an operation, with as many items from a place on as fit into one payload. */
export async function readOperation(db: Db, operationId: string, from = 0): Promise<LedgerRecord | null> {
  const operation = await findOperation(db, operationId);
  if (operation === undefined) return null;
  const rows = await db
    .selectFrom('items')
    .select(['index', 'id', 'display_name', 'raw_data', 'preview', 'batch', 'state', 'error', 'retryable'])
    .select(EDITED)
    .select([
      'salt',
      'kept',
      'confirmed_by',
      'confirmed_via',
      'confirmed_assurance',
      'confirmed_at',
      'finished_at',
      'resolution',
    ])
    .where('operation_id', '=', operationId)
    .where('index', '>=', from)
    .orderBy('index')
    .limit(ROWS)
    .execute();
  const items = fitting(
    rows.map(({ confirmed_at, finished_at, ...item }) =>
      present({
        ...item,
        confirmed_at: confirmed_at?.toISOString() ?? null,
        finished_at: finished_at?.toISOString() ?? null,
      }),
    ),
    MAX_ITEMS_BYTES,
  );
  const { status, shows_before, shows_after, shows_resolutions, shows_questions, ...facts } =
    present(operation);
  const last = items.at(-1);
  const more = last !== undefined && (items.length < rows.length || rows.length === ROWS);
  return {
    ...facts,
    ...(from === 0 && status && { status }),
    created_at: operation.created_at.toISOString(),
    updated_at: operation.updated_at.toISOString(),
    shows: {
      ...{ before: shows_before, after: shows_after },
      ...{ resolutions: shows_resolutions, questions: shows_questions },
    },
    items,
    answers: await readAnswers(db, operationId, batchesOf(items, { isFirst: from === 0, isLast: !more })),
    ...(from === 0 && operation.edition !== null && { edits: await readEdits(db, operationId) }),
    ...(more && { next: last.index + 1 }),
  };
}

/** Returns the range of batches of items. In a ramp, they differ from the plan until they are claimed. */
function batchesOf(
  items: readonly { batch: number }[],
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
) {
  const numbers = items.map(({ batch }) => batch);
  return {
    ...(!isFirst && { first: Math.min(...numbers) }),
    ...(!isLast && { last: Math.max(...numbers) }),
  };
}

function findOperation(db: Db, operationId: string) {
  return db
    .selectFrom('operations')
    .select([
      'operation_id',
      'run_id',
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
      'context',
      'undoes',
      'status',
    ])
    .select(EDITED)
    .select([
      'created_at',
      // The age of an operation counts from the last write for it; its own row is written only at the end.
      sql<Date>`greatest(operations.updated_at, (
        select max(items.updated_at) from batchgate.items where items.operation_id = operations.operation_id
      ))`.as('updated_at'),
    ])
    .select([shows('before'), shows('after'), SHOWS_RESOLUTIONS, SHOWS_QUESTIONS])
    .where('operation_id', '=', operationId)
    .executeTakeFirst();
}

/** The edition of an edited plan; null for a plan that was not edited. */
const EDITED = sql<number | null>`nullif(edition, 1)`.as('edition');

/** True if an item of the operation has this part of a preview. */
const shows = <P extends 'before' | 'after'>(part: P) =>
  sql<boolean>`exists (
    select from batchgate.items
    where items.operation_id = operations.operation_id and items.preview -> ${part} is not null
  )`.as(`shows_${part}` as const);

const SHOWS_RESOLUTIONS = sql<boolean>`exists (
  select from batchgate.items
  where items.operation_id = operations.operation_id and items.resolution is not null
)`.as('shows_resolutions');

const SHOWS_QUESTIONS = sql<boolean>`exists (
  select from batchgate.questions where questions.operation_id = operations.operation_id
)`.as('shows_questions');

/** Returns the items of some parts of a plan, in order, with the data that applies to all. See batch-functions.ts. */
export async function readPlanned(
  db: Db,
  operationId: string,
  parts: readonly Part[],
): Promise<PlannedItems | null> {
  const results = await Promise.all(
    joined(parts).map(async ({ from, to }) => {
      const statement = sql<{ planned: PlannedRows | null }>`
        select batchgate.read_planned(${operationId}, ${from}, ${to}) as planned`;
      return (await statement.execute(db)).rows[0]?.planned ?? null;
    }),
  );
  const plans = results.filter((part) => part !== null);
  const [first] = plans;
  if (!first || plans.length < results.length) return null;
  const { context, change, requested_by, terms } = first;
  const requester = requesterOf({ ...terms, ...(requested_by !== null && { requested_by }) });
  return {
    ...{ context, change, items: plans.flatMap(({ items }) => items.map(present)) },
    ...(requester && { requester }),
    ...(terms?.revises !== undefined && { revises: terms.revises }),
    ...(terms?.policy?.requirement && { requirement: terms.policy.requirement }),
  };
}

interface PlannedRows extends PlannedItems {
  requested_by: string | null;
  terms: OperationTerms | null;
}

interface Part {
  from: number;
  to: number;
}

/** Sorts parts and merges adjacent ones: a batch and the next one are usually adjacent. */
function joined(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const { from, to } of parts.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged.length > 0 ? merged : [{ from: 0, to: 0 }];
}

export async function findPlace(db: Db, operationId: string, itemId: string): Promise<number | null> {
  const row = await db
    .selectFrom('items')
    .select('index')
    .where('operation_id', '=', operationId)
    .where('id', '=', itemId)
    .executeTakeFirst();
  return row?.index ?? null;
}

/** Returns the operations that revise this one, except previews and refused operations. */
export async function findRevisions(db: Db, operationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('operations')
    .select('operation_id')
    .where(sql<boolean>`terms ->> 'revises' = ${operationId}`)
    .where(sql<boolean>`state is distinct from 'rejected'`)
    .where('operation_id', 'not like', 'preview-%')
    .orderBy('created_at')
    .execute();
  return rows.map(({ operation_id }) => operation_id);
}

/** Returns the id of the latest preview with this digest. */
export async function findPreview(db: Db, digest: string): Promise<string | null> {
  const row = await db
    .selectFrom('operations')
    .select('operation_id')
    .where('preview_digest', '=', digest)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.operation_id ?? null;
}

/**
 * Returns an item by its id, or by a name under which it was requested, and the questions of begun batches about it.
 */
export async function readEvidence(
  db: Db,
  operationId: string,
  itemId: string,
): Promise<ItemEvidence | null> {
  const item = await db
    .selectFrom('items')
    .select(['index', 'state', 'id', 'display_name', 'raw_data', 'preview', 'salt'])
    .where('operation_id', '=', operationId)
    .where((eb) => eb.or([eb('id', '=', itemId), sql<boolean>`jsonb_exists(preview -> 'named', ${itemId})`]))
    .orderBy(sql`id = ${itemId}`, 'desc')
    .executeTakeFirst();
  if (!item) return null;
  const { index, state, ...frozen } = present(item);
  const earlier = await sql<{ frozen: FrozenItem }>`
    select r.frozen from batchgate.plan_editions p, json_array_elements(p.items) as r(frozen)
    where p.operation_id = ${operationId} and p.adopted and (r.frozen ->> 'index')::integer = ${index}`.execute(
    db,
  );
  const questions = await db
    .selectFrom('questions')
    .select([...ANSWER_COLUMNS, 'tree'])
    .where('operation_id', '=', operationId)
    .where(sql<boolean>`tree -> 'leaves' @> jsonb_build_array(jsonb_build_array(${index}::integer))`)
    .orderBy('asked_at')
    .execute();
  return {
    ...{ index, state, id: item.id },
    frozen: [frozen, ...earlier.rows.map((row) => present(row.frozen) as FrozenItem)],
    questions: questions.map(({ tree, ...row }) => ({ answer: answerOf(row), tree: tree as QuestionTree })),
  };
}

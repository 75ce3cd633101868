import { sql } from 'kysely';
import type { ItemEvidence, QuestionTree } from '../../contract/item-proof';
import type { FrozenItem } from '../../contract/items';
import { ANSWER_COLUMNS, answerOf } from './questions';
import { present, type Db } from './schema';

/** An item by its id, or by a name under which it was requested, and the begun batches whose questions asked about it. */
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
    select r.frozen from batchgate.plan_editions p, jsonb_array_elements(p.items) as r(frozen)
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

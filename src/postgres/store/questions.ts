import type { BulkStatus, Confirmation } from '../../contract/operation';
import type { Answer } from '../../contract/record';
import { answersIn } from '../../core/bulk/answers';
import type { Selectable } from 'kysely';
import { jsonb, present, type Db, type Schema } from './schema';

/** Writes the questions that decisions ended, and the expired question. An existing question does not change. */
export async function writeQuestions(
  db: Db,
  operation_id: string,
  { confirmations, unanswered }: Pick<BulkStatus, 'unanswered'> & { confirmations: readonly Confirmation[] },
): Promise<void> {
  const answers = answersIn(confirmations).map(({ at, by, withdrawn, ...answer }) => ({
    ...answer,
    ...(withdrawn && { withdrawn: jsonb(withdrawn) }),
    ...{ decided_at: at, decided_by: by ?? null },
  }));
  const rows = [...answers, ...(unanswered ? [unanswered] : [])];
  if (rows.length === 0) return;
  await db
    .insertInto('questions')
    .values(rows.map((row) => ({ ...NOTHING_KNOWN, operation_id, ...row })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const NOTHING_KNOWN = {
  ...{ digest: null, shown_at: null, decision: null, decided_at: null, decided_by: null },
  ...{ via: null, door: null, assurance: null, note: null, withdrawn: null },
};

/** The maximum number of answers in one payload. Only batches that failed very often have more. */
const MAX_ANSWERS = 1_000;

/** Returns the answers to the questions of some batches, in the order of the questions. */
export async function readAnswers(
  db: Db,
  operationId: string,
  { first, last }: { first?: number; last?: number },
): Promise<Answer[]> {
  const rows = await db
    .selectFrom('questions')
    .select(ANSWER_COLUMNS)
    .where('operation_id', '=', operationId)
    .$if(first !== undefined, (query) => query.where('batch', '>=', first ?? 0))
    .$if(last !== undefined, (query) => query.where('batch', '<=', last ?? 0))
    .where('decided_at', 'is not', null)
    .orderBy('asked_at')
    .limit(MAX_ANSWERS)
    .execute();
  return rows.map(answerOf);
}

/** The columns of a question except its content. */
export const ANSWER_COLUMNS = [
  ...([
    'batch',
    'attempt',
    'digest',
    'asked_at',
    'shown_at',
    'decision',
    'decided_at',
    'decided_by',
  ] as const),
  ...(['via', 'door', 'assurance', 'note', 'withdrawn'] as const),
] as const;

type AnswerRow = Pick<Selectable<Schema['questions']>, (typeof ANSWER_COLUMNS)[number]>;

export const answerOf = ({ asked_at, shown_at, decided_at, decided_by, ...row }: AnswerRow): Answer =>
  ({
    ...present(row),
    asked_at: asked_at.toISOString(),
    ...(shown_at && { shown_at: shown_at.toISOString() }),
    at: decided_at?.toISOString() ?? '',
    ...(decided_by !== null && { by: decided_by }),
  }) as Answer;

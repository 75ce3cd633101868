import type { Confirmed } from '../../contract/activities';
import type { BulkStatus, Confirmation } from '../../contract/operation';
import type { Answer, QuestionRecord, Through } from '../../contract/record';
import { openGate, type Editing, type OperationState } from './operation';
import { isClosed } from './transitions';

type Times = Pick<Confirmation, 'door' | 'asked_at' | 'shown_at'>;

type Asked = Pick<Editing, 'digest' | 'opened_at'>;

/** The question that a decision answers: the open one, or the one that an edit closed temporarily. */
export const questionNow = (state: OperationState): Asked =>
  state.editing ?? { digest: openGate(state)?.digest, opened_at: state.opened_at };

/**
 * The door and the times of a decision, for its record. `shown_at` is set only if the door showed exactly this question
 * to this person.
 */
export function timesOfAnswer(
  { digest: open, opened_at }: Asked,
  through: Through | undefined,
  now: number,
): Times {
  const door = through && { door: through.door };
  if (open === undefined || opened_at === undefined) return { ...door };
  const asked_at = new Date(opened_at).toISOString();
  if (through?.shown_ago_ms === undefined || through.digest !== open) return { ...door, asked_at };
  const shownAt = Math.min(now, Math.max(opened_at, now - through.shown_ago_ms));
  return { ...door, asked_at, shown_at: new Date(shownAt).toISOString() };
}

/** The confirmation of the batch that runs or is scheduled. */
export const confirmationOf = ({
  confirmations,
  batch,
  attempt,
}: Pick<OperationState, 'confirmations' | 'batch' | 'attempt'>): Confirmation | undefined =>
  confirmations.findLast(
    (confirmation) =>
      confirmation.batch === batch &&
      confirmation.attempt === attempt &&
      confirmation.decision === 'continue' &&
      confirmation.outcome === 'accepted',
  );

/** The question of the running batch, with the details of its confirmation. */
export function confirmedQuestion(state: Parameters<typeof confirmationOf>[0]): Pick<Confirmed, 'question'> {
  const confirmation = confirmationOf(state);
  if (confirmation?.asked_at === undefined) return {};
  const { attempt, digest, asked_at, shown_at, door, note } = confirmation;
  return { question: { attempt, digest, asked_at, shown_at, door, note } };
}

/** The decisions that do not end their question: they extend it, settle an item, or concern its approvals. */
const LEAVES_OPEN: ReadonlySet<string> = new Set(['extend', 'resolve', 'approve', 'delegate']);

/** The decisions in a record that ended a question. */
export function answersIn(confirmations: readonly Confirmation[]): Answer[] {
  return confirmations.flatMap((confirmation) => {
    const { outcome, asked_at, batch, attempt, decision, at, by, via, assurance } = confirmation;
    if (outcome !== 'accepted' || asked_at === undefined || LEAVES_OPEN.has(decision)) return [];
    const { digest, shown_at, door, note, scheduled_for } = confirmation;
    const withdrawn = confirmation.withdrawn && { ...confirmation.withdrawn, scheduled_for };
    return [
      {
        ...{ batch, attempt, decision, at, by, via, assurance, digest, asked_at, shown_at, door, note },
        ...(withdrawn && { withdrawn }),
      },
    ];
  });
}

const seconds = (from: string, to: string): number =>
  Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 100) / 10);

/** The record of an answered question, with its waiting time and its reading time. */
export function questionOf({ at, asked_at, shown_at, ...answer }: Answer): QuestionRecord {
  return {
    ...answer,
    asked_at,
    ...(shown_at !== undefined && { shown_at, read_seconds: seconds(shown_at, at) }),
    decided_at: at,
    waited_seconds: seconds(asked_at, at),
  };
}

/** The answered questions, in the order in which they were asked. Only the first answer to a question counts. */
export function answeredOf(answers: readonly Answer[]): QuestionRecord[] {
  const firsts = new Map(
    answers
      .toReversed()
      .map((answer) => [`${answer.batch} ${answer.attempt} ${answer.asked_at}`, questionOf(answer)]),
  );
  return [...firsts.values()].sort((a, b) => (a.asked_at < b.asked_at ? -1 : 1));
}

/** Every question of an operation, from the ledger and from the status. */
export function questionsOf(
  answers: readonly Answer[],
  {
    confirmations,
    unanswered,
    updated_at,
    state,
  }: Pick<BulkStatus, 'confirmations' | 'unanswered' | 'updated_at' | 'state'>,
  now: string,
): QuestionRecord[] {
  const records = answeredOf([...answers, ...answersIn(confirmations)]);
  if (!unanswered) return records;
  const expired = isClosed(state);
  const waited_seconds = seconds(unanswered.asked_at, expired ? updated_at : now);
  return [...records, { ...unanswered, ...(!expired && { open: true }), waited_seconds }];
}

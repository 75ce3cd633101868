import type { QuestionRecord } from '../contract/record';
import { spanText } from '../core/shared/time-spans';

const NOT_KNOWN = 'not known';

export const QUESTION_COLUMNS = [
  ...['question', 'asked_at', 'waited', 'shown_at', 'read', 'decided_at', 'decision', 'by', 'where', 'note'],
] as const;

/** A question of a report in words. */
export function questionCells(question: QuestionRecord): string[] {
  const { batch, attempt, asked_at, shown_at, read_seconds, decided_at, decision } = question;
  const answered = decision !== undefined;
  return [
    `batch ${batch}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
    ...[asked_at, spanText(question.waited_seconds)],
    shown_at ?? (answered ? NOT_KNOWN : ''),
    read_seconds === undefined ? (answered ? NOT_KNOWN : '') : spanText(read_seconds),
    ...[decided_at ?? '', decisionText(question)],
    answered ? (question.by ?? 'no name') : '',
    answered ? (question.door ?? question.via ?? NOT_KNOWN) : '',
    question.note ?? '',
  ];
}

function decisionText({ decision, open, withdrawn }: QuestionRecord): string {
  if (decision === undefined) return open ? 'open' : 'no answer';
  if (!withdrawn) return decision;
  const { by = 'no name', at, scheduled_for } = withdrawn;
  const later = scheduled_for === undefined ? '' : ` for ${scheduled_for}`;
  return `${decision}${later}, taken back by ${by} at ${at}`;
}

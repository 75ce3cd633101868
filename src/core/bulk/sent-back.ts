import type { ErrorBody } from '../../contract/errors';
import type { ReviseRequest } from '../../contract/messages';
import type { BulkTurn, Confirmation, SentBack } from '../../contract/operation';
import { oneLine, quoted, quotedWords } from '../shared/plain-text';
import { closedError, judgeContinue, otherDecision, type Arrival, type Verdict } from './gate';
import { openGate, type OperationState, type Returned } from './operation';

/** The decision that sent an operation back, without the fields that identify repetitions. */
export const sentBackOf = ({ note, by, at, assurance }: SentBack): SentBack => ({
  ...{ note, at, assurance },
  ...(by !== undefined && { by }),
});

/** The effect of sending a question back now. */
export type Judgement =
  | Extract<Verdict, { kind: 'accepted' | 'refused' }>
  /** The same decision again, which gets its first answer. */
  | { kind: 'repeated' };

/**
 * Judges a decision that sends the question back, by the rules of a confirmation: it is for the question shown to its
 * sender, and a bare one counts after two seconds. Once one is accepted, the operation takes no other decision.
 */
export function judgeRevision(
  state: OperationState,
  request: ReviseRequest,
  now: number,
  arrival: Arrival = {},
): Judgement {
  const { note, ...confirmation } = request;
  const { sent_back: previous } = state;
  const id = request.decision_id ?? arrival.update_id;
  if (previous) {
    const same = id !== undefined && previous.decision_id === id;
    const again = arrival.update_id !== undefined && isSame(previous, request);
    return same || again ? { kind: 'repeated' } : refuse(closedError(state, 'cancelled'));
  }
  // A person who approved the open question may still send it back.
  const { approving } = state;
  const open = approving ? { ...state, approving: { ...approving, given: [] } } : state;
  const verdict = judgeContinue(open, confirmation, now, arrival);
  if (verdict.kind !== 'duplicate') return verdict;
  const { first } = verdict;
  const isIts = first.decision_id === id || Object.keys(first).length === 0;
  return refuse(isIts ? otherDecision('nothing was sent back') : confirmedBefore(state));
}

/** Whether neither decision has an id of its own, and sender, note and question are the same. */
function isSame(
  previous: Returned,
  { decision_id, by, note, batch, attempt = 1, digest }: ReviseRequest,
): boolean {
  return (
    previous.unnamed === true &&
    decision_id === undefined &&
    previous.by === by &&
    previous.note === note &&
    (batch === undefined || (batch === previous.batch && attempt === previous.attempt)) &&
    (digest === undefined || digest === previous.digest)
  );
}

function confirmedBefore(state: OperationState): ErrorBody {
  const gate = openGate(state);
  return {
    code: 'STALE_CONFIRMATION',
    message: 'This sender has confirmed that question, so it can no longer be sent back.',
    hint: 'Read the status again, and decide about what it shows now, as a new decision; nothing was done.',
    ...(gate && { details: { batch: gate.number, attempt: gate.attempt, digest: gate.digest } }),
  };
}

const refuse = (error: ErrorBody): Judgement => ({ kind: 'refused', error });

/** Records an accepted decision. The operation ends before anything else runs. */
export function returned(
  state: OperationState,
  request: ReviseRequest,
  { update_id, assurance }: Pick<Confirmation, 'assurance'> & { update_id?: string | undefined },
  now: number,
): OperationState {
  const { by, note, decision_id } = request;
  const id = decision_id ?? update_id;
  const sent_back: Returned = {
    ...{ note, at: new Date(now).toISOString(), assurance },
    ...{ batch: state.batch, attempt: state.attempt },
    ...(by !== undefined && { by }),
    ...(id !== undefined && { decision_id: id }),
    ...(decision_id === undefined && { unnamed: true as const }),
    ...(state.digest !== undefined && { digest: state.digest }),
  };
  return { ...state, sent_back };
}

/** Whether an ended operation was sent back by this decision. Only the sender and the note are compared. */
export const wasSentBackBy = (
  { sent_back }: Pick<BulkTurn, 'sent_back'>,
  { by, note }: Pick<ReviseRequest, 'by' | 'note'>,
): boolean => sent_back !== undefined && sent_back.by === by && sent_back.note === note;

/** The closing sentence. It contains no text by other people. */
export function sentBackSentence(
  { domain, processed, total }: Pick<BulkTurn, 'domain' | 'processed' | 'total'>,
  shortName: string,
): string {
  const done =
    processed === 0
      ? 'Nothing was changed'
      : `${processed}/${total} items were processed before that, and what was done stays done`;
  return `Bulk ${shortName} on ${domain} was sent back with guidance. ${done}; nothing more of it will run.`;
}

/** The line below that sentence with the person's note. */
export function guidanceLines({ sent_back }: Pick<BulkTurn, 'sent_back'>): string[] {
  if (!sent_back) return [];
  const { by, note } = sent_back;
  const who = by === undefined ? 'The person who sent it back' : quoted(oneLine(by));
  return [`${who} says what to do instead: ${quotedWords(note)}`];
}

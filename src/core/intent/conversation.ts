import type { BulkStatus } from '../../contract/operation';
import type { Note } from '../../contract/sentinel';
import { answerTo, questionOf, retryAnswer, takeBackAnswer } from './answers';
import { digestOf } from '../shared/canonical';
import { presentChange } from '../bulk/change';
import { presentBulkStatus } from '../bulk/presenter';
import {
  classifyBulkIntent,
  isBareAnswer,
  plainWords,
  speaksOfOperation,
  type BulkIntent,
  type IntentContext,
} from './classifier';
import { nameText, quoted } from '../shared/plain-text';
import { asksForTheRest, placesOf, readExclusion, readQuestion } from './questions';
import { isClosed, needsConfirmation } from '../bulk/transitions';

/** The identity of a question; without batch and attempt, the digest alone identifies it. */
export interface SeenGate {
  batch?: number | undefined;
  attempt?: number | undefined;
  digest: string;
}

/** A message in its session. */
export interface Heard {
  text: string;
  /** The question that the person was shown, if the door knows it. */
  seen?: SeenGate | undefined;
  /** The session's latest note. */
  note?: Note | undefined;
  /** The answer, if the message was received before. */
  answered?: Note | undefined;
  /** Notes from before this time are lost. */
  remembers_since?: string | undefined;
}

/** The reaction to a message. */
export type Move =
  | { kind: 'continue'; exclude?: number[] }
  | { kind: 'cancel' }
  /** A reply without an action. `note`: the session's record of it. */
  | { kind: 'reply'; reply: string; said: Note['said']; exclude?: number[] }
  | { kind: 'retry' }
  | { kind: 'undo' }
  /** A new operation over what an expired one did not run. */
  | { kind: 'rest' }
  | { kind: 'apart'; exclude?: number[] };

const WHICH = "Say 'continue' or 'cancel'.";
const CLARIFY = `Did you mean to continue the bulk operation? ${WHICH}`;
const STILL_WAITS = 'OK, nothing was done. The operation still waits.';
/** In answer to our question, these mean no: nothing should be done now. */
const PUT_OFF = /^(?:please )?(?:not (?:yet|now|really)|later|wait|hold on|hang on|one moment)(?: please)?$/;

/**
 * The conversation rule. A message decides only where it is plainly an answer to the open question: a bare assent or
 * refusal answers what was spoken of last, so after a message about something else it is asked back, and after our own
 * question "Did you mean to continue?" a yes confirms and a no keeps the operation waiting. A bare refusal of a question
 * that is no longer open ends nothing.
 */
export function judgeMessage(status: BulkStatus, heard: Heard): Move {
  const { text, answered } = heard;
  if (answered && answered.said !== 'shown') return sameAnswer(status, heard, answered);
  if (status.state === 'expired' && asksForTheRest(plainWords(text))) return { kind: 'rest' };
  const intent = classifyBulkIntent(text, contextOf(status, heard.seen));
  const question = intent === 'unknown' ? readQuestion(plainWords(text)) : undefined;
  if (question === 'retry' && isClosed(status.state)) return { kind: 'retry' };
  if (question === 'take_back' && isClosed(status.state)) return { kind: 'undo' };
  if (question) {
    const reply =
      question === 'retry'
        ? retryAnswer(status)
        : question === 'take_back'
          ? takeBackAnswer(status)
          : answerTo(question, status);
    return shown(status, reply, noteOf(status, heard)?.exclude);
  }
  if (!needsConfirmation(status.state)) return withoutQuestion(status, heard, intent);
  return intent === 'unknown' ? unclear(status, heard) : answer(status, heard, intent);
}

/** The note of the session, if it is about the question that is open now. */
export function noteOf(status: BulkStatus, heard: Heard): Note | undefined {
  const { note } = heard;
  const open = noteFor(status, 'apart');
  if (!note) return mayHaveForgotten(status, heard) ? open : undefined;
  const about = note.operation_id === open.operation_id && note.digest === open.digest;
  return about && note.said !== 'shown' ? note : undefined;
}

/** Whether notes about the open question may be lost, so that a bare answer may refer to something unknown. */
export function mayHaveForgotten(
  { created_at, confirmations }: BulkStatus,
  { remembers_since: since }: Heard,
): boolean {
  if (since === undefined || created_at >= since) return false;
  // A question is asked after the confirmation of the batch before it.
  return !confirmations.some(
    ({ decision, outcome, at }) => decision === 'continue' && outcome === 'accepted' && at >= since,
  );
}

export function noteFor(status: BulkStatus, said: Note['said'], exclude?: number[]): Note {
  const digest = status.next_batch?.digest ?? '';
  return { said, operation_id: status.operation_id, digest, exclude };
}

/** The identity of the question whether to run the open batch without these items. */
export function exclusionDigest({ next_batch: gate }: BulkStatus, exclude: readonly number[]): string {
  return digestOf({ digest: gate?.digest, exclude: exclude.map((at) => gate?.items[at]?.id) });
}

function answer(status: BulkStatus, heard: Heard, intent: 'continue' | 'cancel'): Move {
  const note = noteOf(status, heard);
  const exclude = note?.exclude;
  const asked = note?.said === 'asked';
  const bare = isBareAnswer(heard.text);
  if (intent === 'cancel') {
    if (bare && asked) return { kind: 'reply', reply: STILL_WAITS, said: 'waits' };
    if (bare && note) return asking(status, exclude);
    return bare && isLate(status, heard) ? shownNow(status) : { kind: 'cancel' };
  }
  if (!status.next_batch) return asking(status);
  if (asked) {
    // A person who was shown the whole batch has not agreed to a part of it, or the other way round.
    const shownWhole = exclude && heard.seen?.digest === status.next_batch.digest;
    return shownWhole ? asking(status, exclude) : { kind: 'continue', exclude };
  }
  return (bare && note) || exclude ? asking(status, exclude) : { kind: 'continue' };
}

function unclear(status: BulkStatus, heard: Heard): Move {
  const note = noteOf(status, heard);
  const plain = plainWords(heard.text);
  const named = readExclusion(plain);
  if (named !== undefined && status.next_batch) return exclusion(status, named);
  if (note?.said === 'asked' && PUT_OFF.test(plain))
    return {
      kind: 'reply',
      reply: STILL_WAITS,
      said: 'waits',
      exclude: note.exclude,
    };
  if (speaksOfOperation(heard.text)) return asking(status, note?.exclude);
  return { kind: 'apart', ...(note?.exclude && { exclude: note.exclude }) };
}

/** Asks whether to run the batch without the items that are named. */
function exclusion(status: BulkStatus, named: string): Move {
  const { number = 0, items = [] } = status.next_batch ?? {};
  const plain = items.map(({ id, display_name }) => ({ id: plainWords(id), name: plainWords(display_name) }));
  const places = placesOf(named, plain);
  if (places) return asking(status, places);
  const reply = `${CLARIFY}\n${quoted(named)} is not exactly one item of batch ${number}; 'continue' runs all of them.`;
  return { kind: 'reply', reply, said: 'asked' };
}

function asking(status: BulkStatus, exclude?: number[]): Move {
  // Without an open batch there is nothing to continue; the message says what waits.
  if (!status.next_batch) return { kind: 'reply', reply: status.message, said: 'shown' };
  if (!exclude) return { kind: 'reply', reply: CLARIFY, said: 'asked' };
  return { kind: 'reply', reply: exclusionQuestion(status, exclude), said: 'asked', exclude };
}

function exclusionQuestion({ next_batch }: BulkStatus, exclude: readonly number[]): string {
  const { number = 0, items = [] } = next_batch ?? {};
  const named = exclude.flatMap((at) => {
    const item = items[at];
    return item ? [`${quoted(item.display_name)} (${nameText(item.id)})`] : [];
  });
  const left = items.length - named.length;
  return `Continue batch ${number} without ${named.join(' and ')}? ${left} of its ${items.length} items will run. ${WHICH}`;
}

/** While no question is open, a message about the operation is answered with its status. */
function withoutQuestion(status: BulkStatus, heard: Heard, intent: BulkIntent): Move {
  const { text } = heard;
  const late = intent === 'cancel' && isBareAnswer(text) && isLate(status, heard);
  if (late && !isClosed(status.state)) return shownNow(status);
  if (intent !== 'unknown') return { kind: intent };
  if (isClosed(status.state) || !speaksOfOperation(text)) return { kind: 'apart' };
  return { kind: 'reply', reply: status.message, said: 'shown' };
}

/** The person saw another question than the one that is open, so a bare no refuses that one and not the operation. */
function isLate({ next_batch }: BulkStatus, { seen }: Heard): boolean {
  return seen !== undefined && seen.digest !== next_batch?.digest;
}

const shownNow = (status: BulkStatus): Move => ({
  kind: 'reply',
  reply: presentBulkStatus(status),
  said: 'shown',
});

/** A message that was already answered decides nothing when it is delivered again, whatever is open then. */
function sameAnswer(status: BulkStatus, heard: Heard, { said, exclude }: Note): Move {
  if (said === 'apart') return { kind: 'apart' };
  if (!needsConfirmation(status.state)) return { kind: 'reply', reply: status.message, said: 'shown' };
  if (said === 'waits') return { kind: 'reply', reply: STILL_WAITS, said };
  const stillOpen = heard.answered?.digest === status.next_batch?.digest;
  return asking(status, stillOpen ? exclude : undefined);
}

/** An answer, followed by the open question or its part of the batch: a bare yes then answers that question. */
function shown(status: BulkStatus, reply: string, exclude?: number[]): Move {
  const question = exclude ? exclusionQuestion(status, exclude) : questionOf(status);
  const kept = exclude ? { said: 'asked' as const, exclude } : { said: 'shown' as const };
  if (!needsConfirmation(status.state) || reply.endsWith(question)) return { kind: 'reply', reply, ...kept };
  const change = status.next_batch ? presentChange(status.next_batch.change) : '';
  const above = change === '' || reply.startsWith(change) ? [] : [change];
  return { kind: 'reply', reply: [reply, ...above, question].join('\n'), ...kept };
}

/** The open batch, for messages with amounts; for a question that was answered meanwhile, its batch. */
function contextOf(status: BulkStatus, seen: SeenGate | undefined): IntentContext {
  const { state, next_batch: gate, batch_size, total, batches_total } = status;
  const number = seen?.batch ?? gate?.number;
  if (number === undefined) return { state };
  const batches_left = batches_total - number + 1;
  if (gate?.number === number) return { state, batch: number, size: gate.items.length, batches_left };
  const size = Math.min(batch_size, total - (number - 1) * batch_size);
  const then = (seen?.attempt ?? 1) > 1 ? 'batch_failed' : 'awaiting_confirmation';
  return { state: then, batch: number, size, batches_left };
}

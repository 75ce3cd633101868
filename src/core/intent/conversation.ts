import type { BulkStatus, ItemError } from '../../contract/operation';
import type { Note } from '../../contract/sentinel';
import { answerTo, questionOf, retryAnswer, takeBackAnswer } from './answers';
import { presentChange } from '../bulk/change';
import { presentBulkStatus } from '../bulk/presenter';
import { rampOf, sliceOf } from '../bulk/ramp';
import {
  classifyBulkIntent,
  isBareAnswer,
  plainWords,
  isLimit,
  speaksOfOperation,
  type BulkIntent,
  type IntentContext,
} from './classifier';
import { asksForTheRest, isWish, mainWords, readQuestions, type Wish } from './questions';
import { readResolution, type Resolution } from './resolutions';
import { readRevision } from './revising';
import { asNamed, asSpelt } from './spelling';
import { askBack, partDigest, type Pending } from './asking-back';
import { readSchedule, SAYS_NOW, type PersonsClock } from './scheduling';
import { meaningOf } from './meanings';
import { mentionsItem } from './places';
import { asksForItems, limitsTheBatch, readSelection, type Selection } from './selections';
import { inDoubtAmong } from '../bulk/troubles';
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
  /** The question that the person was shown, if the interface provides it. */
  seen?: SeenGate | undefined;
  /** The session's latest note. */
  note?: Note | undefined;
  /** The answer, if the message was received before. */
  answered?: Note | undefined;
  /** Notes from before this time are lost. */
  remembers_since?: string | undefined;
  /** Required to read the times in messages. */
  clock?: PersonsClock | undefined;
}

/** The reaction to a message. */
export type Move =
  | { kind: 'continue'; exclude?: number[] | undefined; not_before?: string | undefined }
  | { kind: 'cancel' }
  /** The open question is sent back with these words. */
  | { kind: 'revise'; note: string }
  /** A reply without an action. `said` is the session's note of it. */
  | ({ kind: 'reply'; reply: string; said: Note['said'] } & Pending)
  | { kind: 'retry' }
  | { kind: 'undo' }
  /** The resolutions of items in doubt. */
  | { kind: 'resolve'; items: ItemError[]; outcome: Resolution['outcome'] }
  /** A new operation over what an expired one did not run. */
  | { kind: 'rest' }
  | ({ kind: 'apart' } & Pending);

/** A longer message about something else does not limit the batch, unless it names an item. */
const MAX_WORDS_OF_A_LIMIT = 12;

/**
 * The conversation rule. A message decides only if it is plainly an answer to the open question. A bare assent or
 * refusal answers the latest subject, so after a message about something else the person is asked back, and after our
 * own question "Did you mean to continue?" a yes confirms and a no keeps the operation waiting. After a limit that was
 * not recognized, only a word that names the action confirms. A bare refusal of a question that is no longer open ends
 * nothing.
 */
export function judgeMessage(status: BulkStatus, message: Heard): Move {
  const { answered } = message;
  if (answered && answered.said !== 'shown' && answered.said !== 'proposed')
    return sameAnswer(status, answered);
  // The words of a message that sends the question back are not corrected.
  const revision = status.next_batch && readRevision(message.text);
  return revision ?? judgeWords(status, { ...message, text: asSpelt(message.text, namesIn(status)) });
}

const namesIn = (status: BulkStatus): ReadonlySet<string> =>
  new Set(itemsOf(status).flatMap(({ id, name }) => `${id} ${name}`.split(' ')));

function judgeWords(status: BulkStatus, message: Heard): Move {
  const { text } = message;
  if (status.state === 'expired' && asksForTheRest(plainWords(text))) return { kind: 'rest' };
  const settled = settles(status, text);
  if (settled) return settled;
  const context = contextOf(status, message.seen);
  const time = timeIn(status, message, context);
  // The reply asks back with the exact time, so that a misread time runs nothing.
  if (time !== undefined) return asking(status, { ...pendingOf(noteOf(status, message)), not_before: time });
  const intent = classifyBulkIntent(text, context);
  const questions = intent === 'unknown' ? readQuestions(text) : [];
  const wish = questions.find(isWish);
  if (wish) return follow(status, message, wish);
  const answers = questions.flatMap((question) => (isWish(question) ? [] : answerTo(question, status)));
  if (answers.length > 0) return shown(status, answers.join('\n'), pendingOf(noteOf(status, message)));
  if (!needsConfirmation(status.state)) return withoutQuestion(status, message, intent);
  return intent === 'unknown' ? unclear(status, message) : answer(status, message, intent);
}

/** The time for which a message confirms the open batch. */
function timeIn(status: BulkStatus, { text, clock }: Heard, context: IntentContext): string | undefined {
  if (!clock || !status.next_batch) return undefined;
  return readSchedule(text, clock, (rest) => classifyBulkIntent(rest, context) === 'continue');
}

/** A person's resolutions of items in doubt, also after the end. */
function settles({ errors, state }: BulkStatus, text: string): Move | undefined {
  const doubtful = inDoubtAmong(errors);
  const plain = doubtful.map((item) => plainItem({ id: item.item_id, ...item }));
  const resolution = readResolution(plainWords(text), plain, state === 'awaiting_resolution');
  if (!resolution) return undefined;
  return {
    kind: 'resolve',
    items: resolution.places.flatMap((at) => doubtful[at] ?? []),
    outcome: resolution.outcome,
  };
}

/** The note of the session, if it is about the question that is open now. */
export function noteOf(status: BulkStatus, message: Heard): Note | undefined {
  const { note } = message;
  const open = noteFor(status, 'apart');
  if (!note) return mayHaveForgotten(status, message) ? open : undefined;
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

export function noteFor(status: BulkStatus, kind: Note['said'], pending: Pending = {}): Note {
  const digest = status.next_batch?.digest ?? '';
  const { exclude, ...others } = pendingOf(pending);
  return { said: kind, operation_id: status.operation_id, digest, exclude, ...others };
}

/** A retry or an undo follows the end. Before it, the reply proposes how to get there, and owns the next bare yes. */
function follow(status: BulkStatus, message: Heard, wish: Wish): Move {
  if (isClosed(status.state)) return { kind: wish === 'retry' ? 'retry' : 'undo' };
  const reply = wish === 'retry' ? retryAnswer(status) : takeBackAnswer(status);
  return { kind: 'reply', reply, said: 'proposed', ...pendingOf(noteOf(status, message)) };
}

function answer(status: BulkStatus, message: Heard, intent: 'continue' | 'cancel'): Move {
  const note = noteOf(status, message);
  const pending = pendingOf(note);
  const { exclude, limited, not_before } = pending;
  const isAsked = note?.said === 'asked';
  const bare = isBareAnswer(message.text);
  if (intent === 'cancel') {
    if (bare && (isAsked || note?.said === 'proposed')) return stillWaits({ limited });
    if (bare && note) return asking(status, pending);
    return bare && isLate(status, message) ? shownNow(status) : { kind: 'cancel' };
  }
  if (!status.next_batch) return asking(status);
  if (bare && limited) return asking(status, pending);
  // "Run the whole batch" takes an exclusion back.
  if (exclude && NAMES_ALL.test(plainWords(message.text))) return asking(status, { limited });
  if (isAsked) {
    // A person who was shown the whole batch has not agreed to a part of it, or the other way round.
    const isPart = partDigest(status, pending) !== undefined;
    if (isPart && message.seen?.digest === status.next_batch.digest) return asking(status, pending);
    // The question was for a time that is over, or the answer is for now.
    if (not_before !== undefined && (isOver(not_before, message) || SAYS_NOW.test(plainWords(message.text))))
      return asking(status, { exclude, limited });
    return { kind: 'continue', exclude, ...(not_before !== undefined && { not_before }) };
  }
  return (bare && note) || exclude || not_before !== undefined
    ? asking(status, pending)
    : { kind: 'continue' };
}

const NAMES_ALL = /(?:^| )(?:all|whole|everything|every|entire)(?: |$)/;
const isOver = (time: string, { clock }: Heard): boolean => !clock || Date.parse(time) <= clock.now;

function unclear(status: BulkStatus, message: Heard): Move {
  const note = noteOf(status, message);
  const pending = pendingOf(note);
  const plain = plainWords(message.text);
  const selection = status.next_batch && selectionIn(status, plain, pending);
  if (selection && 'exclude' in selection)
    return asking(status, {
      ...(selection.exclude.length > 0 && { exclude: selection.exclude }),
      not_before: pending.not_before,
    });
  const names = mentionsItem(plain, itemsOf(status));
  if (selection) return asking(status, { ...pending, limited: true }, selection.named);
  const meaning = meaningOf(plain) ?? meaningOf(mainWords(message.text));
  if (meaning === 'put_off') return stillWaits({ ...pending, ...(names && { limited: true }) });
  const limits = meaning === 'deferred' || (meaning !== 'doubt' && limitsTheBatch(plain));
  const limited = names || limits || pending.limited;
  if (meaning || speaksOfOperation(message.text) || isLimit(message.text) || asksForItems(plain))
    return asking(status, { ...pending, limited: limited || undefined });
  const mayLimit = names || plain.split(' ').length <= MAX_WORDS_OF_A_LIMIT ? limited : pending.limited;
  return { kind: 'apart', ...pending, ...(mayLimit && { limited: mayLimit }) };
}

/** The part that a message asks for, also if the name of an item is misspelt: the reply lists the items. */
function selectionIn(status: BulkStatus, plain: string, { exclude }: Pending): Selection | undefined {
  const items = itemsOf(status);
  const selection = readSelection(plain, items, exclude, status.action);
  const spelt = selection && 'exclude' in selection ? plain : asNamed(plain, namesIn(status));
  if (spelt === plain) return selection;
  const corrected = readSelection(spelt, items, exclude, status.action);
  return corrected && 'exclude' in corrected ? corrected : selection;
}

const itemsOf = ({ next_batch }: BulkStatus) => (next_batch?.items ?? []).map(plainItem);

const plainItem = ({ id, display_name }: { id: string; display_name: string }) => ({
  id: plainWords(id),
  name: plainWords(display_name),
});

function asking(status: BulkStatus, pending: Pending = {}, unmatched?: string): Move {
  // Without an open batch there is nothing to continue; the message names what waits.
  if (!status.next_batch) return { kind: 'reply', reply: status.message, said: 'shown' };
  return { kind: 'reply', reply: askBack(status, pending, unmatched), said: 'asked', ...pending };
}

const stillWaits = (pending: Pending): Move => ({
  kind: 'reply',
  reply: STILL_WAITS,
  said: 'waits',
  ...pending,
});

function pendingOf({ exclude, limited, not_before }: Pending = {}): Pending {
  return {
    ...(exclude && { exclude }),
    ...(limited && { limited }),
    ...(not_before !== undefined && { not_before }),
  };
}

/** While no question is open, a message about the operation is answered with its status. */
function withoutQuestion(status: BulkStatus, message: Heard, intent: BulkIntent): Move {
  const { text } = message;
  const late = intent === 'cancel' && isBareAnswer(text) && isLate(status, message);
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

/** The reply to a message that was answered before. Delivered again, it decides nothing, whichever question is open. */
function sameAnswer(status: BulkStatus, note: Note): Move {
  const { said } = note;
  if (said === 'apart') return { kind: 'apart' };
  if (!needsConfirmation(status.state)) return { kind: 'reply', reply: status.message, said: 'shown' };
  if (said === 'waits') return stillWaits({});
  const stillOpen = note.digest === status.next_batch?.digest;
  return asking(status, stillOpen ? pendingOf(note) : {});
}

/** An answer, followed by the open question or its part of the batch: a bare yes then answers that question. */
function shown(status: BulkStatus, reply: string, pending: Pending): Move {
  const { exclude, limited, not_before } = pending;
  const asksBack = exclude !== undefined || limited === true || not_before !== undefined;
  const question = asksBack ? askBack(status, pending) : questionOf(status);
  const note = asksBack ? { said: 'asked' as const, ...pending } : { said: 'shown' as const };
  if (!needsConfirmation(status.state) || reply.endsWith(question)) return { kind: 'reply', reply, ...note };
  const change = status.next_batch ? presentChange(status.next_batch.change) : '';
  const above = change === '' || reply.startsWith(change) ? [] : [change];
  return { kind: 'reply', reply: [reply, ...above, question].join('\n'), ...note };
}

/** The open batch, for messages with amounts; for a question that was answered meanwhile, its batch. */
function contextOf(status: BulkStatus, seenGate: SeenGate | undefined): IntentContext {
  const { state, next_batch: gate, total, batches_total, action, operation_id } = status;
  const number = seenGate?.batch ?? gate?.number;
  if (number === undefined) return { state, action, operation_id };
  const { from, to } = sliceOf(rampOf(status), total, number);
  const facts = {
    batch: number,
    batches_left: batches_total - number + 1,
    items_before: from,
    action,
    operation_id,
    values: (gate?.change.fields ?? []).map(({ to: value }) => value),
  };
  if (gate?.number === number) return { ...facts, state, size: gate.items.length };
  const size = to - from;
  const then = (seenGate?.attempt ?? 1) > 1 ? 'batch_failed' : 'awaiting_confirmation';
  return { ...facts, state: then, size };
}

const STILL_WAITS = 'OK, nothing was done. The operation still waits.';

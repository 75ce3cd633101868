import type { Client } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import { TASK_QUEUE } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import {
  judgeMessage,
  noteFor,
  mayHaveForgotten,
  noteOf,
  type Heard,
  type Move,
  type SeenGate,
} from '../core/intent/conversation';
import { partDigest } from '../core/intent/asking-back';
import { classifyBulkIntent, plainWords } from '../core/intent/classifier';
import { asSpelt } from '../core/intent/spelling';
import { asksAfterTheEnd, asksForTheRest } from '../core/intent/questions';
import { saysWhatBecame } from '../core/intent/resolutions';
import { readGuidance } from '../core/intent/revising';
import { asksToTakeBack, type PersonsClock } from '../core/intent/scheduling';
import { isZone } from '../core/shared/zoned-time';
import { sentences } from '../core/shared/plain-text';
import { presentBulkStatus } from '../core/bulk/presenter';
import { isClosed, needsConfirmation } from '../core/bulk/transitions';
import { unlessMissing } from './failures';
import { answerByMessage } from './macro-answers';
import {
  editByMessage,
  EDITED,
  editMeant,
  gateMeant,
  openQuestion,
  questionMeant,
  replyAfterTheEnd,
  settle,
  startFollowing,
  takeBack,
  wasShown,
} from './message-actions';
import { listBulkOperations } from './listing';
import { cancelBulkOperation, continueBulkOperation, reviseBulkOperation } from './operations';
import { keepNote, touch } from './sentinel';
import { currentStatus, getBulkStatus, getEndedStatus } from './status';
import { gateOf, NO_GATE } from './shown-gates';
import type { MessageContext, Turn } from './turn';

/**
 * Handles one message of a conversation (specification L4 to L6): classifies it, then continues, cancels, asks,
 * answers, or ignores it. The sentinel holds the session's operation and the latest subject of the session.
 */
export async function handleMessage(
  client: Client,
  sessionId: string,
  text: string,
  context: MessageContext = {},
): Promise<Turn> {
  const startedAt = performance.now();
  const about = await operationOf(client, sessionId, text, context);
  if (about === undefined) return apart(text);
  if ('turn' in about) return about.turn;
  const { status, again } = about;
  const message = { text, seen: context.seen, ...about.memory, clock: clockOf(context) };
  if (again && isClosed(status.state)) {
    const note = readGuidance(text);
    if (note && context.may_decide !== false)
      return decide(client, status, { kind: 'revise', note }, { ...message, ...context, begun: startedAt });
    const intent = classifyBulkIntent(asSpelt(text), { state: status.state });
    // The message id shows whether the message already decided.
    if (intent !== 'unknown' && context.may_decide !== false) {
      const sent = { ...message, ...context, begun: startedAt };
      const turn = await decide(client, status, { kind: intent }, sent);
      return about.endedSince && turn.error ? apart(text) : turn;
    }
    return { handled: true, intent, reply: presentBulkStatus(status), status };
  }
  if (status.state === 'scheduled' && asksToTakeBack(plainWords(text))) {
    if (context.may_decide === false) return forbidden(status, 'unknown', UNDECIDED);
    return { handled: true, intent: 'unknown', ...(await takeBack(client, status, context)) };
  }
  const change = await editMeant(client, status, text);
  const move = change ? { kind: 'edit' as const, change } : judgeMessage(status, message);
  const decides =
    move.kind === 'continue' || move.kind === 'cancel' || move.kind === 'revise' || move.kind === 'edit';
  if (decides && context.may_decide === false) return forbidden(status, move.kind, UNDECIDED);
  if (decides) {
    const turn = await decide(client, status, move, { ...message, ...context, begun: startedAt });
    // The question is still open, and a bare yes must not confirm it without the change that the person requested.
    const pending = noteOf(status, message);
    const refused = { ...pending, kind: 'reply', reply: turn.reply, said: 'proposed' } as const;
    if ((move.kind === 'edit' || move.kind === 'revise') && turn.error)
      await remember(client, sessionId, status, { move: refused, heard: message, context });
    return turn;
  }
  if (move.kind === 'resolve') {
    if (context.may_decide === false) return forbidden(status, 'unknown', UNDECIDED);
    const settled = await settle(client, status, move, { text, ...context });
    return { handled: true, intent: 'unknown', ...settled };
  }
  const starts = move.kind === 'retry' || move.kind === 'undo' || move.kind === 'rest';
  if (starts && context.may_start === false) return forbidden(status, 'unknown', UNSTARTED);
  if (starts) {
    const { status: followed, ...reply } = await startFollowing(client, status, move.kind, context);
    const gate = gateOf(followed);
    return { handled: true, intent: 'unknown', ...reply, ...(gate && { asked: gate }), status: followed };
  }
  // A question of an agent does not change the meaning of a person's next answer.
  if (context.may_decide !== false)
    await remember(client, sessionId, status, { move, heard: message, context });
  if (move.kind === 'apart') return { handled: false, intent: 'unknown', reply: '' };
  return { handled: true, intent: 'unknown', ...replyOf(status, move, { ...context, ...message }), status };
}

const apart = (text: string): Turn => ({ handled: false, intent: classifyBulkIntent(text), reply: '' });

/** Returns the clock for the times in a person's message. */
export function clockOf({ zone }: Pick<MessageContext, 'zone'>): PersonsClock {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { now: Date.now(), zone: zone !== undefined && isZone(zone) ? zone : own };
}

interface About {
  status: BulkStatus;
  /** The message was received before. */
  again: boolean;
  /** The operation ended after the message had come. Only another delivery of the message may have decided. */
  endedSince?: true;
  memory: Pick<Heard, 'note' | 'answered' | 'remembers_since'>;
}

/** Returns the operation that the message is about; undefined if nothing waits in the session. */
async function operationOf(
  client: Client,
  session_id: string,
  text: string,
  { operation_id, message_id, by, seen, task_queue, may_decide = true }: MessageContext,
): Promise<About | { turn: Turn } | undefined> {
  const request = { session_id, message_id, by };
  const { job, heard_of, note, answered, remembers_since } = await touch(client, request, task_queue);
  const memory = { note, answered, remembers_since };
  if (operation_id !== undefined)
    return { status: await getBulkStatus(client, operation_id), again: false, memory };
  const again = heard_of !== undefined;
  if (may_decide && job?.kind === 'macro' && (heard_of ?? job.job_id) === job.job_id) {
    const turn = await answerByMessage(client, job.job_id, text, { seen, by, again });
    if (turn) return { turn };
  }
  const operationId = heard_of ?? (job?.kind === 'bulk_operation' ? job.job_id : '');
  const status = operationId === '' ? undefined : await statusIfKnown(client, operationId);
  if (status && (again || !isClosed(status.state))) return { status, again, memory };
  if (status && message_id !== undefined && classifyBulkIntent(text) === 'continue')
    return { status, again: true, endedSince: true, memory };
  const spelt = asSpelt(text);
  const plain = plainWords(spelt);
  const ofAnyEnd = asksAfterTheEnd(spelt);
  // Without the question that the person saw, a bare word cannot be recognized as a late answer.
  const late =
    job?.kind !== 'macro' &&
    seen !== undefined &&
    seen.digest !== NO_GATE.digest &&
    classifyBulkIntent(text) !== 'unknown';
  const ofDoubt = saysWhatBecame(plain);
  const ofExpiry = asksForTheRest(plain);
  if (!(ofAnyEnd || late || ofDoubt || ofExpiry)) return undefined;
  const ended = await latestOf(client, session_id, task_queue);
  const concerned =
    ended && (ofAnyEnd || late || (ofDoubt && ended.in_doubt > 0) || ended.state === 'expired');
  return concerned ? { status: ended, again: false, memory } : undefined;
}

/** Returns undefined for a job that ended without freeing its slot and left no record. */
const statusIfKnown = (client: Client, operationId: string, ended = false): Promise<BulkStatus | undefined> =>
  (ended ? getEndedStatus : currentStatus)(client, operationId).catch(unlessMissing);

const LATEST = 3;

/** Returns the session's operation that ended last. */
async function latestOf(
  client: Client,
  session_id: string,
  task_queue: string = TASK_QUEUE,
): Promise<BulkStatus | undefined> {
  // A refused operation changed nothing, so the one before it is still the last. Lists lag behind a refusal.
  const filter = { session_id, task_queue, refused: false as const, limit: LATEST, progress: false };
  for (const { operation_id, closed_at } of await listBulkOperations(client, filter)) {
    const status = await statusIfKnown(client, operation_id, closed_at !== undefined);
    const undidNothing = status?.undoes !== undefined && status.total === 0;
    if (status?.state !== 'rejected' && !undidNothing) return status;
  }
  return undefined;
}

/** A move that decides. */
interface Decisive {
  kind: 'continue' | 'cancel' | 'revise' | 'edit';
  exclude?: number[];
  note?: string;
  not_before?: string;
  change?: Record<string, unknown>;
}

async function decide(
  client: Client,
  status: BulkStatus,
  move: Decisive,
  context: MessageContext & Heard & { begun: number },
): Promise<Turn> {
  const { operation_id } = status;
  const { message_id: decision_id, by } = context;
  const { kind: intent, note = '', not_before, change = {} } = move;
  const isBare = context.seen === undefined && decision_id === undefined;
  if (intent !== 'cancel' && isBare && !wasShown(status, context)) return { intent, ...openQuestion(status) };
  const target = () => ({ ...questionMeant(status, context), decision_id, by });
  try {
    if (intent === 'cancel' && isForeign(status, gateMeant(status, context) ?? NO_GATE)) throw foreign();
    const exclude = move.exclude
      ?.flatMap((at) => status.next_batch?.items[at] ?? [])
      .map(({ id }) => ({ id }));
    const turn = await {
      continue: () =>
        continueBulkOperation(client, operation_id, { ...target(), exclude, not_before }, context),
      revise: () => reviseBulkOperation(client, operation_id, { ...target(), note }, context),
      edit: () => editByMessage(client, status, change, context),
      cancel: () => cancelBulkOperation(client, operation_id, { decision_id, by }, context),
    }[intent]();
    const gate = gateOf(turn);
    const reply = [...(intent === 'edit' ? [EDITED] : []), presentBulkStatus(turn)].join('\n');
    return { handled: true, intent, reply, asked: gate, status: turn };
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code === 'TEMPORAL_UNAVAILABLE') throw error;
    const now = await getBulkStatus(client, operation_id);
    if (error.code === 'STALE_CONFIRMATION' && now.next_batch) {
      if (!wasShown(now, context)) return { intent, ...openQuestion(now) };
      if (isBare) return { intent, ...openQuestion(now), error: error.body };
    }
    const reply = replyAfterTheEnd(now) ?? sentences(error.message, error.hint);
    return { handled: true, intent, reply, status: now, error: error.body };
  }
}

/** Only a person may decide. */
const UNDECIDED = [
  'Only a person can decide this; nothing was done.',
  'Ask the person, who answers with their own access.',
] as const;
/** A role that may not start an operation through a request may not start one through a message either. */
const UNSTARTED = [
  'You may not start an operation; nothing was done.',
  'Ask an operator or an admin, who may.',
] as const;

function forbidden(status: BulkStatus, intent: Turn['intent'], refusal: readonly [string, string]): Turn {
  const { body: error } = new BatchgateError('FORBIDDEN', ...refusal);
  return { handled: true, intent, reply: refusal.join(' '), asked: gateOf(status), status, error };
}

/** Records the answer if the next message, or a second delivery of this one, may depend on it. */
async function remember(
  client: Client,
  session_id: string,
  status: BulkStatus,
  { move, heard: message, context }: { move: Move; heard: Heard; context: MessageContext },
): Promise<void> {
  if (message.answered || !needsConfirmation(status.state)) return;
  if (move.kind !== 'reply' && move.kind !== 'apart') return;
  const noted = move.kind === 'apart' ? 'apart' : move.said;
  const before = noteOf(status, { ...message, remembers_since: undefined });
  // There is no note to remove, or the same note is already there.
  if (
    noted === 'shown'
      ? !message.note && !mayHaveForgotten(status, message)
      : noted === 'apart' &&
        before?.said === noted &&
        before.limited === move.limited &&
        before.not_before === move.not_before
  )
    return;
  const { message_id, task_queue } = context;
  const note = noteFor(status, noted, move);
  await keepNote(client, { session_id, message_id, ...note }, task_queue);
}

/** Returns the reply and its question. A sender who was not shown the open question gets it above the reply. */
function replyOf(
  status: BulkStatus,
  move: Extract<Move, { kind: 'reply' }>,
  message: MessageContext & Heard,
): Pick<Turn, 'reply' | 'asked'> {
  const open = gateOf(status);
  const isUnseen = open !== undefined && !wasShown(status, message);
  const heard = isUnseen ? { ...message, seen: undefined } : message;
  const asked = move.said === 'shown' ? open : askedBy(status, heard, move);
  const above = isUnseen ? presentBulkStatus(status) : move.reply;
  return { reply: above === move.reply ? above : `${above}\n${move.reply}`, asked };
}

/** Returns the question in the reply: a part of the open batch, or the previous question. */
function askedBy(
  status: BulkStatus,
  message: Heard,
  move: Parameters<typeof partDigest>[1],
): SeenGate | undefined {
  const open = gateOf(status);
  const digest = partDigest(status, move);
  return open && digest !== undefined ? { ...open, digest } : gateMeant(status, message);
}

/** Whether the question that was shown is not a question of this operation, open or answered. */
function isForeign(
  { next_batch: gate, confirmations, ...status }: BulkStatus,
  { digest }: SeenGate,
): boolean {
  // A person who was shown no question was not shown a question of another operation.
  if (!gate || [gate.digest, NO_GATE.digest].includes(digest) || status.confirmations_truncated) return false;
  const accepted = confirmations.filter(({ outcome }) => outcome === 'accepted');
  return accepted.every(
    (confirmation) => confirmation.digest !== undefined && confirmation.digest !== digest,
  );
}

const foreign = () =>
  new BatchgateError(
    'STALE_CONFIRMATION',
    'That was about a different operation from the one that is waiting, so nothing was cancelled.',
    'Look at the open question, and cancel again if you mean that one.',
  );

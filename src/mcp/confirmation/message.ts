import {
  beginBatch,
  cancelBulkOperation,
  editBulkOperation,
  editMeant,
  getBulkStatus,
  keepNote,
  reviseBulkOperation,
  touch,
  withdrawBulkOperation,
} from '../../client';
import { BatchgateError } from '../../contract/errors';
import type { BulkStatus } from '../../contract/operation';
import type { Note } from '../../contract/sentinel';
import { cutAt } from '../../contract/text';
import type { Pending } from '../../core/intent/asking-back';
import { plainWords } from '../../core/intent/classifier';
import { noteFor, noteOf, type Heard } from '../../core/intent/conversation';
import { asksToTakeBack } from '../../core/intent/scheduling';
import type { Call } from '../context';
import type { Answer } from '../results';
import { byMcp } from '../caller';
import { awaitPerson, told, type Asked } from './outcome';
import { judgePassedOn, sentenceOf, type PassedOn, type Reply } from './person-message';
import { clockOf } from '../../client/conversation';
import type { ShownGate } from '../../client/shown-gates';

const MAX_NOTE = 400;
const quoted = (text: string) => `passed on by an agent: ${cutAt(text, MAX_NOTE)}`;

/**
 * Accepts a person's answer passed on by the agent, if the operator trusts the agent. The answer applies to the
 * question last shown to this agent, so a question that was not shown is shown first.
 */
export async function passOn(
  { operation_id, person_message }: Asked,
  call: Call,
  status: BulkStatus,
  gate: ShownGate,
): Promise<Answer> {
  const { client, caller, context } = call;
  const last = context.shown.of(caller.id, operation_id);
  if (person_message === undefined || last?.digest !== gate.digest || last.attempt !== gate.attempt)
    return told(call, status, 'waiting');
  const message = await heard(call, status, person_message);
  const change = await editMeant(client, status, person_message);
  const move = change ? { kind: 'edit' as const, change } : judgePassedOn(status, message);
  if (move.kind === 'reply') return replyWith(call, status, move);
  try {
    return await decide(call, status, gate, { move, text: person_message });
  } catch (error) {
    // The question is still open, and a bare yes must not confirm it without the change that the person requested.
    if (error instanceof BatchgateError && (move.kind === 'edit' || move.kind === 'revise'))
      await keep(call, status, 'proposed', noteOf(status, message));
    throw error;
  }
}

/** The message in its session, with the note of the answer before it. */
async function heard(
  { client, context: { taskQueue } }: Call,
  { session_id }: BulkStatus,
  text: string,
): Promise<Heard> {
  const clock = clockOf({});
  if (session_id === undefined) return { text, clock };
  const { note, remembers_since } = await touch(client, { session_id }, taskQueue);
  return { text, clock, note, remembers_since };
}

/** Stores the answer, because the person's next message may depend on it. */
async function keep(
  { client, context: { taskQueue } }: Call,
  status: BulkStatus,
  said: Note['said'],
  pending?: Pending,
): Promise<void> {
  const { session_id } = status;
  if (session_id === undefined) return;
  await keepNote(client, { session_id, ...noteFor(status, said, pending) }, taskQueue);
}

async function replyWith(call: Call, status: BulkStatus, move: Reply): Promise<Answer> {
  await keep(call, status, move.said, move);
  const answer = await told(call, status, 'unclear', sentenceOf(status, move));
  return { ...answer, data: { ...answer.data, reply: move.reply } };
}

type Decisive = Exclude<PassedOn, Reply> | { kind: 'edit'; change: Record<string, unknown> };

/** Sends the decision of the message, for the question that was shown. */
async function decide(
  call: Call,
  status: BulkStatus,
  gate: ShownGate,
  { move, text }: { move: Decisive; text: string },
): Promise<Answer> {
  const { client, caller, context } = call;
  const { operation_id } = status;
  const by = caller.name;
  const note = quoted(text);
  const after = async (decision: 'cancelled' | 'sent_back' | 'question_changed') =>
    told(call, await getBulkStatus(client, operation_id), decision);
  switch (move.kind) {
    case 'continue': {
      const { exclude, not_before } = move;
      const request = { ...gate, by, note, not_before, exclude: itemsAt(status, exclude) };
      await beginBatch(client, operation_id, request, byMcp(context));
      return awaitPerson(call, operation_id, gate);
    }
    case 'cancel':
      await cancelBulkOperation(client, operation_id, { by, reason: note }, byMcp(context));
      return after('cancelled');
    case 'revise':
      await reviseBulkOperation(client, operation_id, { ...gate, note: move.note, by }, byMcp(context));
      return after('sent_back');
    case 'edit':
      await editBulkOperation(
        client,
        operation_id,
        { ...gate, change: move.change, by, note },
        byMcp(context),
      );
      return after('question_changed');
  }
}

const itemsAt = ({ next_batch }: BulkStatus, places: readonly number[] | undefined) =>
  places?.flatMap((at) => next_batch?.items[at] ?? []).map(({ id }) => ({ id }));

/** Withdraws the confirmation of a scheduled batch if the person's message asks for that; undefined if it does not. */
export async function passBack(
  { operation_id, person_message = '' }: Asked,
  call: Call,
): Promise<Answer | undefined> {
  if (!asksToTakeBack(plainWords(person_message))) return undefined;
  const request = { by: call.caller.name, reason: quoted(person_message) };
  await withdrawBulkOperation(call.client, operation_id, request, byMcp(call.context));
  return told(call, await getBulkStatus(call.client, operation_id), 'withdrawn');
}

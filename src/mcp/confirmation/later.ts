import { keepNote, touch, withdrawBulkOperation, getBulkStatus } from '../../client';
import type { BulkStatus } from '../../contract/operation';
import { cutAt } from '../../contract/text';
import { askBack, type Pending } from '../../core/intent/asking-back';
import { isBareAnswer, plainWords, type BulkIntent } from '../../core/intent/classifier';
import { mayHaveForgotten, noteFor, noteOf } from '../../core/intent/conversation';
import { asksToTakeBack, readSchedule, SAYS_NOW } from '../../core/intent/scheduling';
import { byMcp } from '../caller';
import type { Call } from '../context';
import type { Answer } from '../results';
import { told, type Asked } from './outcome';

const ASK_BACK = 'Ask the person this, word for word, and pass on what they answer:';
const STILL_WAITS = 'The person does not want it at that time. Nothing ran, and the question stays open.';
const MAX_REASON = 400;

/**
 * The time for which a person's message, passed on by the agent, confirms the batch, after a question back about it.
 * With `said`, the message decides nothing, and the agent receives this text. The session's note stores the time.
 */
export async function timeMeant(
  { client, context: { taskQueue } }: Call,
  status: BulkStatus,
  text: string,
  intentOf: (text: string) => BulkIntent,
): Promise<{ not_before?: string; said?: string }> {
  const { session_id } = status;
  if (session_id === undefined) return {};
  const keep = (kind: 'asked' | 'waits', pending: Pending = {}) =>
    keepNote(client, { session_id, ...noteFor(status, kind, pending) }, taskQueue);
  const ask = async (pending: Pending) => {
    await keep('asked', pending);
    return { said: `${ASK_BACK} ${askBack(status, pending)}` };
  };
  const clock = { now: Date.now(), zone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
  const time = readSchedule(text, clock, (rest) => intentOf(rest) === 'continue');
  if (time !== undefined) return ask({ not_before: time });
  const { note, remembers_since } = await touch(client, { session_id }, taskQueue);
  const message = { text, note, remembers_since };
  const not_before = noteOf(status, message)?.not_before;
  const intent = intentOf(text);
  const isBare = isBareAnswer(text);
  if (not_before === undefined)
    return intent === 'continue' && isBare && mayHaveForgotten(status, message) ? ask({}) : {};
  if (intent === 'cancel' && isBare) {
    await keep('waits');
    return { said: STILL_WAITS };
  }
  const isForNow = SAYS_NOW.test(plainWords(text)) || Date.parse(not_before) <= clock.now;
  return intent === 'continue' && isForNow ? ask({}) : { not_before };
}

/** Withdraws the confirmation of a scheduled batch if the person's message asks for that; undefined if it does not. */
export async function passBack(
  { operation_id, person_message = '' }: Asked,
  call: Call,
): Promise<Answer | undefined> {
  if (!asksToTakeBack(plainWords(person_message))) return undefined;
  const reason = `passed on by an agent: ${cutAt(person_message, MAX_REASON)}`;
  await withdrawBulkOperation(
    call.client,
    operation_id,
    { by: call.caller.name, reason },
    byMcp(call.context),
  );
  return told(call, await getBulkStatus(call.client, operation_id), 'withdrawn');
}

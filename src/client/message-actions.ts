import type { Client } from '@temporalio/client';
import { BatchgateError, type ErrorBody } from '../contract/errors';
import type { BulkStatus, BulkTurn, ItemError } from '../contract/operation';
import { stillInDoubt } from '../core/intent/answers';
import { presentBulkStatus } from '../core/bulk/presenter';
import { itemInLine } from '../core/shared/plain-text';
import { isClosed } from '../core/bulk/transitions';
import { getChangeParams } from './editable';
import { retryFailedItems, startRemainingItems } from './follow-ups';
import { editBulkOperation, resolveItem, withdrawBulkOperation } from './operations';
import { getBulkStatus } from './status';
import { undoBulkOperation } from './undo';
import { forPerson } from '../core/shared/agent-errors';
import type { ContinueRequest } from '../contract/messages';
import { cutAt } from '../contract/text';
import { partDigest } from '../core/intent/asking-back';
import { noteOf, type Heard, type SeenGate } from '../core/intent/conversation';
import { readEdit, wishedEdit } from '../core/intent/editing';
import { gateOf, NO_GATE, questionNotSeen } from './shown-gates';
import type { MessageContext } from './turn';

interface Reply<T extends BulkTurn | BulkStatus> {
  reply: string;
  status: T;
  error?: ErrorBody;
}

const FOLLOW_UPS = { retry: retryFailedItems, rest: startRemainingItems, undo: undoBulkOperation };

/** Starts a follow-up of an ended operation, and returns its question. */
export async function startFollowing(
  client: Client,
  ended: BulkStatus,
  kind: keyof typeof FOLLOW_UPS,
  { by, approver, door: via, may_decide }: MessageContext,
): Promise<Reply<BulkStatus>> {
  const doubtful = stillInDoubt(ended);
  try {
    const asks = {
      ...(by !== undefined && { requested_by: by }),
      ...(may_decide === false && { by_agent: true as const }),
      ...{ requested_subject: approver?.subject, via },
    };
    const status = await FOLLOW_UPS[kind](client, ended.operation_id, asks);
    return { reply: [...doubtful, presentBulkStatus(status)].join('\n'), status };
  } catch (error) {
    const { body } = refusal(error);
    return { reply: [forPerson(body), ...doubtful].join('\n'), status: ended, error: body };
  }
}

/** Records a person's resolutions of items in doubt. */
export async function settle(
  client: Client,
  before: BulkStatus,
  { items, outcome }: { items: readonly ItemError[]; outcome: 'succeeded' | 'failed' },
  { text, by, vouch, approver, door, shown }: MessageContext & { text: string },
): Promise<Reply<BulkTurn | BulkStatus>> {
  const { operation_id } = before;
  const options = { vouch, approver, door, shown };
  const reason = `said in the conversation: ${text.trim()}`;
  const recorded: string[] = [];
  let status: BulkTurn | BulkStatus = before;
  try {
    for (const { item_id, display_name } of items) {
      status = await resolveItem(client, operation_id, { item_id, outcome, by, reason }, options);
      recorded.push(`${itemInLine({ id: item_id, display_name })} is recorded as ${outcome}.`);
    }
    return { reply: [...recorded, presentBulkStatus(status)].join('\n'), status };
  } catch (error) {
    const { body } = refusal(error);
    return { reply: [...recorded, forPerson(body)].join('\n'), status, error: body };
  }
}

/** Withdraws the confirmation of the scheduled batch, and returns its question again. */
export async function takeBack(
  client: Client,
  { operation_id, scheduled_batch }: BulkStatus,
  { message_id, by, vouch, approver, door, shown }: MessageContext,
): Promise<Reply<BulkTurn | BulkStatus> & { asked?: SeenGate | undefined }> {
  const { digest } = scheduled_batch ?? {};
  try {
    const request = { digest, decision_id: message_id, by };
    const options = { vouch, approver, door, shown };
    const status = await withdrawBulkOperation(client, operation_id, request, options);
    return { reply: presentBulkStatus(status), asked: gateOf(status), status };
  } catch (error) {
    const { body } = refusal(error);
    const status = await getBulkStatus(client, operation_id);
    return { reply: forPerson(body), asked: gateOf(status), status, error: body };
  }
}

/** The reply to an answer after the end: the status of the operation, and how to start its remaining items. */
export function replyAfterTheEnd({ state, message, remaining }: BulkTurn | BulkStatus): string | undefined {
  if (!isClosed(state)) return undefined;
  if (state !== 'expired' || remaining === 0) return `That question is no longer open.\n${message}`;
  const rest = remaining === 1 ? '1 item was not run.' : `${remaining} items were not run.`;
  const next = message.includes('\n') ? '\n' : ' ';
  return `${message}${next}${rest} Say 'run the rest' for a new operation over the rest. It asks before each batch.`;
}

/** Returns the error if it is a refusal. @throws any other error, including that of an unreachable server. */
function refusal(error: unknown): BatchgateError {
  if (error instanceof BatchgateError && error.code !== 'TEMPORAL_UNAVAILABLE') return error;
  throw error;
}

/** Returns the question that a confirmation is for. If the sender named none, the door may have shown one. */
export function questionMeant(
  status: BulkStatus,
  context: Pick<MessageContext, 'message_id' | 'seen' | 'given'> & Heard & { begun: number },
): ContinueRequest {
  if (context.seen) return gateMeant(status, context) ?? NO_GATE;
  const digest = context.given?.(status.operation_id);
  return {
    ...(digest !== undefined && { digest }),
    ...(context.message_id === undefined && { sent_ago_ms: Math.round(performance.now() - context.begun) }),
  };
}

/** Returns false if a question is open and the door has shown the sender another question, or none. */
export function wasShown(
  status: BulkStatus,
  { seen, given }: Pick<MessageContext, 'seen' | 'given'>,
): boolean {
  const open = status.next_batch?.digest;
  if (seen) return seen.digest !== NO_GATE.digest;
  return open === undefined || given === undefined || given(status.operation_id) === open;
}

/** Returns the open question if the person saw it, in whole or for a part of the batch; else the question they saw. */
export function gateMeant(status: BulkStatus, message: Heard): SeenGate | undefined {
  const part = partDigest(status, noteOf(status, message) ?? {});
  const { seen } = message;
  const aboutAPart = part !== undefined && seen?.digest === part;
  return seen && !aboutAPart ? seen : gateOf(status);
}

/** The reply to a yes that was not for the open question: that question. */
export function openQuestion(status: BulkStatus) {
  const { body: error } = questionNotSeen(status, 'Read the question, and answer it.');
  const reply = `That was not an answer to the question that is open now, so nothing was run.\n${presentBulkStatus(status)}`;
  return { handled: true, reply, asked: gateOf(status), status, error };
}

const MAX_NOTE = 400;

/** Returns the parameters of an edit in a message such as `label it Archive instead`; undefined for other messages. */
export async function editMeant(
  client: Client,
  { operation_id, action, next_batch: gate }: BulkStatus,
  text: string,
): Promise<Record<string, unknown> | undefined> {
  const wish = gate && readEdit(text);
  if (!wish) return undefined;
  return wishedEdit(wish, await getChangeParams(client, operation_id), { action, change: gate.change });
}

/** Edits the change of the question that the person was shown. Nothing runs, and a new question opens. */
export function editByMessage(
  client: Client,
  status: BulkStatus,
  change: Record<string, unknown>,
  context: Parameters<typeof questionMeant>[1] & MessageContext,
): Promise<BulkTurn> {
  const { message_id: decision_id, by, text, vouch, approver, door, shown } = context;
  const { batch, attempt, digest } = questionMeant(status, context);
  const request = { change, batch, attempt, digest, decision_id, by, note: cutAt(text.trim(), MAX_NOTE) };
  return editBulkOperation(client, status.operation_id, request, { vouch, approver, door, shown });
}

/** The line above the question of an edit. */
export const EDITED = 'The change was edited, and nothing was run. This is the question now:';

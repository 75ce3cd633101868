import type { Client } from '@temporalio/client';
import { BatchgateError, type ErrorBody } from '../contract/errors';
import type { ContinueRequest } from '../contract/messages';
import type { BulkStatus, BulkTurn } from '../contract/operation';
import { classifyBulkIntent, speaksOfOperation, type BulkIntent } from '../core/intent';
import { presentBulkStatus } from '../core/presenter';
import { isClosed, needsConfirmation } from '../core/transitions';
import { cancelBulkOperation, continueBulkOperation, getBulkStatus, NO_GATE } from './operations';
import { touch } from './sentinel';

/** A question by its identity; without batch and attempt, its digest alone tells it apart. */
export type SeenGate = Pick<ContinueRequest, 'batch' | 'attempt'> & { digest: string };

export interface MessageContext {
  /** The decision id: the same message delivered twice decides once, also when its operation has ended meanwhile. */
  message_id?: string;
  /** The gate that the person was shown. Without it, the gate that is open now is meant. */
  seen?: SeenGate;
  /** The operation that is spoken of, where the door knows it; otherwise the session's live one. */
  operation_id?: string;
  by?: string;
  task_queue?: string;
  /** The person answers our own "Did you mean to continue?". */
  clarifying?: boolean;
}

export interface Turn {
  /** False: the message is about something else, and nothing was done. */
  handled: boolean;
  intent: BulkIntent;
  reply: string;
  /** The question that `reply` puts to the person: what the next message has `seen`. */
  asked?: SeenGate;
  status?: BulkStatus;
  /** The decision was refused, and why; `reply` says it in words. */
  error?: ErrorBody;
}

/**
 * One turn of conversation (seed 000, phase 2): classify, then continue, cancel, ask, or leave the message alone. The
 * session's operation is the one that the sentinel knows; whatever is said there keeps hygiene away.
 */
export async function handleMessage(
  client: Client,
  sessionId: string,
  text: string,
  context: MessageContext = {},
): Promise<Turn> {
  const about = await operationOf(client, sessionId, context);
  if (about === undefined) return { handled: false, intent: classifyBulkIntent(text), reply: '' };
  const { status, again } = about;
  const intent = classifyBulkIntent(text, { state: status.state });
  if (again && isClosed(status.state))
    return { handled: true, intent, reply: presentBulkStatus(status), status };
  if (intent === 'unknown' || (context.clarifying && isBareNo(text)))
    return unclear(status, text, context.seen);
  return decide(client, status, intent, context);
}

/** The operation that the message is about; none where nothing waits in the session. */
async function operationOf(
  client: Client,
  session_id: string,
  { operation_id, message_id, by, task_queue }: MessageContext,
): Promise<{ status: BulkStatus; again: boolean } | undefined> {
  const present = {
    session_id,
    ...(message_id !== undefined && { message_id }),
    ...(by !== undefined && { by }),
  };
  const { job, heard_of } = await touch(client, present, task_queue);
  if (operation_id !== undefined) return { status: await getBulkStatus(client, operation_id), again: false };
  const found = heard_of ?? (job?.kind === 'bulk_operation' ? job.job_id : '');
  if (found === '') return undefined;
  const again = heard_of !== undefined;
  try {
    const status = await getBulkStatus(client, found);
    return again || !isClosed(status.state) ? { status, again } : undefined;
  } catch (error) {
    // A job that ended without giving its place back, and left nothing behind.
    if (error instanceof BatchgateError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

async function decide(
  client: Client,
  status: BulkStatus,
  intent: 'continue' | 'cancel',
  context: MessageContext,
): Promise<Turn> {
  const { operation_id } = status;
  const { message_id: decision_id, by } = context;
  const seen = context.seen ?? gateOf(status) ?? NO_GATE;
  try {
    if (intent === 'cancel' && isForeign(status, seen)) throw foreign();
    const turn =
      intent === 'continue'
        ? await continueBulkOperation(client, operation_id, { ...seen, decision_id, by })
        : await cancelBulkOperation(client, operation_id, { decision_id, by });
    const asked = gateOf(turn);
    const now = await getBulkStatus(client, operation_id);
    return { handled: true, intent, reply: presentBulkStatus(turn), ...(asked && { asked }), status: now };
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code === 'TEMPORAL_UNAVAILABLE') throw error;
    const now = await getBulkStatus(client, operation_id);
    const reply = `${error.message} ${error.hint}`;
    return { handled: true, intent, reply, status: now, error: error.body };
  }
}

/** What a turn was judged on: the answer is for that question, and for no later one. */
export function gateOf({ next_batch: gate }: Pick<BulkTurn, 'next_batch'>): SeenGate | undefined {
  return gate && { batch: gate.number, attempt: gate.attempt, digest: gate.digest };
}

/** The question that was shown is none of this operation's: neither the open one nor one that was answered. */
function isForeign(
  { next_batch: gate, confirmations, ...status }: BulkStatus,
  { digest }: SeenGate,
): boolean {
  if (!gate || gate.digest === digest || status.confirmations_truncated) return false;
  const answered = confirmations.filter(({ outcome }) => outcome === 'accepted');
  return answered.every(
    (confirmation) => confirmation.digest !== undefined && confirmation.digest !== digest,
  );
}

function foreign(): BatchgateError {
  return new BatchgateError(
    'STALE_CONFIRMATION',
    'That was for another operation than the one that waits now; nothing was cancelled.',
    'Look at the open question, and cancel again if you mean that one.',
  );
}

function unclear(status: BulkStatus, text: string, seen: SeenGate | undefined): Turn {
  if (!needsConfirmation(status.state) || !speaksOfOperation(text))
    return { handled: false, intent: 'unknown', reply: '' };
  if (status.state === 'awaiting_resolution')
    return { handled: true, intent: 'unknown', reply: status.message, status };
  const open = gateOf(status);
  const turn = { handled: true, intent: 'unknown' as const, status };
  if (isBareNo(text)) return { ...turn, reply: presentBulkStatus(status), ...(open && { asked: open }) };
  const asked = seen ?? open;
  return { ...turn, reply: 'Did you mean to continue the bulk operation?', ...(asked && { asked }) };
}

/** To "Did you mean to continue?" a no says that they did not; it does not say cancel. */
function isBareNo(text: string): boolean {
  return /^\s*(no|nope|nah|n|nein|non|nee)\s*[.!]*\s*$/i.test(text);
}

import type { Client } from '@temporalio/client';
import { BatchgateError, type ErrorBody } from '../contract/errors';
import type { BulkStatus } from '../contract/operation';
import { classifyBulkIntent, speaksOfOperation, type BulkIntent } from '../core/intent';
import { isClosed, needsConfirmation } from '../core/transitions';
import { cancelBulkOperation, continueBulkOperation, getBulkStatus } from './operations';
import { touch } from './sentinel';

export interface MessageContext {
  /** The decision id: the same message delivered twice decides once. */
  message_id?: string;
  /** The gate that the person was shown. Without it, the gate that is open now is meant. */
  seen?: { batch: number; attempt: number; digest: string };
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
  const present = { session_id: sessionId, ...(context.by !== undefined && { by: context.by }) };
  const { job } = await touch(client, present, context.task_queue);
  const live = job?.kind === 'bulk_operation' ? job.job_id : undefined;
  const operationId = context.operation_id ?? live;
  if (operationId === undefined) return leftAlone(text);
  const status = await getBulkStatus(client, operationId);
  if (isClosed(status.state) && context.operation_id === undefined) return leftAlone(text);
  const intent = classifyBulkIntent(text, status.state);
  if (intent === 'unknown' || (context.clarifying && isBareNo(text))) return unclear(status, text);
  const { message_id: decision_id, by } = context;
  const seen = context.seen ?? gateOf(status);
  try {
    const turn =
      intent === 'continue'
        ? await continueBulkOperation(client, operationId, { ...seen, decision_id, by })
        : await cancelBulkOperation(client, operationId, { decision_id, by });
    return { handled: true, intent, reply: turn.message, status: await getBulkStatus(client, operationId) };
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code === 'TEMPORAL_UNAVAILABLE') throw error;
    const now = await getBulkStatus(client, operationId);
    const reply = `${error.message} ${error.hint}`;
    return { handled: true, intent, reply, status: now, error: error.body };
  }
}

/** What this turn was judged on: the answer is for that question, and for no later one. */
function gateOf({ next_batch: gate }: BulkStatus): MessageContext['seen'] {
  return gate && { batch: gate.number, attempt: gate.attempt, digest: gate.digest };
}

function unclear(status: BulkStatus, text: string): Turn {
  if (!needsConfirmation(status.state) || !speaksOfOperation(text))
    return { handled: false, intent: 'unknown', reply: '' };
  const reply = isBareNo(text) ? status.message : 'Did you mean to continue the bulk operation?';
  return { handled: true, intent: 'unknown', reply, status };
}

/** To "Did you mean to continue?" a no says that they did not; it does not say cancel. */
function isBareNo(text: string): boolean {
  return /^\s*(no|nope|nah|n|nein|non|nee)\s*[.!]*\s*$/i.test(text);
}

/** Nothing waits in this session: whatever it says is another request. */
function leftAlone(text: string): Turn {
  return { handled: false, intent: classifyBulkIntent(text), reply: '' };
}

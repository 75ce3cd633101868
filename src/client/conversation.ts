import type { Client } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import type { BulkStatus } from '../contract/operation';
import { classifyBulkIntent, speaksOfOperation, type BulkIntent } from '../core/intent';
import { needsConfirmation } from '../core/transitions';
import { listBulkOperations } from './listing';
import { cancelBulkOperation, continueBulkOperation, getBulkStatus } from './operations';

export interface MessageContext {
  /** The decision id: the same message delivered twice decides once. */
  message_id?: string;
  /** The gate that the person was shown. Without it, the gate that is open now is meant. */
  seen?: { batch: number; attempt: number; digest: string };
  /** The operation that is spoken of, where the door knows it; otherwise the session's live one. */
  operation_id?: string;
  by?: string;
}

export interface Turn {
  /** False: the message is about something else, and nothing was done. */
  handled: boolean;
  intent: BulkIntent;
  reply: string;
  status?: BulkStatus;
}

/** One turn of conversation (seed 000, phase 2): classify, then continue, cancel, ask, or leave the message alone. */
export async function handleMessage(
  client: Client,
  sessionId: string,
  text: string,
  context: MessageContext = {},
): Promise<Turn> {
  const intent = classifyBulkIntent(text);
  const operationId = context.operation_id ?? (await liveOperation(client, sessionId));
  if (operationId === undefined) return { handled: false, intent, reply: '' };
  if (intent === 'unknown') return unclear(client, operationId, text);
  const { message_id: decision_id, seen, by } = context;
  try {
    const turn =
      intent === 'continue'
        ? await continueBulkOperation(client, operationId, { ...seen, decision_id, by })
        : await cancelBulkOperation(client, operationId, { decision_id, by });
    return { handled: true, intent, reply: turn.message, status: await getBulkStatus(client, operationId) };
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code === 'TEMPORAL_UNAVAILABLE') throw error;
    return refused(client, operationId, intent, error);
  }
}

async function unclear(client: Client, operationId: string, text: string): Promise<Turn> {
  const status = await getBulkStatus(client, operationId);
  if (!needsConfirmation(status.state) || !speaksOfOperation(text)) {
    return { handled: false, intent: 'unknown', reply: '' };
  }
  return { handled: true, intent: 'unknown', reply: 'Did you mean to continue the bulk operation?', status };
}

async function refused(
  client: Client,
  operationId: string,
  intent: BulkIntent,
  error: BatchgateError,
): Promise<Turn> {
  const status = await getBulkStatus(client, operationId);
  return { handled: true, intent, reply: `${error.message} ${error.hint}`, status };
}

async function liveOperation(client: Client, sessionId: string): Promise<string | undefined> {
  const [newest] = await listBulkOperations(client, { session_id: sessionId, live: true, limit: 1 });
  return newest?.operation_id;
}

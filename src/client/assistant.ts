import { setTimeout as pause } from 'node:timers/promises';
import {
  WithStartWorkflowOperation,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import {
  assistantId,
  assistantInputSchema,
  assistantMessageSchema,
  noModel,
  streamedSchema,
  type AssistantInput,
  type AssistantMessage,
  type AssistantStatus,
  type CallView,
  type Streamed,
  type TurnView,
} from '../contract/assistant';
import type { Role } from '../contract/access';
import { BatchgateError, parseInput } from '../contract/errors';
import { QUERIES, TASK_QUEUE, UPDATES, WORKFLOW_TYPES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import { isClosed } from '../core/bulk/transitions';
import { isOver } from '../core/assistant/session';
import { ANSWER_MS, call, describeWorkflow, heartbeatOf } from './calls';
import { clockOf, handleMessage } from './conversation';
import type { MessageContext, Turn } from './turn';
import { unlessMissing } from './failures';
import { noSuchJob, wrongKind } from './job-kinds';
import { ask, sendUpdate } from './messages';
import { getBulkStatus } from './status';

export interface AssistantOptions {
  /** The profile whose limits apply to a new assistant. */
  profile?: string;
  task_queue?: string;
  /** The sender's role at the HTTP API. The assistant calls only tools that the role allows. Default: all tools. */
  role?: Role;
  /** False if no worker has a model. A message to the assistant is then refused. */
  has_model?: boolean;
}

/** The recipient of a message: the open question, or the assistant as a turn. */
export type Said = { to: 'question'; turn: Turn } | { to: 'assistant'; number: number };

/**
 * Handles a message in a session that has an assistant. An open question of the session receives it first, by the rules
 * of `handleMessage`. The assistant receives only messages about something else.
 */
export async function sayInSession(
  client: Client,
  session_id: string,
  text: string,
  { profile, has_model, role, ...context }: MessageContext & AssistantOptions = {},
): Promise<Said> {
  const turn = await handleMessage(client, session_id, text, context);
  if (turn.handled) return { to: 'question', turn };
  if (has_model === false) throw noModel();
  const { message_id, task_queue } = context;
  const message = { text, message_id, role, zone: clockOf(context).zone };
  return {
    to: 'assistant',
    number: await tellAssistant(client, session_id, message, { profile, task_queue }),
  };
}

const AGAIN_MS = 250;

/** Sends a message to the session's assistant, starting one if none runs. Returns the number of the turn. */
async function tellAssistant(
  client: Client,
  session_id: string,
  message: AssistantMessage,
  { profile, task_queue = TASK_QUEUE }: AssistantOptions,
): Promise<number> {
  const input = parseInput(assistantInputSchema, { session_id, profile }, 'The session');
  const parsed = parseInput(assistantMessageSchema, message, 'The message');
  const until = Date.now() + ANSWER_MS;
  for (;;) {
    try {
      const { turn } = await send(client, input, parsed, task_queue);
      return turn;
    } catch (error) {
      // The assistant was just ending: its session was idle, or it was cancelled.
      const again = error instanceof BatchgateError && AGAIN_CODES.has(error.code);
      if (!again || Date.now() >= until) throw error;
      await pause(AGAIN_MS);
    }
  }
}

const AGAIN_CODES = new Set(['OPERATION_CLOSED', 'NOT_FOUND']);

function send(
  client: Client,
  input: AssistantInput,
  message: AssistantMessage,
  taskQueue: string,
): Promise<{ turn: number }> {
  const workflowId = assistantId(input.session_id);
  const startWorkflowOperation = new WithStartWorkflowOperation(WORKFLOW_TYPES.assistant, {
    ...{ workflowId, taskQueue, args: [input] },
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowTaskTimeout: '5s',
    staticSummary: 'An assistant, which asks and never confirms',
  });
  return call(client, async () => {
    const accepted = await client.workflow.startUpdateWithStart<
      (input: AssistantInput) => Promise<AssistantStatus>,
      { turn: number },
      [AssistantMessage]
    >(UPDATES.message, { args: [message], startWorkflowOperation, waitForStage: 'ACCEPTED' });
    return accepted.result();
  });
}

/** Stops the turn of a session's assistant. Operations that it started continue. */
export function stopAssistant(client: Client, session_id: string, turn?: number): Promise<AssistantStatus> {
  const id = assistantId(session_id);
  const request = turn === undefined ? {} : { turn };
  return sendUpdate(client, id, UPDATES.stop, request, {
    whenMissing: () => Promise.resolve(noSuchJob(WORKFLOW_TYPES.assistant)),
  });
}

/** Returns the status of a session's assistant, even after its end. */
export async function getAssistant(client: Client, session_id: string): Promise<AssistantStatus> {
  const id = assistantId(session_id);
  return describedAssistant(client, await describeWorkflow(client, id));
}

/** Returns the status of a session's assistant; undefined if the session never had one. */
export const findAssistant = (client: Client, session_id: string): Promise<AssistantStatus | undefined> =>
  getAssistant(client, session_id).catch(unlessMissing);

/** Returns the status of an assistant whose workflow was already described. */
export async function describedAssistant(
  client: Client,
  { workflowId, type, status }: WorkflowExecutionDescription,
): Promise<AssistantStatus> {
  if (type !== WORKFLOW_TYPES.assistant) throw wrongKind(workflowId, type, WORKFLOW_TYPES.assistant);
  if (status.name === 'RUNNING')
    return ask(client, workflowId, (handle) => handle.query<AssistantStatus>(QUERIES.get));
  return call(client, () => client.workflow.getHandle(workflowId).result() as Promise<AssistantStatus>);
}

/** Returns the statuses of an assistant's live operations. */
export async function openQuestions(client: Client, operations: readonly string[]): Promise<BulkStatus[]> {
  const looks = operations.map((id) => getBulkStatus(client, id).catch(unlessMissing));
  return (await Promise.all(looks)).filter(
    (status) => status !== undefined && !isClosed(status.state),
  ) as BulkStatus[];
}

/** Cancels a session's assistant and frees its slot. Operations that it started continue. */
export async function cancelAssistant(client: Client, assistant_id: string): Promise<void> {
  await call(client, () => client.workflow.getHandle(assistant_id).cancel());
}

/** An event of a turn. `text`: the answer so far, which starts over with each step. */
export type TurnEvent =
  | { text: string; step: number }
  /** The calls of a turn are numbered from 0. */
  | { call: CallView; number: number }
  /** No worker answers; the turn continues once one does. */
  | { unanswered: string }
  | { turn: TurnView };

const LOOK_MS = 150;

/**
 * Follows a turn to its end: the streamed text, the calls, and finally the whole turn. The text comes with the
 * heartbeats of the model call, so that streaming adds nothing to the history; the turn itself is durable.
 */
export async function* followTurn(
  client: Client,
  session_id: string,
  number: number,
  signal?: AbortSignal,
): AsyncGenerator<TurnEvent> {
  const reported: string[] = [];
  let streamed = '';
  for (; !signal?.aborted; await pause(LOOK_MS)) {
    const look = await lookAtAssistant(client, session_id).catch(unlessUnanswered);
    if ('unanswered' in look) {
      yield look;
      continue;
    }
    const { turns, state } = look.status;
    const turn = turns.find((entry) => entry.number === number);
    for (const [number, call] of (turn?.calls ?? []).entries()) {
      const callState = `${call.tool} ${call.state}`;
      if (reported[number] !== callState) yield { call, number };
      reported[number] = callState;
    }
    if (turn && turn.state !== 'working') {
      yield { turn };
      return;
    }
    if (!turn && turns.some((entry) => entry.number > number)) return;
    if (isOver(state)) return;
    const now = look.streamed;
    if (now?.turn !== number || now.text === '' || `${now.step} ${now.text}` === streamed) continue;
    streamed = `${now.step} ${now.text}`;
    yield { text: now.text, step: now.step };
  }
}

/** Returns the conversation, and the output of the running model call so far. */
export async function lookAtAssistant(
  client: Client,
  session_id: string,
): Promise<{ status: AssistantStatus; streamed?: Streamed | undefined }> {
  const description = await describeWorkflow(client, assistantId(session_id));
  const streamed = await heartbeatOf(client, description, streamedSchema);
  const status = await describedAssistant(client, description);
  // The status is newer, and the call may be over by then.
  const steps = status.turns.find(({ number }) => number === streamed?.turn)?.steps ?? 0;
  return { status, ...(streamed && streamed.step >= steps && { streamed }) };
}

function unlessUnanswered(error: unknown): { unanswered: string } {
  if (!(error instanceof BatchgateError) || error.code !== 'TEMPORAL_UNAVAILABLE') throw error;
  return { unanswered: error.message };
}

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  workflowInfo,
  proxyActivities,
  defineQuery,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import {
  assistantId,
  assistantInputSchema,
  type AssistantInput,
  type AssistantStatus,
  type AssistantActivities,
  assistantMessageSchema,
  stopRequestSchema,
  type AssistantMessage,
  type StopRequest,
} from '../../src/contract/assistant';
import { BatchgateError, parseInput } from '../../src/contract/errors';
import {
  beginSession,
  beginTurn,
  canBeCarried,
  endTurn,
  statusOf,
  type Session,
  hearOutcome,
  receive,
  stopTurn,
  withoutOperation,
} from '../../src/core/assistant/session';
import { DEFAULT_SETTINGS } from '../../src/contract/settings';
import { PROFILE_FIELDS } from '../../src/contract/profile';
import { askForPlace, leavePlace } from '../shared/admission';
import { handedOver, handOver, isFull } from '../shared/hand-over';
import { publish, type Running } from './running';
import { makeMove } from './moves';
import { isMacroRun } from '../../src/contract/job-ids';
import type { MacroActivities } from '../../src/contract/macro-activities';
import { outcomeText } from '../../src/core/bulk/agent-text';
import { optionsOf, waitOptions } from '../macro/options';
import { fromActivityFailure, refusing, toFailure } from '../shared/failures';
import { QUERIES, UPDATES } from '../../src/contract/messages';
import { read } from '../shared/decision-record';
import { waitFor } from '../shared/settle';

/** Thrown with the state for the next run. */
type Carried = Pick<Running, 'session' | 'settings'>;

/**
 * The assistant of one session: messages arrive as updates, turns run one at a time, and each call of a model or a tool
 * is an activity. It holds one slot, which an operation that it starts shares. Only continue-as-new sets `carried`.
 */
export async function assistant(input: AssistantInput, carried?: Carried): Promise<AssistantStatus> {
  const previous = handedOver(carried);
  const running: Running = previous
    ? { ...previous, admitted: true, watching: new Map() }
    : { session: begin(input), settings: DEFAULT_SETTINGS, admitted: false, watching: new Map() };
  registerHandlers(running);
  CancellationScope.current().cancelRequested.catch(() => {
    running.cancelled = true;
    running.scope?.cancel();
  });
  return CancellationScope.nonCancellable(async () => {
    publish(running);
    if (!previous) await takePlace(running);
    running.admitted = true;
    publish(running);
    if (running.session.state !== 'rejected') await live(running, input);
    await condition(allHandlersFinished);
    publish(running);
    await leavePlace();
    return statusOf(running.session);
  });
}

/** An input that cannot be parsed still starts a run, so that a query can return the refusal. */
function begin(value: unknown): Session {
  const { workflowId, startTime } = workflowInfo();
  const now = startTime.getTime();
  try {
    const input = parseInput(assistantInputSchema, value, 'The assistant');
    if (workflowId !== assistantId(input.session_id)) throw misnamed(input.session_id);
    return beginSession(input, now);
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return { ...beginSession({ session_id: '' }, now), state: 'rejected', error: error.body };
  }
}

const misnamed = (sessionId: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `The assistant of this session runs as ${assistantId(sessionId)}.`,
    'Start it through the client, by a message.',
  );

async function takePlace(running: Running): Promise<void> {
  const { session_id, state } = running.session;
  if (state === 'rejected') return;
  const { workflowId: operation_id, firstExecutionRunId: run_id } = workflowInfo();
  const admission = await askForPlace({ operation_id, run_id, kind: 'assistant', session_id });
  if (admission.admitted) running.settings = admission.settings;
  else running.session = { ...running.session, state: 'rejected', error: admission.error };
}

/** Runs turn after turn, until the session is idle for too long or cancelled. */
async function live(running: Running, input: AssistantInput): Promise<void> {
  for (;;) {
    watchOperations(running);
    if (running.cancelled) return close(running, 'cancelled');
    if (mayGoOn(running)) {
      await goOnAsNew(running, input);
      continue;
    }
    if (running.session.turn === undefined) {
      if (running.session.queue.length === 0 && !(await somethingToDo(running)))
        return close(running, 'cleared');
      running.session = beginTurn(running.session, Date.now());
      continue;
    }
    running.scope = new CancellationScope();
    try {
      await running.scope.run(() => makeMove(running));
    } catch (error) {
      if (!isCancellation(error)) throw error;
      running.session = endTurn(running.session, { state: 'stopped' }, Date.now());
    } finally {
      running.scope = undefined;
    }
    publish(running);
  }
}

/** False once the session was idle for longer than its profile allows. A session with a live operation is not idle. */
async function somethingToDo(running: Running): Promise<boolean> {
  const due = () => running.session.queue.length > 0 || running.cancelled === true || mayGoOn(running);
  const idle = running.session.idle_seconds ?? PROFILE_FIELDS.op_idle_threshold_seconds.default;
  for (;;) {
    if (await condition(due, idle * 1_000)) return true;
    if (running.session.watched.length === 0) return false;
    await expireProposals(running);
  }
}

function close(running: Running, state: 'cleared' | 'cancelled'): void {
  const ended = endTurn(running.session, { state: 'stopped' }, Date.now());
  running.session = { ...ended, state, updated_at: Date.now() };
  for (const scope of running.watching.values()) scope.cancel();
}

const mayGoOn = ({ session }: Running) => isFull() && canBeCarried(session);

async function goOnAsNew(running: Running, input: AssistantInput): Promise<void> {
  for (const scope of running.watching.values()) scope.cancel();
  await condition(() => running.watching.size === 0);
  await condition(allHandlersFinished);
  const { session, settings } = running;
  // A cancellation or messages may have arrived meanwhile.
  if (running.cancelled || !canBeCarried(session)) return;
  await handOver<typeof assistant>(input, { session, settings });
}

type Waits = Pick<MacroActivities, 'awaitOperation'> & Pick<AssistantActivities, 'awaitProposal'>;

/** Expires proposals of an otherwise idle session: an open question about a macro would keep its slot forever. */
async function expireProposals({ settings, session }: Running): Promise<void> {
  if (!session.watched.every(isMacroRun)) return;
  for (const run_id of session.watched) {
    const options = optionsOf(settings, `expire ${run_id}`);
    // A failure is retried when the session has been idle for the same time again.
    await proxyActivities<AssistantActivities>(options)
      .expireProposal({ run_id })
      .catch(() => undefined);
  }
}

/** During the turns, waits for the end of each operation that the assistant started; its end begins a turn. */
function watchOperations(running: Running): void {
  for (const operation_id of running.session.watched) {
    if (running.watching.has(operation_id)) continue;
    const scope = new CancellationScope();
    running.watching.set(operation_id, scope);
    void scope
      .run(() => outcomeOf(running, operation_id))
      .then(
        (sentence) => {
          const { session } = running;
          running.session =
            sentence === undefined
              ? withoutOperation(session, operation_id)
              : hearOutcome(session, { operation_id, sentence }, Date.now());
        },
        () => undefined,
      )
      .finally(() => running.watching.delete(operation_id));
  }
}

/** The end of a job, in a sentence; undefined for a call without an answer that started nothing. */
async function outcomeOf({ settings, session }: Running, operation_id: string): Promise<string | undefined> {
  const { awaitOperation, awaitProposal } = proxyActivities<Waits>(waitOptions(settings, operation_id));
  try {
    if (isMacroRun(operation_id)) return await awaitProposal({ run_id: operation_id });
    return outcomeText(await awaitOperation({ operation_id }));
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { code } = fromActivityFailure(error);
    if (code === 'NOT_FOUND' && session.unsure?.includes(operation_id)) return undefined;
    return `its end cannot be read (${code}).`;
  }
}

const messageUpdate = defineUpdate<{ turn: number }, [AssistantMessage]>(UPDATES.message);
const stopUpdate = defineUpdate<AssistantStatus, [(StopRequest | null)?]>(UPDATES.stop);
const statusQuery = defineQuery<AssistantStatus>(QUERIES.get);
const startedQuery = defineQuery<boolean, [{ operation_id: string }]>(QUERIES.started);

function registerHandlers(running: Running): void {
  setHandler(
    messageUpdate,
    async (message) => {
      if (!running.admitted) await waitFor(() => running.admitted);
      refuseOver(running);
      const { session, turn } = refusing(() => receive(running.session, message, Date.now()));
      running.session = session;
      return { turn };
    },
    {
      validator: (message) => {
        read(assistantMessageSchema, message);
      },
      description: 'Says something to the assistant: {"text": "…"}; answers the number of its turn',
    },
  );
  setHandler(
    stopUpdate,
    (request?: StopRequest | null) => {
      running.session = stopTurn(running.session, request?.turn, Date.now());
      if (running.session.stopped !== undefined) running.scope?.cancel();
      return statusOf(running.session);
    },
    {
      validator: (request?: StopRequest | null) => {
        read(stopRequestSchema, request ?? {});
      },
      description: 'Stops the turn; operations that it started go on',
    },
  );
  setHandler(statusQuery, () => statusOf(running.session), {
    description: 'The latest turns with their answers, what it waits for, and what is left of its limits',
  });
  setHandler(startedQuery, ({ operation_id }) => running.session.operations.includes(operation_id), {
    description: 'Whether it started this bulk operation; asked when the operation is admitted',
  });
}

function refuseOver({ session, cancelled }: Running): void {
  const { state, error } = session;
  if (state === 'rejected' && error) throw toFailure(error);
  if (state !== 'cleared' && state !== 'cancelled' && !cancelled) return;
  throw toFailure({
    code: 'OPERATION_CLOSED',
    message: 'This assistant has ended.',
    hint: 'Send the message again; it starts a new one.',
  });
}

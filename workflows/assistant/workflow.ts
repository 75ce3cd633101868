import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import {
  assistantId,
  assistantInputSchema,
  type AssistantInput,
  type AssistantStatus,
} from '../../src/contract/assistant';
import { BatchgateError, parseInput } from '../../src/contract/errors';
import {
  beginSession,
  beginTurn,
  canBeCarried,
  endTurn,
  statusOf,
  type Session,
} from '../../src/core/assistant/session';
import { DEFAULT_SETTINGS } from '../../src/contract/settings';
import { PROFILE_FIELDS } from '../../src/contract/profile';
import { askForPlace, leavePlace } from '../shared/admission';
import { handedOver, handOver, isFull } from '../shared/hand-over';
import { registerHandlers } from './handlers';
import { publish, type Running } from './running';
import { makeMove } from './moves';
import { expireProposals, watchOperations } from './outcomes';

/** The state for the next run. */
type Carried = Pick<Running, 'session' | 'settings'>;

/**
 * The assistant of one session: messages arrive as updates, turns run one at a time, and each call of a model or a tool
 * is an activity. It holds one slot, which an operation that it starts shares. Only continue-as-new sets `carried`.
 */
export async function assistant(input: AssistantInput, carried?: Carried): Promise<AssistantStatus> {
  const handed = handedOver(carried);
  const running: Running = handed
    ? { ...handed, admitted: true, watching: new Map() }
    : { session: begin(input), settings: DEFAULT_SETTINGS, admitted: false, watching: new Map() };
  registerHandlers(running);
  CancellationScope.current().cancelRequested.catch(() => {
    running.cancelled = true;
    running.scope?.cancel();
  });
  return CancellationScope.nonCancellable(async () => {
    publish(running);
    if (!handed) await takePlace(running);
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

import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type Client, type WorkflowOptions } from '@temporalio/client';
import { TimeoutFailure, tsToMs } from '@temporalio/common';
import { BatchgateError } from '../contract/errors';
import { ANSWER_MS, call } from './calls';
import { isMissing, toBatchgateError } from './failures';

const LOOK_MS = 2_000;
/** temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED */
const STARTED = 2;
const SLOT = 'a slot among the live jobs';
const ITEMS = 'the tool to name the items';
const STEPS: Readonly<Record<string, string>> = { admit: SLOT, begin: SLOT, plan: ITEMS };

/** Returns the cause of a started workflow's wait, from the server. Needs no worker. */
export async function whatItWaitsFor(client: Client, workflowId: string): Promise<string> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const { raw, taskQueue } = await client.withDeadline(Date.now() + LOOK_MS, () => handle.describe());
    const [activity] = raw.pendingActivities ?? [];
    if (activity) {
      const name = activity.activityType?.name ?? '';
      // Its heartbeats begin with the plan (activities/bulk/begin.ts).
      const plans = name === 'begin' && activity.heartbeatDetails;
      const step = plans ? ITEMS : (STEPS[name] ?? 'its next step');
      const attempt = Number(activity.attempt ?? 1);
      const last = activity.lastFailure?.message;
      const tries = attempt > 1 ? ` (try ${attempt}${last ? `, after: ${last}` : ''})` : '';
      return `it waits for ${Number(activity.state) === STARTED ? step : `a worker to ask ${step}`}${tries}`;
    }
    if (!raw.pendingWorkflowTask) return 'it is being prepared';
    const hasWorkers = (await findWorkers(client, taskQueue).catch(() => 1)) > 0;
    const none = `, and none polls the task queue ${taskQueue}: start one with \`npx batchgate up\``;
    return `it waits for a worker to take it up${hasWorkers ? '' : none}`;
  } catch (error) {
    return isMissing(error)
      ? 'it has not reached the Temporal server'
      : 'the Temporal server does not answer';
  }
}

/** The default wait for the first answer. */
export const WAIT_MS = 240_000;

export interface WaitOptions {
  /** The maximum wait for the first answer, in milliseconds. The started job continues. */
  wait_ms?: number;
  /** Ends the wait early. */
  signal?: AbortSignal;
  /** Called with the cause of the wait whenever it changes. */
  onWaiting?: (line: string) => void;
  /** When the wait is over, returns the status of the started job, which is not ready, instead of an error. */
  accepts_unready?: true | undefined;
}

const FIRST_LINE_MS = 3_000;
const LOOK_AGAIN_MS = 3_000;

/** Reports changes in what the workflow waits for while `work` runs. */
export async function telling<T>(
  client: Client,
  workflowId: string,
  onWaiting: WaitOptions['onWaiting'],
  work: () => Promise<T>,
): Promise<T> {
  if (!onWaiting) return work();
  let over = false;
  let reported = '';
  const look = async () => {
    const line = await whatItWaitsFor(client, workflowId);
    if (over) return;
    if (line !== reported) onWaiting(`${workflowId}: ${line}.`);
    reported = line;
    timer = setTimeout(() => void look(), LOOK_AGAIN_MS);
  };
  let timer = setTimeout(() => void look(), FIRST_LINE_MS);
  try {
    return await work();
  } finally {
    over = true;
    clearTimeout(timer);
  }
}

/** A worker that has lately polled a task queue for workflows. */
export interface Poller {
  identity: string;
  /** Milliseconds since its last poll. */
  ago: number;
}

/** A poll lasts a minute, so a live worker has polled within this time. Dead workers stay listed for longer. */
const POLLED_WITHIN_MS = 75_000;
const WORKFLOW_TASKS = 1;
const PROBE_MS = 3_000;

/** Returns the workers of a task queue. A worker that ended is still included for up to 75 seconds. */
export async function findPollers(client: Client, taskQueue: string): Promise<Poller[]> {
  const { namespace } = client.options;
  const { pollers } = await call(
    client,
    () =>
      client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: WORKFLOW_TASKS,
      }),
    PROBE_MS,
  );
  return (pollers ?? [])
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      ago: Math.max(0, Date.now() - tsToMs(lastAccessTime)),
    }))
    .filter(({ ago }) => ago < POLLED_WITHIN_MS);
}

/** Returns the number of workers that poll a task queue for workflows. */
export const findWorkers = async (client: Client, taskQueue: string): Promise<number> =>
  (await findPollers(client, taskQueue)).length;

const START_ONE =
  'Start one: `npx batchgate up`, or `npx batchgate worker` beside a server of your own. Then send it again: the same decision is never carried out twice.';

/**
 * Returns the reason why a call got no answer although the server answers; undefined if the server does not answer
 * either. `mayBeEnded`: the workflow is a job, which a person can end.
 */
export async function whyNoAnswer(
  client: Client,
  workflowId: string,
  mayBeEnded = true,
): Promise<BatchgateError | undefined> {
  try {
    const { taskQueue } = await call(
      client,
      () => client.workflow.getHandle(workflowId).describe(),
      PROBE_MS,
    );
    const pollers = await findPollers(client, taskQueue);
    const last = Math.min(...pollers.map(({ ago }) => ago));
    return new BatchgateError(
      'TEMPORAL_UNAVAILABLE',
      pollers.length === 0
        ? `No worker polls the task queue ${taskQueue}, so nothing answers for ${workflowId}.`
        : `No worker of the task queue ${taskQueue} answered for ${workflowId} in time. The last one asked for work ${Math.round(last / 1_000)} s ago.`,
      pollers.length === 0 && mayBeEnded
        ? `${START_ONE} Or end it: \`npx batchgate end ${workflowId} --reason "…"\`.`
        : START_ONE,
    );
  } catch {
    return undefined;
  }
}

interface Question extends Pick<WorkflowOptions, 'staticSummary' | 'workflowExecutionTimeout'> {
  type: string;
  /** The prefix of the workflow id. */
  id: string;
  taskQueue: string;
  input: object;
}

/**
 * Runs a workflow that answers one question, by default within a minute.
 * @throws BatchgateError with the code of the refusal; `TEMPORAL_UNAVAILABLE`, also if there is no worker.
 */
export async function runOnce<T>(
  client: Client,
  { type, input, id, ...options }: Question,
  withinMs = ANSWER_MS,
  workflowId = `${id}-${randomUUID()}`,
): Promise<T> {
  const run = () =>
    client.workflow.execute<(input: object) => Promise<T>>(type, {
      workflowExecutionTimeout: '1 minute',
      ...{ ...options, workflowId, args: [input] },
    });
  try {
    return await client.withDeadline(Date.now() + withinMs, run);
  } catch (error) {
    const failure = toBatchgateError(error);
    // The server times out a workflow that no worker answered in time.
    const timedOut = error instanceof WorkflowFailedError && error.cause instanceof TimeoutFailure;
    if (failure.code !== 'TEMPORAL_UNAVAILABLE' && !timedOut) throw failure;
    throw (await whyNoAnswer(client, workflowId, false)) ?? failure;
  }
}

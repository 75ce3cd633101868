import type { Client } from '@temporalio/client';
import { call } from './calls';
import { isMissing } from './failures';

const LOOK_MS = 2_000;
/** temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED */
const STARTED = 2;
const SLOT = 'a slot among the live jobs';
const ITEMS = 'the tool to name the items';
const STEPS: Readonly<Record<string, string>> = { admit: SLOT, begin: SLOT, plan: ITEMS };

/** What a started workflow waits for, according to the server; this needs no worker. */
export async function whatItWaitsFor(client: Client, workflowId: string): Promise<string> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const { raw } = await client.withDeadline(Date.now() + LOOK_MS, () => handle.describe());
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
    return raw.pendingWorkflowTask ? 'it waits for a worker to take it up' : 'it is being prepared';
  } catch (error) {
    return isMissing(error)
      ? 'it has not reached the Temporal server'
      : 'the Temporal server does not answer';
  }
}

/** How long to wait for the first answer by default. */
export const WAIT_MS = 240_000;

export interface WaitOptions {
  /** How long to wait for the first answer, in milliseconds. What was started continues. */
  wait_ms?: number;
  /** Ends the wait early. */
  signal?: AbortSignal;
  /** Called with what it waits for, when that changes. */
  onWaiting?: (line: string) => void;
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
  let told = '';
  const look = async () => {
    const line = await whatItWaitsFor(client, workflowId);
    if (over) return;
    if (line !== told) onWaiting(`${workflowId}: ${line}.`);
    told = line;
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

/** How many workers poll a task queue for workflows. */
export async function findWorkers(client: Client, taskQueue: string): Promise<number> {
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
  return pollers?.length ?? 0;
}

const WORKFLOW_TASKS = 1;
const PROBE_MS = 3_000;

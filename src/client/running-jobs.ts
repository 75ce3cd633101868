import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contract/messages';
import { jobKeySchema, type Job, type JobKey, type JobKind } from '../contract/sentinel';
import { call, describeWorkflow } from './calls';
import { quoted, runIds } from './list-runs';
import { isUnimplemented, unlessMissing } from './failures';
import { kindOf } from './job-kinds';

/** The final states. The workflow may not have closed yet. */
const OVER = new Set(['completed', 'cancelled', 'cleared', 'expired', 'failed', 'rejected']);
/** A workflow that a person paused in Temporal may continue. */
const OPEN = new Set<string>(['RUNNING', 'PAUSED']);
const AT_ONCE = 20;

/** The server's current description of a job. `state` is as in lists; undefined before its first step. */
export interface Described {
  live: boolean;
  state?: string;
  /** Whether the job is waiting for a slot. */
  asking: boolean;
  session_id?: string;
  run_id: string;
  started_at: string;
  kind?: JobKind;
  /** The job that started it. */
  parent?: JobKey;
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** Describes the current chain of runs under a workflow id; undefined if there is none. */
async function describe(client: Client, jobId: string): Promise<Described | undefined> {
  const description = await describeWorkflow(client, jobId).catch(unlessMissing);
  return description && described(description);
}

function described({ raw, status, type, startTime, ...rest }: WorkflowExecutionDescription): Described {
  const attribute = (name: string) => rest.searchAttributes[name]?.[0] as string | undefined;
  const state = attribute(SEARCH_ATTRIBUTES.state);
  return {
    live: OPEN.has(status.name) && !OVER.has(state ?? ''),
    state,
    asking: (raw.pendingActivities ?? []).some(asksForPlace),
    session_id: attribute(SEARCH_ATTRIBUTES.session),
    run_id: raw.workflowExecutionInfo?.firstRunId ?? rest.runId,
    started_at: startTime.toISOString(),
    kind: kindOf(type),
    parent: jobKeySchema.safeParse(rest.memo?.['parent']).data,
  };
}

/**
 * A bulk operation plans in the same activity. After its first heartbeat it has its slot (activities/bulk/begin.ts).
 */
function asksForPlace({ activityType, heartbeatDetails }: PendingActivity): boolean {
  return (
    activityType?.name === 'admit' || (activityType?.name === 'begin' && !heartbeatDetails?.payloads?.length)
  );
}

/** Returns the description of each of these jobs; undefined for those that have ended. */
export async function describeJobs(
  client: Client,
  keys: readonly JobKey[],
): Promise<(Described | undefined)[]> {
  return inBatches(keys, async ({ job_id, run_id }) => {
    const description = await describe(client, job_id);
    return description?.live && description.run_id === run_id ? description : undefined;
  });
}

/** Returns the live jobs among these. A holder of a slot may have ended without releasing it. */
export async function stillLive(client: Client, jobs: readonly Job[]): Promise<Job[]> {
  const described = await describeJobs(client, jobs);
  return jobs.filter((_, at) => described[at] !== undefined);
}

/**
 * Returns every job on a task queue that holds a slot: it runs, has reached its first step, and is not waiting for
 * admission. Lists lag behind the workflows, so each listed job is described.
 */
export async function jobsThatRun(client: Client, taskQueue: string): Promise<Job[]> {
  // A task run without a session takes no slot, and there may be very many of them.
  const kinds = [
    `WorkflowType IN ('${WORKFLOW_TYPES.bulkOperation}', '${WORKFLOW_TYPES.macro}', '${WORKFLOW_TYPES.assistant}')`,
    `(WorkflowType = '${WORKFLOW_TYPES.taskRun}' AND ${SEARCH_ATTRIBUTES.session} IS NOT NULL)`,
  ];
  const query = `TaskQueue = ${quoted(taskQueue)} AND CloseTime IS NULL AND (${kinds.join(' OR ')})`;
  const jobs = await inBatches(await idsIfListed(client, query), async (job_id): Promise<Job | undefined> => {
    const job = await describe(client, job_id);
    if (!job?.live || !job.kind || job.state === undefined || job.asking) return undefined;
    const { kind, run_id, session_id, started_at, parent } = job;
    return {
      ...{ job_id, run_id, kind, admitted_at: started_at },
      session_id,
      parent,
    };
  });
  return jobs.filter((job) => job !== undefined);
}

function idsIfListed(client: Client, query: string): Promise<string[]> {
  return call(client, async () => {
    try {
      return await runIds(client, query);
    } catch (error) {
      // The time-skipping test server has no lists. There, one sentinel has all jobs.
      if (isUnimplemented(error)) return [];
      throw error;
    }
  });
}

/** Runs `work` on twenty at a time; results are in order. */
export async function inBatches<T, R>(all: readonly T[], work: (element: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    results.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}

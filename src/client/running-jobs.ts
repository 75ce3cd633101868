import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contract/messages';
import { jobKeySchema, type Job, type JobKey, type JobKind } from '../contract/sentinel';
import { runIds } from './list-runs';
import { isMissing, isUnimplemented } from './failures';
import { kindOf } from './job-kinds';

/** The states in which nothing more is done, though the workflow may still close. */
const OVER = new Set(['completed', 'cancelled', 'cleared', 'expired', 'failed', 'rejected']);
/** What a person has paused in Temporal goes on one day. */
const OPEN = new Set<string>(['RUNNING', 'PAUSED']);
const AT_ONCE = 20;

/** What a job is doing, as the server has it at this moment: `state` as in lists, none before its first step. */
export interface Described {
  live: boolean;
  state?: string;
  /** It waits for a place, and has none yet. */
  asking: boolean;
  session_id?: string;
  run_id: string;
  started_at: string;
  kind?: JobKind;
  /** The job that started it. */
  parent?: JobKey;
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** Describes the chain of runs that is current under a workflow id; undefined when there is none. */
async function describe(client: Client, jobId: string): Promise<Described | undefined> {
  try {
    return described(await client.workflow.getHandle(jobId).describe());
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
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

/** A bulk operation plans in the same activity; from its first heartbeat on it has its place (activities/bulk/begin.ts). */
function asksForPlace({ activityType, heartbeatDetails }: PendingActivity): boolean {
  return (
    activityType?.name === 'admit' || (activityType?.name === 'begin' && !heartbeatDetails?.payloads?.length)
  );
}

/** How each of these jobs is; undefined for those that are over. */
export async function describeJobs(
  client: Client,
  keys: readonly JobKey[],
): Promise<(Described | undefined)[]> {
  return inBatches(keys, async ({ job_id, run_id }) => {
    const found = await describe(client, job_id);
    return found?.live && found.run_id === run_id ? found : undefined;
  });
}

/** Those of these jobs that are not over: who holds a place may have ended without giving it back. */
export async function stillLive(client: Client, jobs: readonly Job[]): Promise<Job[]> {
  const described = await describeJobs(client, jobs);
  return jobs.filter((_, at) => described[at] !== undefined);
}

/**
 * Every job on a task queue that has its place: it runs, has come to its first step, and does not wait for admission.
 * Lists lag the workflows by moments; each that they name is looked at as it is.
 */
export async function jobsThatRun(client: Client, taskQueue: string): Promise<Job[]> {
  // A task run without a session asks for no place, and there may be very many of those.
  const kinds = [
    `WorkflowType IN ('${WORKFLOW_TYPES.bulkOperation}', '${WORKFLOW_TYPES.macro}', '${WORKFLOW_TYPES.assistant}')`,
    `(WorkflowType = '${WORKFLOW_TYPES.taskRun}' AND ${SEARCH_ATTRIBUTES.session} IS NOT NULL)`,
  ];
  const queue = taskQueue.replaceAll("'", "''");
  const query = `TaskQueue = '${queue}' AND CloseTime IS NULL AND (${kinds.join(' OR ')})`;
  const found = await inBatches(
    await idsIfListed(client, query),
    async (job_id): Promise<Job | undefined> => {
      const job = await describe(client, job_id);
      if (!job?.live || !job.kind || job.state === undefined || job.asking) return undefined;
      const { kind, run_id, session_id, started_at, parent } = job;
      return {
        ...{ job_id, run_id, kind, admitted_at: started_at },
        ...(session_id !== undefined && { session_id }),
        ...(parent && { parent }),
      };
    },
  );
  return found.filter((job) => job !== undefined);
}

async function idsIfListed(client: Client, query: string): Promise<string[]> {
  try {
    return await runIds(client, query);
  } catch (error) {
    // The time-skipping server of tests, where one sentinel sees all, has no lists.
    if (isUnimplemented(error)) return [];
    throw error;
  }
}

/** Twenty at a time, in their order. */
export async function inBatches<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    results.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}

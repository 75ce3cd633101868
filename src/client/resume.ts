import type { Client } from '@temporalio/client';
import type { BatchgateError } from '../contract/errors';
import type { AssistantStatus } from '../contract/assistant';
import type { MacroTurn } from '../contract/macro-run';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import type { OperationRow, TaskRunRow } from '../contract/rows';
import type { TaskRunStatus } from '../contract/task-run';
import { isOver } from '../core/assistant/session';
import { isEnded } from '../core/macro/view';
import { isClosed } from '../core/bulk/transitions';
import { toBatchgateError } from './failures';
import { restIdsOf, startRemainingItems, type Asking } from './follow-ups';
import { quoted, runIds } from './list-runs';
import { listBulkOperations, listTaskRuns } from './listing';
import { getJob } from './jobs';
import { getMacroTurn } from './macros';
import { getBulkStatus } from './status';
import { getJobs } from './sentinel';
import { getTaskRun } from './task-runs';

const AT_MOST = 1_000;

export interface ResumeFilter {
  session_id?: string;
  task_queue?: string;
  /** Operations that expired before this time are left out; ISO 8601. */
  expired_after: string;
  /** The requester of an operation over remaining items whose first one has none, and the door. */
  asks?: Pick<Asking, 'requested_by' | 'via'>;
}

/** A job to continue. `rest_of`: the expired operation whose remaining items it runs. */
export type Resumed =
  | { operation_id: string; status: BulkStatus; rest_of?: string }
  | { task_run_id: string; task: TaskRunStatus }
  | { run_id: string; macro: MacroTurn }
  | { session_id: string; assistant: AssistantStatus; open: BulkStatus[] }
  | { operation_id: string; error: BatchgateError };

/**
 * Yields interrupted jobs, oldest first: the live jobs of the sentinel, the live task runs without a session, and for
 * each expired operation with remaining items the one operation over them, which is started if it does not exist yet.
 * The ended operations with unresolved items in doubt follow. A job that cannot be resumed does not stop the others.
 */
export async function* resumeJobs(client: Client, filter: ResumeFilter): AsyncGenerator<Resumed> {
  const { session_id, expired_after, task_queue, asks } = filter;
  const jobs = await getJobs(client, task_queue);
  const live = jobs.filter((job) => session_id === undefined || job.session_id === session_id);
  const past = {
    session_id,
    task_queue,
    state: 'expired' as const,
    closed_after: expired_after,
    progress: false,
  };
  const expired = (await listBulkOperations(client, { ...past, limit: AT_MOST })).reverse();
  for (const { job_id, kind } of live) {
    if (kind === 'bulk_operation') continue;
    try {
      const resumed = await LIVE[kind](client, job_id);
      if (resumed) yield resumed;
    } catch (error) {
      yield { operation_id: job_id, error: toBatchgateError(error) };
    }
  }
  for (const { task_run_id } of session_id === undefined ? await looseTaskRuns(client, task_queue) : []) {
    try {
      const resumed = await liveTask(client, task_run_id);
      if (resumed) yield resumed;
    } catch (error) {
      yield { operation_id: task_run_id, error: toBatchgateError(error) };
    }
  }
  const operations = live.filter(({ kind }) => kind === 'bulk_operation').map(({ job_id }) => job_id);
  const ids = [...operations, ...expired.map(({ operation_id }) => operation_id)];
  yield* resumeOperations(client, ids, asks);
  yield* leftInDoubt(client, filter);
}

/** Yields the operations that ended in any way with items in doubt that are not resolved yet. */
async function* leftInDoubt(
  client: Client,
  { session_id, task_queue, expired_after: closed_after }: ResumeFilter,
): AsyncGenerator<Resumed> {
  const filter = { session_id, task_queue, closed_after, progress: false, limit: AT_MOST };
  const ended = (await listBulkOperations(client, filter)).reverse();
  // For an operation that was ended from outside during a batch, the list has its last counts.
  const mayBe = ended.filter(
    ({ state, progress, closed_at }) =>
      closed_at !== undefined && ((progress?.['in_doubt'] ?? 0) > 0 || !isClosed(state ?? 'preparing')),
  );
  for (const { operation_id } of mayBe) {
    try {
      const status = await getBulkStatus(client, operation_id);
      if (status.in_doubt > 0) yield { operation_id, status };
    } catch (error) {
      yield { operation_id, error: toBatchgateError(error) };
    }
  }
}

/**
 * Returns the live task runs without a session, oldest first. They hold no slot, so the sentinel does not have them.
 */
export async function looseTaskRuns(client: Client, task_queue?: string): Promise<TaskRunRow[]> {
  const rows = await listTaskRuns(client, { live: true, task_queue, limit: AT_MOST });
  return rows.filter((row) => row.session_id === undefined).reverse();
}

/** The maximum number of ids in a query. */
const MAX_LISTED = 100;

/** Returns at most 100 operations that expired since a time with items left and were not continued, newest first. */
export async function listInterrupted(
  client: Client,
  { task_queue, expired_after }: Pick<ResumeFilter, 'task_queue' | 'expired_after'>,
): Promise<OperationRow[]> {
  const filter = { task_queue, state: 'expired' as const, closed_after: expired_after, progress: false };
  const expired = await listBulkOperations(client, { ...filter, limit: MAX_LISTED });
  const unfinished = expired.filter(({ progress }) => (progress?.['remaining'] ?? 0) > 0);
  if (unfinished.length === 0) return [];
  const rests = unfinished
    .flatMap(({ operation_id }) => restIdsOf(operation_id))
    .map(quoted)
    .join(', ');
  const query = `WorkflowType = '${WORKFLOW_TYPES.bulkOperation}' AND WorkflowId IN (${rests}) AND ${SEARCH_ATTRIBUTES.state} != 'rejected'`;
  try {
    const continued = new Set(await runIds(client, query));
    return unfinished.filter(({ operation_id }) => !restIdsOf(operation_id).some((id) => continued.has(id)));
  } catch (error) {
    throw toBatchgateError(error);
  }
}

async function liveMacro(client: Client, run_id: string): Promise<Resumed | undefined> {
  const macro = await getMacroTurn(client, run_id);
  return isEnded(macro) ? undefined : { run_id, macro };
}

async function liveTask(client: Client, task_run_id: string): Promise<Resumed | undefined> {
  const task = await getTaskRun(client, task_run_id);
  return task.state === 'running' ? { task_run_id, task } : undefined;
}

async function liveAssistant(client: Client, jobId: string): Promise<Resumed | undefined> {
  const job = await getJob(client, jobId);
  if (job.kind !== 'assistant') return undefined;
  const { status, open } = job;
  if (isOver(status.state)) return undefined;
  return { session_id: status.session_id, assistant: status, open };
}

const LIVE = { macro: liveMacro, task_run: liveTask, assistant: liveAssistant };

async function* resumeOperations(
  client: Client,
  ids: string[],
  asks: ResumeFilter['asks'],
): AsyncGenerator<Resumed> {
  const listed = new Set<string>();
  for (const operation_id of new Set(ids)) {
    try {
      const status = await goOn(client, operation_id, asks);
      if (!status || listed.has(status.operation_id)) continue;
      listed.add(status.operation_id);
      yield status.operation_id === operation_id
        ? { operation_id, status }
        : { operation_id: status.operation_id, status, rest_of: operation_id };
    } catch (error) {
      yield { operation_id, error: toBatchgateError(error) };
    }
  }
}

/** Returns the operation, or the one over its remaining items; undefined if nothing waits or that one has ended too. */
async function goOn(
  client: Client,
  operationId: string,
  asks: ResumeFilter['asks'],
): Promise<BulkStatus | undefined> {
  const status = await getBulkStatus(client, operationId);
  if (!isClosed(status.state)) return status;
  if (status.state !== 'expired' || status.remaining === 0) return undefined;
  const rest = await startRemainingItems(client, operationId, asks);
  // An expired follow-up is itself handled as an expired operation.
  return isClosed(rest.state) ? undefined : rest;
}

import type { Client } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import type { MacroTurn } from '../contract/macro-run';
import { WORKFLOW_TYPES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import type { JobKind } from '../contract/sentinel';
import type { TaskRunStatus } from '../contract/task-run';
import { call } from './calls';
import { cancelMacro, getMacroTurn } from './macros';
import { hasEnded } from './operation-watch';
import { cancelBulkOperation, getBulkStatus } from './operations';
import { cancelTaskRun, getTaskRun } from './task-runs';

/** A job of any kind, and where it stands. */
export type JobStatus =
  | { kind: 'bulk_operation'; status: BulkStatus }
  | { kind: 'task_run'; status: TaskRunStatus }
  | { kind: 'macro'; status: MacroTurn };

const KINDS: Record<string, JobKind> = {
  [WORKFLOW_TYPES.macro]: 'macro',
  [WORKFLOW_TYPES.taskRun]: 'task_run',
};

/** An id that Temporal does not know may still be that of an operation in the ledger. */
async function kindOf(client: Client, jobId: string): Promise<JobKind> {
  try {
    const { type } = await call(client, () => client.workflow.getHandle(jobId).describe());
    return KINDS[type] ?? 'bulk_operation';
  } catch (error) {
    if (error instanceof BatchgateError && error.code === 'NOT_FOUND') return 'bulk_operation';
    throw error;
  }
}

/** Where a job of any kind stands. */
export async function getJob(client: Client, jobId: string): Promise<JobStatus> {
  const kind = await kindOf(client, jobId);
  if (kind === 'macro') return { kind, status: await getMacroTurn(client, jobId) };
  if (kind === 'task_run') return { kind, status: await getTaskRun(client, jobId) };
  return { kind, status: await getBulkStatus(client, jobId) };
}

/**
 * Cancels a job of any kind. Operations and macros stop at once or at the next item boundary; what was done stays done.
 * `reason` is kept by operations alone.
 */
export async function cancelJob(
  client: Client,
  jobId: string,
  request: { reason?: string; by?: string } = {},
): Promise<JobStatus> {
  const kind = await kindOf(client, jobId);
  if (kind !== 'bulk_operation') {
    await (kind === 'macro' ? cancelMacro : cancelTaskRun)(client, jobId);
    // A call that does not hear its cancellation may hold its macro up for longer than a person waits.
    await hasEnded(client, jobId);
    return getJob(client, jobId);
  }
  await cancelBulkOperation(client, jobId, request);
  return { kind, status: await getBulkStatus(client, jobId) };
}

import type { Client } from '@temporalio/client';
import type { MacroTurn } from '../contract/macro-run';
import type { BulkStatus } from '../contract/operation';
import type { TaskRunStatus } from '../contract/task-run';
import { call } from './calls';
import { kindOf } from './job-kinds';
import { cancelMacro, getMacroTurn } from './macros';
import { hasEnded } from './operation-watch';
import { cancelBulkOperation, describedStatus, getStatusAfter, liveStatus } from './operations';
import { cancelTaskRun, describedTaskRun } from './task-runs';

/** A job of any kind, and where it stands. */
export type JobStatus =
  | { kind: 'bulk_operation'; status: BulkStatus }
  | { kind: 'task_run'; status: TaskRunStatus }
  | { kind: 'macro'; status: MacroTurn };

/** Where a job of any kind stands. */
export async function getJob(client: Client, jobId: string): Promise<JobStatus> {
  const found = await liveStatus(client, jobId);
  if (typeof found === 'object') return { kind: 'bulk_operation', status: found };
  const description = await describe(client, jobId);
  const kind = kindOf(description.type);
  if (kind === 'macro') return { kind, status: await getMacroTurn(client, jobId) };
  if (kind === 'task_run') return { kind, status: await describedTaskRun(client, description) };
  return { kind: 'bulk_operation', status: await describedStatus(client, description) };
}

const describe = (client: Client, jobId: string) =>
  call(client, () => client.workflow.getHandle(jobId).describe());

/**
 * Cancels a job of any kind. Operations and macros stop at once or at the next item boundary; what was done stays done.
 * `reason` is kept by operations alone.
 */
export async function cancelJob(
  client: Client,
  jobId: string,
  request: { reason?: string; by?: string } = {},
): Promise<JobStatus> {
  const kind = kindOf((await describe(client, jobId)).type);
  if (kind === 'macro' || kind === 'task_run') {
    await (kind === 'macro' ? cancelMacro : cancelTaskRun)(client, jobId);
    // A call that ignores its cancellation may hold up its macro for longer than a person waits.
    await hasEnded(client, jobId);
    return getJob(client, jobId);
  }
  const turn = await cancelBulkOperation(client, jobId, request);
  return { kind: 'bulk_operation', status: await getStatusAfter(client, turn) };
}

import type { Client } from '@temporalio/client';
import type { AssistantStatus } from '../contract/assistant';
import type { MacroTurn } from '../contract/macro-run';
import { SEARCH_ATTRIBUTES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import type { TaskRunStatus } from '../contract/task-run';
import { cancelAssistant, describedAssistant, openQuestions } from './assistant';
import { describeWorkflow } from './calls';
import { orDeleted, statusOfDeleted } from './deleted';
import { resultOf } from './ended';
import { unlessMissing } from './failures';
import { kindOf } from './job-kinds';
import { cancelMacro, getMacroTurn } from './macros';
import { hasEnded } from './operation-watch';
import { cancelBulkOperation } from './operations';
import type { DecisionOptions } from './signer';
import { describedStatus, getStatusAfter, liveStatus, withUndo } from './status';
import { cancelTaskRun, describedTaskRun } from './task-runs';

/** A job of any kind, with its status. */
export type JobStatus =
  | { kind: 'bulk_operation'; status: BulkStatus }
  | { kind: 'task_run'; status: TaskRunStatus }
  | { kind: 'macro'; status: MacroTurn }
  /** `open`: the operations that it waits for, with their questions. */
  | { kind: 'assistant'; status: AssistantStatus; open: BulkStatus[] };

/** Returns the status of a job of any kind. */
export function getJob(client: Client, jobId: string): Promise<JobStatus> {
  return orDeleted(
    client,
    jobId,
    () => jobInTemporal(client, jobId),
    (record) => ({ kind: 'bulk_operation', status: statusOfDeleted(record) }),
  );
}

async function jobInTemporal(client: Client, jobId: string): Promise<JobStatus> {
  const live = await liveStatus(client, jobId);
  if (typeof live === 'object') return { kind: 'bulk_operation', status: live };
  const result = live === 'ended' ? await resultOf(client, jobId) : undefined;
  if (result?.operation_id === jobId)
    return { kind: 'bulk_operation', status: await withUndo(client, result) };
  const description = await describeWorkflow(client, jobId);
  const kind = kindOf(description.type);
  if (kind === 'macro') return { kind, status: await getMacroTurn(client, jobId) };
  if (kind === 'assistant') {
    const status = await describedAssistant(client, description);
    return { kind, status, open: await openQuestions(client, status.operations) };
  }
  if (kind === 'task_run') return { kind, status: await describedTaskRun(client, description) };
  const status = await describedStatus(client, description);
  return { kind: 'bulk_operation', status: await withUndo(client, status) };
}

/**
 * Cancels a job of any kind. Operations and macros stop at once or at the next item boundary. Completed changes remain.
 * Only operations record `reason`.
 */
export async function cancelJob(
  client: Client,
  jobId: string,
  request: { reason?: string; by?: string } = {},
  options: DecisionOptions = {},
): Promise<JobStatus> {
  // Only the ledger has an operation that was deleted in Temporal.
  const description = await describeWorkflow(client, jobId).catch(unlessMissing);
  const kind = description && kindOf(description.type);
  if (kind !== undefined && kind !== 'bulk_operation') {
    await CANCEL[kind](client, jobId);
    // A call that ignores its cancellation may delay its macro for longer than a person waits.
    await hasEnded(client, jobId);
    return getJob(client, jobId);
  }
  const turn = await cancelBulkOperation(client, jobId, request, options);
  return { kind: 'bulk_operation', status: await getStatusAfter(client, turn) };
}

const CANCEL = { macro: cancelMacro, task_run: cancelTaskRun, assistant: cancelAssistant };

/** Returns the session of a job of any kind, even after its end. Asks a worker only if Temporal lacks the job. */
export async function getSessionOf(client: Client, jobId: string): Promise<string | undefined> {
  const listed = async () => {
    const { searchAttributes } = await describeWorkflow(client, jobId);
    return searchAttributes[SEARCH_ATTRIBUTES.session]?.[0] as string | undefined;
  };
  return orDeleted(client, jobId, listed, ({ session_id }) => session_id);
}

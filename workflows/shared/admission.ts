import {
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { RetryPolicy } from '@temporalio/common';
import type { Begun, BulkActivities } from '../../src/contract/activities';
import type { ErrorBody } from '../../src/contract/errors';
import { SIGNALS } from '../../src/contract/messages';
import { doorSchema, type Door } from '../../src/contract/record';
import { ADMISSION_TRY_MS, jobKeySchema, sentinelId, type JobKey } from '../../src/contract/sentinel';
import { fromActivityFailure } from './failures';

/** Retries for as long as no worker or no sentinel answers. */
const retry: RetryPolicy = {
  initialInterval: '250ms',
  maximumInterval: '2s',
  nonRetryableErrorTypes: ['INVALID_INPUT', 'NOT_CONFIGURED', 'UNAUTHORIZED', 'FORBIDDEN'],
};

const { admit } = proxyActivities<Pick<BulkActivities, 'admit'>>({
  // The server refuses a later answer, which a new sentinel relies on (see SETTLE_MS).
  startToCloseTimeout: ADMISSION_TRY_MS,
  retry,
  summary: 'Admission',
});

const { begin } = proxyActivities<Pick<BulkActivities, 'begin'>>({
  // The plan takes as long as the worker's settings allow; at that limit its heartbeats stop.
  startToCloseTimeout: '1 day',
  // Before the admission there is no heartbeat, so this limits the admission as above.
  heartbeatTimeout: ADMISSION_TRY_MS,
  retry,
  summary: 'Admission and plan',
});

/**
 * Requests a slot from the sentinel, and retries until a worker and the sentinel answer. A job is thus refused only for
 * a reason of its own, not because of the time of its start.
 */
export async function askForPlace(
  input: Parameters<BulkActivities['admit']>[0],
): ReturnType<BulkActivities['admit']> {
  return answered(() => admit(input));
}

/** Like `admit`, for a bulk operation, which is planned in the same step. */
export async function askToBegin(input: Parameters<BulkActivities['begin']>[0]): Promise<Begun> {
  return answered(() => begin(input));
}

async function answered<T>(ask: () => Promise<T>): Promise<T | { admitted: false; error: ErrorBody }> {
  try {
    return await ask();
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { admitted: false, error: fromActivityFailure(error) };
  }
}

/** Returns the job that started this one, from the memo. */
export function parentInMemo(): { parent?: JobKey } {
  const parent = jobKeySchema.safeParse(workflowInfo().memo?.['parent']).data;
  return parent ? { parent } : {};
}

/** Returns the door of the start, from the memo. */
export function viaInMemo(): { via?: Door } {
  const via = doorSchema.safeParse(workflowInfo().memo?.['via']).data;
  return via ? { via } : {};
}

/** Releases the slot. The next start that needs a slot detects one that was not released. */
export async function leavePlace(): Promise<void> {
  const { taskQueue, workflowId: job_id, firstExecutionRunId: run_id } = workflowInfo();
  const sentinel = getExternalWorkflowHandle(sentinelId(taskQueue));
  await sentinel.signal(SIGNALS.release, { job_id, run_id }).catch(() => undefined);
}

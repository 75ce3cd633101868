import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { tsToMs } from '@temporalio/common';
import { BatchgateError } from '../contract/errors';
import { shortened } from '../contract/text';
import { call } from './calls';
import { isMissing, isRefusedQuery } from './failures';
import { quoted, runIds } from './list-runs';
import { inBatches } from './running-jobs';

type RawDescription = WorkflowExecutionDescription['raw'];

/** temporal.api.enums.v1.WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING */
const RUNNING = 1;
/** The number of consecutive task failures after which a run is quarantined. */
const FAILURES = 3;
/**
 * The number of consecutive time-outs after which a run is quarantined. A killed or slow worker, rarely the run, causes
 * them.
 */
const TIME_OUTS = 5;
/** The number of runs to check one by one, newest first, if the server has no list of failing runs. */
const LOOKED_AT = 200;
/** The timeout for the check of a run that did not answer. Milliseconds. */
const LOOK_MS = 2_000;
/** The number of latest events that contain the failure. */
const TAIL = 20;
const REASON_LENGTH = 300;
const TASK_FAILED = 'Its workflow task failed.';

/** A run whose workflow task keeps failing. It neither answers nor progresses until the task succeeds. */
export interface Quarantined {
  workflow_id: string;
  type: string;
  /** The number of consecutive tries of the task that failed or timed out. */
  failures: number;
  since: string;
  reason: string;
}

/** Returns all quarantined runs, on one task queue or on any. Lists lag by moments. */
export async function findQuarantined(client: Client, taskQueue?: string): Promise<Quarantined[]> {
  return call(client, async () => {
    const runs = await inBatches(await candidates(client, taskQueue), async (workflowId) => {
      try {
        return await quarantineOf(client, await describeRaw(client, workflowId));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
    return runs.filter((run) => run !== undefined);
  });
}

/**
 * Throws the reason why a run does not answer, if it is quarantined.
 * @param taken Whether the server may hold a message for the run, which the run reads when it recovers.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE` with the reason.
 */
export async function refuseQuarantined(client: Client, workflowId: string, taken = false): Promise<void> {
  const look = async () => quarantineOf(client, await describeRaw(client, workflowId));
  // If this check fails too, the first failure is more useful.
  const quarantine = await call(client, look, LOOK_MS).catch(() => undefined);
  if (!quarantine) return;
  const { workflow_id, failures, reason } = quarantine;
  throw new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `${workflow_id} is quarantined: its workflow task failed ${failures} times in a row. ${reason}`,
    `Fix what the reason names, or run \`npx batchgate end ${workflow_id} --reason "…"\`; what it did is in the ledger.` +
      (taken ? ' What you sent may still be carried out once the run recovers, unless you end it.' : ''),
  );
}

/** Returns the reason why a run is quarantined; undefined if it is not. */
export async function quarantineOf(client: Client, raw: RawDescription): Promise<Quarantined | undefined> {
  const { workflowExecutionInfo: info, pendingWorkflowTask: task } = raw;
  const failures = failuresOf(raw);
  if (!info || !isStuck(raw)) return undefined;
  const workflow_id = info.execution?.workflowId ?? '';
  const since = new Date(tsToMs(task?.originalScheduledTime ?? task?.scheduledTime)).toISOString();
  const { reason, timedOut } = await firstFailure(client, workflow_id);
  if (timedOut && failures < TIME_OUTS) return undefined;
  return { workflow_id, type: info.type?.name ?? '', failures, since, reason };
}

/** Whether its workflow task keeps failing. */
export function isStuck(raw: RawDescription): boolean {
  return Number(raw.workflowExecutionInfo?.status) === RUNNING && failuresOf(raw) >= FAILURES;
}

const failuresOf = ({ pendingWorkflowTask: task }: RawDescription) => (task?.attempt ?? 1) - 1;

/** Returns the server's raw description of a run, because a memo that a client wrote may not decode. */
export function describeRaw(client: Client, workflowId: string): Promise<RawDescription> {
  const { namespace } = client.options;
  return client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
}

async function candidates(client: Client, taskQueue?: string): Promise<string[]> {
  const queue = taskQueue === undefined ? '' : `TaskQueue = ${quoted(taskQueue)} AND `;
  const running = `${queue}ExecutionStatus = 'Running'`;
  try {
    return await runIds(client, `${running} AND TemporalReportedProblems IS NOT NULL`);
  } catch (error) {
    // Servers before 1.30 have no such list.
    if (!isRefusedQuery(error)) throw error;
    return runIds(client, running, LOOKED_AT);
  }
}

/** Returns the first of consecutive failures. The server writes only that one into the history. */
async function firstFailure(
  client: Client,
  workflowId: string,
): Promise<{ reason: string; timedOut?: boolean }> {
  const { namespace } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId },
    maximumPageSize: TAIL,
  });
  for (const {
    workflowTaskFailedEventAttributes: failed,
    workflowTaskTimedOutEventAttributes: late,
  } of history?.events ?? []) {
    if (failed) return { reason: shortened(failed.failure?.message || TASK_FAILED, REASON_LENGTH) };
    if (late) return { reason: 'Its workflow task timed out.', timedOut: true };
  }
  return { reason: TASK_FAILED };
}

import type { Client } from '@temporalio/client';
import { BatchgateError, parseInput } from '../contract/errors';
import { endRequestSchema, SIGNALS, type EndRequest } from '../contract/messages';
import { sentinelId } from '../contract/sentinel';
import { call } from './calls';
import { isMissing, toBatchgateError } from './failures';
import { describeRaw, isStuck, quarantineOf } from './quarantine';
import { recordEnd } from './requests';
import { findWorkers } from './waiting';

/** The result of `end`. The status of an ended operation comes from the ledger. */
export interface Ended {
  workflow_id: string;
  type: string;
  /** The reason why the run could not end itself. */
  failure: string;
  reason: string;
}

/**
 * Ends a run that cannot end itself, because it is quarantined or no worker polls its task queue, and frees its slot.
 * The ledger has its changes.
 * @throws BatchgateError `INVALID_INPUT` for any other run, which can be cancelled.
 */
export async function endQuarantined(
  client: Client,
  workflowId: string,
  request: EndRequest,
): Promise<Ended> {
  const { reason } = parseInput(endRequestSchema, request, 'The request to end it');
  const description = await call(client, () => describeRaw(client, workflowId));
  const { workflowExecutionInfo: info } = description;
  const type = info?.type?.name ?? '';
  const runId = info?.execution?.runId ?? '';
  if (info?.closeTime) throw endedAlready(workflowId);
  const taskQueue = info?.taskQueue ?? '';
  const quarantined = await call(client, () => quarantineOf(client, description));
  if (!quarantined && (await findWorkers(client, taskQueue)) > 0) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `${workflowId} is not quarantined: its workflow task does not keep failing.`,
      `Run \`npx batchgate cancel ${workflowId}\` to end it normally.`,
    );
  }
  await recordEnd(client, { job_id: workflowId, run_id: runId, reason }, taskQueue);
  await terminateStuck(client, workflowId, runId, reason, quarantined !== undefined);
  const key = { job_id: workflowId, run_id: info?.firstRunId ?? runId };
  // A slot that is not freed here is freed by the next job that needs it.
  await call(client, () =>
    client.workflow.getHandle(sentinelId(taskQueue)).signal(SIGNALS.release, key),
  ).catch(() => undefined);
  return {
    workflow_id: workflowId,
    type,
    failure: quarantined?.reason ?? `No worker polls the task queue ${taskQueue}.`,
    reason,
  };
}

/**
 * Terminates only this run, not a later one under the same id. A run that has recovered in the meantime is not
 * terminated.
 */
async function terminateStuck(
  client: Client,
  workflowId: string,
  runId: string,
  reason: string,
  wasQuarantined: boolean,
): Promise<void> {
  const now = await call(client, () => describeRaw(client, workflowId));
  const { closeTime, execution } = now.workflowExecutionInfo ?? {};
  if (closeTime) throw endedAlready(workflowId);
  if (execution?.runId !== runId || (wasQuarantined && !isStuck(now))) throw recovered(workflowId);
  try {
    await client.workflow.getHandle(workflowId, runId).terminate(reason);
  } catch (error) {
    // It recovered and ended, or continued as new, at this moment.
    if (isMissing(error)) throw recovered(workflowId);
    throw toBatchgateError(error);
  }
}

function endedAlready(workflowId: string): BatchgateError {
  return new BatchgateError(
    'OPERATION_CLOSED',
    `${workflowId} has ended already.`,
    'See its status or report for what was done.',
  );
}

function recovered(workflowId: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `${workflowId} has recovered, so it was not ended.`,
    `Look at it again; \`npx batchgate cancel ${workflowId}\` ends it normally.`,
  );
}

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { getBulkStatus } from '../../src/client';
import type { BulkStatus } from '../../src/contract/operation';

/** temporal.api.enums.v1.ResetReapplyType.RESET_REAPPLY_TYPE_NONE */
export const WITHOUT_MESSAGES = { resetReapplyType: 2 };

/** Resets a workflow in Temporal. `to`: the id of the event that completed a workflow task; default: the first one. */
export async function reset(
  client: Client,
  workflowId: string,
  to?: Awaited<ReturnType<typeof tasksOf>>[number],
  more: object = {},
): Promise<void> {
  const { namespace } = client.options;
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  await client.workflowService.resetWorkflowExecution({
    ...{ namespace, reason: 'a test', requestId: randomUUID() },
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: to ?? (await tasksOf(client, workflowId))[0],
    ...more,
  });
}

/** The ids of the events that completed the workflow's tasks. */
export async function tasksOf(client: Client, workflowId: string) {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? [])
    .filter(({ workflowTaskCompletedEventAttributes: done }) => done)
    .map(({ eventId }) => eventId);
}

/** The status after the operation has noticed a reset. */
export async function afterReset(client: Client, id: string): Promise<BulkStatus> {
  for (;;) {
    const status = await getBulkStatus(client, id);
    if (status.reset) return status;
  }
}

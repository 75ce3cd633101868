import type { Client } from '@temporalio/client';

/** A status code of gRPC. */
const NOT_FOUND = 5;

/** Waits until the server holds the update, and will deliver it with the run's next task. */
export async function untilHeld(client: Client, workflowId: string, updateId: string): Promise<void> {
  const updateRef = { workflowExecution: { workflowId }, updateId };
  const look = { namespace: 'default', identity: 'test', updateRef };
  for (;;) {
    try {
      await client.workflowService.pollWorkflowExecutionUpdate(look);
      return;
    } catch (error) {
      if ((error as { code?: number }).code !== NOT_FOUND) throw error;
    }
  }
}

import type { Client } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../contract/messages';
import { sentinelId } from '../contract/sentinel';
import { call } from './calls';
import { isMissing } from './failures';
import { describeRaw, quarantineOf } from './quarantine';

/**
 * Terminates a sentinel that cannot answer: one whose workflow task keeps failing, or another workflow under its id.
 * The next request starts it anew, and it finds the holders of slots among the running jobs. Returns the reason.
 */
export async function removeWedgedSentinel(client: Client, taskQueue: string): Promise<string | undefined> {
  const id = sentinelId(taskQueue);
  return call(client, async () => {
    try {
      const description = await describeRaw(client, id);
      const info = description.workflowExecutionInfo;
      if (info?.closeTime) return undefined;
      const wedged = await quarantineOf(client, description);
      const foreign = info?.type?.name !== WORKFLOW_TYPES.sentinel;
      if (!wedged && !foreign) return undefined;
      const reason = wedged
        ? `Its workflow task failed ${wedged.failures} times in a row. ${wedged.reason}`
        : `A workflow of type ${info?.type?.name} had its id.`;
      // This run and no later one: another worker may have replaced it already.
      await client.workflow.getHandle(id, info?.execution?.runId ?? '').terminate(`Wedged: ${reason}`);
      return reason;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}

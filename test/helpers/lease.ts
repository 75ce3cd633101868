import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

/** Waits until the run has noticed that its transaction is no longer held. */
export async function leaseEnded(client: Client, runId: string): Promise<void> {
  for (;;) {
    const { raw } = await client.workflow.getHandle(runId).describe();
    if (!raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'holdTransaction')) return;
    await pause(20);
  }
}

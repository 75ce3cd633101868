import type { WorkflowHandle } from '@temporalio/client';
import { cancelBulkOperation } from '../../src/client';
import type { WebhookNotice } from '../../src/contract/webhooks';
import type { Path } from './stage';

const notice: WebhookNotice = {
  id: 'msg_recorded',
  message: { type: 'test', timestamp: '2026-01-01T00:00:00.000Z', data: { current: true } },
};

async function untilAttempt(handle: WorkflowHandle, wanted: number): Promise<void> {
  for (let attempt = 0; attempt < wanted;) {
    const { raw } = await handle.describe();
    attempt = raw.pendingActivities?.[0]?.attempt ?? 0;
  }
}

export const WEBHOOKS: Record<string, Path> = {
  'webhook-followed': async ({ begin, handle, harness }) => {
    const { operation_id } = await harness.start({ batch_size: 5 }, 'followed');
    const { firstRunId: run_id } = (await harness.client.workflow.getHandle(operation_id).describe()).raw
      .workflowExecutionInfo as { firstRunId: string };
    await begin('webhookDelivery', { target: 'chat', operation: { operation_id, run_id } });
    await cancelBulkOperation(harness.client, operation_id);
    await handle.result();
  },
  'webhook-given-up': async ({ begin, handle }) => {
    await begin('webhookDelivery', { target: 'away', notices: [notice], once: true });
    await handle.result();
  },
  'webhook-retried': async ({ begin, handle }) => {
    await begin('webhookDelivery', { target: 'away', notices: [notice] });
    await untilAttempt(handle, 2);
    await handle.signal('retry');
    await handle.query('deliveries');
    await handle.cancel();
    await handle.result().catch(() => undefined);
  },
  // Its messages wait until it is configured again.
  'webhook-without-a-target': async ({ begin, handle }) => {
    await begin('webhookDelivery', { target: 'none', notices: [notice] });
    await untilAttempt(handle, 2);
    await handle.cancel();
    await handle.result().catch(() => undefined);
  },
};

import { cancelBulkOperation } from '../../src/client';
import type { WebhookNotice } from '../../src/contract/webhooks';
import type { Path } from './stage';

const notice: WebhookNotice = {
  id: 'msg_recorded',
  message: { type: 'test', timestamp: '2026-01-01T00:00:00.000Z', data: { current: true } },
};

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
    for (let attempts = 0; attempts < 2;) {
      const { raw } = await handle.describe();
      attempts = raw.pendingActivities?.[0]?.attempt ?? 0;
    }
    await handle.signal('retry');
    await handle.query('deliveries');
    await handle.cancel();
    await handle.result().catch(() => undefined);
  },
  'webhook-without-a-target': async ({ begin, handle }) => {
    await begin('webhookDelivery', { target: 'none', operation: { operation_id: 'none', run_id: 'none' } });
    await handle.result();
  },
};

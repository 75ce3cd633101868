import type { Client } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { createWebhookActivities, type WebhookDependencies } from '../../activities/webhooks';
import { beginDelivery } from '../client/webhooks';
import { watchOperation } from '../client/operation-events';
import { getBulkStatus } from '../client/status';
import { webhookQueue } from '../contract/webhooks';

export type WebhookOptions = Pick<WebhookDependencies, 'targets' | 'baseUrl'>;

/** A worker's own connection takes no signal: an abandoned long poll continues for this long. */
const HELD_MS = 10_000;
/** One activity for each live operation and target, besides the deliveries; all of them mostly wait. */
const AT_A_TIME = 10_000;

export function webhookDependencies(
  client: Client,
  taskQueue: string,
  options: WebhookOptions,
): WebhookDependencies {
  return {
    ...options,
    watch: ({ operation_id, run_id }, after, signal) =>
      watchOperation(client, operation_id, signal, { run_id, held_ms: HELD_MS, ...(after && { after }) }),
    statusOf: (operationId) => getBulkStatus(client, operationId),
    begin: (input) => beginDelivery(client, input, taskQueue),
  };
}

/** It has its own activity slots, so that a receiver that does not answer takes none from a batch. */
export function createWebhookWorker(
  common: WorkerOptions,
  taskQueue: string,
  webhooks: WebhookDependencies,
): Promise<Worker> {
  return Worker.create({
    ...common,
    taskQueue: webhookQueue(taskQueue),
    activities: createWebhookActivities(webhooks),
    maxConcurrentActivityTaskExecutions: AT_A_TIME,
    maxHeartbeatThrottleInterval: '3s',
    defaultHeartbeatThrottleInterval: '3s',
  });
}

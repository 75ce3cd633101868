import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import type { StatsFilter, StatsRow } from '../contract/stats';
import { runOnce } from './waiting';

/**
 * What became of operations and their questions, by domain and action: from the ledger of the workers of one task queue,
 * which forgets what ended long ago.
 */
export function operationStats(
  client: Client,
  filter: StatsFilter = {},
  taskQueue = TASK_QUEUE,
  withinMs?: number,
): Promise<StatsRow[]> {
  const workflowId = `stats-${randomUUID()}`;
  return runOnce(
    client,
    { type: WORKFLOW_TYPES.operationStats, workflowId, taskQueue, input: filter },
    withinMs,
  );
}

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { parseInput } from '../contract/errors';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../contract/messages';
import { statsFilterSchema, type StatsFilter, type StatsRow } from '../contract/stats';
import { runOnce } from './waiting';

/**
 * What became of operations and their questions, by domain and action: from the ledger of the workers of one task queue,
 * which forgets what ended long ago.
 */
export async function operationStats(
  client: Client,
  filter: StatsFilter = {},
  taskQueue = TASK_QUEUE,
  withinMs?: number,
): Promise<StatsRow[]> {
  const input = parseInput(statsFilterSchema, filter, 'The filter');
  const workflowId = `stats-${randomUUID()}`;
  return runOnce(client, { type: WORKFLOW_TYPES.operationStats, workflowId, taskQueue, input }, withinMs);
}

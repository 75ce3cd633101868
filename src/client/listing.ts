import type { Client } from '@temporalio/client';
import { parseInput } from '../contract/errors';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contract/messages';
import { bulkStateSchema, type BulkState } from '../contract/operation';
import { z } from 'zod';
import { toBatchgateError } from './failures';
import { findQuarantined } from './quarantine';

const filterSchema = z.strictObject({
  state: bulkStateSchema.optional(),
  session_id: z.string().min(1).max(150).optional(),
  live: z.boolean().optional(),
  closed_after: z.iso.datetime().optional(),
  task_queue: z.string().min(1).max(200).optional(),
  limit: z.number().int().min(1).max(1_000).optional(),
});
/** Which operations to list. `live`: those that have not ended. `closed_after`: those that ended since. */
export type ListFilter = z.infer<typeof filterSchema>;

/** One row of a list: what visibility knows, without asking each workflow. */
export interface OperationRow {
  operation_id: string;
  domain?: string;
  session_id?: string;
  state?: BulkState;
  /** Counts as of the last question. */
  progress?: Record<string, number>;
  /** Its workflow task keeps failing, for this reason: it answers nothing until it is mended or ended. */
  quarantined?: string;
  created_at: string;
  closed_at?: string;
}

/** Bulk operations: live ones first, then those that ended; of both the newest first. Lists lag by moments. */
export async function listBulkOperations(client: Client, filter: ListFilter = {}): Promise<OperationRow[]> {
  const {
    state,
    session_id,
    live,
    closed_after,
    task_queue,
    limit = 100,
  } = parseInput(filterSchema, filter, 'The filter');
  const clauses = [
    `WorkflowType = '${WORKFLOW_TYPES.bulkOperation}'`,
    ...(state === undefined ? [] : [`${SEARCH_ATTRIBUTES.state} = '${state}'`]),
    ...(session_id === undefined
      ? []
      : [`${SEARCH_ATTRIBUTES.session} = '${session_id.replaceAll("'", "''")}'`]),
    ...(task_queue === undefined ? [] : [`TaskQueue = '${task_queue.replaceAll("'", "''")}'`]),
    ...(closed_after === undefined ? [] : [`CloseTime >= '${closed_after}'`]),
    ...(live ? [`ExecutionStatus = 'Running'`] : [`ExecutionStatus != 'ContinuedAsNew'`]),
  ];
  const rows: OperationRow[] = [];
  try {
    for await (const found of client.workflow.list({
      query: clauses.join(' AND '),
      pageSize: Math.min(limit, 100),
    })) {
      const attribute = (name: string) => found.searchAttributes[name]?.[0] as string | undefined;
      rows.push({
        operation_id: found.workflowId,
        domain: attribute(SEARCH_ATTRIBUTES.domain),
        session_id: attribute(SEARCH_ATTRIBUTES.session),
        state: attribute(SEARCH_ATTRIBUTES.state) as BulkState | undefined,
        progress: found.memo?.['progress'] as Record<string, number> | undefined,
        created_at: found.startTime.toISOString(),
        closed_at: found.closeTime?.toISOString(),
      });
      if (rows.length >= limit) break;
    }
  } catch (error) {
    throw toBatchgateError(error);
  }
  return withQuarantine(client, rows, task_queue);
}

async function withQuarantine(
  client: Client,
  rows: OperationRow[],
  taskQueue?: string,
): Promise<OperationRow[]> {
  if (rows.every(({ closed_at }) => closed_at !== undefined)) return rows;
  const found = await findQuarantined(client, taskQueue);
  const reasons = new Map(found.map(({ workflow_id, reason }) => [workflow_id, reason]));
  return rows.map((row) => {
    const quarantined = row.closed_at === undefined ? reasons.get(row.operation_id) : undefined;
    return { ...row, ...(quarantined !== undefined && { quarantined }) };
  });
}

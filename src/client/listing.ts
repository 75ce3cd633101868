import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { parseInput } from '../contract/errors';
import { macroStateSchema, type MacroState } from '../contract/macro-run';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contract/messages';
import { bulkStateSchema, type BulkState } from '../contract/operation';
import { taskRunStateSchema, type TaskRunState } from '../contract/task-run';
import { z } from 'zod';
import { upTo } from '../contract/text';
import { toBatchgateError } from './failures';
import { listRuns } from './list-runs';
import { findQuarantined, type Quarantined } from './quarantine';

const filterSchema = z.strictObject({
  state: bulkStateSchema.optional(),
  session_id: upTo(150).min(1).optional(),
  live: z.boolean().optional(),
  closed_after: z.iso.datetime().optional(),
  task_queue: upTo(200).min(1).optional(),
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

/** A macro run in a list. */
export interface MacroRow {
  run_id: string;
  macro?: string;
  session_id?: string;
  state?: MacroState;
  quarantined?: string;
  created_at: string;
  closed_at?: string;
}

/** A task run in a list. */
export interface TaskRunRow {
  task_run_id: string;
  goal?: string;
  session_id?: string;
  state?: TaskRunState;
  quarantined?: string;
  created_at: string;
  closed_at?: string;
}

/** A job of any kind in a list. */
export type JobRow =
  | ({ kind: 'bulk_operation' } & OperationRow)
  | ({ kind: 'macro' } & MacroRow)
  | ({ kind: 'task_run' } & TaskRunRow);

const jobFilterSchema = filterSchema.extend({
  state: z.union([bulkStateSchema, macroStateSchema, taskRunStateSchema]).optional(),
});
export type JobFilter = z.infer<typeof jobFilterSchema>;

/** Bulk operations: live ones first, then those that ended; of both the newest first. Lists lag by moments. */
export async function listBulkOperations(client: Client, filter: ListFilter = {}): Promise<OperationRow[]> {
  const asked = parseInput(filterSchema, filter, 'The filter');
  return (await list(client, [WORKFLOW_TYPES.bulkOperation], asked)).map(operationRow);
}

/** Macro runs, in the same order. */
export async function listMacroRuns(client: Client, filter: JobFilter = {}): Promise<MacroRow[]> {
  const asked = parseInput(jobFilterSchema, filter, 'The filter');
  return (await list(client, [WORKFLOW_TYPES.macro], asked)).map(macroRow);
}

/** Task runs, in the same order. */
export async function listTaskRuns(client: Client, filter: JobFilter = {}): Promise<TaskRunRow[]> {
  const asked = parseInput(jobFilterSchema, filter, 'The filter');
  return (await list(client, [WORKFLOW_TYPES.taskRun], asked)).map(taskRunRow);
}

/** Jobs of every kind, in the same order. `quarantined`: those that are known already; else they are looked for. */
export async function listJobs(
  client: Client,
  filter: JobFilter = {},
  quarantined?: readonly Quarantined[],
): Promise<JobRow[]> {
  const { bulkOperation, macro, taskRun } = WORKFLOW_TYPES;
  const asked = parseInput(jobFilterSchema, filter, 'The filter');
  return (await list(client, [bulkOperation, macro, taskRun], asked, quarantined)).map((found) => {
    if (found.type === macro) return { kind: 'macro', ...macroRow(found) };
    if (found.type === taskRun) return { kind: 'task_run', ...taskRunRow(found) };
    return { kind: 'bulk_operation', ...operationRow(found) };
  });
}

/** `quarantined`: why its workflow task keeps failing. */
type Found = WorkflowExecutionInfo & { quarantined?: string };

async function list(
  client: Client,
  types: string[],
  filter: JobFilter,
  quarantined?: readonly Quarantined[],
): Promise<Found[]> {
  const { state, session_id, live, closed_after, task_queue, limit = 100 } = filter;
  const clauses = [
    `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`,
    ...(state === undefined ? [] : [`${SEARCH_ATTRIBUTES.state} = '${state}'`]),
    ...(session_id === undefined
      ? []
      : [`${SEARCH_ATTRIBUTES.session} = '${session_id.replaceAll("'", "''")}'`]),
    ...(task_queue === undefined ? [] : [`TaskQueue = '${task_queue.replaceAll("'", "''")}'`]),
    ...(closed_after === undefined ? [] : [`CloseTime >= '${closed_after}'`]),
    ...(live ? [`ExecutionStatus = 'Running'`] : [`ExecutionStatus != 'ContinuedAsNew'`]),
  ];
  const rows: WorkflowExecutionInfo[] = [];
  try {
    const query = clauses.join(' AND ');
    for await (const found of listRuns(client, query, Math.min(limit, 100))) {
      rows.push(found);
      if (rows.length >= limit) break;
    }
  } catch (error) {
    throw toBatchgateError(error);
  }
  if (rows.every(({ closeTime }) => closeTime !== undefined)) return rows;
  return withReasons(rows, quarantined ?? (await findQuarantined(client, task_queue)));
}

function withReasons(rows: WorkflowExecutionInfo[], failing: readonly Quarantined[]): Found[] {
  const reasons = new Map(failing.map(({ workflow_id, reason }) => [workflow_id, reason]));
  return rows.map((row) => {
    const quarantined = row.closeTime ? undefined : reasons.get(row.workflowId);
    return quarantined === undefined ? row : { ...row, quarantined };
  });
}

const attribute = ({ searchAttributes }: WorkflowExecutionInfo, name: string): string | undefined =>
  searchAttributes[name]?.[0] as string | undefined;

const common = (found: Found) => ({
  session_id: attribute(found, SEARCH_ATTRIBUTES.session),
  created_at: found.startTime.toISOString(),
  closed_at: found.closeTime?.toISOString(),
  ...(found.quarantined !== undefined && { quarantined: found.quarantined }),
});

const operationRow = (found: Found): OperationRow => ({
  operation_id: found.workflowId,
  domain: attribute(found, SEARCH_ATTRIBUTES.domain),
  state: attribute(found, SEARCH_ATTRIBUTES.state) as BulkState | undefined,
  progress: progressOf(found.memo?.['progress']),
  ...common(found),
});

/** Bytes stand for what does not decode. */
const progressOf = (value: unknown) =>
  value instanceof Uint8Array ? undefined : (value as Record<string, number> | undefined);
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

const macroRow = (found: Found): MacroRow => ({
  run_id: found.workflowId,
  macro: textOf(found.memo?.['macro']),
  state: attribute(found, SEARCH_ATTRIBUTES.state) as MacroState | undefined,
  ...common(found),
});

const taskRunRow = (found: Found): TaskRunRow => ({
  task_run_id: found.workflowId,
  goal: textOf(found.memo?.['goal']),
  state: attribute(found, SEARCH_ATTRIBUTES.state) as TaskRunState | undefined,
  ...common(found),
});

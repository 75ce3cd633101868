import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { assistantStateSchema } from '../contract/assistant';
import { parseInput } from '../contract/errors';
import { macroStateSchema } from '../contract/macro-run';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contract/messages';
import { bulkStateSchema } from '../contract/operation';
import {
  operationRowSchema,
  type AssistantRow,
  type JobRow,
  type MacroRow,
  type OperationRow,
  type TaskRunRow,
} from '../contract/rows';
import { taskRunStateSchema } from '../contract/task-run';
import { z } from 'zod';
import { idSchema } from '../contract/text';
import { isClosed, needsConfirmation } from '../core/bulk/transitions';
import { toBatchgateError } from './failures';
import { listRuns, quoted } from './list-runs';
import { newestStanding, type Listed } from './operation-records';
import { findQuarantined, type Quarantined } from './quarantine';
import { inBatches } from './running-jobs';

/** The number of operations of one list whose histories are read. */
const READ_FOR_PROGRESS = 200;

const filterSchema = z.strictObject({
  state: bulkStateSchema.optional(),
  refused: z.literal(false).optional(),
  session_id: idSchema(150).optional(),
  session_prefix: idSchema(150).optional(),
  live: z.boolean().optional(),
  closed_after: z.iso.datetime().optional(),
  task_queue: idSchema(200).optional(),
  offset: z.number().int().min(0).max(20_000).optional(),
  limit: z.number().int().min(1).max(20_000).optional(),
  progress: z.boolean().optional(),
});
/**
 * Filters a list of operations. `refused: false` omits operations that were refused before their first batch. `live`
 * selects operations that have not ended, and `closed_after` those that ended since. `progress: false` saves a call for
 * each live bulk operation; its counts may then be some batches old.
 */
export type ListFilter = z.infer<typeof filterSchema>;

export function jobIdOf(row: JobRow): string {
  switch (row.kind) {
    case 'bulk_operation':
      return row.operation_id;
    case 'macro':
      return row.run_id;
    case 'task_run':
      return row.task_run_id;
    case 'assistant':
      return row.assistant_id;
  }
}

/** Returns a title of a job for people, with the data that a list has. */
export function jobTitle(row: JobRow): string {
  switch (row.kind) {
    case 'bulk_operation':
      return [row.action, row.domain].filter(Boolean).join(' on ');
    case 'macro':
      return `macro ${row.macro ?? ''}`;
    case 'task_run':
      return `task: ${row.goal ?? ''}`;
    case 'assistant':
      return 'assistant';
  }
}

const jobFilterSchema = filterSchema.extend({
  state: z.union([bulkStateSchema, macroStateSchema, taskRunStateSchema, assistantStateSchema]).optional(),
});
export type JobFilter = z.infer<typeof jobFilterSchema>;

/**
 * Lists bulk operations: live ones first, then ended ones, each newest first. Lists lag by moments. The progress of the
 * first 200 live operations is read from their histories, with one call each; that of the others may be older.
 */
export async function listBulkOperations(client: Client, filter: ListFilter = {}): Promise<OperationRow[]> {
  const parsed = parseInput(filterSchema, filter, 'The filter');
  return (await list(client, [WORKFLOW_TYPES.bulkOperation], parsed)).map(operationRow);
}

/** Lists macro runs, in the same order. */
export async function listMacroRuns(client: Client, filter: JobFilter = {}): Promise<MacroRow[]> {
  const parsed = parseInput(jobFilterSchema, filter, 'The filter');
  return (await list(client, [WORKFLOW_TYPES.macro], parsed)).map(macroRow);
}

/** Lists task runs, in the same order. */
export async function listTaskRuns(client: Client, filter: JobFilter = {}): Promise<TaskRunRow[]> {
  const parsed = parseInput(jobFilterSchema, filter, 'The filter');
  return (await list(client, [WORKFLOW_TYPES.taskRun], parsed)).map(taskRunRow);
}

/** Lists jobs of every kind, in the same order. `quarantined`: the quarantined runs; by default they are looked up. */
export async function listJobs(
  client: Client,
  filter: JobFilter = {},
  quarantined?: readonly Quarantined[],
): Promise<JobRow[]> {
  const { bulkOperation, macro, taskRun, assistant } = WORKFLOW_TYPES;
  const parsed = parseInput(jobFilterSchema, filter, 'The filter');
  return (await list(client, [bulkOperation, macro, taskRun, assistant], parsed, quarantined)).map((run) => {
    if (run.type === macro) return { kind: 'macro', ...macroRow(run) };
    if (run.type === taskRun) return { kind: 'task_run', ...taskRunRow(run) };
    if (run.type === assistant) return { kind: 'assistant', ...assistantRow(run) };
    return { kind: 'bulk_operation', ...operationRow(run) };
  });
}

/** An operation in a final state has ended, even while its workflow still records its end and releases its slot. */
function endedSince(time: string, state: JobFilter['state']): string {
  const closed = `CloseTime >= '${time}'`;
  return state && isClosed(state) ? `(${closed} OR ExecutionStatus = 'Running')` : closed;
}

/** `quarantined`: the reason why its workflow task keeps failing. The rest is from the history of a live operation. */
type ListedRun = WorkflowExecutionInfo & { quarantined?: string } & Omit<Listed, 'gate'>;

async function list(
  client: Client,
  types: string[],
  filter: JobFilter,
  quarantined?: readonly Quarantined[],
): Promise<ListedRun[]> {
  const { state, refused, session_id, session_prefix, live, closed_after, task_queue } = filter;
  const { offset = 0, limit = 100, progress = true } = filter;
  const clauses = [
    `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`,
    ...(state === undefined ? [] : [`${SEARCH_ATTRIBUTES.state} = '${state}'`]),
    ...(refused === false ? [`${SEARCH_ATTRIBUTES.state} != 'rejected'`] : []),
    ...(session_id === undefined ? [] : [`${SEARCH_ATTRIBUTES.session} = ${quoted(session_id)}`]),
    ...(session_prefix === undefined
      ? []
      : [`${SEARCH_ATTRIBUTES.session} STARTS_WITH ${quoted(session_prefix)}`]),
    ...(task_queue === undefined ? [] : [`TaskQueue = ${quoted(task_queue)}`]),
    ...(closed_after === undefined ? [] : [endedSince(closed_after, state)]),
    ...(live ? [`ExecutionStatus = 'Running'`] : [`ExecutionStatus != 'ContinuedAsNew'`]),
  ];
  const all: WorkflowExecutionInfo[] = [];
  try {
    const query = clauses.join(' AND ');
    for await (const run of listRuns(client, query, offset + limit)) {
      all.push(run);
      if (all.length >= offset + limit) break;
    }
  } catch (error) {
    throw toBatchgateError(error);
  }
  const listed = all.slice(offset);
  const rows = progress ? await withStandings(client, listed, state === undefined) : listed;
  if (rows.every(({ closeTime }) => closeTime !== undefined)) return rows;
  return withReasons(rows, quarantined ?? (await findQuarantined(client, task_queue)));
}

/**
 * Until an operation ends by itself, its memo has the progress of the last batch that no update confirmed. The history
 * may be newer than the list, so its state is used too, unless the list is filtered by one state.
 */
async function withStandings(
  client: Client,
  rows: WorkflowExecutionInfo[],
  withState: boolean,
): Promise<ListedRun[]> {
  const live = rows
    .filter(({ type, status }) => type === WORKFLOW_TYPES.bulkOperation && status.name !== 'COMPLETED')
    .slice(0, READ_FOR_PROGRESS);
  const standings = await inBatches(live, ({ workflowId, runId }) =>
    newestStanding(client, workflowId, runId).catch(() => undefined),
  );
  const standingOf = new Map(live.map((row, at) => [row, standings[at]]));
  return rows.map((row) => {
    const { progress, state, revision, approvals } = standingOf.get(row) ?? {};
    return {
      ...row,
      ...(progress && { progress }),
      ...(withState && state && { state }),
      ...(revision !== undefined && { revision }),
      ...(approvals && { approvals }),
    };
  });
}

function withReasons(rows: ListedRun[], failing: readonly Quarantined[]): ListedRun[] {
  const reasons = new Map(failing.map(({ workflow_id, reason }) => [workflow_id, reason]));
  return rows.map((row) => {
    const quarantined = row.closeTime ? undefined : reasons.get(row.workflowId);
    return quarantined === undefined ? row : { ...row, quarantined };
  });
}

const attribute = ({ searchAttributes }: WorkflowExecutionInfo, name: string): string | undefined =>
  searchAttributes[name]?.[0] as string | undefined;

const common = (run: ListedRun) => ({
  session_id: attribute(run, SEARCH_ATTRIBUTES.session),
  created_at: run.startTime.toISOString(),
  closed_at: run.closeTime?.toISOString(),
  ...(run.quarantined !== undefined && { quarantined: run.quarantined }),
});

const operationRow = (run: ListedRun): OperationRow => ({
  ...rowOf(run),
  ...(needsConfirmation(rowOf(run).state ?? 'preparing') &&
    givenIn(operationRowSchema.pick({ approvals: true }), {
      approvals: run.approvals ?? run.memo?.['approvals'],
    })),
  ...common(run),
});

const rowOf = (run: ListedRun) => ({
  operation_id: run.workflowId,
  domain: attribute(run, SEARCH_ATTRIBUTES.domain),
  action: textOf(run.memo?.['action']),
  state: run.state ?? (attribute(run, SEARCH_ATTRIBUTES.state) as OperationRow['state']),
  progress: run.progress ?? progressOf(run.memo?.['progress']),
  reminded_at: textOf(run.memo?.['reminded_at']),
  ...(run.revision !== undefined && { revision: run.revision }),
  ...givenIn(operationRowSchema.pick({ escalated: true }), { escalated: run.memo?.['escalated'] }),
});

/** Returns the value if it matches the schema, else `{}`. A value that cannot be decoded arrives as bytes. */
const givenIn = <T extends z.ZodType>(schema: T, value: unknown) => schema.safeParse(value).data ?? {};

const progressOf = (value: unknown) =>
  value instanceof Uint8Array ? undefined : (value as Record<string, number> | undefined);
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

const macroRow = (run: ListedRun): MacroRow => ({
  run_id: run.workflowId,
  macro: textOf(run.memo?.['macro']),
  state: attribute(run, SEARCH_ATTRIBUTES.state) as MacroRow['state'],
  ...common(run),
});

const taskRunRow = (run: ListedRun): TaskRunRow => ({
  task_run_id: run.workflowId,
  goal: textOf(run.memo?.['goal']),
  state: attribute(run, SEARCH_ATTRIBUTES.state) as TaskRunRow['state'],
  ...common(run),
});

const assistantRow = (run: ListedRun): AssistantRow => ({
  assistant_id: run.workflowId,
  state: attribute(run, SEARCH_ATTRIBUTES.state) as AssistantRow['state'],
  ...common(run),
});

import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { BatchgateError, parseInput } from '../contract/errors';
import { parseJobId } from '../contract/job-ids';
import {
  completeRequestSchema,
  QUERIES,
  TASK_QUEUE,
  UPDATES,
  WORKFLOW_TYPES,
  type CompleteRequest,
} from '../contract/messages';
import type { CompletionGuardResult } from '../contract/progress';
import type { JobKey } from '../contract/sentinel';
import {
  recordRequestSchema,
  type RecordRequest,
  type TaskRunInput,
  type TaskRunStatus,
} from '../contract/task-run';
import { closedError, parseTaskRunInput } from '../core/progress/task-run';
import { call, describeWorkflow } from './calls';
import { wrongKind } from './job-kinds';
import { ask, sendUpdate } from './messages';
import { startOnce } from './start-once';
import type { WaitOptions } from './waiting';

/**
 * Starts a task run and returns its status. A repeated id returns the existing run. `parent`: the live job that starts
 * it, and shares its slot with it in the same session.
 * @throws BatchgateError `JOB_LIMIT_REACHED` or `SESSION_LOCKED` if it has a session and no slot or session is free.
 */
export async function startTaskRun(
  client: Client,
  input: TaskRunInput,
  options: WaitOptions & { task_run_id?: string; task_queue?: string; parent?: JobKey } = {},
): Promise<TaskRunStatus> {
  const parsed = parseTaskRunInput(input);
  const workflowId = parseJobId(options.task_run_id ?? `task-${randomUUID()}`, WORKFLOW_TYPES.taskRun);
  const start = {
    type: WORKFLOW_TYPES.taskRun,
    workflowId,
    taskQueue: options.task_queue ?? TASK_QUEUE,
    input: parsed,
    memo: { goal: parsed.goal, ...(options.parent && { parent: options.parent }) },
  };
  return startOnce(client, start, () => getTaskRun(client, workflowId), options);
}

/** Records progress. A repeated record changes nothing. */
export async function recordTaskRun(
  client: Client,
  taskRunId: string,
  request: RecordRequest,
): Promise<TaskRunStatus> {
  return update(client, taskRunId, UPDATES.record, parseInput(recordRequestSchema, request, 'The record'));
}

/** Completes a task run. A refusal by the guard is a result, not an error. */
export async function completeTaskRun(
  client: Client,
  taskRunId: string,
  request: CompleteRequest = {},
): Promise<CompletionGuardResult> {
  const completion = parseInput(completeRequestSchema, request, 'The completion');
  return update(client, taskRunId, UPDATES.complete, completion);
}

/**
 * Cancels a task run and frees its slot. Its records remain. A second call returns the same status.
 * @throws BatchgateError `OPERATION_CLOSED` if it has ended in another way.
 */
export async function cancelTaskRun(client: Client, taskRunId: string): Promise<TaskRunStatus> {
  const before = await getTaskRun(client, taskRunId);
  if (before.state === 'cancelled') return before;
  if (before.state !== 'running') throw BatchgateError.from(closedError(before));
  const handle = client.workflow.getHandle(taskRunId);
  await call(client, () => handle.cancel());
  await call(client, () => handle.result());
  const after = await getTaskRun(client, taskRunId);
  if (after.state === 'cancelled') return after;
  throw BatchgateError.from(closedError(after));
}

/** Returns the status, even after the end. With `items`, it has all entries, not only the latest. */
export async function getTaskRun(
  client: Client,
  taskRunId: string,
  options: { items?: boolean } = {},
): Promise<TaskRunStatus> {
  const description = await describeWorkflow(client, taskRunId);
  return describedTaskRun(client, description, options);
}

/** Like `getTaskRun`, for a workflow that was already described. */
export async function describedTaskRun(
  client: Client,
  { workflowId, type, status }: WorkflowExecutionDescription,
  options: { items?: boolean } = {},
): Promise<TaskRunStatus> {
  if (type !== WORKFLOW_TYPES.taskRun) throw wrongKind(workflowId, type, WORKFLOW_TYPES.taskRun);
  if (status.name === 'RUNNING')
    return ask(client, workflowId, (handle) => handle.query<TaskRunStatus, [object]>(QUERIES.get, options));
  const handle = client.workflow.getHandle(workflowId);
  const { contract, ...result } = await call(client, () => handle.result() as Promise<TaskRunStatus>);
  return { ...result, ...(options.items && { contract }) };
}

/** Sends an update only to a task run: an agent that tracks a task must not complete an operation by its id. */
async function update<T>(client: Client, taskRunId: string, name: string, request: object): Promise<T> {
  const { type } = await describeWorkflow(client, taskRunId);
  if (type !== WORKFLOW_TYPES.taskRun) throw wrongKind(taskRunId, type, WORKFLOW_TYPES.taskRun);
  const whenMissing = async () =>
    BatchgateError.from(closedError({ ...(await getTaskRun(client, taskRunId)), task_run_id: taskRunId }));
  return sendUpdate(client, taskRunId, name, request, { whenMissing });
}

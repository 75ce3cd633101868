import { z } from 'zod';
import {
  cancelTaskRun,
  completeTaskRun,
  getTaskRun,
  listTaskRuns,
  recordTaskRun,
  startTaskRun,
} from '../client';
import { completeRequestSchema, SIGNATURE } from '../contract/messages';
import { completionGuardResultSchema, type CompletionGuardResult } from '../contract/progress';
import { taskRunRowSchema } from '../contract/rows';
import {
  recordRequestSchema,
  taskRunInputSchema,
  taskRunStateSchema,
  taskRunStatusSchema,
  type TaskRunStatus,
} from '../contract/task-run';
import { MAY } from '../core/access/permissions';
import { command, described, type AnyCommand } from './command';
import { BY, limit, offset, session_id, task_run_id } from './fields';

/** Task runs track repetitive work that is done elsewhere. They run nothing. */
const records = {
  group: 'task runs',
  output: taskRunStatusSchema,
  may: MAY.start,
  effect: 'records',
  idempotent: true,
} as const;
const reads = { ...records, may: MAY.look, effect: 'reads' } as const;
/** An agent may end only the task runs of its own sessions. */
const ends = { ...records, may: { ...MAY.start, own_only: true } } as const;

export const startTaskRunCommand = command({
  ...records,
  name: 'startTaskRun',
  title: 'Start a task run',
  does: 'Starts tracking a repetitive task. With a contract it cannot be completed too early. With a session_id it takes a slot.',
  input: described(taskRunInputSchema, {
    goal: 'What is to be done, in one sentence',
    session_id: 'The conversation that it belongs to. It has one live job at a time',
    idle_timeout_seconds:
      'How long without a record until it expires; default 3600 with a session, else it never expires',
    contract: 'When it counts as complete. Give expected_items or expected_total where they are known',
  }),
  idempotent: false,
  starts: 'task',
  http: { route: 'POST /v1/task-runs', creates: true },
  agent: {
    name: 'task_run_start',
    does: 'Keeps count of repetitive work that you do yourself, such as reading 40 pages, so that nothing is missed over a long conversation. It runs nothing. Give contract.expected_items or expected_total where you know them.',
    said: standing,
  },
  gateway: { name: 'task_run_start' },
  run(client, input, caller) {
    const { id, session_id: session, parent } = caller.place('task', input.session_id);
    const options = { task_run_id: id, task_queue: caller.task_queue, parent };
    return startTaskRun(client, { ...input, session_id: session }, options);
  },
});

export const recordCommand = command({
  ...records,
  name: 'recordTaskRun',
  title: 'Record progress',
  does: 'Records what was completed, what failed and what was skipped, and the current position. The same again changes nothing.',
  input: z.strictObject({ task_run_id }).extend(
    described(recordRequestSchema, {
      completed: 'The items that are done',
      failed: 'The items that failed, each with the reason',
      skipped: 'The items that were left out, each with the reason',
      cursor: 'The current position, for whoever goes on with the task',
      stop_condition_satisfied:
        'true once the stop condition of the contract is satisfied; false changes nothing',
    }).shape,
  ),
  keeps_answer: true,
  http: { route: 'POST /v1/task-runs/{task_run_id}/record' },
  agent: { name: 'task_run_update', said: standing },
  gateway: { name: 'task_run_update' },
  run: (client, { task_run_id: id, ...done }) => recordTaskRun(client, id, done),
});

export const completeTaskRunCommand = command({
  ...ends,
  name: 'completeTaskRun',
  title: 'Complete a task run',
  does: 'Marks a task run complete if its guard allows that, and otherwise answers what is missing and what to do next. An agent completes only those of its own sessions.',
  input: z.strictObject({ task_run_id }).extend(
    described(completeRequestSchema.omit(SIGNATURE), {
      force: 'Complete it although items are missing; needs a reason',
      reason: 'Why it is completed by force; kept with the run',
      by: BY,
      stop_condition_satisfied: 'Whether the stop condition of its contract is satisfied',
    }).shape,
  ),
  output: completionGuardResultSchema,
  http: { route: 'POST /v1/task-runs/{task_run_id}/complete', optional_body: true },
  agent: {
    name: 'task_run_complete',
    does: 'Marks a task run complete if its guard allows that, and otherwise answers what is missing and what to do next. force, with a reason, completes it although items are missing, and is recorded as yours: use it only for what the person decided.',
    takes: ['task_run_id', 'force', 'reason', 'stop_condition_satisfied'],
    said: (guard) =>
      guard.allowed ? (guard.evidence ?? 'It is complete.') : `Not complete yet. ${unmet(guard)}`,
  },
  gateway: {
    name: 'task_run_complete',
    takes: ['task_run_id', 'force', 'reason', 'stop_condition_satisfied'],
  },
  run: (client, { task_run_id: id, ...input }, caller) =>
    completeTaskRun(client, id, { ...input, by: caller.forcedBy(input.by) }),
});

export const cancelTaskRunCommand = command({
  ...ends,
  name: 'cancelTaskRun',
  title: 'Cancel a task run',
  does: 'Ends a task run unfinished and frees its slot. What was recorded stays. An agent cancels only those of its own sessions.',
  input: z.strictObject({ task_run_id }),
  http: { route: 'POST /v1/task-runs/{task_run_id}/cancel' },
  agent: {
    name: 'task_run_cancel',
    does: 'Ends a task run of yours unfinished, and frees its slot. What was recorded stays. Use it for work that will not go on.',
    said: standing,
  },
  gateway: { name: 'task_run_cancel' },
  run: (client, input) => cancelTaskRun(client, input.task_run_id),
});

export const getTaskRunCommand = command({
  ...reads,
  name: 'getTaskRun',
  title: 'Status of a task run',
  does: 'Shows a task run: its counts, the latest items, and whether it may be completed.',
  input: z.strictObject({
    task_run_id,
    items: z.boolean().optional().describe('Everything recorded, not only the latest'),
  }),
  http: { route: 'GET /v1/task-runs/{task_run_id}', takes: [] },
  agent: { name: 'task_run_get', said: standing },
  gateway: { name: 'task_run_get' },
  run: (client, { task_run_id: id, items }) => getTaskRun(client, id, { items: items ?? false }),
});

const listTaskRunsCommand = command({
  ...reads,
  name: 'listTaskRuns',
  title: 'List task runs',
  does: 'Lists task runs, live ones first, each group newest first. The list lags by moments.',
  input: z.strictObject({
    state: taskRunStateSchema.optional().describe('Only those in this state'),
    ...{ session_id, offset, limit },
  }),
  output: z.object({ items: z.array(taskRunRowSchema) }),
  http: { route: 'GET /v1/task-runs', takes: ['state', 'session_id'], paged: true },
  agent: {
    name: 'task_run_list',
    does: 'Your task runs, live ones first. The list lags by moments.',
    takes: ['state', 'limit'],
    said: ({ items }) => `${items.length} task runs.`,
  },
  gateway: { name: 'task_run_list', does: 'The latest 100 task runs, newest first.', takes: [] },
  run: async (client, filter, { task_queue, session_prefix }) => ({
    items: await listTaskRuns(client, { ...filter, task_queue, session_prefix }),
  }),
});

export const TASK_RUNS: readonly AnyCommand[] = [
  startTaskRunCommand,
  recordCommand,
  completeTaskRunCommand,
  cancelTaskRunCommand,
  getTaskRunCommand,
  listTaskRunsCommand,
];

function standing(status: TaskRunStatus): string {
  const { state, completed_count, failed_count, skipped_count, expected_total } = status;
  const of = expected_total === undefined ? '' : ` of ${expected_total}`;
  const counts = `${completed_count}${of} completed, ${failed_count} failed, ${skipped_count} skipped`;
  return `The task run is ${state}: ${counts}.`;
}

/** Returns the unmet condition without the texts in the guard's reason, which other people may have written. */
function unmet({ reason = '', missing_count = 0, failed_count = 0 }: CompletionGuardResult): string {
  if (reason.includes('stop condition')) return 'Its stop condition is not marked satisfied.';
  if (reason.includes('must be.')) return `${missing_count} more must be completed (min_completed).`;
  if (missing_count > 0) return `${missing_count} item(s) have no outcome yet.`;
  return reason.includes('skipped')
    ? 'Its contract does not allow the skipped items (skipped_policy).'
    : `Its contract does not allow the ${failed_count} failed item(s) (failed_policy).`;
}

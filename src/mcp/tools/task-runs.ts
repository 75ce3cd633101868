import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  cancelTaskRun,
  completeTaskRun,
  getTaskRun,
  listTaskRuns,
  recordTaskRun,
  startTaskRun,
} from '../../client';
import { toolCompletionSchema } from '../../contract/messages';
import { completionGuardResultSchema, type CompletionGuardResult } from '../../contract/progress';
import { taskRunRowSchema } from '../../contract/rows';
import {
  recordRequestSchema,
  taskRunInputSchema,
  taskRunStateSchema,
  taskRunStatusSchema,
  type TaskRunStatus,
} from '../../contract/task-run';
import { shortened, upTo } from '../../contract/text';
import { checkReach, sessionOf } from '../caller';
import type { Answer } from '../results';
import { LOOKS, mcpTool, PLANS, type McpTool } from '../tool';
import { session_id } from './operations';

const task_run_id = upTo(1_000).min(1);

/** Repetitive work of the agent's own, counted so that it is not completed too early. */
export const TASK_RUN_TOOLS: readonly McpTool[] = [
  mcpTool({
    name: 'task_run_start',
    title: 'Start a task run',
    description:
      'Keeps count of repetitive work that you do yourself, such as reading 40 pages, so that nothing is missed over a long conversation. It runs nothing. Give contract.expected_items or expected_total where you know them.',
    input: taskRunInputSchema.extend({ session_id }),
    output: taskRunStatusSchema,
    traits: { ...PLANS, openWorldHint: false },
    async run(args, { client, caller, context }) {
      const input = {
        ...args,
        session_id: sessionOf(caller, args.session_id ?? `${caller.conversation}.tasks`),
      };
      const options = { task_run_id: `task-${randomUUID()}`, task_queue: context.taskQueue };
      return progressOf(await startTaskRun(client, input, options));
    },
  }),
  mcpTool({
    name: 'task_run_update',
    title: 'Record progress',
    description:
      'Records items of a task run as completed, failed or skipped. The same again changes nothing.',
    input: recordRequestSchema.extend({ task_run_id }),
    output: taskRunStatusSchema,
    traits: { ...PLANS, openWorldHint: false, idempotentHint: true },
    async run({ task_run_id: id, ...done }, { client, caller }) {
      await checkReach(client, caller, id);
      return progressOf(await recordTaskRun(client, id, done));
    },
  }),
  mcpTool({
    name: 'task_run_complete',
    title: 'Complete a task run',
    description:
      'Calls a task run complete if its guard allows that; else says what is missing and what to do next. force, with a reason, completes it although items are missing, and is recorded as yours: use it only for what the person decided.',
    input: toolCompletionSchema.extend({ task_run_id }),
    output: completionGuardResultSchema,
    traits: { ...PLANS, openWorldHint: false, idempotentHint: true },
    async run({ task_run_id: id, ...asked }, { client, caller }) {
      await checkReach(client, caller, id);
      // The caller may have the name of a person, who was not asked.
      const by = shortened(`agent of ${caller.name}`, 150);
      const guard = await completeTaskRun(client, id, { ...asked, by });
      if (!guard.allowed) return { said: `Not complete yet. ${unmet(guard)}`, data: guard };
      return { said: guard.evidence ?? 'It is complete.', data: guard };
    },
  }),
  mcpTool({
    name: 'task_run_cancel',
    title: 'Cancel a task run',
    description:
      'Ends a task run of yours unfinished, and frees its slot. What was recorded stays. Use it for work that will not go on.',
    input: z.strictObject({ task_run_id }),
    output: taskRunStatusSchema,
    traits: { ...PLANS, openWorldHint: false, idempotentHint: true },
    async run({ task_run_id: id }, { client, caller }) {
      await checkReach(client, caller, id);
      return progressOf(await cancelTaskRun(client, id));
    },
  }),
  mcpTool({
    name: 'task_run_get',
    title: 'Status of a task run',
    description: 'Where a task run stands: counts, the latest items, and whether it may be completed.',
    input: z.strictObject({
      task_run_id,
      items: z.boolean().optional().describe('Everything recorded, not only the latest'),
    }),
    output: taskRunStatusSchema,
    traits: LOOKS,
    async run({ task_run_id: id, items }, { client, caller }) {
      await checkReach(client, caller, id);
      return progressOf(await getTaskRun(client, id, { items: items ?? false }));
    },
  }),
  mcpTool({
    name: 'task_run_list',
    title: 'List task runs',
    description: 'Your task runs, live ones first. The list lags by moments.',
    input: z.strictObject({
      state: taskRunStateSchema.optional(),
      limit: z.number().int().min(1).max(1_000).optional(),
    }),
    output: z.object({ items: z.array(taskRunRowSchema) }),
    traits: LOOKS,
    async run(args, { client, caller, context }) {
      const asked = { ...args, session_prefix: caller.sessions, task_queue: context.taskQueue };
      const items = await listTaskRuns(client, asked);
      return { said: `${items.length} task runs.`, data: { items } };
    },
  }),
];

function progressOf(status: TaskRunStatus): Answer {
  return { said: `The task run is ${status.state}: ${countsOf(status)}.`, data: status };
}

/** The unmet condition, without the texts in the guard's reason, which others may have written. */
function unmet({ reason = '', missing_count = 0, failed_count = 0 }: CompletionGuardResult): string {
  if (reason.includes('stop condition')) return 'Its stop condition is not marked satisfied.';
  if (reason.includes('must be.')) return `${missing_count} more must be completed (min_completed).`;
  if (missing_count > 0) return `${missing_count} item(s) have no outcome yet.`;
  return reason.includes('skipped')
    ? 'Its contract does not allow the skipped items (skipped_policy).'
    : `Its contract does not allow the ${failed_count} failed item(s) (failed_policy).`;
}

function countsOf(status: Omit<TaskRunStatus, 'state'>): string {
  const { completed_count, failed_count, skipped_count, expected_total } = status;
  const of = expected_total === undefined ? '' : ` of ${expected_total}`;
  return `${completed_count}${of} completed, ${failed_count} failed, ${skipped_count} skipped`;
}

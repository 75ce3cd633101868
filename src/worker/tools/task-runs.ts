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
import { recordRequestSchema, taskRunInputSchema } from '../../contract/task-run';
import { isMacroRun } from '../../contract/job-ids';
import { shortened } from '../../contract/text';
import { defineTool, type ToolDefinition } from '../../contract/tools';
import { TASK_TOOL } from '../../core/progress/task-run';
import { startedBy } from '../../core/shared/canonical';
import { asked, type OperationsDoor } from './operations';

const reading = { read_only: true, idempotent: true, transactional: false, category: 'tasks' } as const;
const writing = { ...reading, read_only: false } as const;
const one = z.strictObject({
  task_run_id: z.string().min(1).describe('The id returned by task_run_start or task_run_list'),
});

/** The tools for task runs. All of them are idempotent: repeating a call changes nothing. */
export function createTaskRunTools(door: () => OperationsDoor): ToolDefinition[] {
  return [...changingTools(door), ...readingTools(door)];
}

function changingTools(door: () => OperationsDoor): ToolDefinition[] {
  return [
    defineTool({
      ...{ ...writing, name: TASK_TOOL, args: taskRunInputSchema },
      description:
        'Starts to track a repetitive task. A contract prevents completing it too early. With a session_id it takes a slot.',
      handler: (args, { job, session_id, ...context }) =>
        asked(door, context, (client) =>
          startTaskRun(client, args, {
            task_run_id: startedBy('task', context.idempotency_key),
            task_queue: door().taskQueue,
            // A macro holds its session; a task run there is a part of it.
            ...(job && isMacroRun(job.job_id) && args.session_id === session_id && { parent: job }),
          }),
        ),
    }),
    defineTool({
      ...{ ...writing, name: 'task_run_update', args: one.extend(recordRequestSchema.shape) },
      description: 'Records completed, failed and skipped items, and the current position.',
      handler: ({ task_run_id, ...request }, context) =>
        asked(door, context, (client) => recordTaskRun(client, task_run_id, request)),
    }),
    defineTool({
      ...{ ...writing, name: 'task_run_complete' },
      args: toolCompletionSchema.extend(one.shape),
      description:
        'Marks the task run as complete. The result shows whether the contract allows that and, if not, what is missing and what to do next.',
      // A model cannot name another person as the one who forced it.
      handler: ({ task_run_id, ...request }, context) =>
        asked(door, context, (client) => {
          const by = context.job && shortened(context.job.job_id, 150);
          return completeTaskRun(client, task_run_id, { ...request, by });
        }),
    }),
    defineTool({
      ...{ ...writing, name: 'task_run_cancel', args: one },
      description: 'Ends the task run without completing it, and frees its slot. Its records are kept.',
      handler: ({ task_run_id }, context) =>
        asked(door, context, (client) => cancelTaskRun(client, task_run_id)),
    }),
  ];
}

function readingTools(door: () => OperationsDoor): ToolDefinition[] {
  return [
    defineTool({
      ...{ ...reading, name: 'task_run_get' },
      description: 'Shows a task run: completed and failed items, and whether it may be marked as complete.',
      args: one.extend({
        items: z.boolean().optional().describe('Include all records, not only the latest'),
      }),
      handler: ({ task_run_id, ...options }, context) =>
        asked(door, context, (client) => getTaskRun(client, task_run_id, options)),
    }),
    defineTool({
      ...{ ...reading, name: 'task_run_list', args: z.strictObject({}) },
      description: 'Lists the latest 100 task runs, newest first.',
      handler: async (_, context) => ({
        items: await asked(door, context, (client) => listTaskRuns(client)),
      }),
    }),
  ];
}

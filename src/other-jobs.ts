import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import {
  answerMacro,
  awaitMacro,
  cancelMacro,
  cancelTaskRun,
  completeTaskRun,
  getMacroTrace,
  getTaskRun,
  pauseMacro,
  recordTaskRun,
  resumeMacro,
  startMacro,
  startTaskRun,
} from './client';
import type { answerRequestSchema, macroTraceSchema } from './contract/macro-run';
import type { macroInputSchema } from './contract/macro';
import type { CompletionGuardResult } from './contract/progress';
import type { recordRequestSchema, taskRunInputSchema, taskRunStatusSchema } from './contract/task-run';

type Turn = Promise<Omit<z.infer<typeof macroTraceSchema>, 'steps' | 'steps_truncated'>>;

/** The methods of `Batchgate.macros`. */
export function macrosOf(client: Client, task_queue: string) {
  return {
    /** Starts a run and returns its status. A repeated call with the same id and input returns the same run. */
    start: (input: z.infer<typeof macroInputSchema>, options: { run_id?: string } = {}): Turn =>
      startMacro(client, input, { ...options, task_queue }),
    /** Returns the status of a run, with its latest 200 steps. */
    trace: (runId: string): Promise<z.infer<typeof macroTraceSchema>> => getMacroTrace(client, runId),
    /** Waits for the end of a run. Returns its state, its variables, and its error if it failed. */
    wait: (
      runId: string,
    ): Promise<
      Pick<z.infer<typeof macroTraceSchema>, 'run_id' | 'state' | 'error'> & {
        variables: Readonly<Record<string, unknown>>;
      }
    > => awaitMacro(client, runId),
    /** Pauses a run. No further step begins; running steps finish. */
    pause: (runId: string): Turn => pauseMacro(client, runId),
    resume: (runId: string): Turn => resumeMacro(client, runId),
    /** Stops a run and the bulk operations that it started. */
    cancel: (runId: string): Promise<void> => cancelMacro(client, runId),
    /** Answers a step's question to a person. */
    answer: (runId: string, request: z.input<typeof answerRequestSchema>): Turn =>
      answerMacro(client, runId, request),
  };
}

/** The methods of `Batchgate.taskRuns`. */
export function taskRunsOf(client: Client, task_queue: string) {
  return {
    /** Starts a task run. A repeated call with the same id and input returns the same run. */
    start: (
      input: z.input<typeof taskRunInputSchema>,
      options: { task_run_id?: string } = {},
    ): Promise<z.infer<typeof taskRunStatusSchema>> =>
      startTaskRun(client, input, { ...options, task_queue }),
    /** Records progress. A repeated record changes nothing. */
    record: (
      taskRunId: string,
      request: z.input<typeof recordRequestSchema>,
    ): Promise<z.infer<typeof taskRunStatusSchema>> => recordTaskRun(client, taskRunId, request),
    /** Completes a task run. If it cannot be completed, the result has `allowed: false` and the missing items. */
    complete: (
      taskRunId: string,
      request: { force?: boolean; reason?: string } = {},
    ): Promise<CompletionGuardResult> => completeTaskRun(client, taskRunId, request),
    /** Returns the status. With `items`, it has everything that was recorded, not only the latest entries. */
    status: (
      taskRunId: string,
      options: { items?: boolean } = {},
    ): Promise<z.infer<typeof taskRunStatusSchema>> => getTaskRun(client, taskRunId, options),
    cancel: (taskRunId: string): Promise<z.infer<typeof taskRunStatusSchema>> =>
      cancelTaskRun(client, taskRunId),
  };
}

import { parseInput, type ErrorBody } from '../../contract/errors';
import type { CompleteRequest } from '../../contract/messages';
import type { BulkProgressContract, CompletionGuardResult } from '../../contract/progress';
import {
  taskRunInputSchema,
  type RecordRequest,
  type TaskRunInput,
  type TaskRunState,
  type TaskRunStatus,
} from '../../contract/task-run';
import { checkCompletionGuard, overruled } from './completion-guard';
import { createProgressContract, recordAll, refuseImpossible } from './contract';
import { partsOf, type Fingerprints } from './fingerprints';
import { progressView } from './view';
import { iso } from '../bulk/view';

/** The whole state of a task run: JSON, carried by continue-as-new. */
export interface TaskRun {
  task_run_id: string;
  goal: string;
  session_id?: string;
  state: TaskRunState;
  error?: ErrorBody;
  /** Without a contract in the input, progress is still counted, but guards nothing. */
  guarded: boolean;
  progress: BulkProgressContract;
  forced?: TaskRunStatus['forced'];
}

/** @throws BatchgateError `INVALID_INPUT` with the path of each mistake. */
export function parseTaskRunInput(value: unknown): TaskRunInput {
  const input = parseInput(taskRunInputSchema, value, 'The task run');
  if (input.contract) refuseImpossible(input.contract);
  return input;
}

/** Why a task run that has ended accepts nothing more. */
export function closedError({ state, task_run_id }: Pick<TaskRun, 'state' | 'task_run_id'>): ErrorBody {
  return {
    code: 'OPERATION_CLOSED',
    message: `The task run ${task_run_id} is ${state}; it accepts no more records.`,
    hint: 'Start another one for the rest.',
  };
}

export function beginTaskRun(task_run_id: string, input: TaskRunInput, now: number): TaskRun {
  const { goal, session_id, contract } = input;
  const identity = { contract_id: task_run_id, run_id: task_run_id, scope: 'task_run' as const };
  return {
    task_run_id,
    goal,
    session_id,
    state: 'running',
    guarded: contract !== undefined,
    progress: createProgressContract({ ...contract, ...identity }, now),
  };
}

/** @throws BatchgateError `TOO_MANY_ITEMS` beyond what a contract can tell apart. */
export function recordOn(run: TaskRun, request: RecordRequest, now: number): TaskRun {
  return { ...run, progress: recordAll(run.progress, request, now) };
}

function taskRunGuard(run: TaskRun): CompletionGuardResult {
  return run.guarded ? checkCompletionGuard(run.progress, { items: true }) : { allowed: true };
}

/** Completes if the guard allows it, or if a person forces it with a reason. */
export function completeTaskRun(
  before: TaskRun,
  { force, reason = '', by, stop_condition_satisfied }: CompleteRequest,
  now: number,
): { run: TaskRun; guard: CompletionGuardResult } {
  const run = stop_condition_satisfied ? recordOn(before, { stop_condition_satisfied: true }, now) : before;
  const guard = taskRunGuard(run);
  if (!guard.allowed && !force) return { run, guard };
  const forced = guard.allowed ? undefined : { by, reason, at: iso(now) };
  return { run: endTaskRun(run, 'completed', now, forced), guard: overruled(guard) };
}

export function endTaskRun(
  run: TaskRun,
  state: Exclude<TaskRunState, 'running'>,
  now: number,
  forced?: TaskRun['forced'],
): TaskRun {
  return { ...run, state, forced, progress: { ...run.progress, updated_at: now } };
}

/** The state for the next run: in parts, each within the size of a payload. */
export type Carried = [TaskRun, ...Fingerprints[]];

export function handedOn({ progress, ...rest }: TaskRun): Carried {
  const { fingerprints = {}, ...listed } = progress;
  return [{ ...rest, progress: listed }, ...partsOf(fingerprints)];
}

export function takenOver([run, ...parts]: Carried): TaskRun {
  if (parts.length === 0) return run;
  const fingerprints = Object.assign({}, ...parts) as Fingerprints;
  return { ...run, progress: { ...run.progress, fingerprints } };
}

export function taskRunStatus(run: TaskRun, options: { items?: boolean } = {}): TaskRunStatus {
  const { progress, guarded: _, ...rest } = run;
  const guard = taskRunGuard(run);
  return { ...rest, ...progressView(progress, run.forced ? overruled(guard) : guard, options) };
}

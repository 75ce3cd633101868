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
import { checkCompletionGuard, evidenceOf, overruled } from './completion-guard';
import { newContract, recordAll, refuseImpossible } from './contract';
import { partsOf, type Fingerprints } from './fingerprints';
import { progressView } from './view';
import { iso } from '../bulk/view';

/** The tool that starts a task run. */
export const TASK_TOOL = 'task_run_start';

/** The whole state of a task run: JSON, carried by continue-as-new. */
export interface TaskRun {
  task_run_id: string;
  goal: string;
  session_id?: string;
  state: TaskRunState;
  error?: ErrorBody;
  /** False without a contract in the input: progress is counted, but does not guard completion. */
  guarded: boolean;
  progress: BulkProgressContract;
  forced?: TaskRunStatus['forced'];
  idle_timeout_seconds?: number;
  /** The time at which it began or was last worked on. Milliseconds. */
  active_at: number;
}

const DEFAULT_IDLE_SECONDS = 3_600;

/** @throws BatchgateError `INVALID_INPUT` with the path of each mistake. */
export function parseTaskRunInput(value: unknown): TaskRunInput {
  const input = parseInput(taskRunInputSchema, value, 'The task run');
  if (input.contract) refuseImpossible(input.contract);
  return input;
}

/** The error of a request to a task run that has ended. */
export function closedError({ state, task_run_id }: Pick<TaskRun, 'state' | 'task_run_id'>): ErrorBody {
  return {
    code: 'OPERATION_CLOSED',
    message: `The task run ${task_run_id} is ${state}; it accepts no more records.`,
    hint: 'Start another one for the rest.',
  };
}

export function beginTaskRun(task_run_id: string, input: TaskRunInput, now: number): TaskRun {
  const { goal, session_id, contract } = input;
  // A run without a session blocks no other job, so it has no default timeout.
  const idle_timeout_seconds =
    input.idle_timeout_seconds ?? (session_id === undefined ? undefined : DEFAULT_IDLE_SECONDS);
  const identity = { contract_id: task_run_id, run_id: task_run_id, scope: 'task_run' as const };
  return {
    task_run_id,
    goal,
    session_id,
    state: 'running',
    ...(idle_timeout_seconds !== undefined && { idle_timeout_seconds }),
    active_at: now,
    guarded: contract !== undefined,
    progress: newContract({ ...contract, ...identity }, now),
  };
}

/** @throws BatchgateError `TOO_MANY_ITEMS` when a contract would hold too many items. */
export function recordOn(run: TaskRun, request: RecordRequest, now: number): TaskRun {
  return { ...run, active_at: now, progress: recordAll(run.progress, request, now) };
}

/** The time at which a run expires, in milliseconds; undefined if it never does. */
export const expiryOf = ({ active_at, idle_timeout_seconds }: TaskRun): number | undefined =>
  idle_timeout_seconds === undefined ? undefined : active_at + idle_timeout_seconds * 1_000;

/** Returns the run, expired if nothing was recorded for too long. A run that has ended stays unchanged. */
export function expired(run: TaskRun, now: number): TaskRun {
  const at = expiryOf(run);
  return run.state === 'running' && at !== undefined && now >= at ? endTaskRun(run, 'expired', now) : run;
}

function taskRunGuard(run: TaskRun): CompletionGuardResult {
  return run.guarded ? checkCompletionGuard(run.progress, { items: true }) : { allowed: true };
}

/** Completes a run if the guard allows it, or if a person forces it with a reason. */
export function completeTaskRun(
  before: TaskRun,
  { force, reason = '', by, stop_condition_satisfied }: CompleteRequest,
  now: number,
): { run: TaskRun; guard: CompletionGuardResult } {
  const run = recordOn(before, stop_condition_satisfied ? { stop_condition_satisfied: true } : {}, now);
  const guard = taskRunGuard(run);
  if (!guard.allowed && !force) return { run, guard };
  const forced = guard.allowed ? undefined : { by, reason, at: iso(now) };
  const evidence = run.guarded ? { evidence: evidenceOf(run.progress, !guard.allowed) } : {};
  return { run: endTaskRun(run, 'completed', now, forced), guard: { ...overruled(guard), ...evidence } };
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
  const { progress, guarded, active_at: _, idle_timeout_seconds: __, ...rest } = run;
  const at = run.state === 'running' ? expiryOf(run) : undefined;
  const guard = taskRunGuard(run);
  const expires = at === undefined ? {} : { expires_at: iso(at) };
  return {
    ...rest,
    ...expires,
    ...progressView(progress, run.forced ? overruled(guard) : guard, { ...options, guarded }),
  };
}

import type { ErrorBody } from '../../contract/errors';
import type { Json, MacroBundle, Step } from '../../contract/macro';
import type { TraceStep } from '../../contract/macro-run';
import { macroError, raise, saysUnknown, stepError } from './errors';
import {
  assign,
  catchOf,
  isScope,
  MAIN,
  outputOf,
  scopeOf,
  type Frame,
  type LoopFrame,
  type Machine,
  type Thread,
} from './machine-state';
import { endSwarmBranch, fork, join, mayFork, type ForkAction } from './branches';
import { traceBegin, traceEnd } from './trace';
import { pathText } from './parse';
import { keep } from './held-values';
import { callsHeld, callsSpent, FRAME_COST, MAX_COST, STEP_COST, stepsSpent, threadsSpent } from './limits';
import { startStep, type Call } from './steps';
import {
  completeMacro,
  endingBeforeCommit,
  enterMacro,
  inTransaction,
  settleTransaction,
  type TransactionNews,
} from './transaction';
import { endThread, restoreIterator, unwind, type UnwindAction } from './unwind';

/**
 * The next action of a thread. `forked`: a new thread must be driven. `yield`: much was done without a pause. `wait`:
 * until the machine's `changes` has another value.
 */
export type Action = UnwindAction | ForkAction | { kind: 'yield' } | { kind: 'call'; step: Step; call: Call };

/** The outcome of a call. */
export type Settled = TransactionNews &
  ({ ok: true; value?: Json; tokens?: TraceStep['tokens'] } | { ok: false; error: ErrorBody });

/** Advances a thread by one action. The shell executes the returned request, and reports it with `settle`. */
export function advance(machine: Machine, bundle: MacroBundle, id: number, now: number): Action {
  const thread = machine.threads[id];
  if (thread === undefined) return { kind: 'over' };
  if (machine.cost >= MAX_COST) {
    machine.spent += machine.cost;
    machine.cost = 0;
    return { kind: 'yield' };
  }
  machine.cost += STEP_COST + FRAME_COST * thread.frames.length;
  if (thread.unwinding) return unwind(machine, thread, now);
  const frame = thread.frames.at(-1);
  if (frame === undefined) return { kind: 'over' };
  if (frame.kind === 'macro' && !frame.entered)
    return enterMacro(machine, thread, frame) ?? { kind: 'stepped' };
  const step = nextStep(bundle, thread, frame);
  if (step === undefined) return leave(machine, thread, frame, now);
  if (!mayFork(thread, step)) return start(machine, bundle, thread, frame, step, now);
  const spent = threadsSpent(Object.keys(machine.threads).length);
  return spent
    ? refuse(machine, thread, frame, step, spent, now)
    : fork(machine, bundle, thread, frame, step);
}

/** The next step of a frame. */
function nextStep(bundle: MacroBundle, thread: Thread, frame: Frame): Step | undefined {
  if (frame.at >= frame.until) return undefined;
  let node: unknown = bundle.macros[scopeOf(thread).macro];
  for (const part of frame.path) node = (node as Record<string | number, unknown>)[part];
  return (node as Step[])[frame.at];
}

/** Fails a step that must not begin. */
function refuse(
  machine: Machine,
  thread: Thread,
  frame: Frame,
  step: Step,
  error: ErrorBody,
  now: number,
): Action {
  const number = traceBegin(machine, thread, step, now);
  frame.at++;
  failStep(machine, thread, { step: number, caught: step.continue_on_error ?? false }, error, now);
  return { kind: 'stepped' };
}

function start(
  machine: Machine,
  bundle: MacroBundle,
  thread: Thread,
  frame: Frame,
  step: Step,
  now: number,
): Action {
  const number = traceBegin(machine, thread, step, now);
  frame.at++;
  const catching = catchOf(step);
  const { error_variable } = catching;
  if (error_variable !== undefined) assign(thread, error_variable, null);
  // No step may catch a spent budget: a loop would only try the next step.
  const end = (spent: ErrorBody): Action => {
    failStep(machine, thread, { step: number, caught: false }, spent, now, -1);
    return { kind: 'stepped' };
  };
  const stepsError = stepsSpent(machine.steps_total);
  if (stepsError) return end(stepsError);
  try {
    const result = startStep(machine, bundle, thread, step, number);
    const output = outputOf(step);
    if (result === 'done') {
      if (step.type === 'command' && output) keep(machine, thread, output, null);
      traceEnd(machine, number, { state: 'completed' }, now);
    }
    if (result === 'done' || result === 'entered') return { kind: 'stepped' };
    const spent = callsSpent(machine.calls, machine.limits.calls);
    if (spent) return end(spent);
    if (!FREE.has(result.do)) machine.calls++;
    machine.held_calls = inTransaction(machine) ? machine.held_calls + 1 : 0;
    const heldError = callsHeld(machine.held_calls);
    if (heldError && result.do !== 'end') return end(heldError);
    const ends = result.do === 'end' && { kind: 'manage' as const, renews: result.how === 'commit' };
    thread.pending = {
      kind: 'call',
      step: number,
      ...catching,
      ...ends,
      ...(output !== undefined && { output }),
      ...(result.do === 'wait' && { waits_for: result.operation_id }),
      ...(result.do === 'question' && {
        question: { ...result.input, prompt: result.input.prompt.toString(), asked_at: now },
      }),
    };
    return { kind: 'call', step, call: result };
  } catch (error) {
    failStep(machine, thread, { step: number, ...catching }, stepError(error), now);
    return { kind: 'stepped' };
  }
}

/** The calls that do not count towards the run's budget. */
const FREE = new Set<Call['do']>(['wait', 'question', 'end']);

/** Ends a frame whose last step has ended. */
function leave(machine: Machine, thread: Thread, frame: Frame, now: number): Action {
  if (frame.kind === 'loop' && nextRound(thread, frame)) return { kind: 'stepped' };
  if (frame.kind === 'macro') {
    const holds = frame.transaction?.open || frame.savepoint !== undefined;
    if (holds && endingBeforeCommit(machine, frame).length > 0)
      return { kind: 'wait', changes: machine.changes };
    // Before the other branches are joined: one of them may wait for locks of this transaction.
    const action = completeMacro(thread, frame);
    if (action) return action;
  }
  if (isScope(frame)) {
    if (frame.children.length > 0) return { kind: 'wait', changes: machine.changes };
    join(machine, thread, frame);
  }
  if (frame.kind === 'swarm_branch') return endSwarmBranch(machine, thread, frame);
  if (frame.kind === 'macro' && thread.id === MAIN && thread.frames.length === 1)
    machine.outcome = { state: 'completed', variables: frame.variables };
  thread.frames.pop();
  restoreIterator(thread, frame);
  if (machine.outcome) {
    endThread(machine, thread);
    return { kind: 'over' };
  }
  const { step, caught } = frame;
  try {
    if (frame.kind === 'macro' && frame.output !== undefined)
      keep(machine, thread, frame.output, frame.variables);
    traceEnd(machine, step, { state: 'completed' }, now);
  } catch (error) {
    failStep(machine, thread, { step, caught }, stepError(error), now);
  }
  return { kind: 'stepped' };
}

function nextRound(thread: Thread, frame: LoopFrame): boolean {
  if (frame.index + 1 >= frame.list.length) return false;
  frame.index++;
  frame.at = 0;
  scopeOf(thread).variables[frame.iterator] = frame.list[frame.index] as Json;
  return true;
}

/** Processes the outcome of the pending call of a thread. */
export function settle(machine: Machine, id: number, settled: Settled, now: number): void {
  const thread = machine.threads[id];
  const pending = thread?.pending;
  if (thread === undefined || pending === undefined) return;
  const to = settleTransaction(machine, thread, settled);
  delete thread.pending;
  if (settled.ok) {
    const { tokens } = settled;
    if (tokens) {
      machine.tokens.input += tokens.input;
      machine.tokens.output += tokens.output;
    }
    try {
      // The result of a step of a stopped thread is dropped.
      if (pending.output !== undefined && !thread.unwinding)
        keep(machine, thread, pending.output, settled.value ?? null);
      if (pending.kind === 'call' || pending.kind === 'manage')
        traceEnd(machine, pending.step, { state: 'completed', ...(tokens && { tokens }) }, now);
    } catch (error) {
      failStep(machine, thread, pending, stepError(error), now);
    }
    return;
  }
  if (pending.kind === 'rollback') return;
  if (thread.unwinding) {
    if (to !== undefined) raise(thread, settled.error, to);
    return stopStep(machine, thread, pending.step, settled.error, now);
  }
  const { step, error_variable } = pending;
  const caught = pending.caught && to === undefined;
  failStep(machine, thread, { step, caught, error_variable }, settled.error, now, to);
}

/** Ends a step as stopped. Its error is kept only if the step may have taken effect: a person must check that. */
function stopStep(machine: Machine, thread: Thread, step: number, error: ErrorBody, now: number): void {
  const doubt = saysUnknown(error) && { error: placed(thread, tracedStep(machine, step), error) };
  traceEnd(machine, step, { state: 'cancelled', ...doubt }, now);
}

const tracedStep = ({ trace }: Machine, step: number) => trace.findLast(({ number }) => number === step);

function placed(thread: Thread, row: TraceStep | undefined, error: ErrorBody): ErrorBody {
  const { macro, path } = row ?? { macro: scopeOf(thread).macro, path: pathText(scopeOf(thread).path) };
  return macroError(error, { macro, path });
}

/** Ends a step as failed; its error is caught here, or unwinds further. */
function failStep(
  machine: Machine,
  thread: Thread,
  { step, caught, error_variable }: { step: number; caught: boolean; error_variable?: string },
  error: ErrorBody,
  now: number,
  to?: number,
): void {
  const row = tracedStep(machine, step);
  const failure = placed(thread, row, error);
  if (row?.state === 'running' && !isFrameStep(thread, step))
    traceEnd(machine, step, { state: 'failed', error: failure }, now);
  if (!caught) raise(thread, failure, to);
  else if (error_variable !== undefined) assign(thread, error_variable, failure as unknown as Json);
}

/** Whether a step still has a frame, with which it ends. */
const isFrameStep = (thread: Thread, step: number): boolean =>
  step !== 0 && thread.frames.some((frame) => frame.step === step);

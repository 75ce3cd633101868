import type { ErrorBody } from '../../contract/errors';
import type { Json } from '../../contract/macro';
import { CANCELLED, raise, withCommitted } from './errors';
import {
  assign,
  isScope,
  MAIN,
  transactionOwner,
  type Frame,
  type Machine,
  type ScopeFrame,
  type Thread,
} from './machine-state';
import { traceEnd } from './trace';
import { abandonMacro, type TransactionAction } from './transaction';

/** The next action of a thread that fails or stops. */
export type UnwindAction =
  { kind: 'stepped' } | { kind: 'wait'; changes: number } | TransactionAction | { kind: 'over' };

/** Stops a thread and all threads that it forked; the shell must cancel their pending calls. */
export function cancelThread(machine: Machine, thread: Thread): void {
  const before = thread.unwinding;
  thread.unwinding = { error: before?.error ?? CANCELLED, to: -1, cancelled: true };
  machine.changes++;
}

/** Ends the whole run as failed, even if its steps would catch the error. */
export function failRun(machine: Machine, error: ErrorBody): void {
  const main = machine.threads[MAIN];
  if (main === undefined) return;
  raise(main, error, -1);
  machine.changes++;
}

/** Unwinds a thread by one action. */
export function unwind(machine: Machine, thread: Thread, now: number): UnwindAction {
  const { unwinding } = thread;
  const frame = thread.frames.at(-1);
  if (frame === undefined || unwinding === undefined) return endFailed(machine, thread);
  if (isScope(frame) && frame.children.length > 0) return stopChildren(machine, frame);
  const depth = thread.frames.length - 1;
  const { to } = unwinding;
  const caught = frame.caught && (to === undefined || depth <= to);
  if (frame.kind === 'swarm_branch' && caught) {
    // Its one step has failed; the variables that the branch set must still be joined.
    delete thread.unwinding;
    return { kind: 'stepped' };
  }
  const action = frame.kind === 'macro' ? abandonMacro(thread, frame, caught) : undefined;
  if (action) return action;
  if (thread.id === MAIN && depth === 0 && frame.kind === 'macro') {
    const { error, cancelled } = unwinding;
    const state = cancelled ? 'cancelled' : 'failed';
    machine.outcome = { state, variables: frame.variables, error: withCommitted(error, machine.committed) };
  }
  thread.frames.pop();
  restoreIterator(thread, frame);
  const { error, cancelled } = unwinding;
  traceEnd(machine, frame.step, cancelled ? { state: 'cancelled' } : { state: 'failed', error }, now);
  if (!caught) return { kind: 'stepped' };
  delete thread.unwinding;
  if (frame.error_variable !== undefined) assign(thread, frame.error_variable, error as unknown as Json);
  return { kind: 'stepped' };
}

/** Whether the failure of a thread is caught within its transaction, which goes on. */
export function keepsTransaction(thread: Thread): boolean {
  const { frames, unwinding } = thread;
  const owner = transactionOwner(thread);
  if (owner === undefined) return false;
  return frames.slice(frames.indexOf(owner) + 1, (unwinding?.to ?? -1) + 1).some(({ caught }) => caught);
}

function stopChildren(machine: Machine, frame: ScopeFrame): UnwindAction {
  for (const id of frame.children) {
    const child = machine.threads[id];
    if (child && child.unwinding?.to !== -1) cancelThread(machine, child);
  }
  return { kind: 'wait', changes: machine.changes };
}

function endFailed(machine: Machine, thread: Thread): UnwindAction {
  const { unwinding, parent } = thread;
  endThread(machine, thread);
  const owner = parent && machine.threads[parent.thread];
  // Another branch failed: its group ends, which is the frame it was forked from with everything in it (specification M7).
  if (owner && parent && unwinding && !unwinding.cancelled)
    raise(owner, unwinding.error, unwinding.to === -1 ? -1 : parent.frame);
  return { kind: 'over' };
}

/** Removes a thread from the machine and from its group. */
export function endThread(machine: Machine, { id, parent }: Thread): ScopeFrame | undefined {
  delete machine.threads[id];
  machine.changes++;
  const group = parent && machine.threads[parent.thread]?.frames[parent.frame];
  if (group === undefined || !isScope(group)) return undefined;
  group.children = group.children.filter((child) => child !== id);
  return group;
}

/** Restores the value that a loop's iterator had before the loop. */
export function restoreIterator(thread: Thread, frame: Frame): void {
  if (frame.kind !== 'loop') return;
  const scope = thread.frames.findLast(isScope);
  if (scope === undefined) return;
  if (frame.before) scope.variables[frame.iterator] = frame.before.value;
  else delete scope.variables[frame.iterator];
}

import type { Json, Step } from '../../contract/macro';
import { VARIABLE_COST } from './limits';
import {
  catchOf,
  roundsOf,
  scopeOf,
  transactionOwner,
  type AsideFrame,
  type Frame,
  type Machine,
  type ScopeFrame,
  type Thread,
} from './machine-state';
import { endThread } from './unwind';

/** What a step came to that was to run beside the others. */
export type ForkAction = { kind: 'forked'; thread: number } | { kind: 'wait'; changes: number };

/** Within a transaction only whole macros may run beside it (seed 003: safeguards). */
export function mayFork(thread: Thread, step: Step): boolean {
  if (!step.is_async) return false;
  const frame = thread.frames.at(-1);
  // The one step of such a thread has been forked already.
  if (frame?.kind === 'aside') return false;
  return step.type === 'macro' || transactionOwner(thread) === undefined;
}

/** Gives a step a thread of its own; it waits where as many run beside each other as may. */
export function fork(machine: Machine, thread: Thread, frame: Frame, step: Step): ForkAction {
  const scope = scopeOf(thread);
  // It is not part of the transaction and may wait for what that holds. So it is joined after the end of the
  // transaction, and does not block on other waiting branches.
  const owner = transactionOwner(thread);
  const group = owner ?? scope;
  if (owner === undefined && group.children.length >= machine.limits.at_once)
    return { kind: 'wait', changes: machine.changes };
  const id = machine.next_thread++;
  machine.cost += VARIABLE_COST * Object.keys(scope.variables).length;
  machine.threads[id] = {
    id,
    parent: { thread: thread.id, frame: thread.frames.indexOf(group) },
    frames: [
      {
        kind: 'aside',
        macro: scope.macro,
        path: frame.path,
        at: frame.at,
        until: frame.at + 1,
        step: 0,
        ...catchOf(step),
        variables: { ...scope.variables },
        children: [],
        joined: {},
        written: [],
        rounds: roundsOf(thread),
        ...(group !== scope && { apart: true }),
      },
    ],
  };
  group.children.push(id);
  frame.at++;
  return { kind: 'forked', thread: id };
}

/** Sets the variables of the steps that ran beside: what the step that began last set, whichever ended last. */
export function join(frame: ScopeFrame): void {
  const joined = Object.entries(frame.joined);
  for (const [name, { value }] of joined) frame.variables[name] = value;
  if (frame.kind === 'aside')
    frame.written = [...new Set([...frame.written, ...joined.map(([name]) => name)])];
  frame.joined = {};
}

/** A step that ran beside is over: its variables wait for the others. */
export function endAside(
  machine: Machine,
  thread: Thread,
  { written, variables, apart }: AsideFrame,
): { kind: 'over' } {
  thread.frames.pop();
  const group = endThread(machine, thread);
  if (group && !apart)
    for (const name of written) {
      const before = Object.hasOwn(group.joined, name) ? group.joined[name] : undefined;
      if (before === undefined || before.thread < thread.id)
        group.joined[name] = { thread: thread.id, value: variables[name] as Json };
    }
  return { kind: 'over' };
}

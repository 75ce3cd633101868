import type { Json, MacroBundle, Step } from '../../contract/macro';
import { mayWaitFor } from './calls';
import { VARIABLE_COST } from './limits';
import {
  assign,
  assignAppended,
  catchOf,
  databaseOwner,
  detachedFrom,
  roundsOf,
  scopeOf,
  transactionOwner,
  type SwarmBranchFrame,
  type Frame,
  type Machine,
  type ScopeFrame,
  type Thread,
} from './machine-state';
import { endingBeforeCommit } from './transaction';
import { endThread } from './unwind';

/** The result of a step that was to run as a parallel branch. */
export type ForkAction = { kind: 'forked'; thread: number } | { kind: 'wait'; changes: number };

/** Within a transaction only whole macros may run in parallel (specification M9). */
export function mayFork(thread: Thread, step: Step): boolean {
  if (!step.is_async) return false;
  const frame = thread.frames.at(-1);
  // The one step of such a thread has been forked already.
  if (frame?.kind === 'swarm_branch') return false;
  return step.type === 'macro' || transactionOwner(thread) === undefined;
}

/** Gives a step its own thread; the step waits while the maximum number of branches is running. */
export function fork(
  machine: Machine,
  bundle: MacroBundle,
  thread: Thread,
  frame: Frame,
  step: Step,
): ForkAction {
  const scope = scopeOf(thread);
  // The branch is not part of the transaction. If it never waits for the transaction, the macro that began it and the
  // commit wait for the branch, so that its failure rolls their work back. Otherwise it is joined after the commit, by
  // the macro that owns the transaction. It does not block on other waiting branches.
  const owner = transactionOwner(thread);
  const before_commit = owner?.database !== undefined && !mayWaitFor(bundle, step, owner.database);
  const mayWait = owner !== undefined && !before_commit;
  const group = mayWait ? owner : scope;
  const database = databaseOwner(thread)?.database ?? detachedFrom(thread);
  const running = before_commit ? endingBeforeCommit(machine, group) : group.children;
  if (!mayWait && running.length >= machine.limits.at_once) return { kind: 'wait', changes: machine.changes };
  const id = machine.next_thread++;
  machine.cost += VARIABLE_COST * Object.keys(scope.variables).length;
  machine.threads[id] = {
    id,
    parent: { thread: thread.id, frame: thread.frames.indexOf(group) },
    frames: [
      {
        kind: 'swarm_branch',
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
        ...(before_commit && { before_commit }),
        ...(database !== undefined && { database }),
      },
    ],
  };
  group.children.push(id);
  frame.at++;
  return { kind: 'forked', thread: id };
}

/**
 * Sets the variables of the parallel branches. Each variable gets the value of the step that began last, even if
 * another one ended last. A list gets all appended elements, in the order in which the steps began.
 */
export function join(machine: Machine, thread: Thread, frame: ScopeFrame): void {
  const { joined, gathered = [] } = frame;
  frame.joined = {};
  delete frame.gathered;
  for (const [name, { value }] of Object.entries(joined)) assign(thread, name, value);
  const further = new Map<string, Json[]>();
  for (const { name, thread: from, elements } of gathered.sort((a, b) => a.thread - b.thread)) {
    // A later value replaces the list.
    if (Object.hasOwn(joined, name) && (joined[name]?.thread ?? 0) > from) continue;
    const list = further.get(name) ?? [];
    for (const element of elements) list.push(element);
    further.set(name, list);
  }
  for (const [name, elements] of further) {
    const before = Object.hasOwn(frame.variables, name) ? frame.variables[name] : [];
    const list = Array.isArray(before) ? [...before, ...elements] : elements;
    machine.cost += list.length;
    assignAppended(thread, name, list, elements.length);
  }
}

/** A branch has ended: its variables wait for the other branches. */
export function endSwarmBranch(
  machine: Machine,
  thread: Thread,
  { written, appended = {}, variables, apart }: SwarmBranchFrame,
): { kind: 'over' } {
  thread.frames.pop();
  const group = endThread(machine, thread);
  if (group && !apart)
    for (const name of written) {
      const before = Object.hasOwn(group.joined, name) ? group.joined[name] : undefined;
      if (before === undefined || before.thread < thread.id)
        group.joined[name] = { thread: thread.id, value: variables[name] as Json };
    }
  if (group && !apart)
    for (const [name, count] of Object.entries(appended)) {
      const elements = (variables[name] as Json[]).slice(-count);
      (group.gathered ??= []).push({ name, thread: thread.id, elements });
    }
  return { kind: 'over' };
}

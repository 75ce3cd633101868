import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { ErrorBody } from '../../src/contract/errors';
import type { MacroBundle } from '../../src/contract/macro';
import { advance, settle, type Action, type Settled } from '../../src/core/macro/machine';
import { transactionLost } from '../../src/core/macro/errors';
import { MAIN, transactionOwner, type Machine, type Thread } from '../../src/core/macro/machine-state';
import { inTransaction } from '../../src/core/macro/transaction';
import { historyHeld } from '../../src/core/macro/limits';
import { cancelThread, failRun, keepsTransaction } from '../../src/core/macro/unwind';
import { fromActivityFailure } from '../shared/failures';
import { perform, transactionOf, waitForOperation, type EffectContext, type Outcome } from './effects';
import type { MacroRun } from '../../src/core/macro/view';

/** A running machine: the data that exists only in this workflow run. */
export interface MachineRun {
  machine: Machine;
  bundle: MacroBundle;
  effects: EffectContext;
  paused: boolean;
  /** Set to stop every thread before its next step, so that the machine can be handed over. */
  draining: boolean;
  /** The threads that have a driver here. */
  driven: Set<number>;
  /** The threads that are between two steps, or wait for another thread. */
  parked: Set<number>;
  /** The scopes that stop the threads' calls, and whether a call is made within a transaction. */
  scopes: Map<number, { scope: CancellationScope; within: boolean }>;
  /** An internal defect. It fails the workflow task, which is retried until the defect is fixed. */
  defect?: { error: unknown };
  onChange: () => void;
}

/** Drives all threads until the run has its outcome (`over`), or `due` asks for a handover (`drained`). */
export async function drive(run: MachineRun, due: () => boolean): Promise<'over' | 'drained'> {
  const { machine } = run;
  const tooLong = () => historyHeld(workflowInfo().historyLength, workflowInfo().historySize, machine.spent);
  for (const id of Object.keys(machine.threads)) launch(run, Number(id));
  for (;;) {
    await condition(() => isOver(run) || (inTransaction(machine) ? tooLong() !== undefined : due()));
    if (isOver(run)) break;
    const refusal = tooLong();
    if (inTransaction(machine) && refusal) {
      stopRun(run, refusal);
      await condition(() => isOver(run));
      break;
    }
    run.draining = true;
    const parked = () => Object.values(machine.threads).every((thread) => mayBeHandedOver(run, thread));
    // A transaction that was just beginning is completed first.
    await condition(() => isOver(run) || parked() || inTransaction(machine));
    if (!isOver(run) && parked() && !inTransaction(machine)) return 'drained';
    run.draining = false;
  }
  if (run.defect) throw run.defect.error;
  return 'over';
}

const mayBeHandedOver = ({ parked }: MachineRun, { id, pending }: Thread): boolean =>
  parked.has(id) || pending?.waits_for !== undefined || pending?.question !== undefined;

const isOver = ({ machine, defect }: MachineRun): boolean =>
  defect !== undefined || (machine.outcome !== undefined && Object.keys(machine.threads).length === 0);

/** Temporal's own Cancel: everything stops at once, an open transaction is rolled back, nothing is compensated. */
export function cancelRun(run: MachineRun): void {
  const main = run.machine.threads[MAIN];
  if (main) cancelThread(run.machine, main);
  stopCalls(run);
}

/** Ends the run as failed. Steps that wait for a person or an operation stop too, because they never see it. */
export function stopRun(run: MachineRun, error: ErrorBody): void {
  failRun(run.machine, error);
  stopCalls(run);
}

function launch(run: MachineRun, id: number): void {
  if (run.driven.has(id)) return;
  run.driven.add(id);
  driveThread(run, id).catch((error: unknown) => {
    run.defect ??= { error };
  });
}

async function driveThread(run: MachineRun, id: number): Promise<void> {
  const { waits_for: operation_id, question } = run.machine.threads[id]?.pending ?? {};
  if (question) await settled(run, id, () => call(run, id, () => answered(run, id)));
  if (operation_id !== undefined)
    await settled(run, id, () => call(run, id, () => waitForOperation(run.effects, operation_id)));
  for (;;) {
    // Waits only if necessary: each promise costs the sandbox more than a small step.
    if (mustWait(run, id)) await betweenSteps(run, id);
    const action = advance(run.machine, run.bundle, id, Date.now());
    stopCalls(run);
    if (action.kind !== 'stepped') run.onChange();
    if (action.kind === 'over') return;
    if (action.kind === 'forked') launch(run, action.thread);
    else if (action.kind !== 'stepped') await carryOut(run, id, action);
  }
}

const mustWait = (run: MachineRun, id: number): boolean =>
  run.effects.budget.taken() !== undefined || isHeld(run, id);

/** Whether threads must stop: the run is paused, or about to be handed over. A thread that is ending continues. */
const isHeld = ({ paused, draining, machine }: MachineRun, id: number): boolean =>
  (paused || draining) && machine.threads[id]?.unwinding === undefined;

async function betweenSteps(run: MachineRun, id: number): Promise<void> {
  for (;;) {
    const budget = run.effects.budget.taken();
    if (budget) await budget;
    else if (isHeld(run, id)) await parked(run, id, () => !isHeld(run, id));
    else return;
  }
}

async function parked(run: MachineRun, id: number, until: () => boolean): Promise<void> {
  run.parked.add(id);
  await condition(until);
  run.parked.delete(id);
}

async function carryOut(
  run: MachineRun,
  id: number,
  action: Exclude<Action, { kind: 'over' | 'forked' | 'stepped' }>,
): Promise<void> {
  const { transactions } = run.effects;
  switch (action.kind) {
    case 'yield':
      return run.effects.budget.take();
    case 'wait':
      return parked(run, id, () => run.machine.changes !== action.changes);
    case 'call': {
      const { step, call: effect } = action;
      const work = () => (effect.do === 'question' ? answered(run, id) : perform(run.effects, step, effect));
      const within = effect.do !== 'question' && transactionOf(run.effects, effect) !== undefined;
      return settled(run, id, () => call(run, id, work, within));
    }
    case 'commit':
    case 'rollback':
      return settled(run, id, () => transactions.end(action.transaction, action.kind).then(() => ({})));
    case 'savepoint': {
      const { transaction, name, move } = action;
      return settled(run, id, () => transactions.moveSavepoint(transaction, name, move).then(() => ({})));
    }
  }
}

/** The machine holds the question, and the update `answer` adds the answer to it. */
async function answered({ machine }: MachineRun, id: number): Promise<Outcome> {
  const answer = () => machine.threads[id]?.pending?.question?.answer;
  await condition(() => answer() !== undefined);
  const { value } = answer() ?? {};
  return value === undefined ? {} : { value };
}

async function call(
  run: MachineRun,
  id: number,
  work: () => Promise<Outcome>,
  within = false,
): Promise<Outcome> {
  const scope = new CancellationScope();
  run.scopes.set(id, { scope, within });
  try {
    return await scope.run(work);
  } finally {
    run.scopes.delete(id);
  }
}

async function settled(run: MachineRun, id: number, work: () => Promise<Outcome>): Promise<void> {
  // Read first, because an ended call no longer names it.
  const thread = run.machine.threads[id];
  const ref = thread && transactionOwner(thread)?.transaction?.ref;
  let end: Settled;
  try {
    end = { ok: true, ...(await work()) };
  } catch (error) {
    end = { ok: false, error: isCancellation(error) ? stopped : fromActivityFailure(error) };
  }
  const { transactions } = run.effects;
  const lost = ref !== undefined && transactions.isLost(ref);
  // The step's work within it is lost, whatever the step itself reports.
  if (lost && end.ok) end = { ok: false, error: transactionLost(ref.database) };
  settle(run.machine, id, { ...end, lost, opened: ref && transactions.isOpen(ref) }, Date.now());
  stopCalls(run);
  run.onChange();
}

const stopped = { code: 'MACRO_FAILED', message: 'The step was stopped.', hint: '' } as const;

/**
 * Stops the calls of cancelled threads. Calls that begin or end a transaction are completed, and so are those within one
 * that goes on: it would be lost with a call that is stopped.
 */
function stopCalls(run: MachineRun): void {
  for (const [id, { scope, within }] of run.scopes) {
    const thread = run.machine.threads[id];
    if (!thread?.unwinding || thread.pending?.kind !== 'call') continue;
    if (!within || !keepsTransaction(thread)) scope.cancel();
  }
}

/** The data of a macro workflow besides its state. */
export interface MacroSelf {
  run: MacroRun;
  machine?: MachineRun;
  /** Whether Temporal's own Cancel has arrived. */
  cancelled?: boolean;
  /** The state that lists show, as far as this run has set it. */
  listed?: string;
  /** The time of this run's last progress report to the sentinel, in milliseconds. */
  shown_at?: number;
}

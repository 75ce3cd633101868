import {
  allHandlersFinished,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  workflowInfo,
} from '@temporalio/workflow';
import { BatchgateError, type ErrorBody } from '../../src/contract/errors';
import { parseJobId } from '../../src/contract/job-ids';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import type { MacroInput } from '../../src/contract/macro';
import type { MacroResult } from '../../src/contract/macro-run';
import { beginMachine } from '../../src/core/macro/machine-state';
import { MAX_RUN_COST } from '../../src/core/macro/limits';
import { handOver, takeOver, type Handover } from '../../src/core/macro/handover';
import {
  detailsOf,
  nameOf,
  noteOperation,
  noteTaskRun,
  parseMacroRunInput,
  resultOf,
  type MacroRun,
} from '../../src/core/macro/view';
import { askForPlace, leavePlace, parentInMemo } from '../shared/admission';
import { fromActivityFailure } from '../shared/failures';
import { handedOver, handOver as continueWith, isFull } from '../shared/hand-over';
import { createTaskBudget } from './task-budget';
import { resolveMacro } from './effects';
import { registerHandlers } from './handlers';
import { cancelRun, drive, stopRun, type MachineRun, type MacroSelf } from './run';
import { createSlots } from './slots';
import { createTransactions } from './transaction';
import { showDetails, showProgress } from '../shared/visibility';
import { publishStart, publishState } from './handlers';

/**
 * A macro (specification M1): its steps, sequential or parallel, as activities. Its file is read before it begins, so
 * that no replay depends on a file. Only continue-as-new sets `carried`.
 */
export async function macro(input: MacroInput, carried?: Handover): Promise<MacroResult> {
  const previous = handedOver(carried);
  const { run, refusal } = previous ? { run: takeOver(previous), refusal: undefined } : read(input);
  const self: MacroSelf = { run };
  registerHandlers(self);
  showDetails(() => detailsOf(self.run));
  CancellationScope.current().cancelRequested.catch(() => {
    self.cancelled = true;
    if (self.machine) cancelRun(self.machine);
  });
  return CancellationScope.nonCancellable(async () => {
    if (!previous) {
      publishStart(self);
      const error = refusal ?? (await begin(self, input));
      if (error) end(self, self.cancelled ? 'cancelled' : 'rejected', error);
    }
    if (run.begun) await work(self);
    if (run.state === 'cancelled') await cancelOperations(self);
    await condition(allHandlersFinished);
    publishState(self);
    if (!refusal) await leavePlace();
    return resultOf(run);
  });
}

/** An input that cannot be parsed still starts a run, so that a query can return the refusal. */
function read(value: unknown): { run: MacroRun; refusal?: ErrorBody } {
  const { workflowId, startTime } = workflowInfo();
  const now = startTime.getTime();
  const run: MacroRun = { run_id: workflowId, macro: '', state: 'running', created_at: now, updated_at: now };
  try {
    parseJobId(workflowId, WORKFLOW_TYPES.macro);
    const { macro: source, session_id, by_agent } = parseMacroRunInput(value);
    const starter = { ...(session_id !== undefined && { session_id }), ...(by_agent && { by_agent }) };
    return { run: { ...run, macro: nameOf(source), ...starter } };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return { run, refusal: error.body };
  }
}

/** Takes a slot, and reads and validates the macro. Returns the error if it may not begin. */
async function begin(self: MacroSelf, input: MacroInput): Promise<ErrorBody | undefined> {
  const { run } = self;
  const { workflowId: operation_id, firstExecutionRunId: run_id } = workflowInfo();
  const { session_id } = run;
  const applicant = { operation_id, run_id, kind: 'macro' as const, ...parentInMemo() };
  const admission = await askForPlace({ ...applicant, ...(session_id !== undefined && { session_id }) });
  if (!admission.admitted) return admission.error;
  const { macro: source, macros, args = {}, database, profile } = input;
  try {
    const resolved = await resolveMacro({
      macro: source,
      ...(macros && { macros }),
      args,
      ...(database !== undefined && { database }),
      ...(profile !== undefined && { profile }),
    });
    const machine = beginMachine(resolved.bundle, args, resolved.limits, database);
    run.begun = { resolved, settings: admission.settings, machine };
    return undefined;
  } catch (error) {
    return fromActivityFailure(error);
  }
}

function end({ run }: MacroSelf, state: MacroRun['state'], error?: ErrorBody): void {
  run.state = state;
  run.updated_at = Date.now();
  if (error) run.error = error;
}

/** Runs the machine to its end, or hands it over to another run. */
async function work(self: MacroSelf): Promise<void> {
  const { run } = self;
  const { begun } = run;
  if (!begun) return;
  const { resolved, settings, machine } = begun;
  const { session_id, by_agent } = run;
  const effects = {
    settings,
    resolved,
    slots: createSlots(resolved.limits.at_once),
    budget: createTaskBudget(),
    transactions: createTransactions(settings),
    operations: {
      started: (id: string) => noteOperation(run, 'started', id),
      ended: (id: string) => noteOperation(run, 'ended', id),
    },
    startsTaskRun: (id: string) => noteTaskRun(run, id),
    ...(session_id !== undefined && { session_id }),
    ...(by_agent && { by_agent }),
  };
  self.machine = machineRun(self, { machine, bundle: resolved.bundle, effects });
  if (self.cancelled) cancelRun(self.machine);
  let fits = true;
  // A machine that is too large ends in this run, and is not tested again.
  const due = () => fits && (isFull() || machine.spent >= MAX_RUN_COST);
  while ((await drive(self.machine, due)) === 'drained') fits = await continueRun(self, self.machine);
  const { outcome } = machine;
  if (outcome) end(self, outcome.state, outcome.error);
}

/** Cancels the parts of the run; batches that a person confirmed there stay done. */
async function cancelOperations({ run }: MacroSelf): Promise<void> {
  const { operations = [] } = run;
  // An operation that has ended in the meantime cannot be cancelled.
  await Promise.all(
    operations.map((id) =>
      getExternalWorkflowHandle(id)
        .cancel()
        .catch(() => undefined),
    ),
  );
}

function machineRun(self: MacroSelf, parts: Pick<MachineRun, 'machine' | 'bundle' | 'effects'>): MachineRun {
  return {
    ...parts,
    paused: self.run.state === 'paused' || self.run.state === 'pausing',
    draining: false,
    driven: new Set(),
    parked: new Set(),
    scopes: new Map(),
    onChange: () => {
      self.run.updated_at = Date.now();
      showProgress(self);
      publishState(self);
    },
  };
}

/** Continues as new, and then never returns; a state that is too large to be carried fails instead. */
async function continueRun({ run }: MacroSelf, machine: MachineRun): Promise<boolean> {
  await condition(allHandlersFinished);
  const result = handOver(run);
  if ('refusal' in result) {
    machine.draining = false;
    stopRun(machine, result.refusal);
    return false;
  }
  const { macro: name, session_id } = run;
  return continueWith<typeof macro>(
    { macro: name, ...(session_id !== undefined && { session_id }) },
    result.handover,
  );
}

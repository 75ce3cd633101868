import { allHandlersFinished, CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import { BatchgateError, type ErrorBody } from '../../src/contract/errors';
import type { ResetResults } from '../../src/contract/plans';
import { parseJobId } from '../../src/contract/job-ids';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { carried as carriedState } from '../../src/core/bulk/carried';
import { parseRecordedInput, type OperationInput } from '../../src/core/bulk/input';
import {
  askNext,
  batchOver,
  beginOperation,
  closeAs,
  rejected,
  settledLate,
  withOutcome,
  withResults,
} from '../../src/core/bulk/lifecycle';
import { namedAgain } from '../../src/core/bulk/asked-items';
import { earliestMoment, nextMoment, reminderAt, withReminder } from '../../src/core/bulk/deadlines';
import { escalationAt } from '../../src/core/bulk/approvals';
import { withRecordOf } from '../../src/core/bulk/decisions';
import { detailsOf } from '../../src/core/bulk/details';
import {
  firstWithWork,
  gateKey,
  pendingPlaces,
  skippedOf,
  unknownBatch,
  withKnown,
  type OperationState,
} from '../../src/core/bulk/operation';
import { isClosed, needsConfirmation } from '../../src/core/bulk/transitions';
import { statusOf } from '../../src/core/bulk/view';
import { escalate } from './approvals';
import { answerEdit } from './edit';
import { askCancel, registerHandlers } from './handlers';
import { prepareOperation, readQuestion } from './plan';
import { takeSlotAgain } from './readmission';
import { closeOperation, readResults, runBatch, settleBatch, unread, type Unread } from './steps';
import { fromActivityFailure } from '../shared/failures';
import { resetsSoFar } from '../shared/resets';
import { handedOver, handOverWith, isFull } from '../shared/hand-over';
import { isRecorded, recordDecisions } from './recording';
import { requestClose, RunningOperation } from './running-operation';
import { untilDue, waitsForWindow } from './schedule';
import { tooFarAhead } from '../../src/core/bulk/due';
import {
  progressMemo,
  publishBatch,
  publishProgress,
  publishReminder,
  publishRunning,
  publishStart,
  publishState,
  showDetails,
} from '../shared/visibility';

/**
 * One action on many items, batch by batch, each after a person's confirmation (specification L1). `carried` is the
 * state of the previous run; only continue-as-new sets it.
 */
export async function bulkOperation(
  input: BulkOperationInput,
  carried?: OperationState,
): Promise<BulkStatus> {
  const previous = handedOver(carried);
  const { state, refusal } = previous ? { state: previous, refusal: undefined } : begin(input);
  const operation = new RunningOperation(state);
  // The state is complete before the handlers are registered: updates that were waiting run inside this call.
  registerHandlers(operation);
  showDetails(() => detailsOf(operation.state));
  CancellationScope.current().cancelRequested.catch(() => askCancel(operation, {}, 'temporal'));
  return CancellationScope.nonCancellable(async () => {
    if (refusal) {
      operation.state = rejected(state, refusal, Date.now());
      publishState(operation);
    }
    if (!refusal && !previous) await prepare(operation, input.idle_timeout_seconds);
    if (!isClosed(operation.state.state)) {
      void watchDeadline(operation);
      void recordDecisions(operation);
      void condition(isFull).then(() => operation.changed());
      await runBatches(operation);
    }
    if (!refusal) {
      publishProgress(operation);
      await closeOperation(operation);
    }
    await condition(() => allHandlersFinished() && operation.recording === undefined);
    return statusOf(operation.state);
  });
}

/** An input that cannot be parsed still starts an operation, so that a query can return the refusal. */
function begin(value: unknown): { state: OperationState; refusal: ErrorBody | undefined } {
  const { workflowId, firstExecutionRunId, startTime } = workflowInfo();
  const identity = { operation_id: workflowId, first_run_id: firstExecutionRunId };
  const now = startTime.getTime();
  try {
    const input = parseRecordedInput(value);
    parseJobId(workflowId, WORKFLOW_TYPES.bulkOperation, input);
    return { state: beginOperation(identity, input, now), refusal: tooFarAhead(input.not_before, now) };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return { state: beginOperation(identity, unreadable(value), now), refusal: error.body };
  }
}

function unreadable(value: unknown): OperationInput {
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const text = (field: string) => (typeof fields[field] === 'string' ? fields[field].slice(0, 150) : '');
  return { domain: text('domain'), action: text('action'), batch_size: 0, idle_timeout_seconds: 0 };
}

async function prepare(operation: RunningOperation, askedSeconds: number | undefined): Promise<void> {
  publishStart(operation);
  operation.state = await prepared(operation, askedSeconds);
  if (!closed(operation)) publishProgress(operation);
}

/** Returns the state at the first question, or at an end before it. */
async function prepared(
  operation: RunningOperation,
  askedSeconds: number | undefined,
): Promise<OperationState> {
  const resets = resetsSoFar();
  const ended = () =>
    operation.closing && !operation.isReset && closeAs(operation.state, operation.closing.to, Date.now());
  const early = ended();
  if (early) return early;
  operation.step = new CancellationScope();
  try {
    const ready = await operation.step.run(() => prepareOperation(operation.state, askedSeconds));
    const early = ended();
    // The plan of a run that was reset before has the results in the ledger.
    operation.noteLedgerRead(resets);
    return early || withRecordOf(ready, operation.state);
  } catch (error) {
    return ended() || rejected(operation.state, fromActivityFailure(error), Date.now());
  }
}

/** Waits at the gate, runs the confirmed batch, and waits again. */
async function runBatches(operation: RunningOperation): Promise<void> {
  let batchesInRun = 0;
  for (;;) {
    const moved = () =>
      operation.isReset ||
      operation.closing !== undefined ||
      operation.edit !== undefined ||
      keyNow(operation) in operation.state.accepted ||
      closed(operation);
    // Messages that decide nothing fill the history too.
    await operation.until(() => moved() || isFull());
    const key = keyNow(operation);
    if (closed(operation)) return;
    if (operation.edit) {
      await answerEdit(operation, () => settleOpen(operation, key));
      if (operation.closing && !operation.isReset && !closed(operation)) return close(operation, key);
      continue;
    }
    if (operation.isReset) {
      await readAfterReset(operation);
      continue;
    }
    if (operation.state.state === 'scheduled' && !operation.closing) {
      await untilDue(operation);
      if (isFull()) await continueAtGate(operation);
      continue;
    }
    if (!moved()) {
      await continueAtGate(operation);
      continue;
    }
    if (!operation.closing) publishRunning(operation);
    const settled = await settleOpen(operation, key);
    if (operation.isReset) continue;
    if (operation.closing) return close(operation, key);
    if (waitsForWindow(operation)) continue;
    await runConfirmed(operation, key, settled);
    if (closed(operation)) return;
    batchesInRun++;
    if (batchesInRun >= operation.state.settings.batches_per_run || isFull()) await continueAtGate(operation);
  }
}

/** The key of the gate that is open, or whose batch runs. A question may be asked again under another attempt. */
const keyNow = ({ state }: RunningOperation): string => gateKey(state.batch, state.attempt);

/**
 * Until the last request of the previous attempt must be over, no part of a batch runs and no operation ends. Returns
 * the places that were settled.
 */
async function settleOpen(operation: RunningOperation, key: string): Promise<readonly number[] | Unread> {
  const { unsettled } = operation.state;
  if (unsettled === undefined) return [];
  const outcomes = await settleBatch(operation.state);
  if ('unread' in outcomes) return outcomes;
  operation.state = settledLate(operation.state, key, outcomes);
  return unsettled;
}

/** `settled` are items of the batch that were just settled. Nothing runs if they could not be read. */
async function runConfirmed(
  operation: RunningOperation,
  key: string,
  settled: readonly number[] | Unread,
): Promise<void> {
  const { state } = operation;
  const started_at = Date.now();
  const indexes = pendingPlaces(state, state.batch);
  const late = 'unread' in settled ? (state.unsettled ?? []) : settled;
  const indices = [...new Set([...indexes, ...late])];
  const { skipped: excluded = [], asked = [...indices, ...excluded] } = state.accepted[key] ?? {};
  const batch = {
    asked: [...new Set(asked)].sort((a, b) => a - b),
    indexes,
    skipped: skippedOf(state, state.batch),
    next: unknownBatch(state, firstWithWork(state, state.batch + 1)),
  };
  operation.step = new CancellationScope();
  const ended =
    'unread' in settled
      ? unread(state, settled, late)
      : await runBatch(state, batch, operation.step, () => operation.isReset);
  if (operation.isReset && (await readAfterReset(operation))) return;
  if (ended.missed && !operation.closing) {
    waitsForWindow(operation);
    return;
  }
  const ran = { ...ended, indices, started_at };
  if (batch.next && ended.outcomes.next)
    operation.state = withKnown(
      operation.state,
      namedAgain(operation.state, batch.next, ended.outcomes.next),
    );
  // The items of the next question depend on the outcomes, which may restart the ramp.
  await askedItems(operation, () => batchOver(operation.state, ran, Date.now()));
  operation.state = batchOver(operation.state, ran, Date.now());
  // An end waits for requests that may still take effect, and not a second time for a ledger that is away.
  const mayClose = operation.state.unsettled === undefined || ended.unread === true;
  if (operation.closing && !closed(operation) && mayClose) close(operation, key);
  else operation.state = withOutcome(operation.state, key);
  if (!closed(operation)) publishBatch(operation, state.accepted[key]);
}

/** Gets the items of a question before it is asked. If they can no longer be read, the operation ends. */
async function askedItems(operation: RunningOperation, ahead: () => OperationState): Promise<void> {
  if (operation.closing) return;
  const next = ahead();
  const batch = unknownBatch(next, next.batch);
  if (!batch) return;
  operation.step = new CancellationScope();
  try {
    const items = await operation.step.run(() => readQuestion(operation.state, batch));
    operation.state = withKnown(operation.state, items);
  } catch (error) {
    requestClose(operation, { to: 'cancelled', error: fromActivityFailure(error) });
  }
}

/**
 * Recovers a run that was reset after its plan: reads the results that its history lacks from the ledger, takes a slot
 * if it has none, and asks the question again. Returns false if no batch has run.
 */
async function readAfterReset(operation: RunningOperation): Promise<boolean> {
  const resets = resetsSoFar();
  const key = keyNow(operation);
  const results = await resultsInLedger(operation);
  await takeSlotAgain(operation, results);
  if (results) {
    operation.state = withResults(operation.state, results);
    await askedItems(operation, () => operation.state);
    operation.state = withOutcome(askNext(operation.state, Date.now()), key);
  }
  operation.noteLedgerRead(resets);
  if (results && !closed(operation)) publishProgress(operation);
  return results !== undefined;
}

/** Without an answer nothing can be asked, so the operation ends. */
async function resultsInLedger(operation: RunningOperation): Promise<ResetResults | undefined> {
  try {
    return await readResults(operation.state);
  } catch (error) {
    requestClose(operation, { to: 'cancelled', error: fromActivityFailure(error) });
    return undefined;
  }
}

/** Continues as new at an open question, once no caller waits for an answer of this run. */
async function continueAtGate(operation: RunningOperation): Promise<void> {
  const isInterrupted = () =>
    operation.isReset ||
    (keyNow(operation) in operation.state.accepted && operation.state.state !== 'scheduled') ||
    operation.edit !== undefined ||
    operation.closing !== undefined ||
    closed(operation);
  await condition(() => (allHandlersFinished() && isRecorded(operation)) || isInterrupted());
  if (isInterrupted()) return;
  const state = carriedState(operation.state);
  await handOverWith<typeof bulkOperation>(progressMemo(state), state.input, state);
}

/**
 * One timer per operation, for the reminder, an escalation or the deadline, which restarts when it fires too early: a
 * timer per batch would cost two events each. Only after a reminder or `extend` can the next moment be earlier; then a
 * new timer is started.
 */
async function watchDeadline(operation: RunningOperation): Promise<void> {
  while (!closed(operation) && !operation.closing) {
    const armed = nextMoment(operation.state) ?? earliestMoment(operation.state, Date.now());
    const wait = armed - Date.now();
    const sooner = () => (nextMoment(operation.state) ?? armed) < armed;
    if (wait > 0) await condition(sooner, wait, { summary: 'Reminds, then expires without a confirmation' });
    // The question is asked again, and has its whole time again.
    if (operation.isReset) await operation.untilKnown();
    const { deadline, state } = operation.state;
    if (deadline === undefined || !needsConfirmation(state)) continue;
    if (Date.now() >= deadline) requestClose(operation, { to: 'expired' });
    else if (Date.now() >= (escalationAt(operation.state) ?? Infinity)) escalate(operation);
    else if (Date.now() >= (reminderAt(operation.state) ?? Infinity)) {
      operation.state = withReminder(operation.state);
      publishReminder();
    }
  }
}

/** Ends the operation as requested; the caller that confirmed the gate of `key` gets the end as its answer. */
function close(operation: RunningOperation, key: string): void {
  const { closing } = operation;
  if (!closing) return;
  const closed = closeAs(operation.state, closing.to, Date.now(), closing.forced, closing.error);
  operation.state = withOutcome(closed, key);
}

function closed(operation: RunningOperation): boolean {
  return isClosed(operation.state.state);
}

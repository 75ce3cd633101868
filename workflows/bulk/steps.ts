import {
  ActivityCancellationType,
  log,
  proxyActivities,
  type ActivityOptions,
  type CancellationScope,
} from '@temporalio/workflow';
import type {
  BulkActivities,
  Reconciled,
  RunBatchInput,
  RunBatchResult,
  Unsettled,
} from '../../src/contract/activities';
import type { ResetResults } from '../../src/contract/plans';
import type { ErrorBody } from '../../src/contract/errors';
import { confirmedQuestion } from '../../src/core/bulk/answers';
import { approversOf } from '../../src/core/bulk/approving';
import { batchesTotal, gateKey, skippedOf, type OperationState } from '../../src/core/bulk/operation';
import { sentBatch } from '../../src/core/bulk/sent-batch';
import { editionOf } from '../../src/core/bulk/edits';
import { iso, statusOf } from '../../src/core/bulk/view';
import { scheduleOf } from '../../src/core/bulk/due';
import { closesAt } from '../../src/core/bulk/windows';
import { fromActivityFailure, wasNotTaken } from '../shared/failures';
import type { RunningOperation } from './running-operation';

/** Limited by tries instead of time: a worker or a ledger may return late. */
export const LEDGER_RETRIES = {
  initialInterval: '1s',
  maximumInterval: '15s',
  maximumAttempts: 200,
} as const;
const CLOSE_TIMEOUT_MS = 60_000;

const WORKER_STOPPED: ErrorBody = {
  code: 'ADAPTER_UNAVAILABLE',
  message: 'The worker was stopped before the batch was over; the items it had begun are counted.',
  hint: 'Confirm the rest of the batch, or cancel.',
};

/** The outcome of a confirmed batch. */
interface EndedBatch {
  outcomes: RunBatchResult;
  error?: ErrorBody;
  unsettled?: number[];
  /** Set if the ledger has nothing of it, or it is not known whether it has. */
  unbegun?: true;
  /** Set if no worker began it before its window ended. */
  missed?: true;
  /** Set if the ledger did not answer. */
  unread?: true;
}

/** The reason why nobody could read what became of a batch. */
export interface Unread {
  unread: ErrorBody;
}

/** The places of a confirmed batch: those in its question, and those to run. */
type ConfirmedPlaces = Pick<RunBatchInput, 'asked' | 'indexes' | 'skipped' | 'next'>;

/**
 * Runs one confirmed batch, once. A batch that dies is reconciled, and never retried automatically. One that was
 * refused has run nothing, and one that died because the run was reset is left to the ledger.
 */
export async function runBatch(
  state: OperationState,
  batch: ConfirmedPlaces,
  scope: CancellationScope,
  wasReset: () => boolean,
): Promise<EndedBatch> {
  const { call_timeout_ms, heartbeat_timeout_ms } = state.settings;
  const decision = state.accepted[gateKey(state.batch, state.attempt)];
  const reference = referenceTo(state, state.attempt);
  const title = titleOf(reference, state);
  const { indexes, skipped } = batch;
  const untouched = { outcomes: { codes: '' }, unbegun: true } as const;
  const closes = closesAt(state.windows, Date.now());
  const schedule = scheduleOf(state);
  const run = activities({
    startToCloseTimeout: call_timeout_ms * (indexes.length + 1) + heartbeat_timeout_ms,
    heartbeatTimeout: heartbeat_timeout_ms,
    retry: { maximumAttempts: 1 },
    // The server itself gives it to no worker after that.
    ...(closes !== undefined && { scheduleToStartTimeout: closes - Date.now() }),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: `${title}: ${indexes.length} item(s)`,
  });
  try {
    const outcomes = await scope.run(() =>
      run.runBatch(
        sentBatch({
          ...reference,
          ...batch,
          digest: decision?.digest ?? '',
          ...(schedule && { schedule }),
          edition: editionOf(state),
          confirmed: {
            via: decision?.via ?? 'update',
            ...(decision ? approversOf(decision, state.approving) : { assurance: 'asserted' as const }),
            at: iso(decision?.at ?? state.updated_at),
            ...confirmedQuestion(state),
          },
        }),
      ),
    );
    if ('refused' in outcomes) return { ...untouched, error: outcomes.refused };
    const { unbegun } = outcomes;
    const stoppedEarly = (unbegun ?? outcomes.codes.includes('p')) && !scope.consideredCancelled;
    return { outcomes, ...(unbegun && { unbegun }), ...(stoppedEarly && { error: WORKER_STOPPED }) };
  } catch (error) {
    if (wasNotTaken(error)) return { ...untouched, missed: true };
    const failure = fromActivityFailure(error);
    if (wasReset()) return { ...untouched, error: failure };
    const known = await reconcile(state, { ...reference, indexes, skipped });
    if ('unread' in known) return unread(state, known, indexes);
    const { unsettled, ...outcomes } = known;
    return unsettled
      ? { outcomes, error: stillOpen(failure, unsettled), unsettled: unsettled.indices }
      : { outcomes, error: failure };
  }
}

/**
 * Waits until the last requests of the previous attempt must be over, and returns the outcomes of their items. The
 * ledger gets the exclusions too: a cancel during the wait ends the operation before its batch records them.
 */
export async function settleBatch(state: OperationState): Promise<Reconciled | Unread> {
  const { unsettled: indexes = [] } = state;
  const skipped = skippedOf(state, state.batch);
  return reconcile(state, { ...referenceTo(state, state.attempt - 1), indexes, skipped, wait: true });
}

/** The ledger's results for the items of a run that was reset; undefined if no batch has run. */
export async function readResults(state: OperationState): Promise<ResetResults | undefined> {
  const { operation_id, first_run_id: run_id, store_id } = state;
  const ledger = activities({
    startToCloseTimeout: '30s',
    retry: LEDGER_RETRIES,
    summary: 'Read what ran before the reset',
  });
  return (await ledger.resultsAfterReset({ operation_id, run_id, store_id })) ?? undefined;
}

function referenceTo(state: OperationState, attempt: number) {
  return {
    operation_id: state.operation_id,
    run_id: state.first_run_id,
    batch: state.batch,
    attempt,
    store_id: state.store_id,
    call_timeout_ms: state.settings.call_timeout_ms,
  };
}

const titleOf = ({ batch, attempt }: { batch: number; attempt: number }, state: OperationState) =>
  `Batch ${batch} of ${batchesTotal(state)}${attempt > 1 ? `, attempt ${attempt}` : ''}`;

function stillOpen(failure: ErrorBody, { indices, until }: Unsettled): ErrorBody {
  const hint = `The last request for ${indices.length} item(s) may be carried out until ${iso(until)}. The next decision waits until then and looks again.`;
  return { ...failure, hint };
}

/** The outcome of a batch of which nothing is known yet. The next decision reads it before it runs anything. */
export function unread(
  { left_out = [] }: OperationState,
  { unread: error }: Unread,
  indexes: readonly number[],
): EndedBatch {
  const hint = `${error.hint} What became of the batch is not known yet: the next decision reads that first.`;
  return {
    outcomes: { codes: '' },
    error: { ...error, hint },
    unsettled: [...new Set([...indexes, ...left_out])].sort((a, b) => a - b),
    unbegun: true,
    unread: true,
  };
}

/** Returns the outcome of a batch that died, from the ledger and the tool. */
async function reconcile(
  state: OperationState,
  input: Parameters<BulkActivities['reconcile']>[0],
): Promise<Reconciled | Unread> {
  const look = activities({
    startToCloseTimeout: input.call_timeout_ms * (input.indexes.length + 2),
    heartbeatTimeout: state.settings.heartbeat_timeout_ms,
    retry: LEDGER_RETRIES,
    summary: `${titleOf(input, state)}: what became of it`,
  });
  try {
    return await look.reconcile(input);
  } catch (error) {
    return { unread: fromActivityFailure(error) };
  }
}

/** Records a resolution that already counts, so it waits for an unavailable ledger instead of failing. */
export async function recordResolution(
  input: Parameters<BulkActivities['recordResolution']>[0],
): Promise<void> {
  await activities({
    startToCloseTimeout: '10s',
    retry: LEDGER_RETRIES,
    summary: 'Record what a person found out',
  }).recordResolution(input);
}

/** Writes the last status into the ledger and releases the slot. An operation ends even if that fails. */
export async function closeOperation({ state, unrecorded }: RunningOperation): Promise<void> {
  const decisions = unrecorded.filter(({ approver, approvals }) => approver ?? approvals);
  try {
    await activities({
      startToCloseTimeout: '10s',
      scheduleToCloseTimeout: CLOSE_TIMEOUT_MS,
      summary: `Close as ${state.state}`,
    }).close({
      ...{ operation_id: state.operation_id, run_id: state.first_run_id, status: statusOf(state) },
      ...(decisions.length > 0 && { decisions }),
    });
  } catch (error) {
    // A start that needs the slot finds that its holder has ended; the result is in the history.
    const { code, message: reason } = fromActivityFailure(error);
    log.error('the end of this operation is missing in the ledger or its slot was not released', {
      code,
      reason,
    });
  }
}

export function activities(options: ActivityOptions): BulkActivities {
  return proxyActivities<BulkActivities>(options);
}

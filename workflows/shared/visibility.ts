import {
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  getExternalWorkflowHandle,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { SEARCH_ATTRIBUTES, SIGNALS } from '../../src/contract/messages';
import { approvalsIn } from '../../src/core/bulk/approval-words';
import { snapshotOf } from '../../src/core/bulk/lifecycle';
import type { AcceptedDecision, OperationState } from '../../src/core/bulk/operation';
import { sentBackOf } from '../../src/core/bulk/sent-back';
import { isClosed } from '../../src/core/bulk/transitions';
import { countsOf } from '../../src/core/bulk/view';
import type { RunningOperation } from '../bulk/running-operation';
import { sentinelId } from '../../src/contract/sentinel';

export const stateKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, SearchAttributeType.KEYWORD);
const domainKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.domain, SearchAttributeType.KEYWORD);
export const sessionKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.session, SearchAttributeType.KEYWORD);
const SHOWN_EVERY_MS = 60_000;
/** The duration from which a batch counts as long: more than a person needs to read a list twice. */
const LONG_BATCH_MS = 2_000;

/** Sets the search attributes at the start. */
export function publishStart(operation: RunningOperation): void {
  const { input, state } = operation.state;
  operation.listed = state;
  upsertSearchAttributes([
    { key: stateKey, value: state },
    { key: domainKey, value: input.domain },
    ...(input.session_id === undefined ? [] : [{ key: sessionKey, value: input.session_id }]),
  ]);
}

/** Writes the state only if it changed: each write costs an event, and a write to the visibility store. */
export function listState(job: { listed?: string }, state: string): void {
  if (job.listed === state) return;
  job.listed = state;
  upsertSearchAttributes([{ key: stateKey, value: state }]);
}

export const publishState = (operation: RunningOperation): void =>
  listState(operation, operation.state.state);

/**
 * A short batch stays listed under its question. Lists show that a batch runs if it may take long, which is estimated
 * by the previous batch.
 */
export function publishRunning(operation: RunningOperation): void {
  const { last_batch } = operation.state;
  if (last_batch === undefined || last_batch.duration_ms >= LONG_BATCH_MS) publishState(operation);
}

/** The state for lists; the progress and the open question in the memo. */
export function publishProgress(operation: RunningOperation): void {
  publishState(operation);
  upsertMemo(progressMemo(operation.state));
}

/** The memo's record of an operation: what it does, and its state. */
export function progressMemo(state: OperationState) {
  const { batch, attempt, digest, sent_back, requirement } = state;
  return {
    action: state.input.action,
    progress: countsOf(state),
    gate: digest === undefined ? null : { batch, attempt },
    // Doors vouch for more where approvals are asked for.
    ...(requirement && { approvals: approvalsOf(state) ?? requirement.approvals }),
    ...(sent_back && isClosed(state.state) && { sent_back: sentBackOf(sent_back) }),
  };
}

/**
 * Each batch leaves one record of the operation's state. If the next question follows, the answer of the update that
 * confirmed the batch is that record (src/client/operation-records.ts); a memo would cost an event, and a write to the
 * visibility store.
 */
export function publishBatch(operation: RunningOperation, confirmed: AcceptedDecision | undefined): void {
  // The update of a batch that began later was answered before.
  const isIts = confirmed?.via === 'update' && confirmed.outcome?.state !== 'scheduled';
  const isAnswered = isIts && operation.state.state === 'awaiting_confirmation';
  if (isAnswered) publishState(operation);
  else publishProgress(operation);
}

/** Half of the open gate's time is over: readers of the history and of lists remind people. */
export function publishReminder(): void {
  upsertMemo({ reminded_at: new Date().toISOString() });
}

/**
 * Publishes that these people and groups are asked as well from now on. Lists have the last memo only, so it has all
 * steps that were taken together, as after a time without a worker.
 */
export function publishEscalation(operation: RunningOperation, to: readonly string[]): void {
  const at = new Date().toISOString();
  const together = operation.escalated?.at === at ? operation.escalated.to : [];
  operation.escalated = { at, to: [...new Set([...together, ...to])] };
  upsertMemo({ escalated: operation.escalated, approvals: approvalsOf(operation.state) ?? null });
}

/** Returns the approvals of the open question. */
const approvalsOf = (state: OperationState) => approvalsIn(state, snapshotOf(state)).approvals;

/**
 * The job's page in the Temporal UI, written when somebody reads it: the SDK answers its query with the details as
 * JSON, so it calls the object's `toJSON` at that time. It costs no history.
 */
export function showDetails(render: () => string): void {
  setCurrentDetails({ toJSON: render } as unknown as string);
}

/** Reports activity to the sentinel. Without a sentinel there is no hygiene to delay. */
export function touchSentinel(by?: string): void {
  const sentinel = getExternalWorkflowHandle(sentinelId(workflowInfo().taskQueue));
  sentinel.signal(SIGNALS.touch, { ...(by !== undefined && { by }) }).catch(() => undefined);
}

/** Reports progress to the sentinel, to delay hygiene. Reporting each time would cost more than the progress does. */
export function showProgress(job: { shown_at?: number }): void {
  if (Date.now() - (job.shown_at ?? 0) < SHOWN_EVERY_MS) return;
  job.shown_at = Date.now();
  touchSentinel();
}

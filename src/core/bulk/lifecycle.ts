import type { RunBatchResult } from '../../contract/activities';
import type { Plan, ResetResults } from '../../contract/plans';
import type { Outcomes } from '../../contract/items';
import type { ErrorBody } from '../../contract/errors';
import type { ContinueRequest } from '../../contract/messages';
import type { BulkState, Confirmation } from '../../contract/operation';
import { DEFAULT_SETTINGS } from '../../contract/settings';
import { bulkGuard } from './contract-progress';
import { wordsOfAction } from './change';
import type { OperationInput } from './input';
import { codeAt, countOutcomes, mergeOutcomes, packOutcomes } from './outcomes';
import {
  atNextWork,
  batchesTotal,
  codesOf,
  gateKey,
  gateDigest,
  openGate,
  pendingOf,
  firstWithWork,
  withKnown,
  withRestart,
  type AcceptedDecision,
  pendingPlaces,
  type OperationState,
  type Snapshot,
} from './operation';
import { NOTHING_REMEMBERED } from './remembered';
import { exclusionsOf } from './repetitions';
import { sentBackOf } from './sent-back';
import { approvalsAsked } from './approvals';
import { dueAt, refusedUntil } from './due';
import { editsOfPlan, withEdited } from './edited';
import { excludedBy, leavingOut, withNothingLeft, withoutExclusions } from './exclusions';
import { assertTransition, isClosed } from './transitions';
import { without } from '../shared/without';

export function beginOperation(
  identity: { operation_id: string; first_run_id: string },
  input: OperationInput,
  now: number,
): OperationState {
  return {
    ...identity,
    input,
    settings: DEFAULT_SETTINGS,
    state: 'preparing',
    noun: { one: 'item', many: 'items' },
    words: wordsOfAction(input.action),
    store_id: '',
    ...{ total: 0, items: {}, marks: '', codes: '', details: {} },
    ...{ batch: 1, attempt: 1, waited_ms: 0 },
    accepted: {},
    accepted_before: NOTHING_REMEMBERED,
    refused: [],
    refused_before: NOTHING_REMEMBERED,
    confirmations: [],
    confirmations_cut: 0,
    last_errors: [],
    stop_condition_satisfied: false,
    progressed_at: now,
    created_at: now,
    updated_at: now,
  };
}

/** The fields of the state that delay a batch. */
const DELAY = ['scheduled', 'throttled_until'] as const;

type FrozenPlan = Pick<Plan, 'items' | 'total' | 'marks' | 'store_id'> & Partial<Plan>;

/** Asks the first question about a frozen plan, or completes if there is nothing to do or nothing was expected. */
export const planFrozen = (state: OperationState, plan: FrozenPlan, now: number): OperationState =>
  askNext(atFirstQuestion(state, plan), now);

/** Moves a planned operation to the batch of its first question. */
export function atFirstQuestion(state: OperationState, plan: FrozenPlan): OperationState {
  const { items, total, marks, store_id, foreseen, attempt, restarts, edition, edits = [] } = plan;
  const planned = {
    ...{ ...state, total, marks, store_id, codes: codesOf(plan), ...(foreseen && { foreseen }) },
    ...(edition !== undefined && { edition, ...editsOfPlan(edits) }),
  };
  const next = withKnown(planned, items);
  if (attempt === undefined) return atNextWork(next);
  const after = { ...next, attempt, first_attempt: attempt, ...(restarts && { restarts }) };
  return { ...after, batch: firstWithWork(after, 1) };
}

/** Restores the results from the ledger after a reset of a run with a frozen plan. The next batch follows them. */
export function withResults(before: OperationState, results: ResetResults): OperationState {
  const { codes, attempt, items, restarts, edited } = results;
  const state = without(edited ? withEdited(before, edited) : before, 'left_out', 'unsettled', ...DELAY);
  const planned = without(state, 'error', 'last_batch', 'deadline', 'digest');
  const fresh = {
    ...{ ...planned, codes, details: {}, attempt, first_attempt: attempt, last_errors: [] },
    ...(restarts && { restarts }),
  };
  const next = withKnown(fresh, items);
  return { ...next, batch: firstWithWork(next, 1), state: 'preparing' };
}

/** Starts the gate's batch, or schedules it if it may not begin yet. Excluded items are skipped; the others run. */
export function confirmed(
  state: OperationState,
  request: ContinueRequest,
  { update_id, ...how }: Pick<Confirmation, 'via' | 'assurance'> & { update_id?: string },
  now: number,
): OperationState {
  const { places: skipped, outcomes } = excludedBy(state, request);
  const decision: AcceptedDecision = {
    decision_id: request.decision_id ?? update_id,
    ...(request.decision_id === undefined && { unnamed: true as const }),
    digest: state.digest,
    excluded: exclusionsOf(request),
    by: request.by,
    ...how,
    at: now,
    ...(request.not_before !== undefined && { not_before: request.not_before }),
    ...(skipped.length > 0 && { skipped }),
    ...(state.unsettled && { asked: pendingPlaces(state, state.batch) }),
  };
  const due = dueAt(state, request, now);
  const running = moveTo(state, due > now ? 'scheduled' : 'running_batch', now);
  return {
    ...without(running, 'deadline', 'digest', 'error', 'opened_at', 'extensions'),
    ...((due > now || state.windows) && { scheduled: { at: due, ...askedIn(state) } }),
    ...mergeOutcomes(state, skipped, outcomes),
    ...leavingOut(state, skipped),
    accepted: { ...state.accepted, [gateKey(state.batch, state.attempt)]: decision },
  };
}

/** The question to which a withdrawal returns. */
const askedIn = ({ state, error }: OperationState) => ({
  asked: state === 'batch_failed' ? state : ('awaiting_confirmation' as const),
  ...(error && { error }),
});

/**
 * Records the outcomes of the unsettled items after their last request has ended. An item that a person excluded in the
 * meantime, but that was changed anyway, counts by its outcome. The ledger has the other exclusions too, except those
 * of items that proved to be planned.
 */
export function settledLate(state: OperationState, key: string, outcomes: Outcomes): OperationState {
  const { unsettled = [], left_out = [], ...rest } = state;
  const planned = unsettled.filter((_, at) => codeAt(outcomes.codes, at) === 'p');
  const unrecorded = left_out.filter((index) => planned.includes(index));
  const merged = mergeOutcomes(state, unsettled, outcomes);
  const decision = state.accepted[key];
  const skipped = decision?.skipped?.filter((index) => codeAt(merged.codes, index) === 'k');
  return {
    ...rest,
    ...merged,
    ...(unrecorded.length > 0 && { left_out: unrecorded }),
    ...(decision && skipped && { accepted: { ...state.accepted, [key]: { ...decision, skipped } } }),
  };
}

/** Ends a batch. Its pending items are asked about again under a new attempt; otherwise the next question follows. */
export function batchOver(
  before: OperationState,
  result: {
    /** The items of the batch, those of `outcomes` first. */
    indices: readonly number[];
    outcomes: Pick<RunBatchResult, 'codes' | 'details' | 'duration_ms'>;
    started_at: number;
    error?: ErrorBody;
    unsettled?: number[];
    unbegun?: true;
  },
  now: number,
): OperationState {
  const state = withRecordedExclusions(before, result);
  const merged = mergeOutcomes(state, result.indices, result.outcomes);
  const codes = result.indices.map((index) => codeAt(merged.codes, index)).join('');
  const counts = countOutcomes(codes);
  const { skipped = [] } = state.accepted[gateKey(state.batch, state.attempt)] ?? {};
  const leftOut = skipped.filter((index) => codeAt(merged.codes, index) === 'k');
  const changed = result.indices.filter(
    (index) => codeAt(merged.codes, index) === 'k' && !leftOut.includes(index),
  );
  const after: OperationState = {
    ...without(state, ...DELAY),
    ...merged,
    last_batch: {
      ...{ number: state.batch, attempt: state.attempt },
      ...{ ...without(counts, 'pending'), skipped: leftOut.length + changed.length },
      duration_ms: result.outcomes.duration_ms ?? Math.max(0, now - result.started_at),
    },
    last_errors: result.indices.filter(
      (index, at) => 'fd'.includes(codeAt(codes, at)) || changed.includes(index),
    ),
    ...(result.unsettled && { unsettled: result.unsettled }),
    progressed_at: now,
  };
  if (pendingOf(after, after.batch).length > 0) {
    const until = refusedUntil(result.error, now);
    const failed = { ...after, ...(until !== undefined && { throttled_until: until }) };
    return ask(
      { ...moveTo(failed, 'batch_failed', now), error: result.error, attempt: after.attempt + 1 },
      now,
    );
  }
  const { first_attempt: attempt = 1 } = after;
  return askNext({ ...withRestart(after), batch: after.batch + 1, attempt }, now);
}

/**
 * The ledger has the exclusions of a batch once it has begun, or its end was read from the ledger. Those of a batch that
 * did not begin are pending again. So are all of a batch of which that is not known; the ledger shows it later.
 */
function withRecordedExclusions(
  state: OperationState,
  { unbegun, unsettled }: { unbegun?: true; unsettled?: number[] },
): OperationState {
  if (!unbegun) return without(state, 'left_out');
  if (unsettled) return withNothingLeft(state);
  const own = withoutExclusions(state);
  // The next batch would forget what approvers left out.
  return pendingPlaces(own, own.batch).length > 0 ? own : withNothingLeft(own);
}

/** Stores the outcome of a confirmation, to answer a repetition of the same decision. */
export function withOutcome(state: OperationState, key: string): OperationState {
  const decision = state.accepted[key];
  if (!decision) return state;
  return { ...state, accepted: { ...state.accepted, [key]: { ...decision, outcome: snapshotOf(state) } } };
}

export function closeAs(
  state: OperationState,
  to: Extract<BulkState, 'cancelled' | 'expired' | 'completed'>,
  now: number,
  forced?: OperationState['forced'],
  error?: ErrorBody,
): OperationState {
  const known = unsettledInDoubt(state);
  const { opened_at, ...ended } = without(moveTo(known, to, now), 'deadline', 'digest', 'extensions');
  // The record shows how long the unanswered question waited.
  const unanswered = to === 'expired' && opened_at !== undefined && { opened_at };
  return {
    ...without(withNothingLeft(ended), ...DELAY),
    ...unanswered,
    ...(forced && { forced }),
    ...(error && { error }),
  };
}

/** Nobody could read what became of these items, so they do not count as not run. */
function unsettledInDoubt(state: OperationState): OperationState {
  const { unsettled, ...rest } = state;
  if (unsettled === undefined) return state;
  const entries = unsettled.map(() => ({ code: 'd' as const, error: UNREAD }));
  return { ...rest, ...mergeOutcomes(state, unsettled, packOutcomes(entries)) };
}

const UNREAD = 'It may have been touched before the batch died, and the ledger gave no answer.';

export function rejected(state: OperationState, error: ErrorBody, now: number): OperationState {
  return { ...moveTo(state, 'rejected', now), error };
}

/** Records a person's resolution of an in-doubt item, which may complete the operation. */
export function resolved(
  state: OperationState,
  index: number,
  outcome: 'succeeded' | 'failed',
  reason: string,
  now: number,
): OperationState {
  const part: Outcomes =
    outcome === 'succeeded'
      ? { codes: 's' }
      : { codes: 'f', details: { 0: { error: reason, retryable: true } } };
  const after = { ...state, ...mergeOutcomes(state, [index], part), updated_at: now };
  if (after.deadline === undefined) return after;
  const next = after.batch > batchesTotal(after) ? afterLastBatch(after, now) : after;
  if (isClosed(next.state)) return next;
  const restarted = openDeadline(next, now);
  // A person may have extended the question beyond that.
  const { deadline, waited_ms } = after;
  return restarted.deadline > deadline ? restarted : { ...next, deadline, waited_ms };
}

export function snapshotOf(state: OperationState): Snapshot {
  const gate = openGate(state);
  return {
    state: state.state,
    ...(state.error && { error: state.error }),
    ...without(countOutcomes(state.codes), 'pending'),
    ...(gate && { gate: { number: gate.number, attempt: gate.attempt, digest: gate.digest } }),
    ...(state.last_batch && { last_batch: state.last_batch }),
    last_errors: state.last_errors,
    ...(state.forced && { forced: state.forced }),
    ...(state.sent_back && isClosed(state.state) && { sent_back: sentBackOf(state.sent_back) }),
    ...(state.deadline !== undefined && { expires_at: state.deadline }),
    updated_at: state.updated_at,
    ...(state.state === 'scheduled' &&
      state.scheduled && {
        scheduled: {
          ...{ number: state.batch, attempt: state.attempt, at: state.scheduled.at },
          ...(state.scheduled.missed !== undefined && { missed: state.scheduled.missed }),
        },
      }),
    ...(gate && state.throttled_until !== undefined && { throttled_until: state.throttled_until }),
    ...(state.edition !== undefined && { edition: state.edition }),
    ...(gate && state.approving && { approvals: state.approving.given.length }),
  };
}

/** Asks about the next batch that has items left to run. */
export function askNext(state: OperationState, now: number): OperationState {
  const next = atNextWork(without(state, 'left_out'));
  return next.batch > batchesTotal(next)
    ? afterLastBatch(next, now)
    : ask(moveTo(next, 'awaiting_confirmation', now), now);
}

/** Completes the operation, unless items are in doubt or the guard forbids it; then it waits for a person. */
function afterLastBatch(state: OperationState, now: number): OperationState {
  const inDoubt = countOutcomes(state.codes).in_doubt > 0;
  if (!inDoubt && bulkGuard(state).allowed) return closeAs(state, 'completed', now);
  const waiting = inDoubt ? 'awaiting_resolution' : 'awaiting_confirmation';
  return state.state === waiting ? state : openDeadline(moveTo(state, waiting, now), now);
}

/** Opens the gate of the current batch and attempt. */
export function ask(state: OperationState, now: number): OperationState {
  return openDeadline(approvalsAsked({ ...state, digest: gateDigest(state), opened_at: now }), now);
}

function openDeadline(state: OperationState, now: number): OperationState & { deadline: number } {
  const idle = state.input.idle_timeout_seconds * 1_000;
  return { ...without(state, 'extensions'), deadline: now + idle, waited_ms: idle };
}

export function moveTo(state: OperationState, to: BulkState, now: number): OperationState {
  assertTransition(state.state, to);
  return { ...state, state: to, updated_at: now };
}

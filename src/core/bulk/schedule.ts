import type { ErrorBody } from '../../contract/errors';
import type { WithdrawRequest } from '../../contract/messages';
import type { BulkTurn, Confirmation } from '../../contract/operation';
import { closedError } from './gate';
import { momentText } from './due';
import { withoutExclusions } from './exclusions';
import { because } from './approvals';
import { ask, moveTo, snapshotOf } from './lifecycle';
import { gateKey, type AcceptedDecision, type OperationState, type Snapshot } from './operation';
import { isRemembered, NOTHING_REMEMBERED, remember } from './remembered';
import { recordedDecision } from './repetitions';
import { isClosed } from './transitions';
import { openAt } from './windows';

/** Begins the scheduled batch when its time has come, or moves it to the next window. */
export function started(state: OperationState, now: number): OperationState {
  const { scheduled } = state;
  if (state.state !== 'scheduled' || !scheduled) return state;
  const at = openAt(state.windows, Math.max(now, scheduled.at));
  return at > now
    ? { ...state, scheduled: { ...scheduled, at, missed: scheduled.at } }
    : moveTo(state, 'running_batch', now);
}

/** Moves a confirmed batch whose window ended before it began to the next window, under the same confirmation. */
export function missed(state: OperationState, now: number): OperationState {
  const { scheduled } = state;
  const at = openAt(state.windows, now);
  if (!scheduled || at <= now) return state;
  return { ...moveTo(state, 'scheduled', now), scheduled: { ...scheduled, at, missed: scheduled.at } };
}

/** The digest of the batch that is scheduled. */
export function scheduledDigest(state: OperationState): string | undefined {
  return state.state === 'scheduled'
    ? state.accepted[gateKey(state.batch, state.attempt)]?.digest
    : undefined;
}

/** The effect of a withdrawal now. */
export type WithdrawVerdict =
  { kind: 'accepted' } | { kind: 'repeated' } | { kind: 'refused'; error: ErrorBody };

/** Judges a withdrawal. One without a batch is for the scheduled batch. */
export function judgeWithdraw(state: OperationState, request: WithdrawRequest): WithdrawVerdict {
  const { decision_id, batch, attempt = 1, digest } = request;
  if (
    decision_id !== undefined &&
    state.withdrawn_before &&
    isRemembered(state.withdrawn_before, decision_id)
  )
    return { kind: 'repeated' };
  if (state.state === 'scheduled') {
    const open = scheduledDigest(state);
    const isIts =
      (batch === undefined || (batch === state.batch && attempt === state.attempt)) &&
      (digest === undefined || digest === open);
    if (isIts) return { kind: 'accepted' };
  }
  const isIts = (entry: Confirmation) =>
    digest === undefined ? entry.batch === batch && entry.attempt === attempt : entry.digest === digest;
  const isNamed = decision_id === undefined && (batch !== undefined || digest !== undefined);
  if (isNamed && recordedDecision(state, 'withdraw', request.by, isIts)) return { kind: 'repeated' };
  return { kind: 'refused', error: notScheduled(state) };
}

function notScheduled(state: OperationState): ErrorBody {
  if (isClosed(state.state)) return closedError(state);
  if (state.state === 'scheduled') {
    return {
      code: 'STALE_CONFIRMATION',
      message: `This withdrawal is not for the batch that is scheduled, which is batch ${state.batch}, attempt ${state.attempt}.`,
      hint: 'Read the status again, and take back what it shows now; nothing was changed.',
      details: { batch: state.batch, attempt: state.attempt, digest: scheduledDigest(state) },
    };
  }
  const runs = state.state === 'running_batch';
  return {
    code: 'NOT_AWAITING_CONFIRMATION',
    message: runs
      ? `Batch ${state.batch} has begun, so its confirmation can no longer be taken back.`
      : 'No batch is scheduled, so there is no confirmation to take back.',
    hint: runs
      ? 'To stop it at the next item, cancel the operation.'
      : 'Read the status: a confirmation can be taken back until its batch begins.',
  };
}

/** The maximum number of stored decision ids of withdrawals. */
const MAX_WITHDRAWN_BEFORE = 1_000;

/** Reopens the question of a scheduled batch under a new attempt, so that the confirmation can never run it. */
export function withdrawn(
  state: OperationState,
  { decision_id }: Pick<WithdrawRequest, 'decision_id'>,
  now: number,
): OperationState {
  const { scheduled } = state;
  if (state.state !== 'scheduled' || !scheduled) return state;
  const key = gateKey(state.batch, state.attempt);
  const { scheduled: _, ...whole } = withoutExclusions(state);
  const { error, asked } = scheduled;
  const restored = moveTo({ ...whole, ...(error && { error }), attempt: state.attempt + 1 }, asked, now);
  const reopened = ask(
    {
      ...restored,
      ...(decision_id !== undefined && {
        withdrawn_before: remember(
          state.withdrawn_before ?? NOTHING_REMEMBERED,
          decision_id,
          MAX_WITHDRAWN_BEFORE,
        ),
      }),
    },
    now,
  );
  const open = because(reopened, 'the confirmation was taken back');
  const decision = open.accepted[key];
  if (!decision) return open;
  const { skipped: __, ...rest } = decision;
  return { ...open, accepted: { ...open.accepted, [key]: { ...rest, outcome: snapshotOf(open) } } };
}

/** The scheduled batch at the time of a snapshot. */
export function scheduledIn(
  state: OperationState,
  { scheduled }: Snapshot,
): Pick<BulkTurn, 'scheduled_for' | 'scheduled_batch' | 'missed_at'> {
  if (!scheduled || !state.change) return {};
  const { number, attempt, at, missed: before } = scheduled;
  const decision = state.accepted[gateKey(number, attempt)];
  return {
    scheduled_for: new Date(at).toISOString(),
    ...(before !== undefined && { missed_at: new Date(before).toISOString() }),
    ...(decision && {
      scheduled_batch: {
        ...{ number, attempt, digest: decision.digest ?? '', change: state.change },
        ...(decision.by !== undefined && { by: decision.by }),
        confirmed_at: new Date(decision.at).toISOString(),
        assurance: decision.assurance,
      },
    }),
  };
}

/** The start time of a scheduled batch, for a sentence. */
export function scheduledText(state: OperationState, { scheduled }: Snapshot): string | undefined {
  if (!scheduled) return undefined;
  const decision: AcceptedDecision | undefined = state.accepted[gateKey(scheduled.number, scheduled.attempt)];
  return momentText(scheduled.at, [decision?.not_before, state.input.not_before]);
}

import type { DeadlineLimits, DeadlineRule } from '../../contract/settings';
import type { ErrorBody } from '../../contract/errors';
import type { ExtendRequest } from '../../contract/messages';
import { escalationAt } from './approvals';
import { gateKey, type OperationState } from './operation';
import { NOTHING_REMEMBERED, remember } from './remembered';
import { isExtended } from './repetitions';

/** The rule for the domain and the action; else for the domain, for the action, for all. The first match applies. */
export function deadlineOf(
  rules: readonly DeadlineRule[],
  domain: string,
  action: string,
): DeadlineLimits | undefined {
  const fits = rules.filter(
    (rule) => (rule.domain ?? domain) === domain && (rule.action ?? action) === action,
  );
  const weight = (rule: DeadlineRule) => (rule.domain ? 2 : 0) + (rule.action ? 1 : 0);
  const [first] = fits.sort((a, b) => weight(b) - weight(a));
  return first && { default_seconds: first.default_seconds, max_seconds: first.max_seconds };
}

/** How long a question waits under the operator's limits. `asked` is the time that the start requested. */
export function waitUnder(
  { domain, action }: { domain: string; action: string },
  asked: number | undefined,
  { default_seconds, max_seconds }: DeadlineLimits,
): { seconds: number } | { error: ErrorBody } {
  const seconds = asked ?? default_seconds;
  if (seconds <= max_seconds) return { seconds };
  return {
    error: {
      code: 'INVALID_INPUT',
      message: `idle_timeout_seconds is ${seconds}, and a question of ${action} on ${domain} waits for at most ${max_seconds} seconds.`,
      hint: `Ask for at most ${max_seconds} seconds, or leave it out to wait for ${default_seconds}.`,
      details: { limit: max_seconds },
    },
  };
}

/** The state under the operator's limits. */
export function underDeadline(
  state: OperationState,
  asked: number | undefined,
  limits: DeadlineLimits | undefined,
): { state: OperationState } | { error: ErrorBody } {
  if (!limits) return { state };
  const wait = waitUnder(state.input, asked, limits);
  if ('error' in wait) return wait;
  const input = { ...state.input, idle_timeout_seconds: wait.seconds };
  return { state: { ...state, max_wait_seconds: limits.max_seconds, input } };
}

/** Why a question may not wait this many seconds longer; undefined if it may. */
export function tooLong(state: OperationState, seconds: number, now: number): ErrorBody | undefined {
  const { deadline, max_wait_seconds: most } = state;
  if (deadline === undefined || most === undefined) return undefined;
  const left = Math.floor((now + most * 1_000 - deadline) / 1_000);
  if (seconds <= left) return undefined;
  return {
    code: 'INVALID_INPUT',
    message: `A question of this operation waits for at most ${most} seconds from now.`,
    hint: left > 0 ? `Extend it by at most ${left} seconds.` : 'Extend it later, when less time is left.',
    details: { limit: most },
  };
}

/** A repeated extension leaves the deadline as it is. */
export function extended(state: OperationState, request: ExtendRequest, now: number): OperationState {
  if (state.deadline === undefined || isExtended(state, request, now)) return state;
  const { seconds, by, decision_id } = request;
  const more = seconds * 1_000;
  const extensions = [...(state.extensions ?? []), { seconds, by }].slice(-MAX_EXTENSIONS);
  const waited = { deadline: state.deadline + more, waited_ms: state.waited_ms + more };
  const { extended_before = NOTHING_REMEMBERED } = state;
  return {
    ...state,
    ...waited,
    extensions,
    ...(decision_id !== undefined && {
      extended_before: remember(extended_before, decision_id, MAX_EXTENDED_BEFORE),
    }),
    updated_at: now,
  };
}

/** How many extensions of one question are remembered, and how many decision ids of all. */
const MAX_EXTENSIONS = 20;
const MAX_EXTENDED_BEFORE = 1_000;

/** A gate that waits for less time than this has no reminder. */
const MIN_REMINDED_MS = 10_000;

/** When half of the open gate's time is over; undefined if its reminder was sent, or it has none. */
export function reminderAt(state: OperationState): number | undefined {
  const { deadline, waited_ms, reminded } = state;
  if (deadline === undefined || waited_ms < MIN_REMINDED_MS) return undefined;
  return reminded === gateKey(state.batch, state.attempt) ? undefined : deadline - waited_ms / 2;
}

export function withReminder(state: OperationState): OperationState {
  return { ...state, reminded: gateKey(state.batch, state.attempt) };
}

/** When the open gate next needs attention: for its reminder, to ask more people, or because it expires. */
export function nextMoment(state: OperationState): number | undefined {
  const { deadline } = state;
  if (deadline === undefined) return undefined;
  return Math.min(deadline, reminderAt(state) ?? Infinity, escalationAt(state) ?? Infinity);
}

/** The earliest time at which a gate that opens from now on may need attention. */
export function earliestMoment({ input, scheduled }: OperationState, now: number): number {
  const idle = input.idle_timeout_seconds * 1_000;
  const asked = now + (idle < MIN_REMINDED_MS ? idle : idle / 2);
  // No question is open before a scheduled batch has run, unless it is taken back.
  return Math.max(asked, scheduled?.at ?? 0);
}

import type { DeadlineLimits, DeadlineRule } from '../../contract/settings';
import type { ErrorBody } from '../../contract/errors';
import type { ExtendRequest } from '../../contract/messages';
import { escalationAt } from './approvals';
import { gateKey, type OperationState } from './operation';
import { NOTHING_REMEMBERED, remember } from './remembered';
import { isExtended } from './repetitions';

/** The most specific rule: for the domain and the action, else for the domain, else for the action, else for all. */
export function deadlineOf(
  rules: readonly DeadlineRule[],
  domain: string,
  action: string,
): DeadlineLimits | undefined {
  const matches = rules.filter(
    (rule) => (rule.domain ?? domain) === domain && (rule.action ?? action) === action,
  );
  const weight = (rule: DeadlineRule) => (rule.domain ? 2 : 0) + (rule.action ? 1 : 0);
  const [first] = matches.sort((a, b) => weight(b) - weight(a));
  return first && { default_seconds: first.default_seconds, max_seconds: first.max_seconds };
}

/** The waiting time of a question under the operator's limits. `requestedSeconds`: the time that the start asks for. */
export function waitUnder(
  { domain, action }: { domain: string; action: string },
  requestedSeconds: number | undefined,
  { default_seconds, max_seconds }: DeadlineLimits,
): { seconds: number } | { error: ErrorBody } {
  const seconds = requestedSeconds ?? default_seconds;
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

/** Applies the operator's limits to the state. */
export function underDeadline(
  state: OperationState,
  requestedSeconds: number | undefined,
  limits: DeadlineLimits | undefined,
): { state: OperationState } | { error: ErrorBody } {
  if (!limits) return { state };
  const wait = waitUnder(state.input, requestedSeconds, limits);
  if ('error' in wait) return wait;
  const input = { ...state.input, idle_timeout_seconds: wait.seconds };
  return { state: { ...state, max_wait_seconds: limits.max_seconds, input } };
}

/** The error for an extension beyond the operator's limit; undefined if it is within the limit. */
export function tooLong(state: OperationState, seconds: number, now: number): ErrorBody | undefined {
  const { deadline, max_wait_seconds: most } = state;
  if (deadline === undefined || most === undefined) return undefined;
  const room = Math.floor((now + most * 1_000 - deadline) / 1_000);
  if (seconds <= room) return undefined;
  return {
    code: 'INVALID_INPUT',
    message: `A question of this operation waits for at most ${most} seconds from now.`,
    hint: room > 0 ? `Extend it by at most ${room} seconds.` : 'Extend it later, when less time is left.',
    details: { limit: most },
  };
}

/** Extends the deadline of the open question. A repeated extension has no effect. */
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

/** The maximum number of stored extensions of one question, and of stored decision ids of all extensions. */
const MAX_EXTENSIONS = 20;
const MAX_EXTENDED_BEFORE = 1_000;

/** A gate that waits for less time than this has no reminder. */
const MIN_REMINDED_MS = 10_000;

/** The time of the open gate's reminder, halfway to its deadline; undefined if it was sent or there is none. */
export function reminderAt(state: OperationState): number | undefined {
  const { deadline, waited_ms, reminded } = state;
  if (deadline === undefined || waited_ms < MIN_REMINDED_MS) return undefined;
  return reminded === gateKey(state.batch, state.attempt) ? undefined : deadline - waited_ms / 2;
}

export function withReminder(state: OperationState): OperationState {
  return { ...state, reminded: gateKey(state.batch, state.attempt) };
}

/** The time at which the open gate next needs attention: its reminder, an escalation or its expiry. */
export function nextMoment(state: OperationState): number | undefined {
  const { deadline } = state;
  if (deadline === undefined) return undefined;
  return Math.min(deadline, reminderAt(state) ?? Infinity, escalationAt(state) ?? Infinity);
}

/** The earliest time at which a gate that opens from now on may need attention. */
export function earliestMoment({ input, scheduled }: OperationState, now: number): number {
  const idle = input.idle_timeout_seconds * 1_000;
  const attention = now + (idle < MIN_REMINDED_MS ? idle : idle / 2);
  // No question is open before a scheduled batch has run, unless it is taken back.
  return Math.max(attention, scheduled?.at ?? 0);
}

import type { ErrorBody } from '../../contract/errors';
import type { ContinueRequest } from '../../contract/messages';
import { shortened } from '../../contract/text';
import { bytesOf, MAX_DECISIONS } from '../shared/bounds';
import type { BulkState } from '../../contract/operation';
import { repeatedApproval } from './approvals';
import { tooLate } from './closed';
import { isOfEdit } from './edited';
import { countOutcomes } from './outcomes';
import { gateKey, openGate, type AcceptedDecision, type Gate, type OperationState } from './operation';
import { namesOf } from './preview';
import { sameDecision } from './repetitions';
import { hasForgotten, isRemembered } from './remembered';
import { isClosed } from './transitions';
import { tooFarAhead } from './due';

/** A bare confirmation counts only if its gate had been open for this long when it was sent. */
export const BARE_AFTER_MS = 2_000;

/** The effect of a confirmation now. */
export type Verdict =
  | { kind: 'accepted'; key: string }
  | { kind: 'duplicate'; first: Partial<AcceptedDecision> }
  | { kind: 'refused'; error: ErrorBody };

/** Whether a confirmation names its gate. Any other one is for the gate that was open when it was sent. */
export function namesGate(request: ContinueRequest): boolean {
  return request.batch !== undefined || request.digest !== undefined;
}

/** Whether its sender named nothing. The door may have added the gate that it showed to the sender. */
export function isBare(request: ContinueRequest): boolean {
  const { attempt, decision_id, sent_ago_ms } = request;
  const isNamed = namesGate(request) || attempt !== undefined || decision_id !== undefined;
  return sent_ago_ms !== undefined || !isNamed;
}

/** The arrival of a confirmation. */
export interface Arrival {
  /** The time at which it reached the server, in milliseconds since the epoch; by default now. */
  arrived?: number;
  /** The id of the update that delivered it, which is its decision id unless it names one. */
  update_id?: string;
}

/**
 * Judges every confirmation, by signal and by update. Nothing is queued: a confirmation that is not accepted at once is
 * refused. A repeated decision, matched by id or by gate and sender, gets its first outcome again. One that names no
 * gate is for the gate that was open when it was sent. A bare one counts only after that gate was open for two
 * seconds: otherwise a double click, a retry or a lost answer would confirm a second batch.
 */
export function judgeContinue(
  state: OperationState,
  request: ContinueRequest,
  now: number,
  { arrived = now, update_id }: Arrival = {},
): Verdict {
  const id = request.decision_id ?? update_id;
  const first =
    id === undefined
      ? undefined
      : Object.values(state.accepted).find((decision) => decision.decision_id === id);
  if (first) return { kind: 'duplicate', first };
  // An old decision is stored without its answer; the answer is the current status.
  if (id !== undefined && isRemembered(state.accepted_before, id)) return { kind: 'duplicate', first: {} };
  // A signal gets no answer: its sender can read only the record, so a repeated one is refused there.
  const own = update_id === undefined ? undefined : repeatedOf(state, request);
  if (own) return { kind: 'duplicate', first: own };
  const approval = repeatedApproval(state, request, id, update_id !== undefined);
  if (approval) return { kind: 'duplicate', first: approval };
  if (id !== undefined && isOfEdit(state, id)) return refuse(otherDecision('nothing was run'));
  const before = refusedBefore(state, id);
  if (before) return refuse(before);
  if (isClosed(state.state)) return refuse(closedError(state));
  const gate = openGate(state);
  if (!gate) return refuse(notAwaiting(state));
  if (state.deadline !== undefined && now >= state.deadline) return refuse(closedError(state));
  const stale = otherQuestion(gate, request);
  if (stale) return refuse(stale);
  const crowded = tooMany(state, { ...request, decision_id: id }, gate);
  if (crowded) return refuse(crowded);
  if (isTooSoon(state, request, Math.min(now, arrived))) return refuse(tooSoon(gate));
  const { exclude = [] } = request;
  const names = new Set(exclude.length > 0 ? gate.items.flatMap(namesOf) : []);
  const foreign = exclude.filter((excluded) => !names.has(excluded.id));
  if (foreign.length > 0) {
    return refuse({
      code: 'INVALID_INPUT',
      message: `Not in batch ${gate.number}: ${foreign
        .slice(0, 5)
        .map((item) => shortened(item.id))
        .join(', ')}.`,
      hint: 'Exclude only items that the open question lists; nothing was run.',
    });
  }
  if (bytesOf(exclude.map(({ reason = '' }) => reason)) > MAX_REASONS_BYTES) {
    return refuse({
      code: 'INVALID_INPUT',
      message: `The reasons of the exclusions are longer than ${MAX_REASONS_BYTES} bytes together.`,
      hint: 'Give shorter reasons; nothing was run.',
    });
  }
  const far = tooFarAhead(request.not_before, now);
  return far ? refuse(far) : { kind: 'accepted', key: gateKey(gate.number, gate.attempt) };
}

/** The error for an id of another decision. */
export const otherDecision = (consequence: string): ErrorBody => ({
  code: 'IDEMPOTENCY_CONFLICT',
  message: `This decision id belongs to another decision about this operation, so ${consequence}.`,
  hint: 'Read the status again, and decide about what it shows with an id of its own, or without one.',
});

/** The error for a decision that names a question other than the open one. */
export function otherQuestion(
  gate: Gate,
  { batch, attempt = batch === undefined ? gate.attempt : 1, digest }: ContinueRequest,
  subject = 'This confirmation',
  consequence = 'nothing was run',
): ErrorBody | undefined {
  const isOther = (batch !== undefined && batch !== gate.number) || attempt !== gate.attempt;
  if (!isOther && (digest === undefined || digest === gate.digest)) return undefined;
  return {
    code: 'STALE_CONFIRMATION',
    message: `${subject} is not for the open question, which is batch ${gate.number}, attempt ${gate.attempt}.`,
    hint: `Read the status again and confirm what it shows now, as a new decision; ${consequence}.`,
    details: { batch: gate.number, attempt: gate.attempt, digest: gate.digest },
  };
}

/** The maximum size of a confirmation's exclusion reasons, as JSON. History stores them with the batch. */
const MAX_REASONS_BYTES = 32_768;

/** Whether a confirmation was sent before its gate was open or, if bare, less than two seconds after that. */
function isTooSoon({ opened_at }: OperationState, request: ContinueRequest, arrived: number): boolean {
  const bare = isBare(request);
  if (opened_at === undefined || (namesGate(request) && !bare)) return false;
  const { sent_ago_ms = 0 } = request;
  return arrived - sent_ago_ms < opened_at + (bare ? BARE_AFTER_MS : 0);
}

/** The sender's earlier decision about the gate that the request names, if that gate is closed. */
function repeatedOf(state: OperationState, request: ContinueRequest): AcceptedDecision | undefined {
  const { batch, attempt = 1, digest } = request;
  if (batch === undefined && digest === undefined) return undefined;
  return Object.entries(state.accepted).find(
    ([key, decision]) =>
      (batch === undefined || key === gateKey(batch, attempt)) &&
      (digest === undefined || decision.digest === digest) &&
      sameDecision(decision, request),
  )?.[1];
}

/** The error with which this decision was refused the first time. */
export function refusedBefore(state: OperationState, id: string | undefined): ErrorBody | undefined {
  if (id === undefined) return undefined;
  const latest = state.refused.find((entry) => entry.id === id)?.error;
  if (latest || !isRemembered(state.refused_before, id)) return latest;
  return {
    code: 'STALE_CONFIRMATION',
    message: 'This decision was refused earlier and remains refused.',
    hint: 'Read the status again and confirm what it shows now, as a new decision; nothing was run.',
  };
}

/** Refuses a decision that may be repeated, once the operation has too many decisions to distinguish repetitions. */
function tooMany(state: OperationState, request: ContinueRequest, gate: Gate): ErrorBody | undefined {
  const count = Object.keys(state.accepted).length + state.accepted_before.count;
  if (count >= MAX_DECISIONS) {
    return {
      code: 'NOT_AWAITING_CONFIRMATION',
      message: `This operation has taken ${count} confirmations, the maximum.`,
      hint: 'Cancel it, and start a new operation over the items that remain.',
    };
  }
  if (request.decision_id === undefined || request.digest !== undefined) return undefined;
  if (!hasForgotten(state.refused_before)) return undefined;
  return {
    code: 'STALE_CONFIRMATION',
    message: 'This operation refused so many decisions that it cannot tell whether this one is among them.',
    hint: `Read the question again, and confirm it with its digest (${gate.digest}); nothing was run.`,
    details: { batch: gate.number, attempt: gate.attempt, digest: gate.digest },
  };
}

function tooSoon({ number, attempt, digest }: Gate): ErrorBody {
  return {
    code: 'STALE_CONFIRMATION',
    message: `This confirmation names no batch, and was sent before the question for batch ${number} had been open for ${BARE_AFTER_MS / 1_000} seconds.`,
    hint: `Name the batch ({"batch": ${number}, "attempt": ${attempt}}), or read the question and send it again; nothing was run.`,
    details: { batch: number, attempt, digest },
  };
}

/** `ending`: the state in which the operation is about to end. Without it, its deadline has passed. */
export function closedError(state: OperationState, ending?: BulkState): ErrorBody {
  const how = isClosed(state.state) ? state.state : ending ? `about to end as ${ending}` : 'expired';
  const { operation_id, total, codes, sent_back } = state;
  return tooLate({ operation_id, how, total, remaining: countOutcomes(codes).pending, sent_back });
}

export function notAwaiting(state: OperationState): ErrorBody {
  if (state.editing) {
    return {
      code: 'NOT_AWAITING_CONFIRMATION',
      message: 'Somebody edits the change, and the rest is being planned anew.',
      hint: 'Wait for the next question; nothing was run.',
    };
  }
  if (state.state === 'awaiting_resolution') {
    return {
      code: 'NOT_AWAITING_CONFIRMATION',
      message: 'Every batch has run, and items are in doubt; there is nothing to continue.',
      hint: 'Resolve each item in doubt, complete the operation with a reason, or cancel it.',
    };
  }
  if (state.state === 'awaiting_confirmation') {
    return {
      code: 'NOT_AWAITING_CONFIRMATION',
      message:
        'Every batch has run, and the contract does not allow completion; there is nothing to continue.',
      hint: 'Complete the operation with a reason, or cancel it; after that, failed items can be retried.',
    };
  }
  if (state.scheduled && state.state === 'scheduled') {
    const { by } = state.accepted[gateKey(state.batch, state.attempt)] ?? {};
    const at = new Date(state.scheduled.at).toISOString();
    return {
      code: 'NOT_AWAITING_CONFIRMATION',
      message: `Batch ${state.batch} is confirmed${by === undefined ? '' : ` by ${by}`}, and begins at ${at}.`,
      hint: 'Nothing more is needed. To decide again, take the confirmation back first (withdraw); nothing was run.',
      details: { scheduled_for: at },
    };
  }
  const activity =
    state.state === 'running_batch' ? `batch ${state.batch} is running` : 'it is still being prepared';
  return {
    code: 'NOT_AWAITING_CONFIRMATION',
    message: `Nothing waits for a confirmation: ${activity}.`,
    hint: 'Wait for the next question; confirmations are never queued.',
  };
}

function refuse(error: ErrorBody): Verdict {
  return { kind: 'refused', error };
}

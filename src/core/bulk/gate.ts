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

/** A confirmation that names its gate; any other one is for the gate that was open when it was sent. */
export function namesGate(request: ContinueRequest): boolean {
  return request.batch !== undefined || request.digest !== undefined;
}

/** Its sender named nothing, though the door may have added the gate that the sender was shown. */
export function isBare(request: ContinueRequest): boolean {
  const { attempt, decision_id, sent_ago_ms } = request;
  const isNamed = namesGate(request) || attempt !== undefined || decision_id !== undefined;
  return sent_ago_ms !== undefined || !isNamed;
}

/** How a confirmation arrived. */
export interface Arrival {
  /** When it reached the server, in milliseconds since the epoch; by default now. */
  arrived?: number;
  /** The id of the update that brought it: its decision id unless it carries one. */
  update_id?: string;
}

/**
 * The single judge of every confirmation, by signal and by update. Nothing is queued: what is not accepted now is
 * refused now. A repeated decision, by its id or by its gate and sender, gets its first outcome again. One that names no
 * gate is for the gate that was open when it was sent; a bare one only after two seconds, because a double click, a
 * retry or a lost answer would confirm a second batch.
 */
export function judgeContinue(
  state: OperationState,
  request: ContinueRequest,
  now: number,
  { arrived = now, update_id }: Arrival = {},
): Verdict {
  const id = request.decision_id ?? update_id;
  const first =
    id === undefined ? undefined : Object.values(state.accepted).find((taken) => taken.decision_id === id);
  if (first) return { kind: 'duplicate', first };
  // An old decision is stored without its answer; the answer is the current status.
  if (id !== undefined && isRemembered(state.accepted_before, id)) return { kind: 'duplicate', first: {} };
  // A signal gets no answer: the record is all that its sender can read, so a repeated one is refused there.
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
  const asked = new Set(exclude.length > 0 ? gate.items.flatMap(namesOf) : []);
  const foreign = exclude.filter((excluded) => !asked.has(excluded.id));
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

/** The id of a decision belongs to another one. Temporal answers an update with its id by that one's answer. */
export const otherDecision = (nothing: string): ErrorBody => ({
  code: 'IDEMPOTENCY_CONFLICT',
  message: `This decision id belongs to another decision about this operation, so ${nothing}.`,
  hint: 'Read the status again, and decide about what it shows with an id of its own, or without one.',
});

/** The refusal of a decision that names another question than the open one. */
export function otherQuestion(
  gate: Gate,
  { batch, attempt = batch === undefined ? gate.attempt : 1, digest }: ContinueRequest,
  what = 'This confirmation',
  nothing = 'nothing was run',
): ErrorBody | undefined {
  const isOther = (batch !== undefined && batch !== gate.number) || attempt !== gate.attempt;
  if (!isOther && (digest === undefined || digest === gate.digest)) return undefined;
  return {
    code: 'STALE_CONFIRMATION',
    message: `${what} is not for the open question, which is batch ${gate.number}, attempt ${gate.attempt}.`,
    hint: `Read the status again and confirm what it shows now; ${nothing}.`,
    details: { batch: gate.number, attempt: gate.attempt, digest: gate.digest },
  };
}

/** The reasons of one confirmation's exclusions, as JSON: they are written into history with the batch. */
const MAX_REASONS_BYTES = 32_768;

/** Whether it was sent before its gate was open, or a bare one before the gate had been open for two seconds. */
function isTooSoon({ opened_at }: OperationState, request: ContinueRequest, arrived: number): boolean {
  const bare = isBare(request);
  if (opened_at === undefined || (namesGate(request) && !bare)) return false;
  const { sent_ago_ms = 0 } = request;
  return arrived - sent_ago_ms < opened_at + (bare ? BARE_AFTER_MS : 0);
}

/** The sender's own decision about the gate that the request names, if that gate is closed. */
function repeatedOf(state: OperationState, request: ContinueRequest): AcceptedDecision | undefined {
  const { batch, attempt = 1, digest } = request;
  if (batch === undefined && digest === undefined) return undefined;
  return Object.entries(state.accepted).find(
    ([key, taken]) =>
      (batch === undefined || key === gateKey(batch, attempt)) &&
      (digest === undefined || taken.digest === digest) &&
      sameDecision(taken, request),
  )?.[1];
}

/** The refusal that this decision got the first time. */
export function refusedBefore(state: OperationState, id: string | undefined): ErrorBody | undefined {
  if (id === undefined) return undefined;
  const latest = state.refused.find((one) => one.id === id)?.error;
  if (latest || !isRemembered(state.refused_before, id)) return latest;
  return {
    code: 'STALE_CONFIRMATION',
    message: 'This decision was refused earlier and remains refused.',
    hint: 'Read the status again and confirm what it shows now, as a new decision; nothing was run.',
  };
}

/** An operation with too many decisions to tell repeated ones apart refuses a decision that may be repeated. */
function tooMany(state: OperationState, request: ContinueRequest, gate: Gate): ErrorBody | undefined {
  const taken = Object.keys(state.accepted).length + state.accepted_before.count;
  if (taken >= MAX_DECISIONS) {
    return {
      code: 'NOT_AWAITING_CONFIRMATION',
      message: `This operation has taken ${taken} confirmations, the maximum.`,
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

/** `ending`: how the operation is about to end. Without it, its time is over. */
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
  const what =
    state.state === 'running_batch' ? `batch ${state.batch} is running` : 'it is still being prepared';
  return {
    code: 'NOT_AWAITING_CONFIRMATION',
    message: `Nothing waits for a confirmation: ${what}.`,
    hint: 'Wait for the next question; confirmations are never queued.',
  };
}

function refuse(error: ErrorBody): Verdict {
  return { kind: 'refused', error };
}

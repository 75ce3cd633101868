import type { ErrorBody } from '../../contract/errors';
import type { ContinueRequest } from '../../contract/messages';
import { shortened } from '../../contract/text';
import { bytesOf, MAX_DECISIONS } from '../shared/bounds';
import type { BulkState } from '../../contract/operation';
import { tooLate } from './closed';
import { countOutcomes } from './outcomes';
import { gateKey, openGate, type AcceptedDecision, type Gate, type OperationState } from './operation';
import { hasForgotten, isRemembered } from './remembered';
import { isClosed } from './transitions';

/** For this long after a gate has opened, a confirmation must name it. */
export const BARE_AFTER_MS = 2_000;

/** The effect of a confirmation now. */
export type Verdict =
  | { kind: 'accepted'; key: string }
  | { kind: 'duplicate'; first: Partial<AcceptedDecision> }
  | { kind: 'refused'; error: ErrorBody };

/** A confirmation that names its gate; a bare one confirms the gate that is open when it arrives. */
export function namesGate(request: ContinueRequest): boolean {
  return request.batch !== undefined || request.attempt !== undefined || request.digest !== undefined;
}

/** It names neither its gate nor its decision. */
export function isBare(request: ContinueRequest): boolean {
  return !namesGate(request) && request.decision_id === undefined;
}

/**
 * The single judge of every confirmation, by signal and by update. Nothing is queued: what is not accepted now is
 * refused now, and a repeated decision id gets its first outcome again. `bare`: the sent message named no gate and no
 * decision. A gate that has just opened refuses a bare one, because a double click would confirm a second batch.
 */
export function judgeContinue(
  state: OperationState,
  request: ContinueRequest,
  now: number,
  bare = isBare(request),
): Verdict {
  const id = request.decision_id;
  const first =
    id === undefined ? undefined : Object.values(state.accepted).find((taken) => taken.decision_id === id);
  if (first) return { kind: 'duplicate', first };
  // Of an old decision only the fact is stored; the answer is the current status.
  if (id !== undefined && isRemembered(state.accepted_before, id)) return { kind: 'duplicate', first: {} };
  const before = refusedBefore(state, id);
  if (before) return refuse(before);
  if (isClosed(state.state)) return refuse(closedError(state));
  const gate = openGate(state);
  if (!gate) return refuse(notAwaiting(state));
  if (state.deadline !== undefined && now >= state.deadline) return refuse(closedError(state));
  const attempt = request.attempt ?? (request.batch === undefined ? gate.attempt : 1);
  const other = request.batch !== undefined && request.batch !== gate.number;
  if (other || attempt !== gate.attempt || (request.digest !== undefined && request.digest !== gate.digest)) {
    return refuse({
      code: 'STALE_CONFIRMATION',
      message: `This confirmation is not for the open question, which is batch ${gate.number}, attempt ${gate.attempt}.`,
      hint: 'Read the status again and confirm what it shows now; nothing was run.',
      details: { batch: gate.number, attempt: gate.attempt, digest: gate.digest },
    });
  }
  const crowded = tooMany(state, request, gate);
  if (crowded) return refuse(crowded);
  if (bare && now - (state.opened_at ?? now) < BARE_AFTER_MS) return refuse(tooSoon(gate));
  const { exclude = [] } = request;
  const asked = new Set(exclude.length > 0 ? gate.items.map((item) => item.id) : []);
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
  return { kind: 'accepted', key: gateKey(gate.number, gate.attempt) };
}

/** The reasons of one confirmation's exclusions, as JSON: they are written into history with the batch. */
const MAX_REASONS_BYTES = 32_768;

/** The refusal that this decision got the first time. */
function refusedBefore(state: OperationState, id: string | undefined): ErrorBody | undefined {
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
    message: `This confirmation names no batch, and the question for batch ${number} has been open for less than ${BARE_AFTER_MS / 1_000} seconds.`,
    hint: `Name the batch ({"batch": ${number}, "attempt": ${attempt}}), or read the question and send it again; nothing was run.`,
    details: { batch: number, attempt, digest },
  };
}

/** `ending`: how the operation is about to end. Without it, its time is over. */
export function closedError(state: OperationState, ending?: BulkState): ErrorBody {
  const how = isClosed(state.state) ? state.state : ending ? `about to end as ${ending}` : 'expired';
  const { operation_id, total, codes } = state;
  return tooLate({ operation_id, how, total, remaining: countOutcomes(codes).pending });
}

function notAwaiting(state: OperationState): ErrorBody {
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

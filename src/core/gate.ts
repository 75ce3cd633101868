import type { ErrorBody } from '../contract/errors';
import type { ContinueRequest } from '../contract/messages';
import { excerpt } from '../contract/text';
import type { BulkState } from '../contract/operation';
import { gateKey, openGate, type AcceptedDecision, type OperationState } from './operation';
import { isClosed } from './transitions';

/** What a confirmation is worth now. */
export type Verdict =
  | { kind: 'accepted'; key: string }
  | { kind: 'duplicate'; first: AcceptedDecision }
  | { kind: 'refused'; error: ErrorBody };

/** A confirmation that says which gate it means; a bare one confirms the gate that is open when it arrives. */
export function namesGate(request: ContinueRequest): boolean {
  return request.batch !== undefined || request.attempt !== undefined || request.digest !== undefined;
}

/**
 * The one decision about every confirmation, by signal and by update. Nothing is queued: what is not accepted now
 * is refused now, and the same decision id again gets its first outcome again.
 */
export function judgeContinue(state: OperationState, request: ContinueRequest, now: number): Verdict {
  const id = request.decision_id;
  const first =
    id === undefined ? undefined : Object.values(state.accepted).find((taken) => taken.decision_id === id);
  if (first) return { kind: 'duplicate', first };
  const before = state.refused.find((one) => one.id === id)?.error;
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
  const foreign = (request.exclude ?? []).filter(
    ({ id: excluded }) => !gate.items.some((item) => item.id === excluded),
  );
  if (foreign.length > 0) {
    return refuse({
      code: 'INVALID_INPUT',
      message: `Not in batch ${gate.number}: ${foreign
        .slice(0, 5)
        .map((item) => excerpt(item.id))
        .join(', ')}.`,
      hint: 'Exclude only items that the open question lists; nothing was run.',
    });
  }
  return { kind: 'accepted', key: gateKey(gate.number, gate.attempt) };
}

/** `ending`: how the operation is about to end, while it has not yet. Without it, its time is over. */
export function closedError(state: OperationState, ending?: BulkState): ErrorBody {
  const how = isClosed(state.state) ? state.state : ending ? `about to end as ${ending}` : 'expired';
  return {
    code: 'OPERATION_CLOSED',
    message: `The operation is ${how}; it takes no more decisions.`,
    hint: 'Look at its status for what was done; start a new operation for the rest.',
  };
}

function notAwaiting(state: OperationState): ErrorBody {
  const what: Partial<Record<OperationState['state'], string>> = {
    preparing: 'it is still being prepared',
    running_batch: `batch ${state.batch} is running`,
  };
  return {
    code: 'NOT_AWAITING_CONFIRMATION',
    message: `Nothing waits for a confirmation: ${what[state.state] ?? 'every batch has run'}.`,
    hint: 'Wait for the next question; confirmations are never queued.',
  };
}

function refuse(error: ErrorBody): Verdict {
  return { kind: 'refused', error };
}

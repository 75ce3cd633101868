import type { ContinueRequest, EditRequest, ReviseRequest } from '../../src/contract/messages';
import { closed, gateOpen, type Model } from './lifecycle.model';

export type Naming =
  'bare' | 'right' | 'batch only' | 'digest only' | 'next' | 'previous' | 'other attempt' | 'other digest';

/** A confirmation that names its gate in this way; `digest` is the digest of the open gate. */
export function named(
  naming: Naming,
  { batch, attempt }: Model,
  digest: string | undefined,
): ContinueRequest {
  switch (naming) {
    case 'bare':
      return {};
    case 'right':
      return { batch, attempt, digest };
    case 'batch only':
      return { batch };
    case 'digest only':
      return { digest };
    case 'next':
      return { batch: batch + 1 };
    case 'previous':
      return { batch: Math.max(1, batch - 1), attempt };
    case 'other attempt':
      return { batch, attempt: attempt + 1 };
    case 'other digest':
      return { batch, attempt, digest: 'f'.repeat(64) };
  }
}

/** How a confirmation arrives: how many milliseconds after it was sent, and by which message. */
export interface Arriving {
  late: number;
  via: 'update' | 'signal';
}

/** The documented verdict, computed from the model alone. */
export function expectedVerdict(
  model: Model,
  naming: Naming,
  request: ContinueRequest,
  foreign: boolean,
  { late, via }: Arriving = { late: 0, via: 'signal' },
  isRevision = false,
): string {
  if (request.decision_id !== undefined && model.decided.has(request.decision_id)) return 'duplicate';
  if (via === 'update' && isRepeated(model, request, isRevision)) return 'duplicate';
  if (wasEditedBy(model, request.decision_id)) return 'IDEMPOTENCY_CONFLICT';
  const before = model.refused.get(request.decision_id ?? '');
  if (before !== undefined) return before;
  if (closed(model)) return 'OPERATION_CLOSED';
  if (!gateOpen(model)) return 'NOT_AWAITING_CONFIRMATION';
  if (model.deadline !== undefined && model.now >= model.deadline) return 'OPERATION_CLOSED';
  const least = naming !== 'bare' ? -Infinity : request.decision_id === undefined ? 2_000 : 0;
  if (isStale(model, naming) || model.now - late - model.openedAt < least) return 'STALE_CONFIRMATION';
  return foreign ? 'INVALID_INPUT' : 'accepted';
}

const isStale = ({ batch, attempt }: Model, naming: Naming): boolean =>
  ['next', 'other attempt', 'other digest'].includes(naming) ||
  (naming === 'previous' && batch > 1) ||
  (naming === 'batch only' && attempt > 1);

/** An operation knows the ids of all its edits. */
const wasEditedBy = ({ editing, edits }: Model, id: string | undefined): boolean =>
  id !== undefined && (editing?.id === id || edits.includes(id));

/** The documented verdict on an edit. It runs nothing, so a bare one counts at once. */
export function expectedEdit(model: Model, naming: Naming, { decision_id: id }: EditRequest): string {
  if (wasEditedBy(model, id)) return 'duplicate';
  const before = model.refused.get(id ?? '');
  if (before !== undefined) return before;
  if (closed(model)) return 'OPERATION_CLOSED';
  if (id !== undefined && model.decided.has(id)) return 'IDEMPOTENCY_CONFLICT';
  if (!gateOpen(model)) return 'NOT_AWAITING_CONFIRMATION';
  if (model.deadline !== undefined && model.now >= model.deadline) return 'OPERATION_CLOSED';
  return isStale(model, naming) ? 'STALE_CONFIRMATION' : 'accepted';
}

/** The same sender has confirmed the gate that the request names, with the same items left out, both without an id. */
function isRepeated(
  model: Model,
  { batch, attempt, digest, by, exclude, decision_id }: ContinueRequest,
  isRevision: boolean,
): boolean {
  if (decision_id !== undefined || (batch === undefined && digest === undefined)) return false;
  return [...model.closedBy, ...(isRevision ? [] : model.given.filter(({ id }) => id === undefined))].some(
    (gate) =>
      (batch === undefined || (gate.batch === batch && gate.attempt === (attempt ?? 1))) &&
      (digest === undefined || gate.digest === digest) &&
      gate.by === by &&
      gate.left === leftOut(exclude),
  );
}

/** A decision that alone runs nothing. */
export interface Recorded {
  kind: 'recorded';
  as: 'counts' | 'leaves_out';
}

/** What an accepted confirmation does where a policy asks for approvals. `pending`: how many items the batch has. */
export function expectedApproval(
  { needed, given }: Model,
  { by, exclude = [] }: ContinueRequest,
  pending: number,
): string {
  if (needed === undefined) return 'accepted';
  if (needed > 1 && (by === undefined || given.some((one) => one.by === by))) return 'FORBIDDEN';
  if (needed > 1 && exclude.length > 0) return exclude.length >= pending ? 'INVALID_INPUT' : 'leaves_out';
  return given.length + 1 >= needed ? 'accepted' : 'counts';
}

export const leftOut = (exclude: ContinueRequest['exclude'] = []): string =>
  [...new Set(exclude.map(({ id }) => id))].sort().join();

/** The documented verdict on a question that is sent back: by the rules of a confirmation, and once for all. */
export function expectedRevision(
  model: Model,
  naming: Naming,
  request: ReviseRequest,
  arriving: Arriving,
): string {
  const { sentBack: taken } = model;
  const { decision_id: id, batch, attempt = 1, digest, by } = request;
  if (taken) {
    const isGate =
      (batch === undefined || (batch === taken.gate.batch && attempt === taken.gate.attempt)) &&
      (digest === undefined || digest === taken.gate.digest);
    const isSame = taken.decision_id === undefined && id === undefined && taken.by === by && isGate;
    const again = (id !== undefined && taken.decision_id === id) || (arriving.via === 'update' && isSame);
    return again ? 'repeated' : 'OPERATION_CLOSED';
  }
  const verdict = expectedVerdict(model, naming, request, false, arriving, true);
  if (verdict !== 'duplicate') return verdict;
  return id !== undefined && model.decided.has(id) ? 'IDEMPOTENCY_CONFLICT' : 'STALE_CONFIRMATION';
}

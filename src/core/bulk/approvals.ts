import type { Delegator } from '../../contract/counted-approvals';
import type { ErrorBody } from '../../contract/errors';
import type { ContinueRequest } from '../../contract/messages';
import type { Approver } from '../../contract/policy';
import { denial, nothingLeft } from './approval-words';
import { atLeast, entitlementOf, givenOf, hasApproved } from './approvers';
import { excludedBy } from './exclusions';
import {
  gateKey,
  openGate,
  pendingPlaces,
  type AcceptedDecision,
  type Approving,
  type GivenApproval,
  type OperationState,
} from './operation';
import { isRemembered, NOTHING_REMEMBERED } from './remembered';
import { sameDecision } from './repetitions';

/** What an accepted confirmation does where a policy asks for approvals. */
export type ApprovalVerdict =
  /** With the others it suffices: the batch runs. */
  | { kind: 'sufficient'; for?: Delegator }
  | { kind: 'counts'; for?: Delegator }
  /** It leaves items out, which makes another question. */
  | { kind: 'leaves_out' }
  /** `lost`: an approval that this person gave before no longer counts either. */
  | { kind: 'refused'; error: ErrorBody; lost?: true };

/** Judges a confirmation of the open question by who gives it. */
export function judgeApproval(
  state: OperationState,
  request: Pick<ContinueRequest, 'exclude'>,
  approver: Approver,
  now: number,
): ApprovalVerdict {
  const { requirement } = state;
  if (!requirement) return { kind: 'sufficient' };
  const may = entitlementOf(state, approver, now);
  if ('denied' in may) {
    if (may.denied !== 'lost') return { kind: 'refused', error: denial(state, approver, may.denied) };
    const isLost = isVouchedAsMuch(state, approver);
    const error = denial(state, approver, isLost ? 'lost' : 'counted');
    return { kind: 'refused', error, ...(isLost && { lost: true as const }) };
  }
  const { approvals, distinct } = requirement;
  const isSecond = [approver, ...(may.for ? [may.for] : [])].some((person) => hasApproved(state, person));
  if (distinct && isSecond) return { kind: 'refused', error: denial(state, approver, 'counted') };
  const left = excludedBy(state, request).places.length;
  if (left > 0 && approvals > 1)
    return left >= pendingPlaces(state, state.batch).length
      ? { kind: 'refused', error: nothingLeft(approvals) }
      : { kind: 'leaves_out' };
  return { kind: givenOf(state).length + 1 >= approvals ? 'sufficient' : 'counts', ...may };
}

/** Nobody can take away an approval by naming its approver: it takes as much as the approval did. */
function isVouchedAsMuch(state: OperationState, { subject, assurance }: Approver): boolean {
  return givenOf(state).some((one) => one.subject === subject && atLeast(assurance, one.assurance));
}

/** The state without the approvals of people who may approve no longer. */
export function withoutApprovals(
  state: OperationState,
  isLost: (one: GivenApproval) => boolean,
): OperationState {
  const { approving } = state;
  const gone = approving?.given.filter(isLost) ?? [];
  if (!approving || gone.length === 0) return state;
  const given = approving.given.filter((one) => !gone.includes(one));
  const lost = [...(approving.lost ?? []), ...gone.map(({ by, subject = '' }) => by ?? subject)];
  return { ...state, approving: { ...approving, given, lost } };
}

/**
 * The approval that a decision repeats: by its id, also of a question that is over, or by its question and sender. An
 * old one is known without its answer.
 */
export function repeatedApproval(
  state: OperationState,
  request: ContinueRequest,
  id: string | undefined,
  isUpdate: boolean,
): Partial<AcceptedDecision> | undefined {
  const { approving, accepted, requirement } = state;
  if (!requirement || !approving) return undefined;
  const all = [...Object.values(accepted).flatMap(({ approvals = [] }) => approvals), ...approving.given];
  if (id !== undefined) {
    const own = all.find((one) => one.decision_id === id);
    if (own) return own;
    if (isRemembered(approving.decided ?? NOTHING_REMEMBERED, id)) return {};
  }
  const { batch, attempt = 1, digest } = request;
  if (!isUpdate || (batch === undefined && digest === undefined)) return undefined;
  return all.find(
    (one) =>
      (batch === undefined || one.gate === gateKey(batch, attempt)) &&
      (digest === undefined || one.digest === digest) &&
      sameDecision(one, request),
  );
}

/** A question opens: its approvals begin, or begin again. Escalation and a hold are about the batch. */
export function approvalsAsked(state: OperationState): OperationState {
  const { requirement, approving: before, batch, edition, opened_at = 0 } = state;
  if (!requirement) return state;
  const same = before?.batch === batch ? before : undefined;
  const again =
    same && (same.given.length > 0 || same.again !== undefined) ? whyAgain(same, state) : undefined;
  const approving: Approving = {
    batch,
    ...(edition !== undefined && { edition }),
    given: [],
    ...(again !== undefined && { again }),
    ...{ since: same?.since ?? opened_at, escalated: same?.escalated ?? 0 },
    ...(same?.held && same.edition === edition && { held: same.held }),
    ...(same?.left && { left: same.left }),
    ...(before?.decided && { decided: before.decided }),
  };
  return { ...state, approving };
}

/** The ledger has what was left out by now. */
export function withoutLeft(state: OperationState): OperationState {
  if (!state.approving?.left) return state;
  const { left: _, ...approving } = state.approving;
  return { ...state, approving };
}

function whyAgain(before: Approving, { edition, state }: OperationState): string {
  if (before.edition !== edition) return 'the change was edited';
  return state === 'batch_failed' ? 'not all of the batch was run' : 'the question changed';
}

/** The approvals begin again, if there were any, for this reason. */
export function because(state: OperationState, again: string): OperationState {
  const { approving } = state;
  return approving?.again === undefined ? state : { ...state, approving: { ...approving, again } };
}

/** When the next group is asked as well; undefined if there is none, or no question is open. */
export function escalationAt(state: OperationState): number | undefined {
  const { requirement, approving } = state;
  const next = requirement?.escalate?.[approving?.escalated ?? 0];
  return next && approving && openGate(state) ? approving.since + next.after_seconds * 1_000 : undefined;
}

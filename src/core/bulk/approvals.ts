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

/** The effect of an accepted confirmation under a policy that requires approvals. */
export type ApprovalVerdict =
  /** The required number is reached, so the batch runs. */
  | { kind: 'sufficient'; for?: Delegator }
  | { kind: 'counts'; for?: Delegator }
  /** It leaves items out, so another question is asked. */
  | { kind: 'leaves_out' }
  /** `lost`: an earlier approval by this person no longer counts either. */
  | { kind: 'refused'; error: ErrorBody; lost?: true };

/** Judges a confirmation of the open question by its sender. */
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
  const leftOut = excludedBy(state, request).places.length;
  if (leftOut > 0 && approvals > 1)
    return leftOut >= pendingPlaces(state, state.batch).length
      ? { kind: 'refused', error: nothingLeft(approvals) }
      : { kind: 'leaves_out' };
  return { kind: givenOf(state).length + 1 >= approvals ? 'sufficient' : 'counts', ...may };
}

/** Whether a sender has the assurance of their own approval: a name alone does not take an approval away. */
function isVouchedAsMuch(state: OperationState, { subject, assurance }: Approver): boolean {
  return givenOf(state).some((own) => own.subject === subject && atLeast(assurance, own.assurance));
}

/** Removes the approvals of people who may no longer approve. */
export function withoutApprovals(
  state: OperationState,
  isLost: (approval: GivenApproval) => boolean,
): OperationState {
  const { approving } = state;
  const removed = approving?.given.filter(isLost) ?? [];
  if (!approving || removed.length === 0) return state;
  const remaining = approving.given.filter((approval) => !removed.includes(approval));
  const lost = [...(approving.lost ?? []), ...removed.map(({ by, subject = '' }) => by ?? subject)];
  return { ...state, approving: { ...approving, given: remaining, lost } };
}

/**
 * The approval that a decision repeats. It matches by id, also for a closed question, or by question and sender. An old
 * approval is stored only by its id, so the result for it is empty.
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
    const own = all.find((approval) => approval.decision_id === id);
    if (own) return own;
    if (isRemembered(approving.decided ?? NOTHING_REMEMBERED, id)) return {};
  }
  const { batch, attempt = 1, digest } = request;
  if (!isUpdate || (batch === undefined && digest === undefined)) return undefined;
  return all.find(
    (approval) =>
      (batch === undefined || approval.gate === gateKey(batch, attempt)) &&
      (digest === undefined || approval.digest === digest) &&
      sameDecision(approval, request),
  );
}

/** Starts or restarts the approvals of a question that opens. Escalation and a hold carry over within a batch. */
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
    ...(before?.decided && { decided: before.decided }),
  };
  return { ...state, approving };
}

function whyAgain(before: Approving, { edition, state }: OperationState): string {
  if (before.edition !== edition) return 'the change was edited';
  return state === 'batch_failed' ? 'not all of the batch was run' : 'the question changed';
}

/** Sets the reason why the approvals begin again, if they do. */
export function because(state: OperationState, again: string): OperationState {
  const { approving } = state;
  return approving?.again === undefined ? state : { ...state, approving: { ...approving, again } };
}

/** The time of the next escalation step; undefined if there is none or no question is open. */
export function escalationAt(state: OperationState): number | undefined {
  const { requirement, approving } = state;
  const next = requirement?.escalate?.[approving?.escalated ?? 0];
  return next && approving && openGate(state) ? approving.since + next.after_seconds * 1_000 : undefined;
}

import type { Approver, Requirement } from '../../src/contract/policy';
import type { ContinueRequest } from '../../src/contract/messages';
import { judgeApproval } from '../../src/core/bulk/approvals';
import { approved, askedWithout, withApprovers } from '../../src/core/bulk/approving';
import { confirmed } from '../../src/core/bulk/lifecycle';
import { type OperationState } from '../../src/core/bulk/operation';
import { plannedWith, requirement, START } from './lifecycle.fixtures';

export const IDP = 'https://id.example.com';
export const person = (by: string, more: Partial<Approver> = {}): Approver => ({
  ...{ subject: `${IDP}|${by}`, by, groups: ['finance'], roles: ['approver'], assurance: 'session' },
  ...more,
});
export const anna = person('anna');
export const ben = person('ben');
export const how = (approver: Approver) => ({
  ...{ via: 'update' as const, assurance: approver.assurance, approver },
});

export const asked = (more: Partial<Requirement> = {}, input: object = {}, count = 12): OperationState =>
  plannedWith('p'.repeat(count), { batch_size: 5, requested_by: 'rita', ...input }, requirement(more));

/** The question after this person's approval, which must not suffice. */
export function after(
  state: OperationState,
  approver: Approver,
  request: ContinueRequest = {},
): OperationState {
  const verdict = judgeApproval(state, request, approver, START);
  if (verdict.kind === 'leaves_out') return askedWithout(state, request, how(approver), START);
  if (verdict.kind !== 'counts') throw new Error(JSON.stringify(verdict));
  return approved(state, { by: approver.by, ...request }, { ...how(approver), ...verdict }, START);
}

export const kindOf = (state: OperationState, approver: Approver, now = START): string => {
  const verdict = judgeApproval(state, {}, approver, now);
  if (verdict.kind !== 'refused') return verdict.kind;
  return String((verdict.error.details as { reason?: string } | undefined)?.reason ?? verdict.error.code);
};
export const runBy = (state: OperationState, approver: Approver) =>
  withApprovers(confirmed(state, { by: approver.by }, how(approver), START), how(approver));

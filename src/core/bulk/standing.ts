import type { Approver } from '../../contract/policy';
import type { ContinueRequest } from '../../contract/messages';
import type { Standing, VouchedApprover } from '../../contract/access';
import { MAY } from '../access/permissions';
import { judgeApproval, withoutApprovals } from './approvals';
import { askedNames, givenOf, isNamed, isNameOf } from './approvers';
import type { GivenApproval, Named, OperationState } from './operation';

/**
 * Whether a batch runs on this confirmation and also depends on the right of other people: of earlier approvers, or of
 * the person in whose place it is. Their standing is then checked again.
 */
export function restsOnOthers(
  state: OperationState,
  request: Pick<ContinueRequest, 'exclude'>,
  approver: Approver,
  now: number,
): boolean {
  const verdict = judgeApproval(state, request, approver, now);
  return verdict.kind === 'sufficient' && (givenOf(state).length > 0 || verdict.for !== undefined);
}

const personOf = ({ subject = '', by = '', assurance, key }: GivenApproval): Named => ({
  ...{ subject, by, assurance },
  ...(key !== undefined && { key }),
});

/** Whether the HTTP API vouched for a person, by a key or by a sign-in. */
const isVouched = ({ assurance = 'asserted', key }: Named): boolean =>
  key !== undefined || assurance !== 'asserted';

/** The approvers of the open question, and those in whose place others approve, if the HTTP API vouched for them. */
export function vouchedIn(state: OperationState): VouchedApprover[] {
  const approvers = givenOf(state).flatMap((approval) => [
    personOf(approval),
    ...(approval.for ? [approval.for] : []),
  ]);
  const all = [...approvers, ...(state.delegations ?? []).map(({ from }) => from)].filter(isVouched);
  return all
    .filter((person, at) => all.findIndex((other) => isSameSender(person, other)) === at)
    .map(({ subject, key }) => ({ subject, ...(key !== undefined && { key }) }));
}

const isSameSender = (one: VouchedApprover, other: VouchedApprover): boolean =>
  one.subject === other.subject && one.key === other.key;

/** The standing of some people, in their order. */
interface Checked {
  people: readonly VouchedApprover[];
  standings: readonly Standing[];
}

/** Removes the approvals and delegations of people who, as far as is known now, may no longer approve. */
export function withoutLost(
  state: OperationState,
  { people, standings }: Checked,
  now: number,
): OperationState {
  const names = askedNames(state);
  const standingOf = (person: Named): Standing => {
    const at = people.findIndex((other) => isSameSender(person, other));
    return (isVouched(person) && standings[at]) || 'unknown';
  };
  const may = (person: Named, allowed = names) => {
    const standing = standingOf(person);
    if (typeof standing === 'string') return standing === 'unknown';
    const approver = {
      ...person,
      groups: standing.groups,
      roles: [standing.role],
      assurance: 'asserted' as const,
    };
    return isDecider(standing.role) && (allowed.length === 0 || isNamed(allowed, approver));
  };
  const next = { ...state, delegations: (state.delegations ?? []).filter(({ from }) => may(from)) };
  const delegates = (approval: GivenApproval) =>
    next.delegations.some(
      ({ from, to, until }) =>
        from.subject === approval.for?.subject && isNameOf(to, personOf(approval)) && now < until,
    );
  const counts = (approval: GivenApproval) => {
    if (!approval.for) return may(personOf(approval));
    return approval.for.by_link ? may(approval.for) : delegates(approval) && may(personOf(approval), []);
  };
  return withoutApprovals(state.delegations ? next : state, (approval) => !counts(approval));
}

const isDecider = (role: string): boolean => MAY.decide.roles.some((decider) => decider === role);

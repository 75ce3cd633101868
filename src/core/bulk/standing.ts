import type { Approver } from '../../contract/policy';
import type { ContinueRequest } from '../../contract/messages';
import type { Standing, VouchedApprover } from '../../contract/access';
import { MAY } from '../access/permissions';
import { judgeApproval, withoutApprovals } from './approvals';
import { askedNames, givenOf, isNamed, isNameOf } from './approvers';
import type { GivenApproval, Named, OperationState } from './operation';

/**
 * Whether a batch runs at this confirmation, and also by the right of people who are not its sender: of those who
 * approved before, or in whose place it is. What is known of them is checked anew then.
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

const named = ({ subject = '', by = '', assurance, key }: GivenApproval): Named => ({
  ...{ subject, by, assurance },
  ...(key !== undefined && { key }),
});

/** The HTTP API vouched for those whom it knew by a key or by a sign-in. */
const isVouched = ({ assurance = 'asserted', key }: Named): boolean =>
  key !== undefined || assurance !== 'asserted';

/** The approvers of the open question, and those in whose place others approve, of whom the HTTP API knows more. */
export function vouchedIn(state: OperationState): VouchedApprover[] {
  const given = givenOf(state).flatMap((one) => [named(one), ...(one.for ? [one.for] : [])]);
  const all = [...given, ...(state.delegations ?? []).map(({ from }) => from)].filter(isVouched);
  return all
    .filter((person, at) => all.findIndex((other) => isSameSender(person, other)) === at)
    .map(({ subject, key }) => ({ subject, ...(key !== undefined && { key }) }));
}

const isSameSender = (one: VouchedApprover, other: VouchedApprover): boolean =>
  one.subject === other.subject && one.key === other.key;

/** What was found out about these, in their order. */
interface Checked {
  people: readonly VouchedApprover[];
  standings: readonly Standing[];
}

/** The state without the approvals and the delegations of those who, as far as is known now, may approve no longer. */
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
  const may = (person: Named, asked = names) => {
    const standing = standingOf(person);
    if (typeof standing === 'string') return standing === 'unknown';
    const known = {
      ...person,
      groups: standing.groups,
      roles: [standing.role],
      assurance: 'asserted' as const,
    };
    return isDecider(standing.role) && (asked.length === 0 || isNamed(asked, known));
  };
  const kept = { ...state, delegations: (state.delegations ?? []).filter(({ from }) => may(from)) };
  const delegates = (one: GivenApproval) =>
    kept.delegations.some(
      ({ from, to, until }) => from.subject === one.for?.subject && isNameOf(to, named(one)) && now < until,
    );
  const counts = (one: GivenApproval) => {
    if (!one.for) return may(named(one));
    return one.for.by_link ? may(one.for) : delegates(one) && may(named(one), []);
  };
  return withoutApprovals(state.delegations ? kept : state, (one) => !counts(one));
}

const isDecider = (role: string): boolean => MAY.decide.roles.some((one) => one === role);

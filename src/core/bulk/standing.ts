import type { Approver } from '../../contract/policy';
import type { ContinueRequest } from '../../contract/messages';
import type { Standing, VouchedApprover } from '../../contract/access';
import { MAY } from '../access/permissions';
import { judgeApproval, withoutApprovals } from './approvals';
import { askedNames, givenOf, isNamed, isNameOf } from './approvers';
import type { GivenApproval, Named, OperationState } from './operation';

/** Whether a confirmation is the last of several approvals, so that those before it are checked anew. */
export const isLastOfSeveral = (
  state: OperationState,
  request: Pick<ContinueRequest, 'exclude'>,
  approver: Approver,
  now: number,
): boolean => givenOf(state).length > 0 && judgeApproval(state, request, approver, now).kind === 'sufficient';

const named = ({ subject = '', by = '', assurance, key }: GivenApproval): Named => ({
  ...{ subject, by, assurance },
  ...(key !== undefined && { key }),
});

/** The HTTP API vouched for those whom it knew by a key or by a sign-in. */
const isVouched = ({ assurance = 'asserted', key }: Named): boolean =>
  key !== undefined || assurance !== 'asserted';

/** The approvers of the open question, and those in whose place they approved, of whom the HTTP API knows more. */
export const vouchedIn = (state: OperationState): VouchedApprover[] =>
  givenOf(state)
    .flatMap((one) => [named(one), ...(one.for ? [one.for] : [])])
    .filter(isVouched)
    .map(({ subject, key }) => ({ subject, ...(key !== undefined && { key }) }));

/** What was found out about these, in their order. */
interface Checked {
  people: readonly VouchedApprover[];
  standings: readonly Standing[];
}

/** The state without the approvals of those who, as far as is known now, may approve no longer. */
export function withoutLost(
  state: OperationState,
  { people, standings }: Checked,
  now: number,
): OperationState {
  const names = askedNames(state);
  const standingOf = (person: Named): Standing => {
    const at = people.findIndex(({ subject, key }) => subject === person.subject && key === person.key);
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
  const delegates = (one: GivenApproval) =>
    (state.delegations ?? []).some(
      ({ from, to, until }) => from.subject === one.for?.subject && isNameOf(to, named(one)) && now < until,
    );
  const counts = (one: GivenApproval) =>
    one.for ? delegates(one) && may(one.for) && may(named(one), []) : may(named(one));
  return withoutApprovals(state, (one) => !counts(one));
}

const isDecider = (role: string): boolean => MAY.decide.roles.some((one) => one === role);

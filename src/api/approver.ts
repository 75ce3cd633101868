import type { Approver } from '../contract/policy';
import type { Provider } from './open-id/provider';
import type { Principal } from './principal';

interface Providing {
  provider?: Pick<Provider, 'issuer'> | undefined;
}

/** The identity provider's person, under the name of that provider; undefined for anyone else. */
export function subjectOf(
  { provider }: Providing,
  { subject }: Pick<Principal, 'subject'>,
): string | undefined {
  return subject === undefined ? undefined : `${provider?.issuer ?? ''}|${subject}`;
}

/** Who requests something on a page. */
export const requesterOf = (context: Providing, principal: Principal) => ({
  ...{ requested_by: principal.name, requested_subject: subjectOf(context, principal) },
});

/** Who decides, as this server knows it. A backend names its people, so only its role is known here. */
export function approverOf(
  context: Providing,
  principal: Pick<Principal, 'kind' | 'id' | 'subject' | 'groups'> & Partial<Pick<Principal, 'role'>>,
  by: string,
): Approver {
  const { kind, id, role, groups = [] } = principal;
  return {
    ...{ subject: subjectOf(context, principal) ?? by, by, groups, roles: role === undefined ? [] : [role] },
    assurance: kind === 'person' ? 'session' : 'asserted',
    ...(kind === 'key' && { key: id }),
  };
}

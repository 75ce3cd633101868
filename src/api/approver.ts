import type { Approver } from '../contract/policy';
import type { ApiContext } from './context';
import type { Principal } from './principal';

/** The identity provider's person, under the name of that provider; undefined for anyone else. */
export function subjectOf(
  { provider }: Pick<ApiContext, 'provider'>,
  { subject }: Pick<Principal, 'subject'>,
): string | undefined {
  return subject === undefined ? undefined : `${provider?.issuer ?? ''}|${subject}`;
}

/** Who requests something on a page. */
export const requesterOf = (context: Pick<ApiContext, 'provider'>, principal: Principal) => ({
  ...{ requested_by: principal.name, requested_subject: subjectOf(context, principal) },
});

/** Who decides, as this server knows it. A backend names its people, so only its role is known here. */
export function approverOf(
  context: Pick<ApiContext, 'provider'>,
  principal: Pick<Principal, 'kind' | 'id' | 'role' | 'subject' | 'groups'>,
  by: string,
): Approver {
  const { kind, id, role, groups = [] } = principal;
  return {
    ...{ subject: subjectOf(context, principal) ?? by, by, groups, roles: [role] },
    assurance: kind === 'person' ? 'session' : 'asserted',
    ...(kind === 'key' && { key: id }),
  };
}

import type { Approver } from '../contract/policy';
import type { Provider } from './open-id/provider';
import { isBackend, type Principal } from './principal';

interface Providing {
  provider?: Pick<Provider, 'issuer'> | undefined;
}

/** The id of a person at the identity provider, prefixed with its issuer; undefined for any other sender. */
export function subjectOf(
  { provider }: Providing,
  { subject }: Pick<Principal, 'subject'>,
): string | undefined {
  return subject === undefined ? undefined : `${provider?.issuer ?? ''}|${subject}`;
}

/** The id of the requester at an identity provider: the sender's own. A backend may name that of its person. */
export const requestingSubject = (
  context: Providing,
  principal: Pick<Principal, 'kind' | 'role' | 'subject'>,
  named?: string,
): string | undefined => (isBackend(principal) ? named : subjectOf(context, principal));

/** The requester of an operation that is started on a page. */
export const requesterOf = (context: Providing, principal: Principal) => ({
  ...{ requested_by: principal.name, requested_subject: subjectOf(context, principal) },
});

/** The person who decides. A backend names its people itself, so this server knows only the role of its key. */
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

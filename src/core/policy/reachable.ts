import type { Requirement } from '../../contract/policy';
import { MAY } from '../access/permissions';

/** What can be known of approvers where batchgate runs. */
export interface Identities {
  /** A provider names the groups of people. */
  groups?: boolean;
  /** People can sign with passkeys. */
  passkeys?: boolean;
  /** Who requested the operation. */
  requester?: string | undefined;
}

/** Why nobody can satisfy a requirement, in words that follow "it"; undefined if somebody can. */
export function impossible(
  { approvals, from, not_requester, distinct, assurance, deadline_seconds, escalate = [] }: Requirement,
  { groups = true, passkeys = true, requester }: Identities,
): string | undefined {
  if (assurance === 'signed' && !passkeys)
    return 'asks for signed approvals, and browsers use no passkeys at the address in http.base_url';
  const late = escalate.find(({ after_seconds }) => after_seconds >= (deadline_seconds ?? Infinity));
  if (late)
    return `asks others after ${late.after_seconds} seconds, when its question has expired after ${deadline_seconds}`;
  const all = [...from, ...escalate.flatMap(({ to }) => to)];
  const unknown = all.find((name) => isNoRole(name));
  if (unknown !== undefined)
    return `names ${unknown}, and the roles that decide are ${MAY.decide.roles.join(', ')}`;
  if (from.length === 0) return undefined;
  const isRequester = (name: string) =>
    not_requester && requester !== undefined && name === `person:${requester}`;
  const mayGive = (name: string) => (groups || !name.startsWith('group:')) && !isRequester(name);
  const left = new Set(all.filter(mayGive));
  const isOpen = [...left].some((name) => !name.startsWith('person:'));
  const needed = distinct ? approvals : 1;
  if (isOpen || left.size >= needed) return undefined;
  if (left.size === 0 && !groups && all.some((name) => name.startsWith('group:')))
    return `asks ${all.join(', ')}, and no identity provider under "oidc" names the groups of people`;
  return `needs ${needed} ${needed === 1 ? 'approval' : 'approvals of different people'}, and ${left.size} of those whom it names can give one`;
}

const isNoRole = (name: string): boolean =>
  name.startsWith('role:') && !MAY.decide.roles.some((role) => name === `role:${role}`);

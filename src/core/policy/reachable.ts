import type { Requirement } from '../../contract/policy';
import { MAY } from '../access/permissions';
import { assertedBy, isSamePerson } from '../bulk/approvers';
import type { Named } from '../bulk/operation';

/** What can be known of approvers where batchgate runs. */
export interface Identities {
  /** An HTTP API over the same store has keys with roles, and people sign in to it. */
  signIn?: boolean;
  /** A provider names the groups of people. */
  groups?: boolean;
  /** Why nobody can sign with a passkey, in words that follow "and". */
  noPasskeys?: string | undefined;
  /** Who requested the operation. */
  requester?: string | undefined;
}

/** Why nobody can satisfy a requirement, in words that follow "it"; undefined if somebody can. */
export function impossible(
  { approvals, from, not_requester, distinct, assurance, deadline_seconds, escalate = [] }: Requirement,
  { signIn = true, groups = true, noPasskeys, requester }: Identities,
): string | undefined {
  if (assurance !== 'asserted' && !signIn)
    return `asks for approvals of the assurance "${assurance}", and ${NOBODY_SIGNS_IN}`;
  if (assurance === 'signed' && noPasskeys !== undefined)
    return `asks for signed approvals, and ${noPasskeys}`;
  const late = escalate.find(({ after_seconds }) => after_seconds >= (deadline_seconds ?? Infinity));
  if (late)
    return `asks others after ${late.after_seconds} seconds, when its question has expired after ${deadline_seconds}`;
  const all = [...from, ...escalate.flatMap(({ to }) => to)];
  const unknown = all.find((name) => isNoRole(name));
  if (unknown !== undefined)
    return `names ${unknown}, and the roles that decide are ${MAY.decide.roles.join(', ')}`;
  if (from.length === 0) return undefined;
  const vouched = all.filter((name) => isPerson(name) || (signIn && (groups || name.startsWith('role:'))));
  if (vouched.some((name) => !isPerson(name))) return undefined;
  const people = vouched.map((name) => assertedBy(name.slice('person:'.length)));
  const isRequester = (person: Named) =>
    not_requester && requester !== undefined && isSamePerson(person, assertedBy(requester));
  const left = people.filter(
    (person, at) => !isRequester(person) && people.findIndex((other) => isSamePerson(person, other)) === at,
  );
  const needed = distinct ? approvals : 1;
  if (left.length >= needed) return undefined;
  if (people.length === 0)
    return `asks ${all.join(', ')}, and ${signIn ? 'no identity provider under "oidc" names the groups of people' : NOBODY_SIGNS_IN}`;
  return `needs ${needed} ${needed === 1 ? 'approval' : 'approvals of different people'}, and ${left.length} of those whom it names can give one`;
}

const NOBODY_SIGNS_IN = 'nobody can sign in where this worker runs: no HTTP API shares an embedded store';

const isPerson = (name: string): boolean => name.startsWith('person:');

const isNoRole = (name: string): boolean =>
  name.startsWith('role:') && !MAY.decide.roles.some((role) => name === `role:${role}`);

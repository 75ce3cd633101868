import type { Requirement } from '../../contract/policy';
import { MAY } from '../access/permissions';
import { assertedBy, isSamePerson } from '../bulk/approvers';
import type { Named } from '../bulk/operation';

/** The facts about approvers that are available where batchgate runs. */
export interface Identities {
  /** An HTTP API over the same store has keys with roles, and people sign in to it. */
  signIn?: boolean;
  /** A provider names the groups of people. */
  groups?: boolean;
  /** The reason why passkeys cannot be used, in words that follow "and". */
  noPasskeys?: string | undefined;
  /** The person who requested the operation. */
  requester?: string | undefined;
}

/** The reason why a requirement cannot be satisfied, in words that follow "it"; undefined if it can. */
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
  const candidates = all.filter((name) => isPerson(name) || (signIn && (groups || name.startsWith('role:'))));
  if (candidates.some((name) => !isPerson(name))) return undefined;
  const people = candidates.map((name) => assertedBy(name.slice('person:'.length)));
  const isRequester = (person: Named) =>
    not_requester && requester !== undefined && isSamePerson(person, assertedBy(requester));
  const eligible = people.filter(
    (person, at) => !isRequester(person) && people.findIndex((other) => isSamePerson(person, other)) === at,
  );
  const needed = distinct ? approvals : 1;
  if (eligible.length >= needed) return undefined;
  if (people.length === 0)
    return `asks ${all.join(', ')}, and ${signIn ? 'no identity provider under "oidc" names the groups of people' : NOBODY_SIGNS_IN}`;
  return `needs ${needed} ${needed === 1 ? 'approval' : 'approvals of different people'}, and ${eligible.length} of those whom it names can give one`;
}

const NOBODY_SIGNS_IN = 'nobody can sign in where this worker runs: no HTTP API shares an embedded store';

const isPerson = (name: string): boolean => name.startsWith('person:');

const isNoRole = (name: string): boolean =>
  name.startsWith('role:') && !MAY.decide.roles.some((role) => name === `role:${role}`);

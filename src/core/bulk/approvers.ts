import type { Approvals } from '../../contract/approvals';
import type { Delegator, Vouched } from '../../contract/counted-approvals';
import type { BulkStatus } from '../../contract/operation';
import type { Through } from '../../contract/record';
import { fingerprintOf } from '../progress/fingerprints';
import { ASSURANCES, type Approver, type Assurance } from '../../contract/policy';
import type { AcceptedDecision, GivenApproval, Named, OperationState } from './operation';

/** A sender for whom no door vouches. */
export function assertedBy(by = ''): Approver {
  return { subject: by, by, groups: [], roles: [], assurance: 'asserted' };
}

/** The sender that a decision names, for whom no door vouches. */
export const senderOf = ({ by, through }: { by?: string; through?: Through }): Approver => ({
  ...assertedBy(by),
  ...(through?.door === 'link' && { link: {} }),
});

/** The identity for which a door vouches, in the form of the audit record. */
export const vouchedOf = ({
  subject,
  groups,
  roles,
  key,
}: Approver): Vouched & Pick<Approver, 'subject'> => ({
  subject,
  ...(groups.length > 0 && { groups }),
  ...(roles.length > 0 && { roles }),
  ...(key !== undefined && { key }),
});

const folded = (name: string): string => name.normalize('NFKC').trim().toLowerCase();

/** `https://id.example.com|248289761001`: the issuer of a subject; undefined if it has none. */
const issuerOf = (subject: string): string | undefined =>
  subject.includes('|') ? subject.slice(0, subject.lastIndexOf('|')) : undefined;

/**
 * Whether two identities may be one person, who then counts once: they have the same subject or the same name. Two
 * different subjects of one issuer are two people.
 */
export function isSamePerson(one: Named, other: Named): boolean {
  if (one.subject === other.subject) return true;
  const issuer = issuerOf(one.subject);
  const areTwo = issuer !== undefined && issuer === issuerOf(other.subject);
  return !areTwo && folded(one.by) === folded(other.by);
}

export const atLeast = (actual: Assurance, needed: Assurance): boolean =>
  ASSURANCES.indexOf(actual) >= ASSURANCES.indexOf(needed);

/** The names that may approve the open question now: those of the policy and those added by escalation. */
export function askedNames({ requirement, approving }: Pick<OperationState, 'requirement' | 'approving'>) {
  const { from = [], escalate = [] } = requirement ?? {};
  const later = escalate.slice(0, approving?.escalated ?? 0).flatMap(({ to }) => to);
  // Without names, everybody who may decide is asked already.
  return from.length === 0 ? [] : [...new Set([...from, ...later])];
}

/** Whether this name in a policy or a delegation refers to this person. */
export const isNameOf = (name: string, { subject, by }: Named): boolean => name === by || name === subject;

const isNoPerson = (name: string): boolean => !name.startsWith('person:');

/** Whether an approver is asked in their own right. For an answer by a link, its maker's groups and roles count. */
function isAskedOf(names: readonly string[], { link, ...approver }: Approver): boolean {
  if (names.length === 0) return true;
  return link ? isNamed(names.filter(isNoPerson), link.maker ?? approver) : isNamed(names, approver);
}

export function isNamed(names: readonly string[], approver: Approver): boolean {
  return names.some((name) => {
    const at = name.indexOf(':');
    const [kind, value] = [name.slice(0, at), name.slice(at + 1)];
    if (kind === 'group') return approver.groups.includes(value);
    if (kind === 'role') return approver.roles.includes(value);
    return kind === 'person' && isNameOf(value, approver);
  });
}

export function isRequester({ input }: Pick<OperationState, 'input'>, person: Named): boolean {
  const { requested_by, requested_subject: subject = requested_by } = input;
  if (subject === undefined) return false;
  return isSamePerson(person, { subject, by: requested_by ?? subject });
}

/** The people who edited the change, here or in the operation that this one follows. */
export const editorsIn = ({
  edits = [],
  editors = [],
  input,
}: Pick<OperationState, 'edits' | 'editors' | 'input'>): Named[] =>
  [...edits, ...editors, ...(input.editors ?? [])].map(({ by = '', subject = by }) => ({ subject, by }));

/** Whether a person edited the change, and so counts as its requester. */
const isEditor = (state: Parameters<typeof editorsIn>[0], person: Named): boolean =>
  editorsIn(state).some((editor) => isSamePerson(person, editor));

/** The reason why a person may not approve. */
export type Denial = 'unnamed' | 'requester' | 'editor' | 'lost' | 'not_asked' | 'assurance' | 'counted';

/** The right to approve, with the person in whose place, or the reason for its denial. */
export type Entitlement = { for?: Delegator } | { denied: Denial };

/** Checks whether an approver may approve at all, not whether they already have. `least`: the minimum assurance. */
export function entitlementOf(
  state: OperationState,
  approver: Approver,
  now: number,
  least = state.requirement?.assurance ?? 'asserted',
): Entitlement {
  const { requirement, delegations = [] } = state;
  if (!requirement) return {};
  const names = askedNames(state);
  const isAlone = requirement.approvals === 1 || !requirement.distinct;
  if (approver.subject === '' && !(names.length === 0 && !requirement.not_requester && isAlone))
    return { denied: 'unnamed' };
  const { maker, until: ends } = approver.link ?? {};
  const isOwn = isRequester(state, approver) || (maker !== undefined && isRequester(state, maker));
  if (requirement.not_requester && isOwn) return { denied: 'requester' };
  const barred = (person: Named) => requirement.not_requester && isEditor(state, person);
  if (barred(approver) || (maker && barred(maker))) return { denied: 'editor' };
  const isAsked = isAskedOf(names, approver);
  const places = approver.link
    ? []
    : delegations.filter(({ from, to, until }) => now < until && isNameOf(to, approver) && !barred(from));
  const free = places.find(({ from }) => !hasApproved(state, from)) ?? places[0];
  if (!isAsked && (!free || isOwn)) return { denied: hasApproved(state, approver) ? 'lost' : 'not_asked' };
  if (!atLeast(approver.assurance, least)) return { denied: 'assurance' };
  if (isAsked) return maker ? { for: { ...maker, until: ends, by_link: true } } : {};
  return free ? { for: { ...free.from, until: free.until } } : {};
}

/** Hashes the two parts of a subject for a status. Undefined for one without an issuer, which is only a name. */
export function personOf(subject: string): string | undefined {
  const issuer = issuerOf(subject);
  return issuer === undefined ? undefined : `${fingerprintOf(issuer)}|${fingerprintOf(subject)}`;
}

/** Whether a person is the one that a status shows, by the hash of the subject or else by the name. */
const isShown = ({ subject, by: name }: Named, { by = '', person = by }: Shown): boolean =>
  isSamePerson({ subject: personOf(subject) ?? subject, by: name }, { subject: person, by });
type Shown = NonNullable<Approvals['editors']>[number];

/** Whether a question still waits for this person, judged by its status alone. */
export function waitsFor(
  { approvals, requested_by, edits = [] }: Pick<BulkStatus, 'approvals' | 'requested_by' | 'edits'>,
  approver: Approver,
  now: number,
): boolean {
  if (!approvals) return true;
  const { from, given, delegations = [], not_requester, distinct = true } = approvals;
  const { editors = edits.map(({ by }): Shown => ({ by })), requester_person: person } = approvals;
  const own = [{ by: requested_by, person }, ...editors];
  if (not_requester && own.some((one) => isShown(approver, one))) return false;
  if (distinct && hasGiven(given, approver)) return false;
  const isDelegate = delegations.some(({ to, until }) => now < Date.parse(until) && isNameOf(to, approver));
  return from.length === 0 || isNamed(from, approver) || isDelegate;
}

/** Whether this person, or somebody in their place, gave one of the approvals in a status. */
export const hasGiven = (approvals: Approvals['given'], approver: Approver): boolean =>
  approvals.some(({ by, person, for: other, for_person }) =>
    [
      { by, person },
      { by: other, person: for_person },
    ].some((one) => one.by !== undefined && isShown(approver, one)),
  );

/** The approvals of the open question. */
export const givenOf = ({ approving }: Pick<OperationState, 'approving'>): readonly GivenApproval[] =>
  approving?.given ?? [];

const peopleIn = ({ subject = '', by = '', for: other }: AcceptedDecision): Named[] => [
  { subject, by },
  ...(other ? [other] : []),
];

/** Whether a person, or somebody in their place, gave one of these approvals. */
export const isAmong = (approvals: readonly AcceptedDecision[], person: Named): boolean =>
  approvals.some((approval) => peopleIn(approval).some((counted) => isSamePerson(counted, person)));

export const hasApproved = (state: OperationState, person: Named): boolean => isAmong(givenOf(state), person);

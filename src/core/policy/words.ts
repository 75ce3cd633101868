import type { Assurance, Requirement } from '../../contract/policy';
import { duration, plural } from '../shared/quantities';
import { windowWords } from '../bulk/windows';
import { quoted } from '../shared/plain-text';

const ASSURANCE: Readonly<Record<Assurance, string | undefined>> = {
  asserted: undefined,
  platform: 'by a person whom a chat platform vouches for, or who signed in',
  session: 'signed in',
  signed: 'signed',
};
const NAMED = 5;

/** The requirement for each batch, in words: `needs 2 of finance; not the requester; signed`. */
export function policyWords(requirement: Requirement): string {
  const { approvals, from, not_requester, distinct, assurance, max_batch_size, windows } = requirement;
  const { editable, deadline_seconds, escalate = [], on_refusal } = requirement;
  return [
    from.length > 0 ? `needs ${approvals} of ${namesText(from)}` : `needs ${plural(approvals, 'approval')}`,
    not_requester && 'not the requester',
    approvals > 1 && !distinct && 'one person may approve more than once',
    ASSURANCE[assurance],
    max_batch_size !== undefined && `at most ${plural(max_batch_size, 'item')} at a time`,
    windows && `begins only ${windowWords(windows)}`,
    editable === false && 'cannot be edited',
    deadline_seconds !== undefined && `answered within ${duration(deadline_seconds * 1_000)}`,
    ...escalate.map(
      ({ after_seconds, to }) => `after ${duration(after_seconds * 1_000)} also ${namesText(to)}`,
    ),
    on_refusal === 'hold' && 'a refusal holds it',
  ]
    .filter(Boolean)
    .join('; ');
}

/** The requirement as a sentence, with the name of the policy. */
export const policySentence = (requirement: Requirement): string =>
  `Policy ${quoted(requirement.policy)}: ${policyWords(requirement)}.`;

/** The people, groups and roles, the first ones by name. */
function namesText(names: readonly string[]): string {
  const first = names.slice(0, NAMED).map(nameWords);
  const more = names.length - first.length;
  return [...first, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** A name without quotation marks. */
export const bareName = (name: string): string => quoted(name).slice(1, -1);

/** An approver such as `group:finance`, for use in a sentence. */
export function nameWords(approver: string): string {
  const name = bareName(approver.slice(approver.indexOf(':') + 1));
  return approver.startsWith('role:') ? `the role ${name}` : name;
}

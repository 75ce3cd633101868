import type { Approvals } from '../../contract/approvals';
import type { ErrorBody } from '../../contract/errors';
import type { Approver, Assurance, Requirement } from '../../contract/policy';
import { bareName, nameWords } from '../policy/words';
import { iso } from '../shared/moments';
import { quoted, quotedWords } from '../shared/plain-text';
import { askedNames, assertedBy, editorsIn, givenOf, isAmong, personOf, type Denial } from './approvers';
import { gateKey, type AcceptedDecision, type OperationState, type Snapshot } from './operation';
import { isClosed } from './transitions';

/** The approvals at the time of a snapshot. Those of an ended operation are in the record instead. */
export function approvalsIn(state: OperationState, moment: Snapshot): { approvals?: Approvals } {
  const { requirement, approving, delegations = [] } = state;
  if (!requirement || isClosed(moment.state)) return {};
  const approvals = givenAt(state, moment);
  const { held, again, lost = [] } = approving ?? {};
  const isOpen = moment.gate !== undefined;
  return {
    approvals: {
      needed: requirement.approvals,
      given: approvals.map(({ by, at, assurance, subject, for: other }) => ({
        ...(by !== undefined && by !== '' && { by }),
        ...{ at: iso(at), assurance },
        ...(other && { for: other.by }),
        ...shownAs('person', subject),
        ...shownAs('for_person', other?.subject),
      })),
      from: askedNames(state),
      ...(isOpen && { still_needed: stillNeeded(state, approvals) }),
      ...(isOpen && again !== undefined && { again }),
      ...(isOpen &&
        held && {
          held: {
            ...(held.by !== undefined && { by: held.by }),
            at: iso(held.at),
            ...(held.note !== undefined && { note: held.note }),
          },
        }),
      ...(isOpen && lost.length > 0 && { lost }),
      ...(requirement.not_requester && { not_requester: true as const, ...askers(state) }),
      ...(!requirement.distinct && { distinct: false as const }),
      ...(delegations.length > 0 && {
        delegations: delegations.map(({ from, to, until }) => ({ by: from.by, to, until: iso(until) })),
      }),
    },
  };
}

/** Adds the hash of a subject under this name, if it has an issuer. */
function shownAs<N extends string>(name: N, subject = ''): Partial<Record<N, string>> {
  const person = personOf(subject);
  return person === undefined ? {} : ({ [name]: person } as Record<N, string>);
}

/** The people besides the requester whose approval counts as the requester's, and the hash of the requester's subject. */
function askers(state: OperationState): Pick<Approvals, 'requester_person' | 'editors'> {
  const shown = editorsIn(state).map(({ subject, by }) => ({
    ...(by !== '' && { by }),
    ...shownAs('person', subject),
  }));
  const editors = shown.filter(
    (one, at) => shown.findIndex(({ by, person }) => by === one.by && person === one.person) === at,
  );
  return {
    ...shownAs('requester_person', state.input.requested_subject),
    ...(editors.length > 0 && { editors }),
  };
}

/** The approvals of the question in a snapshot. Those of a running batch include the last one. */
function givenAt(state: OperationState, { gate, approvals = 0 }: Snapshot): readonly AcceptedDecision[] {
  const key = gate ? gateKey(gate.number, gate.attempt) : gateKey(state.batch, state.attempt);
  const decision = state.accepted[key];
  if (!gate) return decision ? [...(decision.approvals ?? []), decision] : [];
  return (decision?.approvals ?? (key === gateKey(state.batch, state.attempt) ? givenOf(state) : [])).slice(
    0,
    approvals,
  );
}

const list = (words: readonly string[], last: string): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** `one of Finance`, `2 of anna@example.com or Finance`, `anna@example.com`, `one of those who may decide`. */
function stillNeeded(state: OperationState, approvals: readonly AcceptedDecision[]): string {
  const names = askedNames(state);
  const count = (state.requirement?.approvals ?? 1) - approvals.length;
  const many = count === 1 ? 'one' : `${count}`;
  if (names.length === 0) return `${many} of those who may decide`;
  const open = names.filter(
    (name) => !(name.startsWith('person:') && isAmong(approvals, assertedBy(name.slice('person:'.length)))),
  );
  const [only = ''] = open;
  if (open.length === 1 && only.startsWith('person:')) return nameWords(only);
  return `${many} of ${list((open.length > 0 ? open : names).map(nameWords), 'or')}`;
}

/** `1 of 2: anna; needs one of finance`, for a row of a list. Undefined if one confirmation by anybody is enough. */
export function approvalsText({ needed, given, from, still_needed }: Approvals): string | undefined {
  if (still_needed === undefined || (needed === 1 && from.length === 0 && given.length === 0))
    return undefined;
  const names = given.map(({ by = 'no name' }) => bareName(by)).join(', ');
  return `${given.length} of ${needed}${names === '' ? '' : `: ${names}`}; needs ${still_needed}`;
}

/** The lines below a question about its approvals and who is still needed. */
export function approvalLines({ approvals }: { approvals?: Approvals }, requirement?: Requirement): string[] {
  if (!approvals?.still_needed || !requirement) return [];
  const { needed, given, still_needed, again, held, delegations = [], from, lost = [] } = approvals;
  const lostNames = list(lost.map(quoted), 'and');
  const isPlain = needed === 1 && from.length === 0 && given.length === 0;
  const names = given.map(({ by = '', for: other }) =>
    other === undefined ? quoted(by) : `${quoted(by)} for ${quoted(other)}`,
  );
  const nameSuffix = names.length === 0 ? '' : ` (${list(names, 'and')})`;
  return [
    ...(again === undefined ? [] : [`Approvals begin again: ${again}.`]),
    ...(held
      ? [
          `Held: ${held.by === undefined ? 'an approver' : quoted(held.by)} said no${held.note === undefined ? '' : `: ${quotedWords(held.note)}`}. It goes on once ${needed === 1 ? 'somebody who is asked approves' : `${needed} approve`}; the no of somebody else who is asked cancels it.`,
        ]
      : []),
    ...(isPlain
      ? []
      : [`Approvals: ${given.length} of ${needed}${nameSuffix}. Still needed: ${still_needed}.`]),
    ...(lostNames === '' ? [] : [`No longer counted, because they may not approve now: ${lostNames}.`]),
    ...later(requirement, from),
    ...delegations.map(
      ({ by, to, until }) => `${quoted(by)} lets ${quoted(to)} approve in their place until ${until}.`,
    ),
  ];
}

/** The line about the people added by escalation, because the approvals did not come in time. */
function later({ from, escalate = [] }: Requirement, names: readonly string[]): string[] {
  const added = names.filter((name) => !from.includes(name));
  const steps = escalate.filter(({ to }) => to.some((name) => added.includes(name)));
  return steps.length === 0
    ? []
    : [`The approvals did not come in time, so these are asked too: ${list(added.map(nameWords), 'and')}.`];
}

/** The error for a refused approval, with the reason and who is still needed. */
export function denial(state: OperationState, approver: Approver, reason: Denial): ErrorBody {
  const { requirement } = state;
  const { assurance = 'asserted', approvals = 1 } = requirement ?? {};
  const still_needed = stillNeeded(state, givenOf(state));
  const who = approver.by === '' ? 'The sender' : quoted(approver.by);
  const from = askedNames(state);
  const [message, hint] = {
    unnamed: [
      'This decision does not say who gives it, and the policy of this operation asks who approves.',
      'Give the name of the person in `by`, or decide at a door where the person is signed in.',
    ],
    requester: [
      `${who} requested this operation, so its policy does not take their approval.`,
      `Still needed: ${still_needed}.`,
    ],
    editor: [
      `${who} edited the change of this operation, and its policy takes no approval of those who ask for it.`,
      `Still needed: ${still_needed}.`,
    ],
    lost: [
      `${who} is no longer among those who may approve this operation.`,
      `Still needed: ${still_needed}.`,
    ],
    not_asked: approver.link
      ? [
          `${who} answers by a link, which anybody may hold, so it is the approval of nobody whom the policy names.`,
          `Sign in, and decide on the page of the operation. Still needed: ${still_needed}.`,
        ]
      : [`${who} is not among those who may approve this operation.`, `Still needed: ${still_needed}.`],
    assurance: [
      `The policy of this operation asks for approvals of the assurance "${assurance}", and this one is "${approver.assurance}".`,
      ASSURANCE_HINTS[assurance],
    ],
    counted: [
      `${who} has approved this question already, and each approval must be by another person.`,
      `Still needed: ${still_needed}.`,
    ],
  }[reason] as [string, string];
  return {
    code: 'FORBIDDEN',
    message,
    hint: `${hint} Nothing was run.`,
    details: { reason, needed: approvals, given: givenOf(state).length, from, still_needed, assurance },
  };
}

const ASSURANCE_HINTS: Readonly<Record<Assurance, string>> = {
  asserted: 'Give the name of the person in `by`.',
  platform: 'Decide where a chat platform or a sign-in vouches for you.',
  session: 'Sign in, and decide on the page of the operation.',
  signed: 'Sign in, and decide on the page of the operation with your passkey.',
};

export const nothingLeft = (approvals: number): ErrorBody => ({
  code: 'INVALID_INPUT',
  message: `This leaves out every item of the batch, and its policy asks ${approvals} people about the same items.`,
  hint: 'Leave at least one item in, or cancel the operation or send it back. Nothing was run.',
});

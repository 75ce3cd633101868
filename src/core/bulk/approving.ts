import type { Confirmed } from '../../contract/activities';
import type { RecordedAs } from '../../contract/approvals';
import type { CountedApproval, Delegator } from '../../contract/counted-approvals';
import type { ErrorBody } from '../../contract/errors';
import type { ContinueRequest, DelegateRequest } from '../../contract/messages';
import type { Confirmation } from '../../contract/operation';
import { ASSURANCES, type Approver, type Assurance, type Requirement } from '../../contract/policy';
import { MAX_AHEAD_DAYS } from '../../contract/schedule';
import { MAX_DECISIONS } from '../shared/bounds';
import { quoted, quotedWords } from '../shared/plain-text';
import { because } from './approvals';
import { assertedBy, entitlementOf, isRequester, isSamePerson, vouchedOf } from './approvers';
import { tooFarAhead } from './due';
import { excludedBy, leavingOut } from './exclusions';
import { closedError } from './gate';
import { ask, snapshotOf } from './lifecycle';
import {
  gateKey,
  openGate,
  type AcceptedDecision,
  type Approving,
  type GivenApproval,
  type OperationState,
  type Snapshot,
} from './operation';
import { mergeOutcomes } from './outcomes';
import { plural } from '../shared/quantities';
import { NOTHING_REMEMBERED, remember } from './remembered';
import { exclusionsOf } from './repetitions';
import { isClosed } from './transitions';
import { iso } from './view';

/** The approver of a decision, the way it arrived, and the person in whose place it is made. */
export interface Sender extends Pick<Confirmation, 'via' | 'assurance'> {
  approver: Approver;
  for?: Delegator;
  update_id?: string | undefined;
}

/** The answer to a decision that runs nothing: the current snapshot and what was recorded. */
export const answerOf = (state: OperationState, recorded: RecordedAs): Snapshot => ({
  ...snapshotOf(state),
  recorded,
});

/** Records an approval that counts while others are still needed. */
export function approved(
  state: OperationState,
  request: ContinueRequest,
  { approver, for: other, update_id, via, assurance }: Sender,
  now: number,
): OperationState {
  const { approving, digest } = state;
  if (!approving) return state;
  const approval: GivenApproval = {
    ...withId(request, update_id),
    ...(digest !== undefined && { digest }),
    ...(request.by !== undefined && { by: request.by }),
    ...{ via, assurance, at: now },
    ...(request.not_before !== undefined && { not_before: request.not_before }),
    ...evidenceOf(request, { approver, for: other, assurance }),
    gate: gateKey(state.batch, state.attempt),
  };
  const approvals = [...approving.given, approval];
  const next = { ...state, approving: { ...approving, given: approvals }, updated_at: now };
  const after = withDecided(next, approval);
  const outcome = answerOf(after, 'approval');
  return withApproving(after, { given: [...approving.given, { ...approval, outcome }] });
}

const withApproving = (state: OperationState, part: Partial<Approving>): OperationState =>
  state.approving ? { ...state, approving: { ...state.approving, ...part } } : state;

function withId({ decision_id, ...request }: ContinueRequest, update_id: string | undefined) {
  const id = decision_id ?? update_id;
  const excluded = exclusionsOf(request);
  return {
    ...(id !== undefined && { decision_id: id }),
    ...(decision_id === undefined && { unnamed: true as const }),
    ...(excluded !== undefined && { excluded }),
  };
}

/** Remembers the id of a decision, so that a repetition never counts for a later question. */
function withDecided(
  state: OperationState,
  { decision_id }: Pick<AcceptedDecision, 'decision_id'>,
): OperationState {
  const decided = remember(state.approving?.decided ?? NOTHING_REMEMBERED, decision_id, MAX_DECISIONS);
  return withApproving(state, { decided });
}

/** Leaves items out and asks about the rest of the batch under its next attempt. */
export function askedWithout(
  state: OperationState,
  request: ContinueRequest,
  { approver, update_id }: Pick<Sender, 'approver' | 'update_id'>,
  now: number,
): OperationState {
  const { places, outcomes } = excludedBy(state, request);
  const without = { ...mergeOutcomes(state, places, outcomes), ...leavingOut(state, places) };
  const remaining = { ...state, ...without, attempt: state.attempt + 1 };
  const who = approver.by === '' ? 'somebody' : quoted(approver.by);
  const reopened = withApproving(ask({ ...remaining, updated_at: now }, now), {
    again: `${who} left out ${plural(places.length, 'item')}`,
  });
  return withDecided(reopened, withId(request, update_id));
}

/** The fields of an approval, other than its name, for the audit record. */
const evidenceOf = (
  { through, signed }: Pick<ContinueRequest, 'through' | 'signed'>,
  {
    approver,
    for: other,
    assurance,
  }: Pick<Sender, 'approver' | 'assurance'> & { for: Delegator | undefined },
) => ({
  ...vouchedOf(approver),
  ...(other && { for: other }),
  ...(through && { door: through.door }),
  ...(assurance === 'signed' && signed?.signature !== undefined && { signature: signed.signature }),
});

/** Adds the evidence of its approver and the earlier approvals to the decision of a confirmed batch. */
export function withApprovers(
  state: OperationState,
  { approver, for: other, assurance }: Pick<Sender, 'approver' | 'for' | 'assurance'>,
  request: Pick<ContinueRequest, 'through' | 'signed'> = {},
): OperationState {
  const key = gateKey(state.batch, state.attempt);
  const decision = state.accepted[key];
  if (!state.approving || !decision) return state;
  const { given } = state.approving;
  const whole: AcceptedDecision = {
    ...decision,
    ...evidenceOf(request, { approver, for: other, assurance }),
    ...(given.length > 0 && { approvals: given }),
  };
  return { ...state, accepted: { ...state.accepted, [key]: whole } };
}

/** The approvers of a batch for its record: names, lowest assurance and, under a policy, each approval. */
export function approversOf(
  decision: AcceptedDecision,
  { since = 0, escalated = 0 }: Partial<Approving> = {},
): Pick<Confirmed, 'by' | 'assurance' | 'approvals' | 'asked_since'> {
  const all = [...(decision.approvals ?? []), decision];
  const names = all.flatMap(({ by }) => by ?? []);
  const assurance = ASSURANCES.find((level) => all.some((approval) => approval.assurance === level));
  return {
    ...(names.length > 0 && { by: names.join(', ') }),
    assurance: assurance ?? decision.assurance,
    ...(decision.subject !== undefined && { approvals: all.map(counted) }),
    ...(decision.subject !== undefined && escalated > 0 && { asked_since: iso(since) }),
  };
}

function counted({ at, for: other, ...approval }: AcceptedDecision): CountedApproval {
  const { subject, by, groups, roles, key, via, assurance, digest, door, signature } = approval;
  const { until } = other ?? {};
  return {
    ...{ subject, by, groups, roles, key, via, assurance, digest, door, signature, at: iso(at) },
    ...(other && { for: { ...other, until: until === undefined ? undefined : iso(until) } }),
  };
}

/** The effect of a cancellation. If the policy requires it, a refusal by an approver holds the question. */
export function judgeNo(
  state: OperationState,
  approver: Approver,
  now: number,
): 'cancels' | 'holds' | 'held' {
  const { requirement, approving } = state;
  if (requirement?.on_refusal !== 'hold' || !openGate(state)) return 'cancels';
  const isIts = (hold: NonNullable<Approving['held']>) =>
    isSamePerson(approver, { subject: hold.subject, by: hold.by ?? '' });
  if (approving?.held && isIts(approving.held)) return 'held';
  const may = entitlementOf(state, approver, now, unsigned(requirement));
  return isRequester(state, approver) || 'denied' in may || approving?.held ? 'cancels' : 'holds';
}

/** The minimum assurance for decisions other than confirmations: only confirmations are signed. */
const unsigned = ({ assurance }: Requirement): Assurance => (assurance === 'signed' ? 'session' : assurance);

/** Records an approver's refusal. The question is asked anew and waits for other approvers. */
export function heldBy(
  state: OperationState,
  { approver, note }: { approver: Approver; note?: string | undefined },
  now: number,
): OperationState {
  const again = ask({ ...state, attempt: state.attempt + 1, updated_at: now }, now);
  const reopened = because(again, 'an approver said no');
  const refusal = {
    ...{ subject: approver.subject, at: now },
    ...(approver.by !== '' && { by: approver.by }),
    ...(note !== undefined && { note }),
  };
  return withApproving(reopened, { held: refusal });
}

/** Takes the next escalation step, which asks another group. */
export function escalated(state: OperationState): { state: OperationState; to: string[] } {
  const step = state.approving?.escalated ?? 0;
  const { to = [] } = state.requirement?.escalate?.[step] ?? {};
  return { state: withApproving(state, { escalated: step + 1 }), to };
}

export type DelegationVerdict =
  { kind: 'accepted' } | { kind: 'repeated' } | { kind: 'refused'; error: ErrorBody };

const MAX_DELEGATIONS = 20;

const refuse = (code: ErrorBody['code'], message: string, hint: string): DelegationVerdict => ({
  kind: 'refused',
  error: { code, message, hint: `${hint} Nothing was delegated.` },
});

/** Judges a delegation. An approver may delegate to anybody but the requester; a delegate may not delegate further. */
export function judgeDelegation(
  state: OperationState,
  { to, until, decision_id }: DelegateRequest,
  approver: Approver,
  now: number,
): DelegationVerdict {
  const { delegations = [], requirement } = state;
  const end = Date.parse(until);
  const isRepeated = delegations.some((delegation) =>
    decision_id === undefined
      ? delegation.to === to && delegation.until === end && isSamePerson(delegation.from, approver)
      : delegation.decision_id === decision_id,
  );
  if (isRepeated) return { kind: 'repeated' };
  if (isClosed(state.state)) return { kind: 'refused', error: closedError(state) };
  if (!requirement || requirement.from.length === 0)
    return refuse(
      'INVALID_INPUT',
      'No policy names who approves this operation, so there is nothing to delegate.',
      'Whoever may decide can confirm its question.',
    );
  const may = entitlementOf({ ...state, delegations: [] }, approver, now, unsigned(requirement));
  if ('denied' in may)
    return refuse(
      'FORBIDDEN',
      `${approver.by === '' ? 'The sender' : quoted(approver.by)} is not an approver of this operation, who alone can delegate, or is known with too little assurance.`,
      'Somebody who approves for another person cannot delegate further.',
    );
  const other = assertedBy(to);
  if (isRequester(state, other))
    return refuse(
      'FORBIDDEN',
      `${quoted(to)} requested this operation, so nobody can delegate to them.`,
      'Delegate to somebody else.',
    );
  if (isSamePerson(other, approver))
    return refuse('INVALID_INPUT', 'This delegates to its own sender.', 'Name another person in `to`.');
  if (end <= now)
    return refuse(
      'INVALID_INPUT',
      `The delegation would end at ${until}, which is over.`,
      'Name a later time.',
    );
  if (tooFarAhead(until, now))
    return refuse(
      'INVALID_INPUT',
      `The delegation would end at ${until}, and one lasts at most ${MAX_AHEAD_DAYS} days.`,
      'Name an earlier time.',
    );
  if (delegations.filter((delegation) => delegation.until > now).length >= MAX_DELEGATIONS)
    return refuse(
      'INVALID_INPUT',
      `The operation has ${MAX_DELEGATIONS} delegations.`,
      'Wait until one ends.',
    );
  return { kind: 'accepted' };
}

/** The note of a delegation in the record. */
export const delegationNote = ({ to, until, note }: DelegateRequest): string =>
  `to ${quoted(to)} until ${until}${note === undefined ? '' : `: ${quotedWords(note)}`}`;

/** Adds a delegation. It replaces an earlier one to the same person; expired ones are dropped. */
export function delegated(
  state: OperationState,
  { to, until, decision_id }: DelegateRequest,
  approver: Approver,
  now: number,
): OperationState {
  const others = (state.delegations ?? []).filter(
    (delegation) =>
      delegation.until > now && !(delegation.to === to && delegation.from.subject === approver.subject),
  );
  const added = {
    ...{ from: { by: approver.by, assurance: approver.assurance, ...vouchedOf(approver) }, to },
    until: Date.parse(until),
    ...(decision_id !== undefined && { decision_id }),
  };
  return { ...state, delegations: [...others, added], updated_at: now };
}

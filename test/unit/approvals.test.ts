import type { Approver, Requirement } from '../../src/contract/policy';
import type { ContinueRequest } from '../../src/contract/messages';
import { judgeApproval } from '../../src/core/bulk/approvals';
import { assertedBy, entitlementOf, isSamePerson } from '../../src/core/bulk/approvers';
import {
  approved,
  askedWithout,
  delegated,
  escalated,
  heldBy,
  judgeDelegation,
  judgeNo,
  withApprovers,
} from '../../src/core/bulk/approving';
import { judgeContinue } from '../../src/core/bulk/gate';
import { closeAs, confirmed } from '../../src/core/bulk/lifecycle';
import { openGate, type OperationState } from '../../src/core/bulk/operation';
import { isLastOfSeveral, vouchedIn, withoutLost } from '../../src/core/bulk/standing';
import type { Standing } from '../../src/contract/access';
import { withdrawn } from '../../src/core/bulk/schedule';
import { statusOf, turnOf } from '../../src/core/bulk/view';
import { ended, HOUR, MINUTE, plannedWith, requirement, START } from './lifecycle.fixtures';

const IDP = 'https://id.example.com';
const person = (by: string, more: Partial<Approver> = {}): Approver => ({
  ...{ subject: `${IDP}|${by}`, by, groups: ['finance'], roles: ['approver'], assurance: 'session' },
  ...more,
});
const anna = person('anna');
const ben = person('ben');
const how = (approver: Approver) => ({
  ...{ via: 'update' as const, assurance: approver.assurance, approver },
});

const asked = (more: Partial<Requirement> = {}, input: object = {}, count = 12): OperationState =>
  plannedWith('p'.repeat(count), { batch_size: 5, requested_by: 'rita', ...input }, requirement(more));

/** The question after this person's approval, which must not suffice. */
function after(state: OperationState, approver: Approver, request: ContinueRequest = {}): OperationState {
  const verdict = judgeApproval(state, request, approver, START);
  if (verdict.kind === 'leaves_out') return askedWithout(state, request, how(approver), START);
  if (verdict.kind !== 'counts') throw new Error(JSON.stringify(verdict));
  return approved(state, { by: approver.by, ...request }, { ...how(approver), ...verdict }, START);
}

const kindOf = (state: OperationState, approver: Approver, now = START): string => {
  const verdict = judgeApproval(state, {}, approver, now);
  if (verdict.kind !== 'refused') return verdict.kind;
  return String((verdict.error.details as { reason?: string } | undefined)?.reason ?? verdict.error.code);
};
const runBy = (state: OperationState, approver: Approver) =>
  withApprovers(confirmed(state, { by: approver.by }, how(approver), START), how(approver));

describe('who may approve', () => {
  const finance: Partial<Requirement> = { from: ['group:finance'] };
  const named: Partial<Requirement> = { from: ['person:anna', `person:${IDP}|ben`] };
  const cases: [string, Partial<Requirement>, Approver, string][] = [
    ['anybody, if nobody is named', {}, assertedBy('ben'), 'counts'],
    ['nobody without a name, if two people are needed', {}, assertedBy(), 'unnamed'],
    ['anybody without a name, if one is enough', { approvals: 1 }, assertedBy(), 'sufficient'],
    [
      'not without a name, if the requester may not',
      { approvals: 1, not_requester: true },
      assertedBy(),
      'unnamed',
    ],
    ['a member of the group', finance, anna, 'counts'],
    ['nobody outside of the group', finance, person('ben', { groups: ['sales'] }), 'not_asked'],
    ['nobody who only says that they are someone', finance, assertedBy('anna'), 'not_asked'],
    ['a person by name', named, person('anna', { groups: [] }), 'counts'],
    ['a person by subject', named, person('ben', { by: 'Ben B.', groups: [] }), 'counts'],
    ['a person whom the sender names, where that is enough', named, assertedBy('anna'), 'counts'],
    ['nobody with a name that only resembles', named, person('ANNA', { groups: [] }), 'not_asked'],
    ['a role', { from: ['role:approver'] }, anna, 'counts'],
    ['no other role', { from: ['role:admin'] }, anna, 'not_asked'],
    ['nobody with too little assurance', { ...named, assurance: 'session' }, assertedBy('anna'), 'assurance'],
    ['nobody without a passkey', { ...finance, assurance: 'signed' }, anna, 'assurance'],
    [
      'a passkey where a sign-in is enough',
      { assurance: 'session' },
      person('ben', { assurance: 'signed' }),
      'counts',
    ],
    ['the requester, if the policy lets them', {}, person('rita'), 'counts'],
    ['not the requester', { not_requester: true }, person('rita'), 'requester'],
    ['not the requester in other letters', { not_requester: true }, assertedBy(' RITA'), 'requester'],
  ];
  it.each(cases)('%s', (_, policy, approver, expected) => {
    expect(kindOf(asked(policy), approver)).toBe(expected);
  });

  it('not the requester under another name of the same subject, and another person of the same name', () => {
    const state = asked({ not_requester: true }, { requested_subject: `${IDP}|7` });
    expect(kindOf(state, person('boss', { subject: `${IDP}|7` }))).toBe('requester');
    expect(kindOf(state, person('rita', { subject: `${IDP}|8` }))).toBe('counts');
    expect(kindOf(state, assertedBy('rita'))).toBe('requester');
  });

  it('says why, and who is still needed', () => {
    const state = after(asked({ ...finance, not_requester: true }), anna);
    expect(judgeApproval(state, {}, person('rita'), START)).toMatchObject({
      error: {
        code: 'FORBIDDEN',
        message: '“rita” requested this operation, so its policy does not take their approval.',
        details: { reason: 'requester', needed: 2, given: 1, still_needed: 'one of finance' },
      },
    });
  });
});

describe('one person', () => {
  it.each([
    ['the same subject', anna, person('Anna A.', { subject: anna.subject }), true],
    ['the same name by a program', anna, assertedBy('Anna'), true],
    ['the same name on a chat platform', anna, person('anna', { subject: 'slack|U1' }), true],
    [
      'two people whom one provider gives the same name',
      anna,
      person('anna', { subject: `${IDP}|2` }),
      false,
    ],
    ['two names', anna, ben, false],
  ])('%s', (_, one, other, expected) => {
    expect(isSamePerson(one, other)).toBe(expected);
    expect(isSamePerson(other, one)).toBe(expected);
  });

  it('counts once, whatever the door', () => {
    const state = after(asked(), anna);
    expect(kindOf(state, assertedBy('anna'))).toBe('counted');
    expect(kindOf(state, person('Anna A.', { subject: anna.subject }))).toBe('counted');
    expect(kindOf(state, ben)).toBe('sufficient');
    expect(kindOf(after(asked({ distinct: false }), anna), anna)).toBe('sufficient');
  });

  it('no longer counts once their door says that they lost the role, and only that door can say so', () => {
    const state = after(asked({ from: ['group:finance'] }), anna);
    expect(judgeApproval(state, {}, person('anna', { groups: [] }), START)).toMatchObject({
      error: { details: { reason: 'lost' } },
      lost: true,
    });
    const claimed = judgeApproval(state, {}, assertedBy('anna'), START);
    expect(claimed).toMatchObject({ error: { details: { reason: 'lost' } } });
    expect(claimed).not.toHaveProperty('lost');
  });
});

describe('before the last approval', () => {
  const finance: Partial<Requirement> = { from: ['group:finance'] };
  const key = (by: string) => person(by, { ...assertedBy(by), roles: ['approver'], key: `key of ${by}` });
  const known = (role: 'approver' | 'viewer', ...groups: string[]): Standing => ({ role, groups });
  const until = new Date(START + HOUR).toISOString();
  const delegating = delegated(asked(finance), { to: 'dora', until }, anna, START);
  const dora = person('dora', { groups: [] });
  const given = after(asked(finance), anna);

  it.each<[string, OperationState, Standing[], boolean]>([
    ['who still has the group', given, [known('approver', 'sales', 'finance')], true],
    ['of whom nothing is known now', given, ['unknown'], true],
    ['who has the group no more', given, [known('approver', 'sales')], false],
    ['whose role decides nothing', given, [known('viewer', 'finance')], false],
    ['whom the policy names', after(asked({ from: ['person:anna'] }), anna), [known('approver')], true],
    ['whose role, if anybody may', after(asked(), anna), [known('viewer')], false],
    [
      'who spoke by a valid key',
      after(asked({ from: ['role:approver'] }), key('anna')),
      [known('approver')],
      true,
    ],
    ['who spoke by a revoked key', after(asked({ from: ['role:approver'] }), key('anna')), ['gone'], false],
    ['whom a program names', after(asked(), assertedBy('anna')), [], true],
    [
      'for whom another approves',
      after(delegating, dora),
      [known('approver'), known('approver', 'finance')],
      true,
    ],
    [
      'who lost the group and delegated',
      after(delegating, dora),
      [known('approver'), known('approver')],
      false,
    ],
    [
      'who approves for another and lost the role',
      after(delegating, dora),
      [known('viewer'), 'unknown'],
      false,
    ],
  ])('counts, or not, the approval of somebody %s', (_, state, standings, counts) => {
    const people = vouchedIn(state);
    expect(people).toHaveLength(standings.length);
    const left = withoutLost(state, { people, standings }, START);
    expect(left.approving?.given).toHaveLength(counts ? 1 : 0);
    const last = state.requirement?.from[0] === 'role:approver' ? key('ben') : ben;
    if (state.requirement?.from[0] !== 'person:anna')
      expect([kindOf(state, last), kindOf(left, last)]).toEqual([
        'sufficient',
        counts ? 'sufficient' : 'counts',
      ]);
    if (counts) return;
    expect(statusOf(left).approvals).toMatchObject({ given: [], lost: [state.approving?.given[0]?.by] });
    expect(statusOf(left).message).toContain('No longer counted, because they may not approve now: “');
  });

  it('drops what was given in the place of another once the delegation is over', () => {
    const state = after(delegating, dora);
    const checked = { people: [], standings: [] };
    expect(withoutLost(state, checked, START + HOUR - 1).approving?.given).toHaveLength(1);
    expect(withoutLost(state, checked, START + HOUR).approving).toMatchObject({ given: [], lost: ['dora'] });
  });

  it('is only when others approved and this one suffices', () => {
    expect(isLastOfSeveral(given, {}, ben, START)).toBe(true);
    expect(isLastOfSeveral(given, {}, anna, START)).toBe(false);
    expect(isLastOfSeveral(asked(finance), {}, ben, START)).toBe(false);
    expect(isLastOfSeveral(asked({ approvals: 1 }), {}, ben, START)).toBe(false);
    expect(isLastOfSeveral(after(asked({ approvals: 3 }), anna), {}, ben, START)).toBe(false);
  });
});

describe('the approvals of a question', () => {
  it('are in its status and its words, and those who gave them are in the accepted decision', () => {
    const one = after(asked({ from: ['group:finance', 'person:cy'] }), anna);
    expect(statusOf(one).approvals).toEqual({
      ...{ needed: 2, from: ['group:finance', 'person:cy'], still_needed: 'one of finance or cy' },
      given: [{ by: 'anna', at: new Date(START).toISOString(), assurance: 'session' }],
    });
    expect(statusOf(one).message).toContain(
      'Approvals: 1 of 2 (“anna”). Still needed: one of finance or cy.',
    );
    const ran = runBy(one, ben);
    expect(ran.accepted['1.1']).toMatchObject({ by: 'ben', approvals: [{ by: 'anna', gate: '1.1' }] });
    expect(statusOf(ran).approvals?.given.map(({ by }) => by)).toEqual(['anna', 'ben']);
    expect(statusOf(ended(ran)).approvals).toMatchObject({ given: [], still_needed: '2 of finance or cy' });
  });

  it('say nothing of themselves without a requirement', () => {
    const plain = plannedWith('ppp');
    expect(statusOf(plain)).not.toHaveProperty('approvals');
    expect(Object.keys(plain).filter((key) => /approv|require|delegat/.test(key))).toEqual([]);
  });

  it('get their first answer again, also when the batch has run', () => {
    const one = after(asked(), anna, { decision_id: 'd1', batch: 1 });
    const answer = turnOf(one, one.approving?.given[0]?.outcome);
    expect(answer).toMatchObject({ recorded: 'approval', approvals: { given: [{ by: 'anna' }] } });
    for (const later of [one, ended(runBy(one, ben))]) {
      const verdict = judgeContinue(later, { decision_id: 'd1' }, START + HOUR);
      if (verdict.kind !== 'duplicate') throw new Error(verdict.kind);
      expect(turnOf(later, verdict.first.outcome)).toEqual(answer);
    }
  });

  it('begin again when items are left out, and nobody has approved the new question', () => {
    const state = after(after(asked(), anna, { decision_id: 'd1' }), ben, { exclude: [{ id: 'm2' }] });
    expect(openGate(state)).toMatchObject({ number: 1, attempt: 2 });
    expect(statusOf(state)).toMatchObject({
      ...{ skipped: 1, remaining: 11, approvals: { given: [], again: '“ben” left out 1 item' } },
      message: expect.stringContaining('Approvals begin again: “ben” left out 1 item.'),
    });
    // The earlier decision is never one about the new question.
    expect(judgeContinue(state, { decision_id: 'd1' }, START + HOUR).kind).toBe('duplicate');
    expect(kindOf(state, anna)).toBe('counts');
    const ran = ended(runBy(after(state, anna), ben));
    expect(ran.codes).toBe('sksssppppppp');
    expect(statusOf(closeAs(state, 'cancelled', START))).toMatchObject({ skipped: 0, remaining: 12 });
  });

  it('refuse to leave out everything', () => {
    const exclude = [1, 2, 3, 4, 5].map((at) => ({ id: `m${at}` }));
    expect(judgeApproval(asked(), { exclude }, anna, START)).toMatchObject({
      error: { code: 'INVALID_INPUT' },
    });
    expect(judgeApproval(asked({ approvals: 1 }), { exclude }, anna, START).kind).toBe('sufficient');
  });

  it('begin again after a failed batch, and after a withdrawal', () => {
    const ran = runBy(after(asked(), anna), ben);
    const failed = ended(ran, { codes: 'sspss' });
    expect(statusOf(failed).approvals).toMatchObject({ given: [], again: 'not all of the batch was run' });
    const later = { by: 'ben', not_before: new Date(START + HOUR).toISOString() };
    const scheduled = withApprovers(confirmed(after(asked(), anna), later, how(ben), START), how(ben));
    expect(statusOf(withdrawn(scheduled, {}, START)).approvals).toMatchObject({
      ...{ given: [], again: 'the confirmation was taken back' },
    });
  });

  it('let the batch begin when each of them lets it', () => {
    const not_before = new Date(START + HOUR).toISOString();
    const state = runBy(after(asked(), anna, { not_before }), ben);
    expect(state).toMatchObject({ state: 'scheduled', scheduled: { at: START + HOUR } });
  });
});

describe('a no', () => {
  const held = (more: Partial<Requirement> = {}) =>
    heldBy(
      after(asked({ on_refusal: 'hold', from: ['group:finance'], ...more }), anna),
      { approver: ben, note: 'why?' },
      START,
    );

  it('cancels, unless the policy holds it and an approver says it', () => {
    expect(judgeNo(asked(), anna, START)).toBe('cancels');
    const policy: Partial<Requirement> = { on_refusal: 'hold', from: ['group:finance'] };
    expect(judgeNo(asked(policy), anna, START)).toBe('holds');
    for (const other of [person('rita'), assertedBy('anna'), person('eve', { groups: [] })])
      expect(judgeNo(asked(policy), other, START)).toBe('cancels');
    expect(judgeNo(runBy(after(asked(policy), anna), ben), anna, START)).toBe('cancels');
  });

  it('holds the question until as many approve as are needed, or a second person says no', () => {
    const state = held();
    expect(openGate(state)).toMatchObject({ attempt: 2 });
    const { approvals, message } = statusOf(state);
    expect(approvals).toMatchObject({ given: [], held: { by: 'ben', note: 'why?' } });
    expect(message).toContain(
      'Held: “ben” said no: “why?”. It goes on once 2 approve; the no of somebody else who is asked cancels it.',
    );
    expect(judgeNo(state, ben, START)).toBe('held');
    expect(judgeNo(state, anna, START)).toBe('cancels');
    expect(kindOf(after(state, anna), person('cy'))).toBe('sufficient');
    expect(kindOf(after(state, anna), ben)).toBe('sufficient');
    const next = ended(runBy(after(state, anna), ben));
    expect(statusOf(next).approvals).not.toHaveProperty('held');
  });
});

describe('an escalation', () => {
  it('asks the next group as well, for the same batch', () => {
    const policy = { from: ['group:finance'], escalate: [{ after_seconds: 60, to: ['role:admin'] }] };
    const boss = person('boss', { groups: [], roles: ['admin'] });
    const state = asked(policy);
    expect(kindOf(state, boss)).toBe('not_asked');
    const { state: later, to } = escalated(state);
    expect(to).toEqual(['role:admin']);
    expect(kindOf(later, boss)).toBe('counts');
    expect(statusOf(later)).toMatchObject({
      approvals: { from: ['group:finance', 'role:admin'], still_needed: '2 of finance or the role admin' },
      message: expect.stringContaining('so these are asked too: the role admin.'),
    });
    expect(kindOf(after(later, anna, { exclude: [{ id: 'm1' }] }), boss)).toBe('counts');
    expect(kindOf(ended(runBy(after(later, anna), boss)), boss)).toBe('not_asked');
  });
});

describe('a delegation', () => {
  const policy: Partial<Requirement> = { from: ['group:finance'] };
  const until = new Date(START + HOUR).toISOString();
  const dora = person('dora', { groups: [] });
  const given = (to: string, by = anna, state = asked(policy)) => {
    const verdict = judgeDelegation(state, { to, until }, by, START);
    return verdict.kind === 'refused' ? verdict.error.code : verdict.kind;
  };
  const state = delegated(asked(policy), { to: 'dora', until }, anna, START);

  it('is given by an approver, to another person than the requester, and never passed on', () => {
    expect(given('dora')).toBe('accepted');
    expect(given('dora', anna, state)).toBe('repeated');
    expect(given('Rita')).toBe('FORBIDDEN');
    expect(given('anna')).toBe('INVALID_INPUT');
    expect(given('dora', person('eve', { groups: [] }))).toBe('FORBIDDEN');
    expect(given('eve', dora, state)).toBe('FORBIDDEN');
    expect(given('dora', anna, asked())).toBe('INVALID_INPUT');
    expect(given('dora', anna, plannedWith('pp'))).toBe('INVALID_INPUT');
  });

  it('lets the other approve in their place until its end, and both are one approval', () => {
    expect(kindOf(asked(policy), dora)).toBe('not_asked');
    expect(entitlementOf(state, dora, START)).toMatchObject({ for: { subject: anna.subject, by: 'anna' } });
    expect(kindOf(state, dora, START + HOUR)).toBe('not_asked');
    expect(kindOf(after(state, dora), anna)).toBe('counted');
    expect(kindOf(after(state, anna), dora)).toBe('counted');
    expect(kindOf(after(state, dora), ben)).toBe('sufficient');
    expect(statusOf(after(state, dora)).message).toContain('Approvals: 1 of 2 (“dora” for “anna”)');
  });

  it('does not let the requester approve', () => {
    const own = { ...state, delegations: [{ from: anna, to: 'rita', until: START + MINUTE }] };
    expect(kindOf(own, person('rita', { groups: [] }))).toBe('not_asked');
  });
});

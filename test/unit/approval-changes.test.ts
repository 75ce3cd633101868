import type { Requirement } from '../../src/contract/policy';
import { judgeApproval } from '../../src/core/bulk/approvals';
import { assertedBy, entitlementOf, personOf } from '../../src/core/bulk/approvers';
import {
  delegated,
  escalated,
  heldBy,
  judgeDelegation,
  judgeNo,
  withApprovers,
} from '../../src/core/bulk/approving';
import { judgeContinue } from '../../src/core/bulk/gate';
import { closeAs, confirmed } from '../../src/core/bulk/lifecycle';
import { openGate } from '../../src/core/bulk/operation';
import { withdrawn } from '../../src/core/bulk/schedule';
import { statusOf, turnOf } from '../../src/core/bulk/view';
import { ended, HOUR, MINUTE, plannedWith, START } from './lifecycle.fixtures';
import { person, anna, ben, how, asked, after, kindOf, runBy } from './approvals.fixtures';

describe('the approvals of a question', () => {
  it('are in its status and its words, and those who gave them are in the accepted decision', () => {
    const one = after(asked({ from: ['group:finance', 'person:cy'] }), anna);
    expect(statusOf(one).approvals).toEqual({
      ...{ needed: 2, from: ['group:finance', 'person:cy'], still_needed: 'one of finance or cy' },
      given: [
        {
          ...{ by: 'anna', at: new Date(START).toISOString(), assurance: 'session' },
          person: personOf(anna.subject),
        },
      ],
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

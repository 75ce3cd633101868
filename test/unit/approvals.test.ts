import type { Approvals } from '../../src/contract/approvals';
import type { Approver, Requirement } from '../../src/contract/policy';
import { pressOf, type Selection } from '../../src/core/approval/selection';
import { judgeApproval } from '../../src/core/bulk/approvals';
import { assertedBy, isSamePerson, senderOf } from '../../src/core/bulk/approvers';
import { delegated } from '../../src/core/bulk/approving';
import { type OperationState } from '../../src/core/bulk/operation';
import { restsOnOthers, vouchedIn, withoutLost } from '../../src/core/bulk/standing';
import type { Standing } from '../../src/contract/access';
import { statusOf } from '../../src/core/bulk/view';
import { HOUR, START } from './lifecycle.fixtures';
import { IDP, person, anna, ben, asked, after, kindOf } from './approvals.fixtures';

const BY_LINK = { by: 'cleo', through: { door: 'link' as const } };
type Half = Pick<Selection, 'kept' | 'left_out'>;

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

  it('not who edited the change, where the requester may not, and not in their place', () => {
    const edits = [{ by: 'anna', subject: anna.subject }] as unknown as NonNullable<OperationState['edits']>;
    const edited = (more: Partial<Requirement>) => ({ ...asked({ ...finance, ...more }), edits });
    const until = new Date(START + HOUR).toISOString();
    const dora = person('dora', { groups: [] });
    const delegating = (state: OperationState) => delegated(state, { to: 'dora', until }, anna, START);
    const own = edited({ not_requester: true });
    expect(kindOf(own, anna)).toBe('editor');
    expect(kindOf(own, person('a. miller', { subject: anna.subject }))).toBe('editor');
    expect(kindOf(own, ben)).toBe('counts');
    expect(kindOf(delegating(own), dora)).toBe('not_asked');
    expect(kindOf(edited({}), anna)).toBe('counts');
    expect(kindOf(delegating(edited({})), dora)).toBe('counts');
    expect(statusOf(own).edits).toEqual([{ by: 'anna' }]);
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
    const byName = after(asked({ from: ['person:anna', 'person:ben'] }), assertedBy('anna'));
    expect(kindOf(byName, assertedBy('ANNA'))).toBe('counted');
    expect(kindOf(state, ben)).toBe('sufficient');
    expect(kindOf(after(asked({ distinct: false }), anna), anna)).toBe('sufficient');
  });

  it('no longer counts once their door says that they lost the role, and only that door can say so', () => {
    const state = after(asked({ from: ['group:finance'] }), anna);
    expect(judgeApproval(state, {}, person('anna', { groups: [] }), START)).toMatchObject({
      error: { details: { reason: 'lost' } },
      lost: true,
    });
    const byLink = after(asked({ from: ['group:finance'] }), person('anna', { subject: 'anna' }));
    for (const signedIn of [state, byLink]) {
      const claimed = judgeApproval(signedIn, {}, assertedBy('anna'), START);
      expect(claimed).toMatchObject({ error: { details: { reason: 'counted' } } });
      expect(claimed).not.toHaveProperty('lost');
    }
  });
});

describe('who answers by a link', () => {
  const link = { until: START + HOUR };
  const byKey = person('cleo', { ...assertedBy('cleo'), roles: ['approver'], key: 'k1', link });
  const madeBy = (maker: Approver, name = 'cleo') => ({ ...assertedBy(name), link: { ...link, maker } });
  const cases: [string, Partial<Requirement>, Approver, string][] = [
    ['is one of those who may decide', {}, byKey, 'counts'],
    ['has the role of the key that made it', { from: ['role:approver'] }, byKey, 'counts'],
    ['is nobody whom the policy names', { from: ['person:cleo'] }, byKey, 'not_asked'],
    ['has the group of who made it', { from: ['group:finance'] }, madeBy(anna), 'counts'],
    ['is nobody in the place of a named person', { from: ['person:anna'] }, madeBy(anna), 'not_asked'],
    ['is not the requester', { not_requester: true }, madeBy(anna, 'rita'), 'requester'],
    ['is not there for the requester', { not_requester: true }, madeBy(person('rita')), 'requester'],
    ['is not signed in, whoever made it', { assurance: 'session' }, madeBy(anna), 'assurance'],
    ['is one only if the sender says so', { from: ['person:cleo'] }, senderOf(BY_LINK), 'not_asked'],
  ];
  it.each(cases)('%s', (_, policy, approver, expected) => {
    expect(kindOf(asked(policy), approver)).toBe(expected);
  });

  it('is one person with who made it, and nobody to whom an approver delegates', () => {
    expect(kindOf(after(asked(), madeBy(anna)), madeBy(anna, 'dora'))).toBe('counted');
    expect(kindOf(after(asked(), madeBy(anna)), anna)).toBe('counted');
    expect(kindOf(after(asked(), madeBy(anna)), madeBy(ben, 'dora'))).toBe('sufficient');
    const until = new Date(START + HOUR).toISOString();
    const state = delegated(asked({ from: ['group:finance'] }), { to: 'cleo', until }, anna, START);
    expect(kindOf(state, byKey)).toBe('not_asked');
  });

  it.each<[string, Approver, Standing, number]>([
    ['a valid key', byKey, { role: 'approver', groups: [] }, 1],
    ['a revoked key', byKey, 'gone', 0],
    ['somebody who is signed in', madeBy(anna), { role: 'approver', groups: ['finance'] }, 1],
    ['somebody who left the group', madeBy(anna), { role: 'approver', groups: [] }, 0],
  ])('has approved or not, before the last approval, by a link of %s', (_, approver, standing, count) => {
    const state = after(asked({ from: ['role:approver', 'group:finance'] }), approver);
    expect(state.approving?.given).toMatchObject([{ by: 'cleo' }]);
    const people = vouchedIn(state);
    const standings = people.map(() => standing);
    expect(people).toHaveLength(1);
    const from = { ...state, requirement: { ...state.requirement, from: ['group:finance'] } };
    const checked = approver === byKey ? state : (from as OperationState);
    expect(withoutLost(checked, { people, standings }, START).approving?.given).toHaveLength(count);
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

  it('is no longer given in the place of who lost the group, be it the only one', () => {
    const one = { ...asked({ ...finance, approvals: 1 }), delegations: delegating.delegations ?? [] };
    expect(restsOnOthers(one, {}, dora, START)).toBe(true);
    const people = vouchedIn(one);
    expect(people).toEqual([{ subject: anna.subject }]);
    for (const [groups, expected] of [
      [['finance'], 'sufficient'],
      [['sales'], 'not_asked'],
    ] as const) {
      const checked = { people, standings: [known('approver', ...groups)] };
      expect(kindOf(withoutLost(one, checked, START), dora)).toBe(expected);
    }
  });

  it('is only when others approved and this one suffices', () => {
    expect(restsOnOthers(given, {}, ben, START)).toBe(true);
    expect(restsOnOthers(given, {}, anna, START)).toBe(false);
    expect(restsOnOthers(asked(finance), {}, ben, START)).toBe(false);
    expect(restsOnOthers(asked({ approvals: 1 }), {}, ben, START)).toBe(false);
    expect(restsOnOthers(after(asked({ approvals: 3 }), anna), {}, ben, START)).toBe(false);
  });
});

describe('what a confirmation does, as far as a page shows it', () => {
  const given = (...names: string[]) => names.map((by) => ({ by, at: '', assurance: 'asserted' as const }));
  const approvals = { needed: 2, given: given(), from: ['person:ana', 'person:ben'] };
  const [all, some, none] = [
    { kept: [1, 2], left_out: [] },
    { kept: [1], left_out: [2] },
    { kept: [], left_out: [1, 2] },
  ] as unknown as [Half, Half, Half];
  const press = (by: string, selection: Half, more: Partial<Approvals> = {}, requested_by = 'rita') =>
    pressOf({ requested_by, approvals: { ...approvals, ...more } }, selection, assertedBy(by), START);

  it('runs the batch only with the last approval', () => {
    expect(press('ana', all)).toBe('approves');
    expect(press('ben', all, { given: given('ana') })).toBe('runs');
    expect(press('ana', all, { needed: 1 })).toBe('runs');
    expect(press('ana', none, { needed: 1 })).toBe('skips');
    expect(pressOf({}, all, assertedBy(), START)).toBe('runs');
    expect(pressOf({}, none, assertedBy(), START)).toBe('skips');
  });

  it('asks anew without items, and keeps at least one', () => {
    expect(press('ben', some, { given: given('ana') })).toBe('leaves_out');
    expect(press('ana', some)).toBe('leaves_out');
    expect(press('ana', none)).toBe('leaves_nothing');
  });

  it('is for others after their own approval, for the requester, and for those who are not asked', () => {
    expect(press('ana', all, { given: given('ana') })).toBe('for_others');
    expect(press('ana', all, { given: given('ana'), distinct: false })).toBe('runs');
    expect(press('ana', all, { not_requester: true }, 'ana')).toBe('for_others');
    expect(press('eve', all)).toBe('for_others');
  });

  it('is for a person to whom an approver delegated, until the delegation is over', () => {
    const until = (at: number) => [{ by: 'ana', to: 'eve', until: new Date(at).toISOString() }];
    expect(press('eve', all, { delegations: until(START + HOUR) })).toBe('approves');
    expect(press('eve', all, { delegations: until(START) })).toBe('for_others');
  });
});

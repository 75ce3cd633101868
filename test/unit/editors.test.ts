import type { Approver } from '../../src/contract/policy';
import { pressOf, type Selection } from '../../src/core/approval/selection';
import { assertedBy } from '../../src/core/bulk/approvers';
import { delegated } from '../../src/core/bulk/approving';
import { carried } from '../../src/core/bulk/carried';
import { editorsOf, editsWith, isOfEdit } from '../../src/core/bulk/edited';
import type { OperationState } from '../../src/core/bulk/operation';
import { statusOf } from '../../src/core/bulk/view';
import { after, anna, asked, ben, IDP, kindOf, person } from './approvals.fixtures';
import { HOUR, START } from './lifecycle.fixtures';

it('takes no approval of who edited the change ten edits ago, or in the operation that this one follows', () => {
  const edit = ({ by, subject }: Approver) =>
    ({ by, subject, decision_id: `edit by ${by}` }) as NonNullable<OperationState['edits']>[number];
  const others = Array.from({ length: 12 }, (_, at) => person(`other ${at}`));
  const before = asked({ not_requester: true });
  const edited = [ben, ...others].reduce(
    (state, one) => ({ ...state, ...editsWith(state, edit(one)) }),
    before,
  );
  expect(edited.edits).toHaveLength(10);
  for (const state of [edited, carried(edited), { ...edited, edits: [] }]) {
    expect(kindOf(state, ben)).toBe('editor');
    expect(kindOf(state, person('Ben B.', { subject: ben.subject }))).toBe('editor');
    expect(isOfEdit(state, 'edit by ben')).toBe(true);
    expect(kindOf(state, anna)).toBe('counts');
  }
  const terms = editorsOf({
    terms: { editors: [{ subject: ben.subject, by: 'ben' }] },
    edits: [edit(anna)],
  });
  const following = asked({ not_requester: true }, terms);
  expect([ben, anna].map((one) => kindOf(following, one))).toEqual(['editor', 'editor']);
  expect(kindOf(following, person('cy'))).toBe('counts');
  expect(editorsOf({})).toEqual({});
});

describe('a status distinguishes people of one name, as the judge of an approval does', () => {
  const other = (one: Approver) => person(one.by, { subject: `${IDP}|another ${one.by}` });
  const selection = { kept: [1], left_out: [] } as unknown as Selection;
  const isOffered = (state: OperationState, approver: Approver) =>
    pressOf(statusOf(state), selection, approver, START) !== 'for_others';
  const rita = person('rita');
  const requested = asked({ not_requester: true }, { requested_subject: rita.subject });
  const edited = {
    ...asked({ not_requester: true }, { editors: [{ subject: anna.subject, by: 'anna' }] }),
    editors: [{ subject: ben.subject, by: 'ben' }],
  };
  const until = new Date(START + HOUR).toISOString();
  const delegating = delegated(asked({ from: ['group:finance'] }), { to: 'dora', until }, anna, START);

  it.each<[string, OperationState, Approver, boolean]>([
    ['who approved', after(asked(), anna), anna, false],
    ['who approved under another name', after(asked(), anna), person('A.', { subject: anna.subject }), false],
    ['who has the name of an approver', after(asked(), anna), other(anna), true],
    ['who says the name of an approver', after(asked(), anna), assertedBy('anna'), false],
    ['whose name somebody gave', after(asked(), assertedBy('anna')), anna, false],
    ['for whom another approved', after(delegating, person('dora', { groups: [] })), anna, false],
    ['who has that name', after(delegating, person('dora', { groups: [] })), other(anna), true],
    ['who requested it', requested, rita, false],
    ['who requested it under another name', requested, person('R.', { subject: rita.subject }), false],
    ['who has the name of the requester', requested, other(rita), true],
    ['whose name alone requested it', asked({ not_requester: true }), rita, false],
    ['who edited it', edited, ben, false],
    ['who has the name of an editor', edited, other(ben), true],
    ['who edited the operation before it', edited, anna, false],
  ])('%s', (_, state, approver, offered) => {
    expect(isOffered(state, approver)).toBe(offered);
    expect(['counts', 'sufficient'].includes(kindOf(state, approver))).toBe(offered);
  });

  it('without their ids', () => {
    const text = JSON.stringify([after(asked(), anna), requested, edited].map((state) => statusOf(state)));
    for (const { subject } of [anna, rita, ben]) expect(text).not.toContain(subject);
    expect(statusOf(asked({ not_requester: true })).approvals).not.toHaveProperty('requester_person');
    expect(statusOf(after(asked(), assertedBy('anna'))).approvals?.given).toEqual([
      { by: 'anna', at: new Date(START).toISOString(), assurance: 'asserted' },
    ]);
  });
});

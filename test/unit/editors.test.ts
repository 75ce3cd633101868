import type { Approver } from '../../src/contract/policy';
import { carried } from '../../src/core/bulk/carried';
import { editorsOf, editsWith, isOfEdit } from '../../src/core/bulk/edited';
import type { OperationState } from '../../src/core/bulk/operation';
import { anna, asked, ben, kindOf, person } from './approvals.fixtures';

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

import { z } from 'zod';
import { editAbandoned, editBegun, editedParameters, judgeEdit } from '../../src/core/bulk/edits';
import { nextMoment } from '../../src/core/bulk/deadlines';
import { judgeContinue } from '../../src/core/bulk/gate';
import { openGate, type OperationState } from '../../src/core/bulk/operation';
import { BatchgateError } from '../../src/contract/errors';
import { adopted, planned, ran, START } from './lifecycle.fixtures';

const LABEL = {
  name: 'label',
  query: z.strictObject({ sender: z.string(), mailbox: z.string() }),
  selects: ['account'],
  change: z.strictObject({
    label_name: z.string(),
    colour: z.string().nullable().optional(),
    mailbox: z.string().optional(),
    account: z.string().optional(),
  }),
};
const refusal = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof BatchgateError) return error.body;
    throw error;
  }
  return undefined;
};

describe('the parameters of an edit', () => {
  const merged = (change: Record<string, unknown>, fixed?: string[]) =>
    editedParameters(LABEL, { label_name: 'Later', colour: 'red' }, change, fixed);

  it('replace those of the change, and null takes one out unless it is a value', () => {
    expect(merged({ label_name: 'Archive' })).toEqual({ label_name: 'Archive', colour: 'red' });
    expect(merged({ colour: null })).toEqual({ label_name: 'Later', colour: null });
    expect(merged({ label_name: null })).toEqual({ colour: 'red' });
  });

  it.each([
    [{ sender: 'bob' }, 'sender selects the items, which an edit does not change.'],
    [{ mailbox: 'other' }, 'mailbox selects the items, which an edit does not change.'],
    [{ account: 'other' }, 'account selects the items, which an edit does not change.'],
    [{ size: 3 }, 'label has no parameter size.'],
    [{ colour: 'blue' }, 'The operator has fixed colour, so it cannot be edited.'],
    [{ label_name: 'Later' }, 'The question asks exactly that already.'],
  ])('%j is refused: %s', (change, message) => {
    const error = refusal(() => merged(change, ['colour']));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message });
    expect(error?.hint).not.toBe('');
  });
});

describe('a question whose edit failed', () => {
  const asked = planned(12, { batch_size: 5, idle_timeout_seconds: 3_600 });
  const deadline = asked.deadline!;
  const reopened = (begun: number, over: number) => editAbandoned(editBegun(asked, 'd1', begun), over);

  it('keeps its deadline if that is still to come', () => {
    const state = reopened(deadline - 60_000, deadline - 1_000);
    expect(state).toMatchObject({ state: 'awaiting_confirmation', deadline, opened_at: deadline - 1_000 });
    expect(state).not.toHaveProperty('begun_at');
  });

  it.each([0, 1, 90_000])('has the time again that was left if its deadline passed %i ms before', (late) => {
    const state = reopened(deadline - 60_000, deadline + late);
    expect(state.deadline).toBe(deadline + late + 60_000);
    expect(nextMoment(state)).toBeLessThanOrEqual(state.deadline!);
    const decision = { digest: openGate(state)?.digest };
    expect(judgeContinue(state, decision, deadline + late + 59_999).kind).toBe('accepted');
    expect(judgeContinue(state, decision, deadline + late + 60_000).kind).toBe('refused');
  });
});

describe('a decision id', () => {
  const digestOf = (state: OperationState) => openGate(state)?.digest;
  const edited = (before: OperationState, id: string) => adopted(editBegun(before, id, START));

  it('of an edit confirms nothing, while its plan is made and afterwards', () => {
    const asked = planned(12, { batch_size: 5 });
    for (const state of [editBegun(asked, 'd1', START), edited(asked, 'd1')])
      expect(judgeContinue(state, { decision_id: 'd1', digest: digestOf(state) }, START)).toMatchObject({
        kind: 'refused',
        error: { code: 'IDEMPOTENCY_CONFLICT' },
      });
    const other = judgeContinue(edited(asked, 'd1'), { decision_id: 'd2' }, START + 5_000);
    expect(other.kind).toBe('accepted');
  });

  it('of a confirmation edits nothing, and that of an edit edits once', () => {
    const after = ran(planned(12, { batch_size: 5 }), undefined, { decision_id: 'd1' });
    const change = { label_name: 'Archive' };
    expect(judgeEdit(after, { change, decision_id: 'd1' }, START)).toMatchObject({
      error: { code: 'IDEMPOTENCY_CONFLICT' },
    });
    expect(judgeEdit(edited(after, 'd2'), { change, decision_id: 'd2' }, START)).toEqual({
      kind: 'duplicate',
    });
  });

  it('is not needed to refuse the digest, the attempt and the batch of the question before an edit', () => {
    const asked = planned(12, { batch_size: 5 });
    const now = edited(asked, 'd1');
    expect(openGate(now)).toMatchObject({ number: 1, attempt: 2 });
    expect(digestOf(now)).not.toBe(digestOf(asked));
    for (const request of [{ digest: digestOf(asked) }, { batch: 1 }, { batch: 1, attempt: 1 }])
      expect(judgeContinue(now, request, START + 5_000)).toMatchObject({
        error: { code: 'STALE_CONFIRMATION' },
      });
  });
});

import { judgeContinue } from '../../src/core/bulk/gate';
import {
  batchOver,
  closeAs,
  planFrozen,
  resolved,
  settledLate,
  withOutcome,
} from '../../src/core/bulk/lifecycle';
import { extended } from '../../src/core/bulk/deadlines';
import { MAX_CONFIRMATIONS, recorded } from '../../src/core/bulk/decisions';
import { openGate, type OperationState } from '../../src/core/bulk/operation';
import { errorsPage, itemsPage, statusOf, turnOf } from '../../src/core/bulk/view';
import {
  emails,
  ended,
  HOUR,
  MINUTE,
  planned,
  planOf,
  preparing,
  ran,
  running,
  START,
} from './lifecycle.fixtures';

const idle = (state: OperationState) => (state.deadline ?? NaN) - START;

describe('a frozen plan', () => {
  it('asks before anything runs, with the first batch in the question', () => {
    const status = statusOf(planned(12, { batch_size: 5 }));
    expect(status).toMatchObject({
      state: 'awaiting_confirmation',
      needs_confirmation: true,
      total: 12,
      processed: 0,
      remaining: 12,
      batches_total: 3,
      next_batch: { number: 1, attempt: 1 },
    });
    expect(status.next_batch?.items).toEqual(emails(5));
  });

  it('completes at once when nothing matches', () => {
    expect(statusOf(planned(0))).toMatchObject({ state: 'completed', total: 0, needs_confirmation: false });
  });

  it('does not complete if nothing matches and the contract expects items', () => {
    const held = planned(0, { contract: { expected_total: 3 } });
    expect(statusOf(held)).toMatchObject({
      state: 'awaiting_confirmation',
      guard: { allowed: false, missing_count: 3 },
    });
    expect(judgeContinue(held, {}, START)).toMatchObject({ error: { code: 'NOT_AWAITING_CONFIRMATION' } });
    const forced = { reason: 'there are none', at: new Date(START).toISOString() };
    expect(closeAs(held, 'completed', START, forced).state).toBe('completed');
  });
});

describe('a batch', () => {
  it('makes the last batch as small as the remainder', () => {
    const last = ran(ran(planned(12, { batch_size: 5 })));
    expect(openGate(last)?.items.map(({ id }) => id)).toEqual(['m11', 'm12']);
  });

  it('counts an item that was found changed, even if a person has excluded it since', () => {
    const indices = [0, 1, 2, 3, 4];
    const died = { indices, outcomes: { codes: 'spppp' }, started_at: START, unsettled: [1, 2] };
    const asked = batchOver(running(planned(5)), died, START + MINUTE);
    const left = running(asked, { exclude: [{ id: 'm2' }, { id: 'm3' }, { id: 'm4' }] });
    const settled = settledLate(left, '1.2', { codes: 'sp' });
    expect(settled.codes).toBe('sskkp');
    expect(settled.accepted['1.2']?.skipped).toEqual([2, 3]);
    expect(settled.unsettled).toBeUndefined();
    const over = { indices: [4, 1, 2], outcomes: { codes: 's' }, started_at: START };
    expect(batchOver(settled, over, START + MINUTE)).toMatchObject({
      state: 'completed',
      codes: 'sskks',
      last_batch: { attempt: 2, succeeded: 2, skipped: 2 },
    });
  });

  it('gives every item one outcome and completes with the last of them', () => {
    const state = ran(ran(ran(planned(12, { batch_size: 5 }), 'sfsss')), 'ss');
    expect(statusOf(state)).toMatchObject({ state: 'completed', processed: 12, succeeded: 11, failed: 1 });
    expect(itemsPage(state, { outcome: 'pending' }).total).toBe(0);
  });

  it("skips items that a person excluded, with the person's reason", () => {
    const exclude = [{ id: 'm2', reason: 'keep it' }, { id: 'm4' }];
    const state = ran(planned(5), 'sss', { exclude });
    expect(itemsPage(state, { outcome: 'skipped' }).items).toEqual([
      { id: 'm2', display_name: 'Message 2', batch: 1, outcome: 'skipped', error: 'keep it' },
      { id: 'm4', display_name: 'Message 4', batch: 1, outcome: 'skipped', error: 'excluded by a person' },
    ]);
    expect(statusOf(state)).toMatchObject({ state: 'completed', skipped: 2, last_batch: { skipped: 2 } });
  });

  it('may be excluded whole, and the next one is asked for', () => {
    const exclude = emails(5).map(({ id }) => ({ id }));
    const state = ran(planned(7, { batch_size: 5 }), '', { exclude });
    expect(statusOf(state)).toMatchObject({ state: 'awaiting_confirmation', skipped: 5, remaining: 2 });
  });

  it('is asked for again under a new attempt, only for its remaining items', () => {
    const failed = ran(planned(5), 'sfpdp');
    expect(statusOf(failed)).toMatchObject({
      state: 'batch_failed',
      needs_confirmation: true,
      next_batch: { number: 1, attempt: 2 },
      last_batch: { succeeded: 1, failed: 1, in_doubt: 1 },
    });
    expect(openGate(failed)?.items.map(({ id }) => id)).toEqual(['m3', 'm5']);
    const done = ended(running(failed), { codes: 'ss' });
    expect(statusOf(done)).toMatchObject({
      state: 'awaiting_resolution',
      succeeded: 3,
      failed: 1,
      in_doubt: 1,
    });
  });

  it('says why it died, until the next confirmation', () => {
    const error = { code: 'ADAPTER_UNAVAILABLE', message: 'gone', hint: 'wait' } as const;
    const over = { indices: [0, 1], outcomes: { codes: 'pp' }, started_at: START, error };
    const failed = batchOver(running(planned(2)), over, START);
    expect(statusOf(failed).error).toEqual(error);
    expect(statusOf(running(failed)).error).toBeUndefined();
    expect(statusOf(ended(running(failed))).error).toBeUndefined();
  });

  it('reports its duration: by its worker, or else by the clock, and never less than zero', () => {
    const over = (started_at: number, duration_ms?: number) =>
      batchOver(
        running(planned(2)),
        { indices: [0, 1], outcomes: { codes: 'ss', duration_ms }, started_at },
        START,
      );
    expect(over(START - 2_500, 40).last_batch?.duration_ms).toBe(40);
    expect(over(START - 250).last_batch?.duration_ms).toBe(250);
    expect(over(START + 250).last_batch?.duration_ms).toBe(0);
  });
});

describe('the deadline', () => {
  it('starts again with each question, also after a failed batch', () => {
    expect(idle(planned(12))).toBe(HOUR);
    expect(idle(ended(running(planned(12)), {}, START + 10 * MINUTE))).toBe(10 * MINUTE + HOUR);
    const failed = ended(running(planned(12)), { codes: 'p'.repeat(10) }, START + 10 * MINUTE);
    expect(idle(failed)).toBe(10 * MINUTE + HOUR);
  });

  it('is suspended while a batch runs and absent at the end', () => {
    expect(running(planned(12)).deadline).toBeUndefined();
    expect(statusOf(running(planned(12))).expires_at).toBeUndefined();
    expect(closeAs(planned(12), 'cancelled', START).deadline).toBeUndefined();
    expect(ran(planned(5)).deadline).toBeUndefined();
  });

  it('is later by the given time, and the next question has the usual time again', () => {
    const later = extended(
      extended(planned(12), { seconds: 600 }, START),
      { seconds: 600, by: 'ben' },
      START,
    );
    expect(idle(later)).toBe(HOUR + 20 * MINUTE);
    expect(idle(ended(running(later), {}, START + MINUTE))).toBe(HOUR + MINUTE);
  });

  it('starts again when a person resolves an item, and never becomes earlier', () => {
    const doubtful = ran(planned(12, { batch_size: 5 }), 'dssss');
    expect(idle(resolved(doubtful, 0, 'succeeded', 'seen', START + 30 * MINUTE))).toBe(HOUR + 30 * MINUTE);
    const overnight = extended(doubtful, { seconds: 8 * 3_600 }, START);
    expect(resolved(overnight, 0, 'succeeded', 'seen', START + 30 * MINUTE).deadline).toBe(
      overnight.deadline,
    );
  });
});

describe('an item in doubt', () => {
  const doubtful = ran(planned(7, { batch_size: 5 }), 'sdsss');

  it("has the person's outcome, with their reason", () => {
    const failed = resolved(doubtful, 1, 'failed', 'not there', START);
    expect(statusOf(failed)).toMatchObject({ in_doubt: 0, failed: 1, remaining: 2 });
    expect(errorsPage(failed, {}).errors).toEqual([
      { item_id: 'm2', display_name: 'Message 2', error: 'not there', retryable: true },
    ]);
    expect(statusOf(resolved(doubtful, 1, 'succeeded', 'seen', START))).toMatchObject({
      in_doubt: 0,
      succeeded: 5,
    });
  });

  it('completes an operation that waited only for it', () => {
    const held = ran(planned(5, { contract: { failed_policy: 'block' } }), 'sdsdd');
    const one = resolved(held, 1, 'succeeded', 'seen', START);
    expect(one.state).toBe('awaiting_resolution');
    const two = resolved(one, 3, 'succeeded', 'seen', START);
    expect(resolved(two, 4, 'succeeded', 'seen', START).state).toBe('completed');
    expect(resolved(two, 4, 'failed', 'gone', START).state).toBe('awaiting_confirmation');
  });

  it('can be retried if it turned out to have failed', () => {
    const settled = resolved(ran(planned(5), 'ssssd'), 4, 'failed', 'it is not there', START);
    expect(statusOf(settled)).toMatchObject({
      state: 'completed',
      errors: [{ item_id: 'm5', error: 'it is not there', retryable: true }],
    });
  });

  it('accepts no confirmation while items are in doubt at the end, and says what to do', () => {
    const held = ran(planned(5), 'ssssd');
    expect(statusOf(held)).toMatchObject({
      state: 'awaiting_resolution',
      expires_at: new Date(START + MINUTE + HOUR).toISOString(),
      guard: { allowed: false, reason: '1 item(s) are in doubt.', hint: { level: 'warning' } },
    });
    expect(judgeContinue(held, { batch: 1 }, START + MINUTE)).toMatchObject({
      kind: 'refused',
      error: {
        code: 'NOT_AWAITING_CONFIRMATION',
        hint: 'Resolve each item in doubt, complete the operation with a reason, or cancel it.',
      },
    });
  });

  it('keeps the time by which someone extended the question', () => {
    const held = extended(ran(planned(5), 'sssdd'), { seconds: 7_200 }, START);
    expect(resolved(held, 3, 'succeeded', 'seen', START + MINUTE).deadline).toBe(held.deadline);
    expect(resolved(held, 3, 'succeeded', 'seen', START + 4 * HOUR).deadline).toBe(START + 5 * HOUR);
  });

  it('may be resolved while the next batch runs, and nothing else changes', () => {
    const busy = running(doubtful);
    expect(resolved(busy, 1, 'succeeded', 'seen', START)).toMatchObject({ state: 'running_batch', batch: 2 });
  });
});

describe('the record of decisions', () => {
  const entry = (batch: number) => ({
    batch,
    attempt: 1,
    decision: 'continue' as const,
    outcome: 'accepted',
    via: 'update' as const,
    assurance: 'asserted' as const,
    at: new Date(START).toISOString(),
  });

  it('shows the latest, reports that it was cut, and forgets no accepted decision', () => {
    let state = withOutcome(ended(running(planned(12), { decision_id: 'first' })), '1.1');
    for (let at = 1; at <= MAX_CONFIRMATIONS; at++) state = recorded(state, entry(at));
    expect(statusOf(state).confirmations_truncated).toBeUndefined();
    state = recorded(state, entry(MAX_CONFIRMATIONS + 1));
    const status = statusOf(state);
    expect(status.confirmations).toHaveLength(MAX_CONFIRMATIONS);
    expect(status.confirmations_truncated).toBe(true);
    expect(status.confirmations.map(({ batch }) => batch).slice(0, 2)).toEqual([2, 3]);
    expect(judgeContinue(state, { decision_id: 'first' }, START).kind).toBe('duplicate');
  });

  it('keeps the result of a confirmation, and returns it again after the operation continued', () => {
    const first = withOutcome(ended(running(planned(30), { decision_id: 'd1' })), '1.1');
    const answer = turnOf(first);
    const later = closeAs(ran(first), 'cancelled', START + HOUR);
    const verdict = judgeContinue(later, { decision_id: 'd1' }, START + HOUR);
    if (verdict.kind !== 'duplicate') throw new Error(`it was ${verdict.kind}`);
    expect(turnOf(later, verdict.first.outcome)).toEqual(answer);
  });
});

describe('the pages', () => {
  const state = ran(ran(planned(20), 'ffffffffff'), 'ssssssssss');

  it('show what was requested, and the total number', () => {
    expect(errorsPage(state, { offset: 8, limit: 5 })).toMatchObject({ total: 10, errors: [{}, {}] });
    expect(itemsPage(state, { offset: 9, limit: 2 }).items.map(({ id, batch }) => [id, batch])).toEqual([
      ['m10', 1],
      ['m11', 2],
    ]);
    expect(itemsPage(state, { outcome: 'succeeded', limit: 3 })).toMatchObject({
      total: 10,
      items: [{}, {}, {}],
    });
    expect(errorsPage(state, { offset: 100 })).toEqual({ errors: [], total: 10 });
  });

  it('end before the first item without a name, and have the outcome of each', () => {
    const plan = planOf(emails(20));
    const large = planFrozen(preparing(), { ...plan, items: plan.items.slice(0, 10) }, START);
    expect(itemsPage(large, { offset: 8, limit: 4 })).toMatchObject({
      ...{ items: [{ id: 'm9' }, { id: 'm10' }], total: 20, outcomes: 'pppp' },
    });
  });

  it('say in the status that there are more errors than it shows', () => {
    const many = ran(planFrozen(preparing({ batch_size: 200 }), planOf(emails(60)), START), 'f'.repeat(60));
    expect(statusOf(many)).toMatchObject({ errors_truncated: true, failed: 60 });
    expect(statusOf(many).errors).toHaveLength(50);
  });
});

it('serialises to JSON at any point and continues in the same way', () => {
  const carry = (state: OperationState) => JSON.parse(JSON.stringify(state)) as OperationState;
  const path = (at: (state: OperationState) => OperationState) =>
    at(
      ended(
        at(running(at(ended(at(running(at(planned(20)), { decision_id: 'd' })), { codes: 'ssfdspppss' })))),
      ),
    );
  expect(statusOf(path(carry))).toEqual(statusOf(path((state) => state)));
});

it('refuses a step that is not in the table', () => {
  expect(() => closeAs(closeAs(planned(5), 'cancelled', START), 'completed', START)).toThrow(
    'illegal transition',
  );
  expect(() => running(preparing())).toThrow('illegal transition');
  expect(() => ended(planned(20))).toThrow('illegal transition');
});

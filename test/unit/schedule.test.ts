import type { ErrorBody } from '../../src/contract/errors';
import { judgeContinue } from '../../src/core/bulk/gate';
import { batchOver, closeAs, planFrozen } from '../../src/core/bulk/lifecycle';
import { openGate, type OperationState } from '../../src/core/bulk/operation';
import { judgeWithdraw, missed, started, withdrawn } from '../../src/core/bulk/schedule';
import { marked } from '../../src/core/bulk/taken-back';
import { statusOf, turnOf } from '../../src/core/bulk/view';
import { frozenWindows } from '../../src/core/bulk/windows';
import { recorded } from '../../src/core/bulk/decisions';
import { parseOperationInput } from '../../src/core/bulk/input';
import {
  emails,
  ended,
  HOUR,
  MINUTE,
  planned,
  planOf,
  preparing,
  running,
  START,
} from './lifecycle.fixtures';

const later = (ms: number) => new Date(START + ms).toISOString();
const TEN_AT_NIGHT = '2026-11-21T22:00:00+01:00';
const NIGHT = Date.parse(TEN_AT_NIGHT);

/** An operation whose first batch Anna confirmed for 22:00. */
const scheduled = (state = planned(20)): OperationState =>
  running(state, { by: 'Anna', not_before: TEN_AT_NIGHT, decision_id: 'd1' });

const throttled = (until: string): ErrorBody => ({
  code: 'RATE_LIMITED',
  message: 'Nothing was changed',
  hint: 'Later.',
  details: { until },
});

/** An operation whose first batch the tool refused. */
function refusedBatch(until: string, now = START): OperationState {
  const outcomes = { codes: 'p'.repeat(10) };
  const indices = [...Array(10).keys()];
  const ran = { indices, outcomes, started_at: now, error: throttled(until) };
  return batchOver(running(planned(20)), ran, now);
}

it('keeps a confirmation for its time, and says when the batch runs and who confirmed it', () => {
  const state = scheduled();
  expect(turnOf(state)).toMatchObject({
    state: 'scheduled',
    needs_confirmation: false,
    scheduled_for: new Date(NIGHT).toISOString(),
    scheduled_batch: { number: 1, attempt: 1, digest: openGate(planned(20))?.digest, by: 'Anna' },
    message:
      'Batch 1 runs at 2026-11-21T22:00:00+01:00 (confirmed by Anna). ' +
      'Take it back until then with withdraw: npx batchgate withdraw bulk-1',
  });
  const status = statusOf(state);
  expect(status.next_batch).toBeUndefined();
  expect(status.expires_at).toBeUndefined();
  expect(status.scheduled_batch?.items.map(({ id }) => id)).toEqual(emails(10).map(({ id }) => id));
});

it('begins the batch at its time, and not before', () => {
  const state = scheduled();
  expect(started(state, NIGHT).state).toBe('running_batch');
  expect(started(state, NIGHT - 1)).toMatchObject({ state: 'scheduled', scheduled: { at: NIGHT } });
});

it('runs at once if the time is over', () => {
  expect(running(planned(20), { not_before: later(-HOUR) }).state).toBe('running_batch');
  expect(running(planned(20, { not_before: later(0) })).state).toBe('running_batch');
});

it('refuses a time without an offset, and one that is too far ahead', () => {
  const input = { domain: 'gmail', action: 'label', params: { sender: 'ana' } };
  expect(() => parseOperationInput({ ...input, not_before: '2026-11-21T22:00:00' })).toThrow(
    /its offset from UTC/,
  );
  const state = planned(20);
  const verdict = (not_before: string) => judgeContinue(state, { batch: 1, not_before }, START);
  expect(verdict(later(30 * 24 * HOUR))).toMatchObject({ kind: 'accepted' });
  expect(verdict(later(30 * 24 * HOUR + 1))).toMatchObject({
    kind: 'refused',
    error: { code: 'INVALID_INPUT', message: expect.stringContaining('30 days') as string },
  });
});

it('starts no batch before the time that the start asked for, whatever a confirmation asks', () => {
  const state = planned(20, { not_before: TEN_AT_NIGHT });
  expect(running(state).scheduled?.at).toBe(NIGHT);
  expect(running(state, { not_before: later(MINUTE) }).scheduled?.at).toBe(NIGHT);
  expect(running(state, { not_before: later(24 * HOUR) }).scheduled?.at).toBe(START + 24 * HOUR);
  expect(turnOf(state).message).toContain('No batch begins before 2026-11-21T21:00:00.000Z.');
});

it('binds the digest of a question to the times that it shows', () => {
  const windows = frozenWindows([{ from: '22:00', to: '06:00', zone: 'Europe/Berlin' }], START);
  const items = planOf(emails(20));
  const questions = [
    planned(20),
    planned(20, { not_before: TEN_AT_NIGHT }),
    planned(20, { not_before: later(HOUR) }),
    planFrozen({ ...preparing(), windows }, items, START),
    { ...refusedBatch(later(HOUR)) },
    { ...refusedBatch(later(2 * HOUR)) },
  ];
  expect(new Set(questions.map((state) => openGate(state)?.digest)).size).toBe(questions.length);
});

it('refuses another confirmation of a scheduled batch, and repeats the first to its sender', () => {
  const state = scheduled();
  expect(judgeContinue(state, { batch: 1, by: 'Ben' }, START)).toMatchObject({
    kind: 'refused',
    error: {
      code: 'NOT_AWAITING_CONFIRMATION',
      message: expect.stringContaining('confirmed by Anna') as string,
    },
  });
  expect(judgeContinue(state, { batch: 1, decision_id: 'd1' }, START).kind).toBe('duplicate');
});

describe('taking back', () => {
  it('puts the same items back under a new attempt, which the confirmation can never run', () => {
    const before = planned(20);
    const excluding = {
      exclude: [{ id: 'm2', reason: 'mine' }],
      not_before: TEN_AT_NIGHT,
      decision_id: 'd1',
    };
    const state = withdrawn(running(before, excluding), {}, START + MINUTE);
    expect(turnOf(state)).toMatchObject({
      state: 'awaiting_confirmation',
      needs_confirmation: true,
      skipped: 0,
      next_batch: { number: 1, attempt: 2 },
    });
    expect(state.codes).toBe(before.codes);
    expect(openGate(state)?.items).toEqual(openGate(before)?.items);
    expect(openGate(state)?.digest).not.toBe(openGate(before)?.digest);
    expect(state.scheduled).toBeUndefined();
    expect(judgeContinue(state, { batch: 1, decision_id: 'd1' }, NIGHT).kind).toBe('duplicate');
    const digest = openGate(before)?.digest;
    expect(judgeContinue(state, { digest, decision_id: 'd2' }, START + MINUTE)).toMatchObject({
      error: { code: 'STALE_CONFIRMATION' },
    });
    expect(started(state, NIGHT)).toBe(state);
  });

  it('returns to the question of a failed batch, with its error', () => {
    const until = later(HOUR);
    const state = withdrawn(running(refusedBatch(until), {}, START + 1), {}, START + MINUTE);
    expect(turnOf(state)).toMatchObject({
      state: 'batch_failed',
      error: { code: 'RATE_LIMITED' },
      throttled_until: until,
      next_batch: { number: 1, attempt: 3 },
    });
  });

  it('is for the batch that it names, and changes nothing when it is repeated', () => {
    const state = scheduled();
    expect(judgeWithdraw(state, { batch: 1, attempt: 2 })).toMatchObject({
      error: { code: 'STALE_CONFIRMATION' },
    });
    expect(judgeWithdraw(state, { digest: 'other' })).toMatchObject({
      error: { code: 'STALE_CONFIRMATION' },
    });
    expect(judgeWithdraw(state, { batch: 1 }).kind).toBe('accepted');
    const back = withdrawn(state, { decision_id: 'w1' }, START);
    expect(judgeWithdraw(back, { decision_id: 'w1' }).kind).toBe('repeated');
    const again = running(back, { not_before: TEN_AT_NIGHT });
    expect(judgeWithdraw(again, { decision_id: 'w1' }).kind).toBe('repeated');
    expect(judgeWithdraw(again, { decision_id: 'w2' }).kind).toBe('accepted');
  });

  it('is refused once the batch has begun, and while nothing is scheduled', () => {
    const refusal = (state: OperationState) => judgeWithdraw(state, {});
    expect(refusal(planned(20))).toMatchObject({ error: { code: 'NOT_AWAITING_CONFIRMATION' } });
    expect(refusal(started(scheduled(), NIGHT))).toMatchObject({
      error: { message: expect.stringContaining('has begun') as string },
    });
    expect(refusal(closeAs(scheduled(), 'cancelled', START))).toMatchObject({
      error: { code: 'OPERATION_CLOSED' },
    });
  });

  it('marks the confirmation that was taken back, and no later one', () => {
    const entry = {
      batch: 1,
      outcome: 'accepted',
      via: 'update',
      at: later(0),
      assurance: 'asserted',
    } as const;
    const first = recorded(planned(20), { ...entry, attempt: 1, decision: 'continue' });
    const withdrawal = { by: 'ben', at: later(1) };
    const { state, confirmation } = marked(first, withdrawal);
    const { confirmations } = recorded(state, { ...entry, attempt: 2, decision: 'continue' });
    expect(confirmations.map((one) => one.withdrawn)).toEqual([withdrawal, undefined]);
    expect(confirmation).toEqual(confirmations[0]);
  });
});

it('cancels a scheduled batch as one that never began', () => {
  const state = running(planned(20), { exclude: [{ id: 'm2' }], not_before: TEN_AT_NIGHT });
  expect(turnOf(closeAs(state, 'cancelled', START))).toMatchObject({
    state: 'cancelled',
    skipped: 0,
    remaining: 20,
  });
});

describe('windows', () => {
  const windows = frozenWindows([{ from: '22:00', to: '06:00', zone: 'Europe/Berlin' }], START);
  const state = planFrozen({ ...preparing(), windows }, planOf(emails(20)), START);

  it('puts a confirmation off until the next window, and leads from a missed window to the one after', () => {
    const put = running(state);
    expect(put).toMatchObject({ state: 'scheduled', scheduled: { at: NIGHT } });
    const morning = NIGHT + 8 * HOUR;
    expect(started(put, morning)).toMatchObject({ state: 'scheduled', scheduled: { at: NIGHT + 24 * HOUR } });
    const begun = started(put, morning - 1);
    expect(begun.state).toBe('running_batch');
    expect(missed(begun, morning - 1)).toBe(begun);
    expect(missed(begun, morning)).toMatchObject({
      state: 'scheduled',
      scheduled: { at: NIGHT + 24 * HOUR },
    });
  });

  it('names them in the question', () => {
    expect(turnOf(state).message).toContain('Batches begin only from 22:00 to 06:00 (Europe/Berlin).');
  });
});

describe('a tool that refuses everything until a time', () => {
  it('is asked once, says until when, and keeps a confirmation for that time', () => {
    const until = later(HOUR);
    const state = refusedBatch(until);
    expect(turnOf(state)).toMatchObject({
      state: 'batch_failed',
      throttled_until: until,
      next_batch: { number: 1, attempt: 2 },
      message: expect.stringContaining(
        `gmail accepts nothing until ${until}. A batch that you confirm before then begins at that time.`,
      ) as string,
    });
    expect(running(state, {}, START + MINUTE)).toMatchObject({
      state: 'scheduled',
      scheduled: { at: START + HOUR },
    });
    expect(running(state, {}, START + HOUR).state).toBe('running_batch');
  });

  it('is no longer mentioned once the batch ran', () => {
    const ran = ended(running(refusedBatch(later(HOUR)), {}, START + HOUR));
    expect(turnOf(ran).throttled_until).toBeUndefined();
    expect(running(ran).state).toBe('running_batch');
  });

  it.each([
    ['a time that is over', later(-1)],
    ['a time beyond a month', later(31 * 24 * HOUR)],
    ['no time', 'soon'],
  ])('is an error like others with %s', (_, until) => {
    expect(turnOf(refusedBatch(until)).throttled_until).toBeUndefined();
  });
});

import type { LedgerItem } from '../../src/contract/ledger-record';
import { judgeContinue, type Verdict } from '../../src/core/bulk/gate';
import { recorded, refused } from '../../src/core/bulk/decisions';
import { gateKey, openGate, type OperationState } from '../../src/core/bulk/operation';
import { NOTHING_REMEMBERED, remember } from '../../src/core/bulk/remembered';
import { isRunningBy, outcomeOfConfirmed } from '../../src/core/bulk/repetitions';
import { statusOf } from '../../src/core/bulk/view';
import { MAX_DECISIONS } from '../../src/core/shared/bounds';
import { MINUTE, planned, ran, running, START } from './lifecycle.fixtures';

const by = 'Ada';
const first = planned(12, { batch_size: 5 });
const digest = openGate(first)?.digest;
const named = { batch: 1, attempt: 1, digest, by };
const judge = (state: OperationState, request: object, update_id = 'update-2') =>
  judgeContinue(state, request, START + 5 * MINUTE, { update_id });
const codeOf = (verdict: Verdict) => (verdict.kind === 'refused' ? verdict.error.code : verdict.kind);

describe('a second confirmation of a gate that its sender has confirmed', () => {
  const second = ran(first, undefined, named);

  it('gets the first answer, whatever brought it', () => {
    for (const request of [named, { batch: 1, by }, { digest, by }])
      expect([request, codeOf(judge(second, request))]).toEqual([request, 'duplicate']);
  });

  it('is refused from another sender, over other items, or with an id of its own', () => {
    for (const other of [
      { by: 'Bob' },
      { by: undefined },
      { exclude: [{ id: 'm1' }] },
      { decision_id: 'mine' },
    ])
      expect([other, codeOf(judge(second, { ...named, ...other }))]).toEqual([other, 'STALE_CONFIRMATION']);
    const partly = ran(first, 'ssss', { ...named, exclude: [{ id: 'm1' }] });
    expect(codeOf(judge(partly, named))).toBe('STALE_CONFIRMATION');
    expect(codeOf(judge(partly, { ...named, exclude: [{ id: 'm1' }, { id: 'm1' }] }))).toBe('duplicate');
  });

  it('confirms nothing by its own gate once the next one is open', () => {
    expect(judge(second, { batch: 2, by })).toEqual({ kind: 'accepted', key: gateKey(2, 1) });
  });
});

describe('the outcome of a confirmed batch in the ledger', () => {
  const [at, later] = ['2026-01-01T08:00:00.000Z', '2026-01-01T08:00:02.500Z'];
  const item = (batch: number, state: LedgerItem['state'], confirmed_at?: string): LedgerItem => ({
    ...{ index: 0, id: 'i', display_name: 'i', batch, state },
    ...(confirmed_at !== undefined && { confirmed_at, finished_at: later }),
  });

  it('counts its own items, those that were being changed in doubt', () => {
    const its = (['succeeded', 'failed', 'in_doubt', 'intended'] as const).map((one) => item(1, one, at));
    const others = [item(1, 'planned'), item(1, 'failed', later), item(2, 'succeeded', at)];
    expect(outcomeOfConfirmed([...its, item(1, 'skipped'), ...others], { batch: 1, attempt: 1, at })).toEqual(
      {
        ...{ number: 1, attempt: 1, duration_ms: 2_500 },
        ...{ succeeded: 1, failed: 1, skipped: 1, in_doubt: 2 },
      },
    );
  });

  it('is unknown if nothing of it ran', () => {
    expect(outcomeOfConfirmed([item(1, 'planned')], { batch: 1, attempt: 1, at })).toBeUndefined();
  });
});

it('runs nothing for an id that it accepted so long ago that only the id is stored', () => {
  const old: OperationState = { ...first, accepted_before: remember(NOTHING_REMEMBERED, 'old', 10) };
  for (const request of [{ decision_id: 'old' }, { decision_id: 'old', batch: 1, digest }])
    expect(judge(old, request)).toEqual({ kind: 'duplicate', first: {} });
  expect(judge(old, {}, 'old')).toEqual({ kind: 'duplicate', first: {} });
  expect(codeOf(judge(old, { decision_id: 'new' }))).toBe('accepted');
});

it('refuses an id that it refused so long ago that only the id is stored', () => {
  const state: OperationState = { ...first, refused_before: remember(NOTHING_REMEMBERED, 'old', 10) };
  expect(codeOf(judge(state, { decision_id: 'old', batch: 1, digest }))).toBe('STALE_CONFIRMATION');
});

describe('a batch that runs by the confirmation of its sender', () => {
  const judged = (state: OperationState, sender: string | undefined, outcome = 'accepted') =>
    recorded(state, {
      ...{ batch: state.batch, attempt: state.attempt, decision: 'continue', outcome, by: sender },
      ...{ at: new Date(START).toISOString(), via: 'update', assurance: 'asserted' },
    });
  const begun = (state: OperationState, sender?: string) =>
    judged(running(state, { batch: state.batch, by: sender }), sender);
  const isBy = (state: OperationState, sender?: string) => isRunningBy(statusOf(state), { by: sender });

  it('is theirs, and of nobody else, until the next question is open', () => {
    expect([by, 'Bob', undefined].map((one) => isBy(begun(first, by), one))).toEqual([true, false, false]);
    expect([isBy(begun(first)), isBy(begun(first), by)]).toEqual([true, false]);
    expect([isBy(first, by), isBy(judged(ran(first, undefined, named), by), by)]).toEqual([false, false]);
  });

  it('is of who confirmed last: neither of an earlier batch, nor by a refused confirmation', () => {
    const second = begun(judged(ran(first, undefined, named), by), 'Bob');
    expect([isBy(second, by), isBy(second, 'Bob')]).toEqual([false, true]);
    const late = judged(begun(first, by), 'Bob', 'STALE_CONFIRMATION');
    expect([isBy(late, by), isBy(late, 'Bob')]).toEqual([true, false]);
  });
});

describe('an operation with more decisions than it can tell apart', () => {
  it('takes one with an id only with the digest of the open question', () => {
    let state = first;
    const error = { code: 'STALE_CONFIRMATION', message: 'm', hint: 'h' } as const;
    for (let at = 0; at < 1_200; at++) state = refused(state, `refused-${at}`, error);
    expect(codeOf(judge(state, { decision_id: 'new', batch: 1 }))).toBe('STALE_CONFIRMATION');
    expect(codeOf(judge(state, { decision_id: 'new', batch: 1, digest }))).toBe('accepted');
  });

  it('takes none once it has taken the maximum', () => {
    const full: OperationState = { ...first, accepted_before: { marks: '', count: MAX_DECISIONS } };
    expect(codeOf(judge(full, named))).toBe('NOT_AWAITING_CONFIRMATION');
  });
});

it('refuses exclusions whose reasons are too long for a history', () => {
  const exclude = Array.from({ length: 5 }, (_, at) => ({ id: `m${at + 1}`, reason: 'x'.repeat(8_000) }));
  expect(codeOf(judge(first, { ...named, exclude }))).toBe('INVALID_INPUT');
  expect(codeOf(judge(first, { ...named, exclude: exclude.slice(0, 2) }))).toBe('accepted');
});

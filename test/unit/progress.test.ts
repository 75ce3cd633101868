import { BatchgateError } from '../../src/contract/errors';
import type { BulkProgressContract } from '../../src/contract/progress';
import { checkCompletionGuard } from '../../src/core/progress/completion-guard';
import {
  newContract,
  recordAll,
  markStopConditionSatisfied,
  recordCompleted,
  recordFailed,
  recordSkipped,
  updateCursor,
  type ProgressContractInput,
} from '../../src/core/progress/contract';

const NOW = 1_000;
const LATER = 2_000;
const URLS = ['https://a.test', 'https://b.test', 'https://c.test'];

/** Also one that `createProgressContract` refuses, because it can never be completed. */
const contract = (input: Partial<ProgressContractInput> = {}) =>
  newContract({ contract_id: 'c1', item_key: 'url', ...input }, NOW);
const done = (of: BulkProgressContract, ...items: string[]) => recordCompleted(of, items, LATER);
/** Also without a reason, which no record takes. */
const failing = (of: BulkProgressContract, item: string, reason = 'timeout') =>
  recordAll(of, { failed: [{ item, reason, retryable: true }] }, LATER);
const skipping = (of: BulkProgressContract, item: string, reason = 'not ours') =>
  recordSkipped(of, [{ item, reason }], LATER);
const allowed = (of: BulkProgressContract) => checkCompletionGuard(of).allowed;

describe('a new contract', () => {
  it('begins without records, blocks failures and requires a reason for skips', () => {
    expect(contract({ expected_total: 3 })).toEqual({
      contract_id: 'c1',
      scope: 'task_run',
      expected_total: 3,
      stop_condition: '',
      stop_condition_satisfied: false,
      item_key: 'url',
      completed: [],
      failed: [],
      skipped: [],
      failed_policy: 'block',
      skipped_policy: 'allow_with_reason',
      last_progress_at: NOW,
      created_at: NOW,
      updated_at: NOW,
    });
  });

  it('keeps its defaults if the caller passes undefined', () => {
    expect(contract({ failed_policy: undefined, expected_total: undefined })).toEqual(contract());
  });

  it.each([
    ['a negative total', { expected_total: -1 }, 'expected_total'],
    ['a total that is no number', { expected_total: Number.NaN }, 'expected_total'],
    ['half an item', { min_completed: 1.5 }, 'min_completed'],
    ['an unknown policy', { failed_policy: 'maybe' as never }, 'failed_policy'],
    ['an unknown scope', { scope: 'galaxy' as never }, 'scope'],
    ['no id', { contract_id: '' }, 'contract_id'],
    ['an empty item key', { item_key: '' }, 'item_key'],
    ['a failure without a reason', { failed: [{ item: 'a' }] as never }, 'failed[0].reason'],
    ['a field that is not there', { expected: 3 } as never, 'expected'],
  ])('refuses %s, and names the field', (_, input: Partial<ProgressContractInput>, field) => {
    expect(() => contract(input)).toThrow(BatchgateError);
    expect(() => contract(input)).toThrow(field);
  });
});

describe('the guard of a known total', () => {
  it('blocks one of three with a warning of what is missing and what to do next', () => {
    const guard = checkCompletionGuard(done(contract({ expected_total: 3 }), 'a'));
    expect(guard).toEqual({
      allowed: false,
      reason: '2 url item(s) have no outcome yet.',
      missing_count: 2,
      failed_count: 0,
      suggested_next_action: 'Process the remaining items.',
      hint: {
        level: 'warning',
        message: '2 url item(s) have no outcome yet.',
        missing_count: 2,
        suggested_next_action: 'Process the remaining items.',
      },
    });
  });

  it('allows three of three, with its counts', () => {
    expect(checkCompletionGuard(done(contract({ expected_total: 3 }), ...URLS))).toEqual({
      allowed: true,
      missing_count: 0,
      failed_count: 0,
    });
  });

  it('counts the same item once, however often it is recorded', () => {
    expect(allowed(done(done(contract({ expected_total: 3 }), 'a', 'a', 'a'), 'a', 'b'))).toBe(false);
    const doubled = { ...contract({ expected_total: 3 }), completed: ['a', 'a', 'b'] };
    expect(checkCompletionGuard(doubled).missing_count).toBe(1);
  });

  it('does not count a failure that then succeeds as two items: B never ran', () => {
    const start = contract({ expected_total: 2, failed_policy: 'allow' });
    const retried = done(failing(start, 'A'), 'A');
    expect(retried).toMatchObject({ completed: ['A'], failed: [] });
    expect(checkCompletionGuard(retried)).toMatchObject({ allowed: false, missing_count: 1 });
    expect(allowed(done(retried, 'B'))).toBe(true);
  });

  it('allows zero of zero', () => {
    expect(allowed(contract({ expected_total: 0 }))).toBe(true);
  });

  it('still requires the rest if more is expected than is listed', () => {
    const start = contract({ expected_items: ['a', 'b'], expected_total: 4 });
    expect(checkCompletionGuard(done(start, 'a', 'b'))).toMatchObject({ allowed: false, missing_count: 2 });
  });
});

describe('the guard of named items', () => {
  const start = contract({ expected_items: URLS, expected_total: 3 });

  it('blocks while a named item is missing, even if as many others are done', () => {
    const guard = checkCompletionGuard(done(start, 'https://x.test', 'https://y.test', URLS[0] ?? ''));
    expect(guard).toMatchObject({ allowed: false, missing_count: 2 });
    expect(guard.suggested_next_action).toBe('Process https://b.test, https://c.test next.');
  });

  it('lists missing items on request only, and ten at most', () => {
    const many = contract({ expected_items: Array.from({ length: 40 }, (_, at) => `i${at}`) });
    expect(checkCompletionGuard(many)).not.toHaveProperty('missing_items');
    expect(checkCompletionGuard(many, { items: true })).toMatchObject({ missing_count: 40 });
    expect(checkCompletionGuard(many, { items: true }).missing_items).toHaveLength(10);
    expect(checkCompletionGuard(done(start, ...URLS), { items: true })).not.toHaveProperty('missing_items');
  });

  it('counts an item that was named twice as missing once', () => {
    expect(checkCompletionGuard(contract({ expected_items: ['a', 'a'] })).missing_count).toBe(1);
  });
});

describe('the guard of an unknown total', () => {
  it('blocks until the stop condition is marked satisfied, whatever is done', () => {
    const open = done(contract({ stop_condition: 'no next page' }), ...URLS);
    expect(checkCompletionGuard(open)).toMatchObject({
      allowed: false,
      suggested_next_action: 'Go on until "no next page" holds, then mark it satisfied.',
    });
    expect(allowed(markStopConditionSatisfied(open, LATER))).toBe(true);
  });

  it.each(['', '   '])('blocks an empty satisfied stop condition: "%s"', (stop_condition) => {
    const open = contract({ stop_condition });
    expect(allowed(markStopConditionSatisfied(open, LATER))).toBe(false);
  });

  it('requires no stop condition if the total is known', () => {
    expect(allowed(done(contract({ expected_total: 1, stop_condition: 'the end' }), 'a'))).toBe(true);
  });

  it('applies the minimum in addition to a satisfied stop condition', () => {
    const start = contract({ stop_condition: 'no next page', min_completed: 2 });
    const stopped = markStopConditionSatisfied(done(start, 'a'), LATER);
    expect(checkCompletionGuard(stopped)).toMatchObject({ allowed: false, missing_count: 1 });
    expect(allowed(done(stopped, 'b'))).toBe(true);
  });
});

describe('the minimum', () => {
  it('does not count a failed item as completed', () => {
    const start = contract({ expected_total: 2, min_completed: 2, failed_policy: 'allow' });
    const guard = checkCompletionGuard(failing(done(start, 'a'), 'b'));
    expect(guard).toMatchObject({
      allowed: false,
      missing_count: 1,
      failed_count: 1,
      suggested_next_action: 'Retry the failed items, or force completion with a reason.',
    });
  });

  it('does not count a skipped item as completed, nor one item twice', () => {
    const start = contract({ expected_total: 2, min_completed: 2 });
    expect(allowed(skipping(done(start, 'a'), 'b'))).toBe(false);
    expect(allowed({ ...start, completed: ['a', 'a', 'b'], min_completed: 3 })).toBe(false);
  });
});

describe('the policy for failures', () => {
  const failed = (failed_policy: BulkProgressContract['failed_policy'], reason = 'timeout') =>
    failing(done(contract({ expected_total: 2, failed_policy }), 'a'), 'b', reason);

  it('blocks, allows, or allows with a reason, as the contract says', () => {
    expect(allowed(failed('block'))).toBe(false);
    expect(allowed(failed('allow'))).toBe(true);
    expect(allowed(failed('allow_with_reason'))).toBe(true);
    expect(allowed(failed('allow_with_reason', '  '))).toBe(false);
  });

  it('blocks by default, reports that, and keeps the failed item with its reason', () => {
    const of = failing(done(contract({ expected_total: 2 }), 'a'), 'b');
    expect(checkCompletionGuard(of)).toMatchObject({
      allowed: false,
      reason: '1 item(s) failed, and the contract does not allow that.',
      missing_count: 0,
      failed_count: 1,
      suggested_next_action: 'Retry the failed items, or force completion with a reason.',
    });
    expect(of.failed).toEqual([{ item: 'b', reason: 'timeout', retryable: true }]);
    expect(of.completed).not.toContain('b');
  });

  it('asks for a resolution of items in doubt', () => {
    expect(checkCompletionGuard(failed('block', 'in_doubt')).suggested_next_action).toBe(
      'Resolve the items in doubt, retry the failed items, or force completion with a reason.',
    );
  });

  it('blocks for failures that the list no longer contains', () => {
    const cut = { ...done(contract({ expected_total: 2 }), 'a'), truncation: { failed: 1 } };
    expect(checkCompletionGuard(cut)).toMatchObject({ allowed: false, failed_count: 1 });
  });
});

describe('the policy for skips', () => {
  const skipped = (skipped_policy: BulkProgressContract['skipped_policy'], reason = 'not ours') =>
    skipping(done(contract({ expected_total: 2, skipped_policy }), 'a'), 'b', reason);

  it('blocks, allows, or allows with a reason, as the contract says', () => {
    expect(allowed(skipped('block'))).toBe(false);
    expect(allowed(skipped('allow'))).toBe(true);
    expect(allowed(skipped('allow', ''))).toBe(true);
    expect(allowed(skipped('allow_with_reason'))).toBe(true);
    expect(allowed(skipped('allow_with_reason', ''))).toBe(false);
  });

  it('counts and names only those without a reason', () => {
    const start = contract({ expected_total: 4, failed_policy: 'allow_with_reason' });
    const mixed = skipping(skipping(failing(failing(start, 'a'), 'b', ''), 'c'), 'd', ' ');
    expect(checkCompletionGuard(mixed)).toMatchObject({
      allowed: false,
      reason: '1 item(s) failed without a reason, and the contract asks for one: b.',
      suggested_next_action: 'Record a reason for each of them (b), or force completion with a reason.',
    });
    expect(checkCompletionGuard(failing(mixed, 'b', 'gone'))).toMatchObject({
      allowed: false,
      reason: '1 item(s) were skipped without a reason, and the contract asks for one: d.',
    });
  });

  it('says what to do about them', () => {
    expect(checkCompletionGuard(skipped('block'))).toMatchObject({
      reason: '1 item(s) were skipped, and the contract does not allow that.',
      suggested_next_action: 'Process the skipped items, or force completion with a reason.',
    });
  });
});

it('counts the entries that a cut list no longer contains', () => {
  const cut = {
    ...done(contract({ expected_total: 500, min_completed: 400 }), 'a'),
    truncation: { completed: 498 },
  };
  expect(checkCompletionGuard(cut)).toMatchObject({ allowed: false, missing_count: 1 });
  expect(allowed(done(cut, 'b'))).toBe(true);
});

describe('recording', () => {
  it('moves an item to its latest outcome, and never away from completed', () => {
    const start = contract({ expected_total: 1 });
    expect(failing(skipping(start, 'a'), 'a')).toMatchObject({ failed: [{ item: 'a' }], skipped: [] });
    expect(done(skipping(start, 'a'), 'a')).toMatchObject({ completed: ['a'], skipped: [] });
    expect(failing(done(start, 'a'), 'a')).toMatchObject({ completed: ['a'], failed: [] });
    expect(skipping(done(start, 'a'), 'a')).toMatchObject({ completed: ['a'], skipped: [] });
    expect(skipping(failing(start, 'a'), 'a')).toMatchObject({ failed: [{ item: 'a' }], skipped: [] });
  });

  it('keeps the latest reason of a failure', () => {
    const start = failing(contract(), 'a', 'timeout');
    expect(failing(start, 'a', 'gone').failed).toEqual([{ item: 'a', reason: 'gone', retryable: true }]);
    const both = [
      { item: 'a', reason: 'gone' },
      { item: 'a', reason: 'timeout', retryable: true },
    ];
    expect(recordFailed(start, both, LATER).failed).toEqual(start.failed);
  });

  it('records when it last made progress; marking is no progress', () => {
    const start = contract({ stop_condition: 'end' });
    expect(done(start, 'a')).toMatchObject({ created_at: NOW, last_progress_at: LATER, updated_at: LATER });
    expect(updateCursor(start, 'page-2', LATER)).toMatchObject({ cursor: 'page-2', last_progress_at: LATER });
    expect(markStopConditionSatisfied(start, LATER)).toMatchObject({
      stop_condition_satisfied: true,
      last_progress_at: NOW,
      updated_at: LATER,
    });
  });

  it('does not count a repeat as progress', () => {
    const at = 9_000;
    const start = contract({ stop_condition: 'end' });
    const full = markStopConditionSatisfied(
      updateCursor(skipping(failing(done(start, 'a'), 'b'), 'c'), 'p2', LATER),
      LATER,
    );
    expect(recordCompleted(full, ['a', 'a'], at)).toEqual(full);
    expect(recordFailed(full, [{ item: 'b', reason: 'timeout', retryable: true }], at)).toEqual(full);
    expect(recordSkipped(full, [{ item: 'c', reason: 'not ours' }], at)).toEqual(full);
    expect(updateCursor(full, 'p2', at)).toEqual(full);
    expect(markStopConditionSatisfied(full, at)).toEqual(full);
    expect(recordCompleted(full, [], at)).toEqual(full);
  });
});

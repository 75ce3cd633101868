import { completionGuardResultSchema, type CompletionGuardResult } from '../../src/contract/progress';
import { checkCompletionGuard, completionHint, evidenceOf } from '../../src/core/progress/completion-guard';
import {
  createProgressContract,
  recordCompleted,
  recordFailed,
  recordSkipped,
} from '../../src/core/progress/contract';

const blocked: CompletionGuardResult = {
  allowed: false,
  reason: '2 url item(s) have no outcome yet.',
  missing_count: 2,
  failed_count: 1,
  suggested_next_action: 'Process b, c next.',
};

describe('the hint after an attempt to complete', () => {
  it('warns what is missing and what to do next', () => {
    expect(completionHint(blocked)).toEqual({
      level: 'warning',
      message: '2 url item(s) have no outcome yet.',
      missing_count: 2,
      suggested_next_action: 'Process b, c next.',
    });
  });

  it('is absent if completion is allowed, or was forced', () => {
    expect(completionHint({ allowed: true, missing_count: 0, failed_count: 0 })).toBeUndefined();
    expect(completionHint({ ...blocked, allowed: true })).toBeUndefined();
  });

  it('gives a message for a refusal that has none', () => {
    expect(completionHint({ allowed: false })).toEqual({
      level: 'warning',
      message: 'Completion was attempted too early.',
      missing_count: 0,
      suggested_next_action: 'Process the remaining items.',
    });
  });

  const begun = (input: object) => createProgressContract({ contract_id: 'c1', ...input }, 1_000);
  it.each([
    ['items are missing', begun({ expected_total: 3 }), 3],
    ['too few are completed', begun({ min_completed: 2, stop_condition: 'no next page' }), 2],
    ['the end is open', begun({ stop_condition: 'no next page' }), 0],
    [
      'a failure is not allowed',
      recordFailed(begun({ expected_total: 1 }), [{ item: 'a', reason: 'gone' }], 2_000),
      0,
    ],
    [
      'a skip has no reason',
      recordSkipped(begun({ expected_total: 1 }), [{ item: 'a', reason: '' }], 2_000),
      0,
    ],
  ])('is part of the guard’s result if %s, with its facts', (_, contract, missing) => {
    const { hint, ...facts } = completionGuardResultSchema.parse(checkCompletionGuard(contract));
    expect(facts.missing_count).toBe(missing);
    expect(hint).toEqual(completionHint(facts));
    expect(hint).toEqual({
      level: 'warning',
      message: facts.reason,
      missing_count: missing,
      suggested_next_action: facts.suggested_next_action,
    });
  });
});

it('counts in the evidence of all items that were expected, if more are named than the total says', () => {
  const named = { contract_id: 'c1', expected_total: 1, expected_items: ['a', 'b', 'a'] };
  const done = recordCompleted(createProgressContract(named, 1_000), ['a', 'b'], 2_000);
  expect(evidenceOf(done, false)).toBe('It is complete: 2 of 2 completed, 0 failed, 0 skipped.');
});

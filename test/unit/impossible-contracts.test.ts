import { parseOperationInput } from '../../src/core/bulk/input';
import {
  createProgressContract,
  recordCompleted,
  recordFailed,
  recordSkipped,
  updateCursor,
} from '../../src/core/progress/contract';
import { beginStandalone } from '../../src/core/progress/standalone-contract';
import { parseTaskRunInput } from '../../src/core/progress/task-run';

const NOW = 1_000;
const errorOf = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('a contract', () => {
  it.each([
    [{}, 'It says neither how many items there are nor when to stop.', 'Give expected_total'],
    [{ stop_condition: ' ' }, 'It says neither', 'Give expected_total'],
    [{ min_completed: 2 }, 'It says neither', 'A min_completed alone'],
    [{ expected_total: 2, min_completed: 3 }, 'only 2 item(s) are expected', 'a min_completed of 2 or less'],
    [{ expected_items: ['a', 'a'], min_completed: 2 }, 'only 1 item(s) are', 'a min_completed of 1 or less'],
    [{ expected_items: [] }, 'expected_items is empty.', 'Name the items'],
    [{ expected_total: 140_000 }, 'It needs 140000 items, and at most 131072', 'Split the task'],
    [{ stop_condition: 'the end', min_completed: 131_073 }, 'It needs 131073 items', 'Split the task'],
  ])('that could never be completed is refused, with a hint on how to fix it: %j', (input, why, hint) => {
    const create = () => beginStandalone({ contract_id: 'c1', ...input }, NOW);
    expect(create).toThrow(`The contract can never be completed. `);
    expect(create).toThrow(why);
    expect(errorOf(create)).toMatchObject({ code: 'INVALID_INPUT', hint: expect.stringContaining(hint) });
    const task = () => parseTaskRunInput({ goal: 'G', contract: input });
    expect(task).toThrow(why);
    expect(() => createProgressContract({ contract_id: 'c1', ...input }, NOW)).toThrow(why);
  });

  it('takes a minimum up to all named items, and as many items as can be recorded', () => {
    const contract_id = 'c1';
    for (const fits of [
      { expected_items: ['a', 'b', 'c'], expected_total: 2, min_completed: 3 },
      { expected_total: 131_072 },
    ])
      expect(() => createProgressContract({ contract_id, ...fits }, NOW)).not.toThrow();
  });

  it('is refused for a bulk operation whose items cannot meet it', () => {
    const start = (contract: object, items?: object[]) => () =>
      parseOperationInput({
        domain: 'd',
        action: 'a',
        contract,
        ...(items ? { items } : { params: { q: 1 } }),
      });
    expect(start({ expected_total: 2, min_completed: 3 })).toThrow('only 2 item(s) are expected');
    expect(start({ min_completed: 3 }, [{ id: 'a' }, { id: 'a' }])).toThrow('only 1 item(s) are expected');
    expect(start({ expected_total: 3 }, [{ id: 'a' }])).toThrow('It expects 3 items, and 1 are given.');
    expect(start({ min_completed: 3 })).not.toThrow();
    expect(start({})).not.toThrow();
  });
});

describe('the pure functions', () => {
  const start = createProgressContract({ contract_id: 'c1', expected_total: 2 }, NOW);
  const long = 'x'.repeat(501);

  it.each<[string, () => unknown]>([
    ['an item without a name', () => recordCompleted(start, [''], NOW)],
    ['an item that is too long', () => recordCompleted(start, [long], NOW)],
    ['a failure without a reason', () => recordFailed(start, [{ item: 'a', reason: ' ' }], NOW)],
    ['a reason that is too long', () => recordFailed(start, [{ item: 'a', reason: long }], NOW)],
    ['a skip of an item that is too long', () => recordSkipped(start, [{ item: long, reason: '' }], NOW)],
    ['a cursor that is too long', () => updateCursor(start, 'x'.repeat(2_001), NOW)],
    [
      'a stop condition that is too long',
      () => createProgressContract({ contract_id: 'c1', stop_condition: long }, NOW),
    ],
  ])('refuse %s, as every door does', (_, record) => {
    expect(errorOf(record)).toMatchObject({ code: 'INVALID_INPUT' });
  });
});

import { parseOperationInput } from '../../src/core/bulk/input';
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
  ])('that could never be completed is refused, with a hint on how to fix it: %j', (input, why, hint) => {
    const create = () => beginStandalone({ contract_id: 'c1', ...input }, NOW);
    expect(create).toThrow(`The contract can never be completed. `);
    expect(create).toThrow(why);
    expect(errorOf(create)).toMatchObject({ code: 'INVALID_INPUT', hint: expect.stringContaining(hint) });
    const task = () => parseTaskRunInput({ goal: 'G', contract: input });
    expect(task).toThrow(why);
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

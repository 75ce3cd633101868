import type { BulkState } from '../../src/contract/operation';
import { answerTo, stillInDoubt } from '../../src/core/intent/answers';
import { plainWords } from '../../src/core/intent/classifier';
import { judgeMessage } from '../../src/core/intent/conversation';
import { readResolution } from '../../src/core/intent/resolutions';
import { statusOf } from '../../src/core/bulk/view';
import { planned } from './lifecycle.fixtures';
import { CANCELS, CONTINUES, UNCLEAR, UNRELATED } from './intent.table';

const inDoubt = [
  { id: 'm 1', name: 'invoice for bob' },
  { id: 'm 2', name: 'anna' },
];
const read = (message: string, asked = false, items = inDoubt) =>
  readResolution(plainWords(message), items, asked);

it.each<[string, number[], 'succeeded' | 'failed']>([
  ['Anna succeeded', [1], 'succeeded'],
  ['m-1 went through', [0], 'succeeded'],
  ['the invoice for Bob was done', [0], 'succeeded'],
  ['resolve m-2 as succeeded', [1], 'succeeded'],
  ['Anna failed', [1], 'failed'],
  ["Anna didn't go through", [1], 'failed'],
  ['m-1 was not done', [0], 'failed'],
  ['mark Anna as failed', [1], 'failed'],
  ['m-1 and m-2 worked', [0, 1], 'succeeded'],
])('a person says what became of an item: %s', (message, places, outcome) => {
  expect(read(message)).toEqual({ places, outcome });
});

it('"it" and "all of them" mean the items only while the operation waits for them', () => {
  expect(read('all of them succeeded', true)).toEqual({ places: [0, 1], outcome: 'succeeded' });
  expect(read('it failed', true, inDoubt.slice(1))).toEqual({ places: [0], outcome: 'failed' });
  expect([read('it failed', true), read('it failed', false, inDoubt.slice(1)), read('they worked')]).toEqual(
    Array(3).fill(undefined),
  );
});

it('no other message says it', () => {
  const others = [CONTINUES, CANCELS, UNCLEAR].flatMap((table) => Object.values(table).flat());
  expect([...others, ...UNRELATED, 'Carl failed', 'did Anna fail?'].filter((text) => read(text))).toEqual([]);
});

const error = {
  item_id: 'm-2',
  display_name: 'Anna',
  error: 'In doubt: the answer never came',
  retryable: false,
};
const ends: BulkState[] = ['cancelled', 'expired', 'completed'];

it.each(ends)('is recorded after the end too: %s', (state) => {
  const { next_batch: _, ...status } = { ...statusOf(planned(12)), state, in_doubt: 1, errors: [error] };
  const move = judgeMessage(status, { text: 'Anna went through' });
  expect(move).toEqual({ kind: 'resolve', items: [error], outcome: 'succeeded' });
  expect(judgeMessage(status, { text: 'it worked' })).toEqual({ kind: 'apart' });
  expect(answerTo('errors', status)).toBe(
    '1 item is in doubt:\n- Anna (m-2): In doubt: the answer never came\n' +
      'Look at each in its tool, and say for example “m-2 succeeded” or “m-2 failed”.',
  );
  expect(stillInDoubt(status)[0]).toBe(`1 item is still in doubt in ${status.operation_id}:`);
  expect(stillInDoubt({ ...status, in_doubt: 0, errors: [] })).toEqual([]);
});

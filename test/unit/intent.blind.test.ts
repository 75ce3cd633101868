import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyBulkIntent, type IntentContext } from '../../src/core/intent/classifier';

/** Two tables of sentences by authors who had not seen the grammar. */
interface Row {
  state: 'open' | 'after_batch_failed' | 'ended';
  text: string;
  expect: string;
}

const open: IntentContext = { state: 'awaiting_confirmation', batch: 2, size: 10, batches_left: 4 };
const tables = [1, 2].map((number) =>
  readFileSync(join(__dirname, `intent.blind-${number}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
    // After the end no question is open, and nothing can be decided.
    .filter(({ state }) => state !== 'ended'),
);

const contextOf = ({ text }: Row): IntentContext => ({
  ...open,
  action: ['archive', 'move', 'update'].find((action) => text.toLowerCase().includes(action)) ?? 'label',
});
const isPlain = ({ expect }: Row) => expect === 'continue' || expect === 'cancel';

it.each([
  [1, 0.97],
  // The grammar was changed for its kinds of sentences only once.
  [2, 0.75],
])('recognises the plain answers of table %d', (number, least) => {
  const plain = (tables[number - 1] ?? []).filter(isPlain);
  const missed = plain.filter((row) => classifyBulkIntent(row.text, contextOf(row)) !== row.expect);
  expect(plain.length).toBeGreaterThan(80);
  expect([missed.length / plain.length <= 1 - least, missed.map(({ text }) => text)]).toEqual([
    true,
    expect.anything(),
  ]);
});

it('decides nothing for a sentence that asks for something else, and never the opposite', () => {
  const rows = tables.flat();
  const wrong = rows.filter((row) => {
    const read = classifyBulkIntent(row.text, contextOf(row));
    return read !== 'unknown' && read !== row.expect;
  });
  expect(wrong.map(({ text }) => text)).toEqual([]);
});

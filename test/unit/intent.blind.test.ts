import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOf } from '../../src/core/bulk/view';
import { classifyBulkIntent, type IntentContext } from '../../src/core/intent/classifier';
import { judgeMessage } from '../../src/core/intent/conversation';
import { planned } from './lifecycle.fixtures';

/** Tables of sentences by authors who had not seen the grammar. */
interface Row {
  state: 'open' | 'after_batch_failed' | 'ended';
  text: string;
  expect: string;
  /** The numbers of the items to leave out. */
  exclude?: number[];
}

const read = (number: number): Row[] =>
  readFileSync(join(__dirname, `intent.blind-${number}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

const open: IntentContext = { state: 'awaiting_confirmation', batch: 2, size: 10, batches_left: 4 };
// After the end no question is open, and nothing can be decided.
const tables = [1, 2].map((number) => read(number).filter(({ state }) => state !== 'ended'));

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

describe('a table of replies to one question, with the items that it lists', () => {
  const names =
    'Invoice March (Acme GmbH)|Your Uber receipt|Order 4471 shipped|Spotify payment|Newsletter from Zoe|Receipt from Julia Roth|AWS billing statement|Train ticket Berlin|Dinner at Luigi’s|Gym membership'.split(
      '|',
    );
  const status = statusOf(planned(50));
  const { next_batch: gate } = status;
  if (!gate) throw new Error('no batch is open');
  const items = gate.items.map((item, at) => ({ ...item, display_name: names[at] ?? '' }));
  const change = { ...gate.change, fields: [{ name: 'label', to: 'Receipts' }] };
  const asked = { ...status, next_batch: { ...gate, number: 2, items, change } };
  const replies = read(3);
  // By three authors, in everyday words. 93% before the grammar was changed for the kinds that it missed.
  const everyday = read(4);
  const decided = everyday.filter(isPlain);
  const answerTo = ({ text }: Row): string => {
    const move = judgeMessage(asked, { text });
    if (move.kind === 'continue' || move.kind === 'cancel') return move.kind;
    return move.kind === 'reply' && move.exclude ? `without ${move.exclude.map((at) => at + 1).join()}` : '';
  };
  const expected = ({ expect: kind, exclude = [] }: Row) =>
    kind === 'restrict' ? `without ${exclude.toSorted((a, b) => a - b).join()}` : kind;

  it.each([
    ['continue', 0.45],
    ['cancel', 0.5],
    ['restrict', 0.55],
  ])('reads the replies that mean %s', (kind, least) => {
    const rows = replies.filter((row) => row.expect === kind);
    const missed = rows.filter((row) => answerTo(row) !== expected(row));
    expect(rows.length).toBeGreaterThan(60);
    expect([missed.length / rows.length <= 1 - least, missed.map(({ text }) => text)]).toEqual([
      true,
      expect.anything(),
    ]);
  });

  it('reads the everyday replies', () => {
    const missed = decided.filter((row) => answerTo(row) !== row.expect);
    expect(decided.length).toBe(300);
    expect([missed.length <= 0.04 * decided.length, missed.map(({ text }) => text)]).toEqual([
      true,
      expect.anything(),
    ]);
  });

  it('decides nothing for sentences that were made to be misread', () => {
    const attacks = readFileSync(join(__dirname, 'intent.attacks.txt'), 'utf8').trim().split('\n');
    expect(attacks.length).toBeGreaterThan(900);
    const acted = attacks.filter((text) =>
      ['continue', 'cancel'].includes(judgeMessage(asked, { text }).kind),
    );
    expect(acted).toEqual([]);
  });

  it('runs or ends nothing that was not meant', () => {
    const wrong = [...replies, ...everyday].filter(
      (row) => ['continue', 'cancel'].includes(answerTo(row)) && answerTo(row) !== row.expect,
    );
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });
});

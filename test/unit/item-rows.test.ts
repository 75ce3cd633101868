import { itemsOfRows, type ItemList } from '../../src/host/items/item-list';
import { jsonItems } from '../../src/host/items/json-items';
import { tableItems } from '../../src/host/items/table-items';
import { UnfitFile } from '../../src/host/tables/mistake';

const LIMIT = 100;
const table = async (...lines: string[]): Promise<ItemList> =>
  itemsOfRows(await tableItems(Buffer.from(lines.join('\n'))), LIMIT);
const json = (...lines: string[]): ItemList => itemsOfRows(jsonItems(Buffer.from(lines.join('\n'))), LIMIT);

function mistakesOf(work: () => unknown): UnfitFile['mistakes'] {
  try {
    work();
  } catch (error) {
    if (error instanceof UnfitFile) return error.mistakes;
    throw error;
  }
  throw new Error('it was read');
}

it('accepts rows of a preview as JSONL, without their effects', () => {
  const rows = [
    { id: 'a', display_name: 'A', batch: 1, before: { due: null }, after: { due: { time: '2026-01-02' } } },
    { id: 'b', display_name: 'B', batch: 1, expected_error: 'It is gone.', named: ['B', 'bb'] },
    { id: 'c', display_name: 'C', batch: 2, skipped: true, conflict: 'It was changed.', reversible: 'no' },
  ];
  expect(json(...rows.map((row) => JSON.stringify(row))).items).toEqual(
    rows.map(({ id, display_name }) => ({ id, display_name })),
  );
});

it('names the columns of a report or a preview that it leaves out, and keeps what people added', async () => {
  const rows = ["'-a,A,1,failed,1,red", "b,B,1,pending,'=1,", 'c,C,,,,'];
  expect(await table('id,display_name,batch,outcome,error,colour', ...rows)).toMatchObject({
    items: [
      { id: '-a', display_name: 'A', raw_data: { colour: 'red' } },
      { id: 'b', display_name: 'B', raw_data: { colour: '' } },
      { id: 'c', display_name: 'C', raw_data: { colour: '' } },
    ],
    notes: ['it is a report or a preview, and these columns were left out: batch, outcome, error'],
  });
  const header = 'id,display_name,batch,before,after,already,skipped,expected_error,reversible';
  expect(await table(header, 'a,A,1,,,,,,')).toMatchObject({
    items: [{ id: 'a', display_name: 'A' }],
    notes: [expect.stringMatching(/left out: batch, before, after, already, skipped and 2 more$/)],
  });
});

it.each([
  ['other outcomes', ["'-a,3,won,x", 'b,4,failed,y']],
  ['other batches', ['a,B-3,failed,x', 'b,4,failed,y']],
  ['an empty outcome', ['a,3,,x', 'b,4,failed,y']],
])('keeps the columns of a table that has %s', async (_, rows) => {
  const expected = rows.map((row) => {
    const [id, batch, outcome, error] = row.split(',');
    return { id, raw_data: { batch, outcome, error } };
  });
  expect(await table('id,batch,outcome,error', ...rows)).toMatchObject({ items: expected, notes: [] });
});

it.each(['"batch":"3","outcome":"failed"', '"batch":3,"outcome":"won"', '"batch":3,"before":1'])(
  'refuses a line that is no row of ours: %s',
  (fields) => {
    expect(mistakesOf(() => json(`{"id":"a",${fields}}`))).toMatchObject([
      { line: 1, message: expect.stringContaining('"batch"') as string },
    ]);
  },
);

it('refuses a field that is given twice, at its place, and accepts it in two objects', () => {
  const lines = [
    '{"id":"a","raw_data":{"n":1},"id":"b"}',
    '{"id":"c","raw_data":{"x":[{"n":1, "\\u006e":2}]}}',
  ];
  expect(mistakesOf(() => json(...lines))).toEqual([
    {
      ...{ line: 1, column: 30, hint: 'Remove one of them' },
      message: 'the field “id” is given twice in one object',
    },
    {
      ...{ line: 2, column: 36, hint: 'Remove one of them' },
      message: 'the field “n” is given twice in one object',
    },
  ]);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(mistakesOf(() => json(`{"id":"a","raw_data":${deep},"raw_data":{}}`))).toMatchObject([
    { line: 1, message: 'it is nested deeper than 64 levels' },
  ]);
  const raw_data = { id: 'id', more: [{ id: 1 }, { id: 2 }] };
  expect(json(JSON.stringify({ id: 'a', raw_data })).items).toEqual([{ id: 'a', raw_data }]);
});

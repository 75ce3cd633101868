import fc from '../helpers/properties';
import { itemsToPaste, pastedItems, textToPaste } from '../../src/host/items/pasted-items';
import { itemReader, type Item } from '../../src/host/items/item-list';

/** A browser sends each line break of a form as CRLF. */
const sent = (text: string) => text.replace(/\r\n?|\n/g, '\r\n');

/** The list of a file, and the list of the form that this file has filled in. */
async function bothOf(bytes: Buffer, name = 'entries.csv') {
  const reader = itemReader(name);
  if (!reader) throw new Error(name);
  const { list, text } = await itemsToPaste(bytes, textToPaste(bytes), { reader, limit: 100 });
  return { list, again: await pastedItems(sent(text), 100) };
}

/** The text that a form has for the items of a workbook. */
async function textFor(items: readonly Item[], limit = 100): Promise<string> {
  const rows = items.map((value, at) => ({ line: at + 2, value, mistakes: [], columnOf: () => undefined }));
  const reader = () => ({ rows, notes: [] });
  return (await itemsToPaste(Buffer.from('PK\x03\x04', 'latin1'), undefined, { reader, limit })).text;
}

it('is the same after the form was sent again, whatever its cells hold', async () => {
  const unit = fc.constantFrom('a', '"', ',', ';', '\t', '\n', '\r', ' ', '\u00a0', '\\', 'N', '{');
  const cell = fc.oneof(fc.string({ unit, maxLength: 5 }), fc.constant(null));
  const raw_data = fc.record({ a: cell, b: cell }, { noNullPrototype: true });
  const item = fc.record(
    { id: fc.stringMatching(/^[a-z][a-z ]{0,3}[a-z]$/), raw_data },
    { noNullPrototype: true },
  );
  const list = fc.uniqueArray(item, { selector: ({ id }) => id, minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(list, async (items) => {
      const { items: again } = await pastedItems(sent(await textFor(items)), 100);
      expect(again).toEqual(items);
    }),
  );
});

it('is a table where people can read it, and JSON where a table would lose something', async () => {
  expect(await textFor([{ id: 'a', raw_data: { note: ' x ' } }])).toBe('id,display_name,note\na,," x "\n');
  expect(await textFor([{ id: 'a', raw_data: { note: 'x\ry' } }])).toBe(
    '{"id":"a","raw_data":{"note":"x\\ry"}}',
  );
});

it('is empty if the file has more items than fit, so that no shorter list is started', async () => {
  expect(await textFor([{ id: 'a' }, { id: 'b' }], 1)).toBe('');
  expect(await textFor([{ id: 'a' }, { id: 'b' }], 2)).not.toBe('');
});

it.each([
  ['entries.csv', 'id,note\r\na,"one\r\ntwo"\r\nb," x "\r\n'],
  ['entries.csv', 'sep=;\r\n\r\nID;note\r\na;\\N\r\n'],
  ['entries.jsonl', '{"id":"a","raw_data":{"n":1}}\r\n{"id":"b"}\r\n'],
])('of the text file %s is the same after the form was sent again', async (name, text) => {
  for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`, 'utf16le')]) {
    const { list, again } = await bothOf(bytes, name);
    expect(again.items).toEqual(list.items);
  }
  expect((await bothOf(Buffer.from(text, 'utf16le'), name)).list.notes).toEqual([
    'it is not UTF-8 and was read as UTF-16',
  ]);
});

it('is not read from the bytes of a workbook', () => {
  expect(textToPaste(Buffer.from('PK\x03\x04id', 'latin1'))).toBeUndefined();
  expect(textToPaste(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]))).toBeUndefined();
});

describe('without a header', () => {
  const itemsOf = async (text: string) => (await pastedItems(text, 100)).items;

  it('is refused if a line has further columns, or no id', async () => {
    await expect(itemsOf('Sku\tName\tAmount\n1\tBee\t5\n')).rejects.toThrow(
      'line 1: it has more than an id and a name',
    );
    await expect(itemsOf('a\tAnna\n\tBee\n')).rejects.toThrow('line 2: it begins with a tab');
    expect(await itemsOf('a\tAnna\t\t\n b\tBee\n')).toEqual([
      { id: 'a', display_name: 'Anna' },
      { id: 'b', display_name: 'Bee' },
    ]);
  });

  it('may have ids in braces, which are not JSON', async () => {
    const id = '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}';
    expect(await itemsOf(`${id}\n${id.replace('3F', '4F')},Bee\n`)).toEqual([
      { id },
      { id: id.replace('3F', '4F'), display_name: 'Bee' },
    ]);
    expect(await itemsOf('{ "id": "a" }')).toEqual([{ id: 'a' }]);
    await expect(itemsOf('{}')).rejects.toThrow('line 1');
  });
});

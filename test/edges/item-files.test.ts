import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readItems } from '../../src/cli/item-files';
import { BatchgateError } from '../../src/contract/errors';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-items-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function mistakeOf(path: string): Promise<string> {
  const error = await readItems(path).catch((caught: unknown) => caught);
  if (!(error instanceof BatchgateError)) throw new Error('it was read');
  expect(error).toMatchObject({ code: 'INVALID_INPUT', hint: expect.any(String) as string });
  return error.message;
}

it('reads a CSV with quotes, commas, line breaks in fields, CRLF and a byte order mark', async () => {
  const path = await file(
    'a.csv',
    '\uFEFFid,display_name,colour\r\n1,"Say ""hi"", twice\nor more",red\r\n2,,blue\r\n\r\n',
  );
  expect(await readItems(path)).toEqual([
    { id: '1', display_name: 'Say "hi", twice\nor more', raw_data: { colour: 'red' } },
    { id: '2', raw_data: { colour: 'blue' } },
  ]);
});

it('reads JSONL, one item a line, with and without a byte order mark', async () => {
  const lines = '{"id":"ä","display_name":"Ärger","raw_data":{"n":1}}\n\n{"id":"b"}\n';
  const expected = [{ id: 'ä', display_name: 'Ärger', raw_data: { n: 1 } }, { id: 'b' }];
  expect(await readItems(await file('a.jsonl', lines))).toEqual(expected);
  expect(await readItems(await file('b.jsonl', `\uFEFF${lines}`))).toEqual(expected);
});

it('reads a file of 50,000 lines', async () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => `${at},"Item, ${at}"`);
  expect(await readItems(await file('large.csv', `id,display_name\n${rows.join('\n')}\n`))).toHaveLength(
    50_000,
  );
});

it('names broken lines by their number', async () => {
  expect(await mistakeOf(await file('c.jsonl', '{"id":"a"}\n{"id":\n{"name":"x"}\n'))).toMatch(
    /2 broken line\(s\):\n {2}line 2: .*\n {2}line 3: id: /,
  );
  expect(await mistakeOf(await file('c.csv', 'id,display_name\n1,one\n,two\n'))).toMatch(/line 3: id: /);
  expect(await mistakeOf(await file('d.csv', 'id,display_name\n1,one\n2\n'))).toMatch(/line 3/);
  expect(await mistakeOf(await file('e.csv', 'name\none\n'))).toMatch(/line 2: id: /);
});

it('refuses a file that is not there or of another kind', async () => {
  expect(await mistakeOf(join(folder, 'none.csv'))).toContain('none.csv');
  expect(await mistakeOf(await file('a.txt', 'id\n1\n'))).toContain('.jsonl');
});

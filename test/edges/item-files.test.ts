import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readItems as readFileItems } from '../../src/cli/items/item-files';
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

const readItems = async (path: string, limit = 100_000) => (await readFileItems(path, limit)).items;

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

it('reads JSONL, one item per line, with and without a byte order mark', async () => {
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
  const later = 'id,display_name\r\n1,"one\r\nand\r\nmore"\r\n\r\n';
  expect(await mistakeOf(await file('d.csv', `${later},two\r\n`))).toMatch(/line 6: id: /);
  expect(await mistakeOf(await file('e.csv', `${later}2\r\n`))).toMatch(/line 6: it has 1 field/);
  expect(await mistakeOf(await file('f.csv', `${later}2,"two\r\n3,\r\n`))).toMatch(
    /line 6: Quote Not Closed/,
  );
  expect(await mistakeOf(await file('g.csv', 'id,display_name\n2\n'))).toMatch(
    /line 2: it has 1 field\(s\), and the header has 2/,
  );
  expect(await mistakeOf(await file('h.csv', 'id,name\n1,"a"b\n'))).toMatch(/line 2: Invalid Closing Quote/);
  expect(await mistakeOf(await file('i.csv', 'name\none\n'))).toMatch(/line 1: the header has no column id/);
  expect(await mistakeOf(await file('j.csv', 'id;name\n1;one\n'))).toMatch(/line 1: .*no column id/);
  expect(await mistakeOf(await file('k.csv', 'id,a,a\n1,2,3\n'))).toMatch(/line 1: .*column a twice/);
});

it('names the line that is not UTF-8, and the one that never ends', async () => {
  const latin = Buffer.from('id,display_name\n1,one\n2,caf\u00e9\n', 'latin1');
  const path = join(folder, 'latin.csv');
  await writeFile(path, latin);
  expect(await mistakeOf(path)).toContain('line 3: it is not UTF-8');
  await writeFile(join(folder, 'latin.jsonl'), Buffer.from('{"id":"a"}\n{"id":"\u00e9"}\n', 'latin1'));
  expect(await mistakeOf(join(folder, 'latin.jsonl'))).toContain('line 2: it is not UTF-8');
  const wide = Buffer.from('\ufeffid\n1\n', 'utf16le');
  await writeFile(join(folder, 'wide.csv'), wide);
  expect(await mistakeOf(join(folder, 'wide.csv'))).toContain('line 1: it is not UTF-8');
  expect(await mistakeOf(await file('endless.jsonl', `{"id":"a"}\n${'x'.repeat(3_000_000)}`))).toContain(
    'line 2: it is longer than 1 MiB',
  );
  const swallowing = `id,name\n1,"never closed\n${'2,two\n'.repeat(300_000)}`;
  expect(await mistakeOf(await file('open.csv', swallowing))).toContain('line 2: a record is larger');
});

it('keeps the Unicode line separators', async () => {
  const name = 'one\u2028two\u2029three\u0085';
  expect(
    await readItems(await file('sep.jsonl', `${JSON.stringify({ id: 'a', display_name: name })}\n`)),
  ).toEqual([{ id: 'a', display_name: name }]);
});

it('counts an id once, names the lines that repeat it, and stops storing items at the limit', async () => {
  const path = await file('twice.csv', 'id,display_name\n1,one\n2,two\n1,again\n\n2,again\n');
  expect(await readFileItems(path, 2)).toEqual({
    items: [
      { id: '1', display_name: 'one' },
      { id: '2', display_name: 'two' },
    ],
    repeated: [4, 6],
  });
  await expect(readFileItems(path, 1)).rejects.toMatchObject({
    code: 'TOO_MANY_ITEMS',
    details: { limit: 1 },
  });
});

it('accepts rows of items --json and of report as a list, without their outcomes', async () => {
  const ours = {
    batch: 2,
    outcome: 'failed',
    error: 'gone',
    confirmed_by: 'ana',
    confirmed_at: '',
    finished_at: '',
    confirmed_via: 'update',
    confirmed_assurance: 'asserted',
  };
  const row = { id: 'a', display_name: 'A', ...ours };
  expect(await readItems(await file('ours.jsonl', JSON.stringify(row)))).toEqual([
    { id: 'a', display_name: 'A' },
  ]);
  const header = 'id,display_name,batch,outcome,error,confirmed_by,confirmed_at,finished_at';
  expect(
    await readItems(await file('ours.csv', `${header}\n'-a,'=A,2,pending,,,,\nb,B,2,failed,x,,,\n`)),
  ).toEqual([
    { id: '-a', display_name: '=A' },
    { id: 'b', display_name: 'B' },
  ]);
});

it('keeps the columns of a foreign list, and refuses unknown fields by name', async () => {
  expect(await readItems(await file('theirs.csv', "id,error\n'-a,late\n"))).toEqual([
    { id: "'-a", raw_data: { error: 'late' } },
  ]);
  expect(await mistakeOf(await file('theirs.jsonl', '{"id":"a","error":"late"}'))).toMatch(
    /line 1: .*"error"/,
  );
  expect(await mistakeOf(await file('more.jsonl', '{"id":"a","batch":1,"outcome":"failed","x":1}'))).toMatch(
    /line 1: .*"x"/,
  );
});

it('refuses a number of JSONL that would change, by its line', async () => {
  const lines = ['{"id":"a","raw_data":{"n":12}}', '{"id":"b","raw_data":{"n":9007199254740993}}'];
  expect(await mistakeOf(await file('inexact.jsonl', lines.join('\n')))).toContain(
    'line 2: The number 9007199254740993 cannot be kept exactly. Write it as text: "9007199254740993".',
  );
});

it('refuses raw_data that is too large for an item, by its line', async () => {
  const raw_data = { text: 'x'.repeat(3_000) };
  const lines = [{ id: 'a' }, { id: 'b', raw_data }].map((item) => JSON.stringify(item)).join('\n');
  expect(await mistakeOf(await file('raw.jsonl', lines))).toMatch(
    /line 2: raw_data: .*larger than 2048 bytes/,
  );
  const deep = `{"id":"a","raw_data":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
  expect(await mistakeOf(await file('deep.jsonl', deep))).toMatch(
    /line 1: raw_data: is nested deeper than 64/,
  );
  expect(await mistakeOf(await file('raw.csv', `id,text\na,b\nc,${'x'.repeat(3_000)}\n`))).toMatch(
    /line 3: raw_data: /,
  );
});

it('refuses a file that is missing, empty, or of another kind', async () => {
  expect(await mistakeOf(await file('empty.csv', ''))).toContain('no items');
  expect(await mistakeOf(await file('header.csv', 'id,display_name\n'))).toContain('no items');
  expect(await mistakeOf(await file('empty.jsonl', '\n\n'))).toContain('no items');
  await mkdir(join(folder, 'folder.csv'));
  expect(await mistakeOf(join(folder, 'folder.csv'))).toContain('not a file');
  execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
  await symlink('/dev/zero', join(folder, 'zero.jsonl'));
  for (const name of ['pipe.csv', 'zero.jsonl']) {
    expect(await mistakeOf(join(folder, name))).toContain('not a file');
  }
  expect(await mistakeOf(join(folder, 'none.csv'))).toContain('none.csv');
  expect(await mistakeOf(await file('a.txt', 'id\n1\n'))).toContain('.jsonl');
});

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readItems as readFileItems } from '../../src/cli/operation/item-files';
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

it('names broken lines by their places', async () => {
  expect(await mistakeOf(await file('c.jsonl', '{"id":"a"}\n{"id":\n{"id":7}\n'))).toMatch(
    /it has 2 mistakes:\n {2}line 2, column 7: it is not valid JSON: .* Write one JSON object per line\.\n {2}line 3, column 7: id: /,
  );
  expect(await mistakeOf(await file('c.csv', 'id,display_name\n1,one\n,two\n'))).toContain(
    'line 3, column A “id”: the id is empty',
  );
  const later = 'id,display_name\r\n1,"one\r\nand\r\nmore"\r\n\r\n';
  expect(await mistakeOf(await file('d.csv', `${later},two\r\n`))).toMatch(/line 6, column A “id”: /);
  expect(await mistakeOf(await file('e.csv', `${later}2\r\n`))).toMatch(
    /line 6, column B “display_name”: it has 1 field/,
  );
  expect(await mistakeOf(await file('f.csv', `${later}2,"two\r\n3,\r\n`))).toMatch(
    /line 6, column B: Quote Not Closed/,
  );
  expect(await mistakeOf(await file('g.csv', 'id,display_name\n2\n'))).toMatch(
    /line 2, column B .*it has 1 field\(s\), and the header has 2/,
  );
  expect(await mistakeOf(await file('h.csv', 'id,name\n1,"a"b\n'))).toMatch(
    /line 2, column B: Invalid Closing Quote/,
  );
  expect(await mistakeOf(await file('i.csv', 'name\none\n'))).toContain(
    'line 1: the header has no column id; it has “name”',
  );
  expect(await mistakeOf(await file('k.csv', 'id,a,a\n1,2,3\n'))).toMatch(
    /line 1, column C “a”: .*column a twice; column B is it already/,
  );
  expect(await readItems(await file('l.csv', 'ID;id\n1;2\n'))).toEqual([{ id: '2', raw_data: { ID: '1' } }]);
  expect(await mistakeOf(await file('m.csv', 'ID;Id\n1;2\n'))).toMatch(/column B “Id”: .*column id twice/);
});

it('reads the separators that spreadsheets write, and blank rows and cells that they leave', async () => {
  const items = [
    { id: '1', display_name: 'one', raw_data: { sum: '1,5' } },
    { id: '2', display_name: 'two; "more"', raw_data: { sum: '2,5' } },
  ];
  const rows = ['1;one;1,5;', ';;;', '2;"two; ""more""";2,5;'];
  const semicolons = ['ID;Display Name;sum;', ...rows].join('\r\n');
  const tabs = 'id\tdisplay_name\tsum\n1\tone\t1,5\n2\t"two; ""more"""\t2,5\n\t\t\n';
  expect(await readItems(await file('semicolons.csv', semicolons))).toEqual(items);
  expect(await readItems(await file('declared.csv', `sep=;\r\n${semicolons}`))).toEqual(items);
  expect(await readItems(await file('tabs.tsv', tabs))).toEqual(items);
  expect(await readItems(await file('tabs.txt', tabs.replaceAll('\n', '\r')))).toEqual(items);
  // The separator that yields the id, although another one yields more columns.
  expect(await readItems(await file('names.csv', 'id;"a, b, c"\n1;2\n'))).toEqual([
    { id: '1', raw_data: { 'a, b, c': '2' } },
  ]);
  expect(await mistakeOf(await file('declared-late.csv', 'sep=;\nid;a\n;2\n'))).toContain('line 3, column A');
});

it('names the column of a value that has no header', async () => {
  const mistakes = await mistakeOf(await file('nameless.csv', 'id,,a\n1,,2\n2,x,3\n3,y,4\n4,,5,z\n'));
  expect(mistakes).toContain('it has 2 mistakes');
  expect(mistakes).toContain('line 3, column B: “x” stands in a column without a name');
  expect(mistakes).toContain('line 5, column D: “z” is beyond the 3 column(s) of the header');
});

it('shows what an id has of invisible characters, keeps quoted blanks, and trims nothing else', async () => {
  const rows = ['12\u00a0,a', '\u200b13,b', 'a\u2003b,c', '1.23457E+17,d', '"1,23457E+17",e'];
  const mistakes = await mistakeOf(await file('invisible.csv', ['id,x', ...rows].join('\n')));
  for (const shown of [
    'line 2, column A “id”: the id “12‹U+00A0›”',
    'line 3,',
    '“‹U+200B›13”',
    '“a‹U+2003›b”',
  ])
    expect(mistakes).toContain(shown);
  expect(mistakes).toMatch(/line 5, column A “id”: “1\.23457E\+17” is a number that a spreadsheet shortened/);
  expect(mistakes).toMatch(/line 6, .*“1,23457E\+17” is a number/);
  const kept = ['" a ",1', ' b ,"\u00a0"', '"e\u200d\u2640",'].join('\n');
  expect(await readItems(await file('blanks.csv', `id, x\u00a0\n${kept}\n`))).toEqual([
    { id: ' a ', raw_data: { x: '1' } },
    { id: 'b', raw_data: { x: '\u00a0' } },
    { id: 'e\u200d\u2640', raw_data: { x: '' } },
  ]);
  const before = await mistakeOf(await file('before.csv', 'id;x\n\u00a012;a\n"\u300013";b\n'));
  for (const shown of [
    'line 2, column A “id”: the id “‹U+00A0›12”',
    'line 3, column A “id”: the id “‹U+3000›13”',
  ])
    expect(before).toContain(shown);
  expect(await readItems(await file('as-it-is.jsonl', '{"id":"12\u00a0"}'))).toEqual([{ id: '12\u00a0' }]);
});

it('reads UTF-16 and Windows-1252, and says so', async () => {
  const text = 'id;name\r\n1;Žofie “é” €\r\n';
  const items = [{ id: '1', raw_data: { name: 'Žofie “é” €' } }];
  const wide = Buffer.from(text, 'utf16le');
  const mark = Buffer.from('\ufeff', 'utf16le');
  const path = join(folder, 'encoded.csv');
  const whole = [wide, Buffer.concat([mark, wide])];
  for (const bytes of [...whole, ...whole.map((one) => Buffer.from(one).swap16())]) {
    await writeFile(path, bytes);
    expect(await readFileItems(path, 10)).toMatchObject({
      items,
      notes: ['it is not UTF-8 and was read as UTF-16'],
    });
  }
  const bytes = Buffer.from('id;name\r\n1;\x8eofie \x93\xe9\x94 \x80\r\n', 'latin1');
  await writeFile(path, bytes);
  expect(await readFileItems(path, 10)).toMatchObject({
    items,
    notes: ['it is not UTF-8 and was read as Windows-1252'],
  });
  await writeFile(join(folder, 'wide.jsonl'), Buffer.from('\ufeff{"id":"é"}\r\n', 'utf16le'));
  expect(await readItems(join(folder, 'wide.jsonl'))).toEqual([{ id: 'é' }]);
});

it('names the place of a broken character, and the line that never ends', async () => {
  const broken = Buffer.concat([Buffer.from('id,x\n1,é\n2,caf'), Buffer.from([0xe9, 0x0a])]);
  const path = join(folder, 'broken.csv');
  await writeFile(path, broken);
  expect(await mistakeOf(path)).toContain('line 3, column 6: it is not UTF-8');
  await writeFile(path, Buffer.from('id,x\n1,\x81\n', 'latin1'));
  expect(await mistakeOf(path)).toContain('line 2, column 3: it is neither UTF-8 nor Windows-1252');
  await writeFile(path, Buffer.concat([Buffer.from('\ufeffid\n1', 'utf16le'), Buffer.from('\n')]));
  expect(await mistakeOf(path)).toContain('it ends in the middle of a character');
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
    lines: new Map([
      ['1', 2],
      ['2', 3],
    ]),
    notes: [],
  });
  await expect(readFileItems(path, 1)).rejects.toMatchObject({
    code: 'TOO_MANY_ITEMS',
    details: { limit: 1 },
  });
});

it('refuses an id that is repeated with other values, and reads \\N as null and an empty cell as empty', async () => {
  expect(await mistakeOf(await file('other.csv', 'id,sum\n1,1.5\n1,1.5\n1,2.5\n'))).toContain(
    'line 4, column A “id”: it repeats the id “1” of line 2, with other values',
  );
  expect(await readItems(await file('null.csv', 'id,sum,note\n1,\\N,\n2,"\\N","x\\N"\n'))).toEqual([
    { id: '1', raw_data: { sum: null, note: '' } },
    { id: '2', raw_data: { sum: null, note: 'x\\N' } },
  ]);
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
    /line 1, column 1: .*"error"/,
  );
  expect(await mistakeOf(await file('more.jsonl', '{"id":"a","batch":1,"outcome":"failed","x":1}'))).toMatch(
    /line 1, column 1: .*"x"/,
  );
});

it('refuses a number of JSONL that would change, by its line', async () => {
  const lines = ['{"id":"a","raw_data":{"n":12}}', '{"id":"b","raw_data":{"n":9007199254740993}}'];
  expect(await mistakeOf(await file('inexact.jsonl', lines.join('\n')))).toContain(
    'line 2, column 27: The number 9007199254740993 cannot be kept exactly.',
  );
  const infinite = '{"id":"a","raw_data":{"n":[1e400]}}\n{"id":"b","raw_data":1e400}';
  expect(await mistakeOf(await file('infinite.jsonl', infinite))).toContain(
    'line 1, column 28: The number 1e400 cannot be kept exactly. Write it as text: "1e400".',
  );
});

it('refuses raw_data that is too large for an item, by its line', async () => {
  const raw_data = { text: 'x'.repeat(3_000) };
  const lines = [{ id: 'a' }, { id: 'b', raw_data }].map((item) => JSON.stringify(item)).join('\n');
  expect(await mistakeOf(await file('raw.jsonl', lines))).toMatch(
    /line 2, column 22: raw_data: .*larger than 2048 bytes/,
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
  expect(await mistakeOf(await file('a.pdf', 'id\n1\n'))).toContain('.jsonl');
  await writeFile(join(folder, 'former.csv'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]));
  expect(await mistakeOf(join(folder, 'former.csv'))).toContain('the former format .xls');
});

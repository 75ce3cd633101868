import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../adapters/http-setup';
import { databasesAt, runIn } from '../adapters/sql-setup';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { sharedPostgres } from '../helpers/postgres';
import { workbook } from '../helpers/workbook';

/** Both adapters through the built command line, each with a real server. */
let folder: string;
let server: Awaited<ReturnType<typeof startServer>>;
let databases: ReturnType<typeof databasesAt>;
let up: RunningVerb;
const env: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-edges-'));
  server = await startServer();
  const url = await sharedPostgres().newDatabase();
  databases = databasesAt({ shop: url });
  await runIn(
    databases,
    'shop',
    'create table orders (region text, no integer, state text, primary key (region, no))',
  );
  await runIn(databases, 'shop', `insert into orders select 'eu', n, 'open' from generate_series(1, 8) n`);
  const config = join(folder, 'batchgate.config.json');
  await writeFile(
    config,
    JSON.stringify({
      databases: { shop: { url: { env: 'SHOP_URL' } } },
      secrets: { key: { env: 'API_KEY' } },
      http: { allowed_hosts: [server.host] },
    }),
  );
  Object.assign(env, await sharedBackend(), {
    BATCHGATE_CONFIG_FILE: config,
    SHOP_URL: url,
    API_KEY: 'api-key-of-sam',
  });
  up = startBatchgate(['up'], { dataDir: join(folder, 'data'), env });
  await up.says('batchgate is up');
});
afterAll(async () => {
  await up.interrupt();
  await databases.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => runBatchgate(args, { dataDir: join(folder, 'data'), env });

async function operate(id: string, ...args: string[]): Promise<string> {
  const started = await run('start', '--id', id, '--batch-size', '5', '--json', ...args);
  expect(started).toMatchObject({ code: 0 });
  for (let batch = 0; batch < 2; batch += 1)
    expect(await run('continue', id, '--json')).toMatchObject({ code: 0 });
  return (await run('report', id, '--format', 'csv')).stdout;
}

it('sends a request for each line of a JSONL file, and reports each', async () => {
  const lines = Array.from({ length: 7 }, (_, at) => ({ id: `i-${at}`, raw_data: { amount: at * 1.5 } }));
  const file = join(folder, 'items.jsonl');
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  server.answer = ({ path }, response) =>
    void response.writeHead(path.endsWith('i-3') ? 409 : 200).end('already paid, api-key-of-sam');
  const params = {
    method: 'PUT',
    url: `${server.url}/refunds/{{id}}`,
    headers: { Authorization: { secret: 'key' } },
    body: { amount: '{{.amount}}' },
    idempotency_header: 'Idempotency-Key',
  };
  const report = await operate(
    'refunds',
    ...['--domain', 'http', '--action', 'request', '--items', file, '--params', JSON.stringify(params)],
  );
  expect(server.received.map(({ path, body }) => `${path} ${body}`).sort()).toEqual(
    lines.map(({ id, raw_data }) => `/refunds/${id} ${JSON.stringify(raw_data)}`),
  );
  expect(server.received[0]?.headers).toMatchObject({
    authorization: 'api-key-of-sam',
    'idempotency-key': expect.stringMatching(/^refunds\/i-\d$/),
  });
  expect(report.match(/,succeeded,/g)).toHaveLength(6);
  expect(report).toMatch(/i-3.*failed.*answered 409: already paid, …/);
  expect(report).not.toContain('api-key-of-sam');
});

it('changes the rows that a CSV file names, and reports each', async () => {
  const file = join(folder, 'orders.csv');
  const keys = [1, 2, 3, 4, 5, 99].map((no) => `"[""eu"",""${no}""]",before`);
  await writeFile(file, ['id,note', ...keys].join('\n'));
  const params = { database: 'shop', table: 'orders', set: { state: 'closed' } };
  const report = await operate(
    'orders',
    ...['--domain', 'sql', '--action', 'update', '--items', file, '--params', JSON.stringify(params)],
  );
  const rows = await runIn(databases, 'shop', 'select no from orders where state = $1 order by no', 'closed');
  expect(rows.map(({ no }) => no)).toEqual([1, 2, 3, 4, 5]);
  expect(report.match(/,succeeded,/g)).toHaveLength(5);
  expect(report).toMatch(/99.*failed,Row not found/);
});

it('inserts the rows of a CSV file, and refuses its mistakes by line and column before anything happens', async () => {
  await runIn(databases, 'shop', 'create table parts (sku text primary key, name text, amount numeric(8,2))');
  const file = join(folder, 'parts.csv');
  const insert = ['--domain', 'sql', '--action', 'insert', '--items', file];
  const params = ['--params', JSON.stringify({ database: 'shop', table: 'parts' })];
  await writeFile(file, 'id,name,amount\na-1,One,1.5\na-2,"Two\nhalves",abc\na-3,Three,0.125\n');
  for (const verb of ['start', 'preview']) {
    const { code, stdout } = await run(verb, ...insert, ...params, '--json');
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string; hint: string } };
    expect({ code, error }).toMatchObject({ code: 1, error: { code: 'INVALID_INPUT' } });
    expect(error.message).toContain('line 3, column amount: invalid input syntax for type numeric: "abc"');
    expect(error.message).toMatch(/line 5, column amount: .* would store another value than "0.125"/);
  }
  await writeFile(
    file,
    'id,name,amount\na-1,One,1.5\na-2,,\\N\na-3,Three,0.12\na-4,\\N,4\na-5,Five,5\na-6,Six,6\n',
  );
  const report = await operate('parts-in', ...insert, ...params);
  expect(report.match(/,succeeded,/g)).toHaveLength(6);
  const rows = await runIn(databases, 'shop', 'select sku, name, amount from parts order by sku limit 4');
  expect(rows.map(Object.values)).toEqual([
    ['a-1', 'One', '1.50'],
    ['a-2', '', null],
    ['a-3', 'Three', '0.12'],
    ['a-4', null, '4.00'],
  ]);
});

describe('a workbook', () => {
  const bodies = { code: '{{id}}', sum: '{{.sum}}', day: '{{.day}}' };
  const send = { method: 'PUT', url: '', body: bodies };
  const http = (file: string) => [
    ...['--domain', 'http', '--action', 'request', '--items', file],
    ...['--params', JSON.stringify({ ...send, url: `${server.url}/parts` })],
  ];
  const day = 46_352;

  it('is a list of items, whose cells come as its first visible sheet shows them', async () => {
    const file = join(folder, 'parts.xlsx');
    const rows = [
      ['ID', 'sum', 'Day'],
      ['0012', 1.5, { value: day, format: 'yyyy-mm-dd' }],
      [{ value: 42, format: '00000' }, 0.1 + 0.2, { value: day + 0.5, format: 'dd.mm.yyyy hh:mm' }],
      [],
      [123_456_789_012, { value: 1_234.5, format: '#,##0.00' }, { value: day, format: 'm/d/yy' }],
      [{ value: 5, format: 'General" kg"' }, { value: 12.5, format: '0.0" %"' }, ' x '],
    ];
    const sheets = [
      { name: 'Notes', hidden: true, rows: [['not this']] },
      { name: 'Parts', rows, hiddenColumns: [2] },
      { name: 'More', rows: [['nor this']] },
    ];
    await writeFile(file, workbook(sheets));
    server.received.length = 0;
    server.answer = (_, response) => void response.writeHead(200).end('{}');
    const started = await run(
      'start',
      '--id',
      'parts',
      ...http(file).map((one) => one.replace('.day', '.Day')),
    );
    expect(started).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('only its sheet “Parts” was read, not 1 other(s)') as string,
    });
    expect(started.stderr).toContain('1 column(s) that the sheet hides were read too');
    expect(await run('continue', 'parts', '--json')).toMatchObject({ code: 0 });
    expect(server.received.map(({ body }) => JSON.parse(body) as object)).toEqual([
      { code: '0012', sum: '1.5', day: '2026-11-26' },
      { code: '00042', sum: '0.3', day: '26.11.2026 12:00' },
      { code: '123456789012', sum: '1,234.50', day: '2026-11-26' },
      { code: '5 kg', sum: '12.5 %', day: 'x' },
    ]);
    // The report of it, as a spreadsheet with semicolons and in its own encoding saves it, is a list of the same items.
    const { stdout } = await run('report', 'parts', '--format', 'csv');
    const again = join(folder, 'again.csv');
    const saved = stdout.replaceAll(',', ';').replaceAll('\n', '\r\n');
    await writeFile(again, Buffer.from(`sep=;\r\n${saved.replace(/^id/, 'ID')}`, 'utf16le'));
    const plain = { method: 'PUT', url: `${server.url}/parts/{{id}}` };
    const params = ['--params', JSON.stringify(plain)];
    const repeat = ['--domain', 'http', '--action', 'request', '--items', again, ...params];
    const preview = await run('preview', ...repeat, '--format', 'jsonl');
    expect(preview.stderr).toContain('it is not UTF-8 and was read as UTF-16');
    const ids = preview.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toEqual(['0012', '00042', '123456789012', '5 kg']);
  });

  it('is refused by the place of each number that it shortened, and of each error', async () => {
    const file = join(folder, 'shortened.xlsx');
    const rows = [
      ['id', 'sum'],
      [123_456_789_012_345_678, 1],
      ['2', { value: '#N/A', type: 'e' as const }],
      ['', 3],
      ['5', { value: 0.5, format: '# ?/?' }],
      ['6', 1],
      ['', 2],
    ];
    await writeFile(file, workbook([{ name: 'S', rows, merges: ['A6:A7'] }]));
    const { code, stdout } = await run('start', ...http(file), '--json');
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
    expect({ code, error }).toMatchObject({ code: 1, error: { code: 'INVALID_INPUT' } });
    expect(error.message).toMatch(/line 2, column A “id”: it holds a number of more than 15 digits/);
    expect(error.message).toMatch(/line 3, column B “sum”: it holds the error #N\/A/);
    expect(error.message).toMatch(/line 4, column A “id”: the id is empty/);
    expect(error.message).toContain('line 5, column B “sum”: its format “# ?/?” is not supported');
    expect(error.message).toContain('line 7, column A “id”: it is merged with the cell A6');
    await writeFile(file, Buffer.from([0xd0, 0xcf, 0x11, 0xe0]));
    expect((await run('start', ...http(file))).stderr).toContain(
      'the former format .xls, or with a password',
    );
    await writeFile(file, Buffer.from('PK\x03\x04 and nothing more'));
    expect((await run('start', ...http(file))).stderr).toContain('it is not a workbook that can be read');
  });
});

it('refuses wrong parameters at the start, and says what would be valid', async () => {
  const where = [{ column: 'stat', op: '=', value: 'open' }];
  const params = JSON.stringify({ database: 'shop', table: 'orders', where });
  const refused = await run('start', '--domain', 'sql', '--action', 'delete', '--params', params, '--json');
  expect(refused.stdout + refused.stderr).toContain("Column 'stat' not found in public.orders");
  const { stdout, stderr } = await run(
    ...['start', '--domain', 'http', '--action', 'request', '--json'],
    ...['--params', JSON.stringify({ method: 'GET', url: `${server.url}/` })],
  );
  expect(stdout + stderr).toContain('cannot search for items');
});

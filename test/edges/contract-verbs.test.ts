import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBatchgate } from '../helpers/command-line';

/** `batchgate contract` as a script uses it: no server runs, and each verb is a separate process. */
let dataDir: string;
beforeEach(async () => (dataDir = await mkdtemp(join(tmpdir(), 'batchgate-contract-'))));
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const contract = (...args: string[]) => runBatchgate(['contract', ...args], { dataDir });
const json = async (...args: string[]) => {
  const { code, stdout } = await contract(...args, '--json');
  return { code, value: JSON.parse(stdout) as Record<string, unknown> };
};

it('keeps three pages open until all have an outcome, and one that failed until a person forces it with a reason', async () => {
  const terms = JSON.stringify({ expected_items: ['one', 'two', 'three'], item_key: 'url' });
  expect(await contract('create', '--id', 'pages', '--contract', terms)).toMatchObject({
    code: 0,
    stdout:
      'pages: open, 0 completed, 0 failed, 0 skipped.\ncontract   pages\n' +
      'missing    3 url item(s) have no outcome yet. Process one, two, three next.\n',
  });
  await contract('record', 'pages', '--completed', 'one', '--cursor', '1');
  expect(await json('create', '--id', 'pages', '--contract', terms)).toMatchObject({
    code: 0,
    value: { completed: ['one'], cursor: '1' },
  });
  expect(await json('create', '--id', 'pages', '--contract', '{"expected_total":2}')).toMatchObject({
    code: 1,
    value: { error: { code: 'IDEMPOTENCY_CONFLICT' } },
  });
  expect(await json('complete', 'pages')).toMatchObject({
    code: 1,
    value: { error: { code: 'GUARD_BLOCKED', details: { missing_items: ['two', 'three'] } } },
  });
  await contract('record', 'pages', '--completed', 'two', '--failed', 'three=it does not answer');
  expect((await contract('complete', 'pages')).code).toBe(1);
  expect((await contract('complete', 'pages', '--force')).stderr).toContain('needs a reason');
  expect(await contract('complete', 'pages', '--force', '--reason', 'two are enough')).toMatchObject({
    code: 0,
    stdout: 'Completed. It is complete by force, which is recorded: 2 of 3 completed, 1 failed, 0 skipped.\n',
  });
  expect((await contract('get', 'pages')).stdout).toBe(
    'pages: completed, 2 completed, 1 failed, 0 skipped.\ncontract   pages\ncursor     1\nforced     two are enough\n',
  );
  expect(await json('record', 'pages', '--completed', 'three')).toMatchObject({
    code: 1,
    value: { error: { code: 'OPERATION_CLOSED' } },
  });
});

it('shows ten items of a kind and the counts, and all items on request', async () => {
  const items = Array.from({ length: 30 }, (_, at) => `page-${at}`);
  await contract('create', '--id', 'pages', '--contract', '{"stop_condition":"no next page"}');
  const { value } = await json('record', 'pages', '--completed', items.join());
  expect(value).toMatchObject({ completed_count: 30, completed: items.slice(-10) });
  expect(value).not.toHaveProperty('contract');
  const asked = await json('get', 'pages', '--items');
  expect(asked.value).toMatchObject({ contract: { completed: items } });
});

it('counts what many verbs record at once', async () => {
  await contract('create', '--id', 'pages', '--contract', '{"stop_condition":"no next page"}');
  const items = ['a', 'b', 'c', 'd', 'e', 'f'];
  const ends = await Promise.all(items.map((item) => contract('record', 'pages', '--completed', item)));
  expect(ends.map(({ code }) => code)).toEqual(items.map(() => 0));
  expect(((await json('get', 'pages')).value['completed'] as string[]).sort()).toEqual(items);
});

it('lists the readable contracts, and names the unreadable file', async () => {
  await contract('create', '--id', 'good', '--contract', '{"expected_total":1}');
  await contract('create', '--id', 'bad', '--contract', '{"expected_total":1}');
  const file = join(dataDir, 'progress-contracts', 'bad.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"id"', '7'));
  const { code, stdout, stderr } = await contract('list', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ contract_id: 'good', state: 'open', completed_count: 0 });
  expect(stderr).toContain(`${file} is not a valid progress contract: item_key: `);
});

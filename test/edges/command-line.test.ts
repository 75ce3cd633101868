import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkStatus } from '../../src/contract/operation';
import { MailboxReader } from '../helpers/mailbox-reader';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { seedStore } from '../helpers/embedded';

/** The built command line as a user runs it, with its own data folder. */
let dataDir: string;
let up: RunningVerb;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-cli-'));
  await seedStore(dataDir);
  up = startBatchgate(['up'], { dataDir });
  await up.says('batchgate is up');
});
afterAll(async () => {
  await up.interrupt();
  await rm(dataDir, { recursive: true, force: true });
});

const run = (...args: string[]) => runBatchgate(args, { dataDir });
const json = async (...args: string[]) => {
  const { stdout, code } = await run(...args, '--json');
  return { code, value: JSON.parse(stdout) as Record<string, unknown> };
};
const label = '{"sender":"news@northwind-weekly.example","label_name":"Read later","create_label":true}';

it('takes an operation from start to report through the verbs, and the labels are really there', async () => {
  const started = await json(
    'start',
    '--domain',
    'gmail',
    '--action',
    'label',
    '--params',
    label,
    '--batch-size',
    '20',
    '--session',
    's1',
  );
  expect(started.code).toBe(0);
  expect(started.value).toMatchObject({
    state: 'awaiting_confirmation',
    message: "Ready to label 50 emails in batches of 20. Say 'continue' to start, or 'cancel' to abort.",
    total: 50,
  });
  const id = started.value['operation_id'] as string;
  expect((await json('guard', id)).value).toMatchObject({ allowed: false, missing_count: 50 });
  const first = await json('continue', id, '--batch', '1', '--by', 'ana');
  expect(first).toMatchObject({ code: 0, value: { processed: 20, remaining: 30 } });
  expect(await json('continue', id, '--batch', '1')).toMatchObject({
    code: 1,
    value: { error: { code: 'STALE_CONFIRMATION' } },
  });
  const said = await json('say', 'yes, go ahead', '--session', 's1');
  expect(said.value).toMatchObject({ handled: true, intent: 'continue', status: { processed: 40 } });
  const items = (await run('items', id, '--outcome', 'pending', '--json')).stdout.trim().split('\n');
  expect(items).toHaveLength(10);
  const shown = /digest (\w+)/.exec((await run('status', id)).stdout)?.[1] ?? '';
  const last = await run('continue', id, '--digest', shown);
  expect(last.stdout).toContain('✅ Completed! Processed 50/50 items.');
  expect(await MailboxReader.of(dataDir).then((mailbox) => mailbox.countWithLabel('Read later'))).toBe(50);
  expect((await run('errors', id)).stdout).toBe('No errors.\n');
  const listed = (await run('list', '--session', 's1', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(listed).toEqual([expect.objectContaining({ operation_id: id, domain: 'gmail' })]);
});

it('starts from a file, and counts repeated items once', async () => {
  const path = join(dataDir, 'items.csv');
  const rows = [
    '\uFEFFid,display_name,team',
    '1,"Say ""hi"", twice\r\nor more",red',
    '2,,blue',
    '1,again,red',
  ];
  await writeFile(path, `${rows.join('\r\n')}\r\n`);
  const started = await run(...['start', '--domain', 'gmail', '--action', 'star', '--items', path, '--json']);
  expect(started).toMatchObject({ code: 0, stderr: '1 line(s) repeat an id and count once: line 5.\n' });
  const status = JSON.parse(started.stdout) as BulkStatus;
  expect(status).toMatchObject({ total: 2, state: 'awaiting_confirmation' });
  expect(status.next_batch?.items).toEqual([
    { id: '1', display_name: 'Say "hi", twice\r\nor more', expected_error: 'Email not found' },
    { id: '2', display_name: '2', expected_error: 'Email not found' },
  ]);
  await run('cancel', status.operation_id);
});

it('answers mistakes with one error object, a hint and the right exit code, and touches nothing', async () => {
  const start = (...more: string[]) => json('start', '--domain', 'gmail', '--action', 'label', ...more);
  const mailbox = await MailboxReader.of(dataDir);
  const before = await mailbox.state();
  expect(await json('start', '--domain', 'fax', '--action', 'send', '--params', '{"a":1}')).toMatchObject({
    code: 1,
    value: {
      error: {
        code: 'UNKNOWN_ADAPTER',
        message: 'No bulk adapter registered for tool: fax',
        hint: expect.any(String) as string,
      },
    },
  });
  const missing = await start('--params', '{"sender":"news@northwind-weekly.example"}');
  expect(missing).toMatchObject({ code: 1, value: { error: { code: 'INVALID_INPUT' } } });
  expect(JSON.stringify(missing.value)).toContain('Missing required parameters');
  const unknownLabel = await start(
    '--params',
    '{"sender":"news@northwind-weekly.example","label_name":"Nowhere"}',
  );
  expect(unknownLabel).toMatchObject({
    code: 1,
    value: { error: { code: 'INVALID_INPUT', message: "Label 'Nowhere' not found" } },
  });
  expect(await start('--params', label, '--batch-size', '3')).toMatchObject({
    code: 1,
    value: { error: { code: 'INVALID_INPUT' } },
  });
  expect(await json('status', 'bulk-none')).toMatchObject({
    code: 1,
    value: { error: { code: 'NOT_FOUND' } },
  });
  expect(await mailbox.state()).toEqual(before);
  expect((await run('start', '--domain', 'gmail')).code).toBe(2);
  expect((await run('start', '--domain', 'gmail', '--action', 'label', '--params', '[1]')).code).toBe(2);
  expect((await run('continue', 'x', '--batch', 'one')).code).toBe(2);
  expect((await run('explode')).code).toBe(2);
});

it('exits with 3 if Temporal cannot be reached, and says what to do', async () => {
  const elsewhere = await runBatchgate(['status', 'x', '--json'], { dataDir: join(dataDir, 'none') });
  expect(elsewhere.code).toBe(3);
  expect(JSON.parse(elsewhere.stdout)).toMatchObject({ error: { code: 'TEMPORAL_UNAVAILABLE' } });
  const closed = await runBatchgate(['status', 'x', '--json'], {
    dataDir,
    env: { TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  expect(closed.code).toBe(3);
});

it('refuses a configuration that cannot be read, one line for each mistake', async () => {
  const wrong = await runBatchgate(['list'], {
    dataDir,
    env: { BATCHGATE_MAX_BATCH_SIZE: 'many', BATCHGATE_DATABASE_URL: 'mysql://x' },
  });
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('BATCHGATE_MAX_BATCH_SIZE');
  expect(wrong.stderr).toContain('BATCHGATE_DATABASE_URL');
});

it('tells a second process that uses the embedded store which variable to set', async () => {
  const second = await runBatchgate(['worker'], { dataDir });
  expect(second.code).toBe(1);
  expect(second.stderr).toContain('BATCHGATE_DATABASE_URL');
});

it('prints help for every verb', async () => {
  const { stdout: help } = await run('--help');
  const verbs = [...help.matchAll(/^  ([a-z][a-z-]+) /gm)].map(([, verb = '']) => verb);
  expect(verbs).toEqual(expect.arrayContaining(['up', 'start', 'continue', 'macro', 'doctor', 'help']));
  // Each verb is under a heading of ours.
  expect(help).toMatch(/^Commands:\n  help .*\n\n?$/m);
  for (const name of verbs.filter((verb) => verb !== 'help')) {
    const { stdout, code } = await run(name, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(`batchgate ${name}`);
    for (const [, option = ''] of stdout.matchAll(/^  --([a-z]+-[a-z-]+) /gm))
      expect(stdout).not.toMatch(new RegExp(`\\b${option.replaceAll('-', '_')}\\b`));
  }
  const { stdout: start } = await run('start', '--help');
  expect(start.replace(/\s+/g, ' ')).toContain('instead of --batch-size, batches that grow: 1,5,20 asks');
  expect(await readFile(join(dataDir, 'runtime.json'), 'utf8')).toContain('temporal_address');
});

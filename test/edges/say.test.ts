import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkStatus } from '../../src/contract/operation';
import { runBatchgate, startBatchgate } from '../helpers/command-line';
import { countingTool, gateway, startHarness, testServer, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';
import { caughtUp } from '../helpers/look-again';

/** One turn of conversation from a terminal, as a separate process. */
const held = new Map<string, Promise<void>>();
/** Items whose answer never comes. */
const lost = new Set<string>();
const tool = countingTool(15, {
  apply: async ({ id }) => {
    await held.get(id);
    return lost.has(id)
      ? { item_id: id, success: false, outcome_unknown: true, error: 'the answer never came' }
      : undefined;
  },
  readBack: undefined,
});

let harness: Harness;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-say-'));
  harness = await startHarness({ adapters: [tool.adapter] });
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => {
  held.clear();
  lost.clear();
});

const settings = () => ({
  dataDir: folder,
  env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
});
const run = (...args: string[]) => runBatchgate(args, settings());
const next = (id: string) => confirmOpen(harness.client, id, {});

it('applies to the question that was last shown here, even if another window answered it in the meantime', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5, session_id: 'two windows' });
  expect((await run('status', id)).stdout).toContain('batch 1 of 3');
  await next(id);
  const late = await run('say', 'continue', '--session', 'two windows');
  expect(late.code).toBe(1);
  expect(late.stderr).toContain('STALE_CONFIRMATION');
  expect(late.stdout).toContain('batch 2 of 3');
  expect(await harness.status(id)).toMatchObject({ processed: 5 });
  const now = await run('say', 'continue', '--session', 'two windows');
  expect(now).toMatchObject({ code: 0, stderr: '' });
  expect(now.stdout).toContain('(10/15 total)');
  const then = await run('say', 'continue', '--session', 'two windows', '--json');
  expect(JSON.parse(then.stdout)).toMatchObject({
    handled: true,
    status: { state: 'completed', processed: 15 },
  });
  expect(await run('say', 'continue', '--session', 'two windows')).toMatchObject({ code: 0, stdout: '' });
});

it('reports a refused answer with its reason and exit code 1', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5, session_id: 'talk' });
  const { opened, open } = gateway();
  held.set('item-001', opened);
  await run('status', id);
  const first = startBatchgate(['continue', id, '--by', 'ana'], settings());
  const watching = startBatchgate(['watch', id], settings());
  await watching.says('running_batch');
  const refused = await run('say', '--session', 'talk', 'continue');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^(NOT_AWAITING|STALE)_CONFIRMATION: /);
  const object = await run('say', '--session', 'talk', 'continue', '--json');
  expect(object.code).toBe(1);
  expect(JSON.parse(object.stdout)).toMatchObject({ handled: true, error: { hint: expect.any(String) } });
  open();
  expect((await first.ended).code).toBe(0);
  await next(id);
  await next(id);
  await watching.ended;
});

it('cancels for a person whose last look found a running batch, also when the next question is open', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5, session_id: 'looked' });
  const { opened, open } = gateway();
  held.set('item-001', opened);
  const first = next(id);
  while ((await harness.status(id)).state !== 'running_batch');
  const looked = await run('status', id);
  open();
  await first;
  expect(looked.stdout).toContain('Running batch 1 of 3.');
  const cancelled = await run('say', 'cancel', '--session', 'looked');
  expect(cancelled).toMatchObject({ code: 0, stderr: '' });
  expect(cancelled.stdout).toContain('Bulk mark on fake cancelled. 5/15 items were processed');
});

const start = (...flags: string[]) =>
  run('start', '--domain', 'fake', '--action', 'mark', '--params', '{"group":"all"}', ...flags, '--json');

it('starts with every field of the input, by the flags of its verb', async () => {
  const contract = '{"min_completed":15}';
  const flags = ['--batch-size', '5', '--session', 'flags', '--metadata', '{"ticket":"T-7"}'];
  const terms = ['--idle-timeout', '7200', '--contract', contract, '--failure-threshold', '0.25'];
  const started = await start(...flags, ...terms, '--requested-by', 'ana');
  expect(started.code).toBe(0);
  const status = JSON.parse(started.stdout) as BulkStatus;
  expect(status).toMatchObject({ state: 'awaiting_confirmation', session_id: 'flags', batch_size: 5 });
  expect(Date.parse(status.expires_at ?? '') - Date.parse(status.updated_at)).toBe(7_200_000);
  expect(await harness.store.ledger.read(status.operation_id)).toMatchObject({
    metadata: { ticket: 'T-7' },
    requested_by: 'ana',
    terms: { idle_timeout_seconds: 7_200, contract: { min_completed: 15 }, failure_threshold: 0.25 },
  });
});

it('refuses invalid shares and invalid objects in flags as wrong usage', async () => {
  expect((await start('--failure-threshold', '2')).code).toBe(2);
  expect((await start('--contract', '[1]')).code).toBe(2);
  expect((await start('--metadata', 'ticket')).code).toBe(2);
});

it('refuses an operation whose contract can never be completed, with a hint on how to fix it', async () => {
  const refused = await start('--contract', '{"expected_total":2,"min_completed":3}');
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    error: { code: 'INVALID_INPUT', hint: expect.stringContaining('a min_completed of 2 or less') as string },
  });
});

it('shows the items in doubt wherever the question is asked, and accepts answers there', async () => {
  lost.add('item-015');
  const { operation_id: id } = await harness.start({ batch_size: 20, session_id: 'doubt' });
  await next(id);
  await caughtUp(async () => {
    const listed = await run('list', '--state', 'awaiting_resolution', '--json');
    expect(listed.stdout).toContain(`"operation_id":"${id}"`);
  });
  const say = (text: string) => run('say', text, '--session', 'doubt');
  const [, sentence = ''] = (await run('status', id)).stdout.split('\n\n');
  const [line = '', item = '', ask = ''] = sentence.split('\n');
  expect(line).toBe('All 15 items were tried. 1 item is in doubt:');
  expect(item).toBe('- Item 15 (item-015): the answer never came');
  expect(ask).toContain('resolve');
  for (const text of ['yes', 'continue', 'which ones?']) {
    const said = await say(text);
    expect(said).toMatchObject({ code: 0, stderr: '' });
    expect(said.stdout.startsWith(`${line}\n${item}\n${ask}\n`)).toBe(true);
  }
  expect(await harness.status(id)).toMatchObject({ state: 'awaiting_resolution', in_doubt: 1 });
  const command = /npx batchgate (resolve .*)/.exec((await say('how is it going?')).stdout)?.[1] ?? '';
  expect(command).toBe(`resolve ${id} --item item-015 --outcome succeeded --reason "seen in fake"`);
  const words = command.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
  expect((await run(...words)).stdout).toContain('✅ Completed! Processed 15/15 items.');
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonLines, runBatchgate, startBatchgate } from '../helpers/command-line';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';

/** Schedules at the command line. */
const tool = countingTool(12);
let harness: Harness;
let folder: string;

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
  folder = await mkdtemp(join(tmpdir(), 'batchgate-later-'));
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

const env = () => ({ TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue });
const run = (...args: string[]) =>
  runBatchgate(args, {
    dataDir: folder,
    env: env(),
  });
const START = ['start', '--domain', 'fake', '--action', 'mark', '--params', '{"group":"all"}'];
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

it('confirms for later, shows what runs when, and takes it back', async () => {
  const [time, id] = [inHours(2), 'later-1'];
  expect((await run(...START, '--id', id)).code).toBe(0);
  const put = await run('continue', id, '--not-before', time, '--by', 'anna');
  expect(put.code).toBe(0);
  expect(put.stdout).toMatch(/^state +scheduled$/m);
  expect(put.stdout).toMatch(/^scheduled +.*, in /m);
  expect(put.stdout).toMatch(/^confirmed +by anna$/m);
  expect(put.stdout).toContain('10. Item 10 (item-010)');
  expect(put.stdout).toContain(`Batch 1 runs at ${time.slice(0, 19)}Z (confirmed by anna).`);
  expect(put.stdout).toContain(`npx batchgate withdraw ${id}`);
  const again = await run('continue', id, '--batch', '1', '--json');
  expect([again.code, JSON.parse(again.stdout).error.code]).toEqual([1, 'NOT_AWAITING_CONFIRMATION']);
  await caughtUp(async () => {
    const listed = await run('list', '--state', 'scheduled', '--json');
    expect(jsonLines(listed.stdout)).toContainEqual(
      expect.objectContaining({ operation_id: id, state: 'scheduled' }),
    );
  });
  const back = await run('withdraw', id, '--by', 'ben', '--reason', 'not tonight', '--json');
  expect(back.code).toBe(0);
  expect(JSON.parse(back.stdout)).toMatchObject({
    state: 'awaiting_confirmation',
    next_batch: { number: 1, attempt: 2 },
  });
  const none = await run('withdraw', id);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No batch is scheduled')]);
  expect(tool.touched.size).toBe(0);
  const report = await run('report', id, '--questions');
  expect(report.stdout).toMatch(/^batch 1 .* continue for 2\S+Z, taken back by ben at 2\S+Z /m);
  expect((await run('cancel', id)).code).toBe(0);
});

it('refuses a time without an offset, with a hint, and starts nothing', async () => {
  const refused = await run(...START, '--id', 'later-2', '--not-before', '2026-11-27T22:00:00', '--json');
  const { error } = JSON.parse(refused.stdout);
  expect([refused.code, error.code]).toEqual([1, 'INVALID_INPUT']);
  expect(error.message).toContain('not_before: must be a date and time of ISO 8601 with its offset from UTC');
  expect((await run('status', 'later-2')).code).toBe(1);
  const far = await run(...START, '--id', 'later-3', '--not-before', inHours(31 * 24), '--json');
  expect(JSON.parse(far.stdout).error).toMatchObject({ code: 'INVALID_INPUT' });
});

it('says in the question of a start for later that no batch begins before', async () => {
  const time = inHours(3);
  const started = await run(...START, '--id', 'later-4', '--not-before', time);
  expect(started.stdout).toContain(`No batch begins before ${time}.`);
  const put = await run('continue', 'later-4', '--json');
  expect(JSON.parse(put.stdout)).toMatchObject({ state: 'scheduled', scheduled_for: time });
  expect((await run('cancel', 'later-4')).code).toBe(0);
});

it('reads a time that is said in the zone of the terminal, asks back with it, and takes it back', async () => {
  const session = ['--session', 'later-said'];
  await run(...START, '--id', 'later-5', ...session);
  const words = ['say', ...session, 'confirm, but not before 22:00'];
  const asked = await startBatchgate(words, { dataDir: folder, env: { ...env(), TZ: 'Asia/Tokyo' } }).ended;
  expect(asked.stdout).toMatch(/^Run batch 1 on \w+, \d+ \w+ \d{4}, 22:00 \(\+09:00\)\?/m);
  const yes = await run('say', ...session, 'yes');
  expect(yes.stdout).toMatch(/Batch 1 runs at \d{4}-\d\d-\d\dT22:00:00\+09:00/);
  const back = await run('say', ...session, 'not tonight after all', '--json');
  expect(JSON.parse(back.stdout)).toMatchObject({ status: { state: 'awaiting_confirmation' } });
  expect(tool.touched.size).toBe(0);
  expect((await run('cancel', 'later-5')).code).toBe(0);
});

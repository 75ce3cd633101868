import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBatchgate } from '../helpers/command-line';
import { confirmOpen } from '../helpers/confirm';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';

/** `batchgate continue ID` confirms the question that was printed last in its data folder, and no other. */
const tool = countingTool(30);
let harness: Harness;
let folder: string;

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
  folder = await mkdtemp(join(tmpdir(), 'batchgate-unseen-'));
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

const settings = (dataDir = folder) => ({
  dataDir,
  env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
});
const runIn = (dataDir: string, ...args: string[]) => runBatchgate(args, settings(dataDir));
const run = (...args: string[]) => runIn(folder, ...args);
const processed = async (id: string) => (await harness.status(id)).processed;

it('prints a question that it has not printed, runs nothing, and confirms it the next time', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const unseen = await run('continue', id);
  expect(unseen.code).toBe(1);
  expect(unseen.stderr).toContain('QUESTION_NOT_SEEN');
  expect(unseen.stdout).toContain('batch 1 of 6');
  expect(await processed(id)).toBe(0);
  expect((await run('continue', id)).code).toBe(0);
  await confirmOpen(harness.client, id);
  const json = await run('continue', id, '--json');
  expect([json.code, JSON.parse(json.stdout).error]).toMatchObject([
    1,
    {
      code: 'QUESTION_NOT_SEEN',
      details: { next_batch: { number: 3, items: [{ id: 'item-011' }, {}, {}, {}, {}] } },
    },
  ]);
  expect(await processed(id)).toBe(10);
  expect((await run('continue', id, '--json')).code).toBe(0);
  expect((await runIn(join(folder, 'elsewhere'), 'continue', id)).code).toBe(1);
  expect(await processed(id)).toBe(15);
});

it('runs one batch for two command lines at once, and both tell its outcome', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await run('status', id);
  const both = await Promise.all([run('continue', id, '--json'), run('continue', id, '--json')]);
  expect(await processed(id)).toBe(5);
  for (const { code, stdout } of both) {
    const said = JSON.parse(stdout);
    // The later one may come when the first has printed the next question already.
    if (code === 0) expect(said).toMatchObject({ processed: 5, next_batch: { number: 2 } });
    else expect(said.error.code).toBe('QUESTION_NOT_SEEN');
  }
});

it('runs no second batch for a command that was typed again before the first had printed the next question', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await run('status', id);
  const typed = { ...settings(), begun: Date.now() };
  const words = ['continue', id, '--by', 'ada', '--json'];
  const first = await runBatchgate(words, typed);
  expect(JSON.parse(first.stdout)).toMatchObject({ processed: 5, next_batch: { number: 2 } });
  // It is the same answer again, for the question that was on the screen then.
  const again = await runBatchgate(words, typed);
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
    0,
    { processed: 5, next_batch: { number: 2 } },
  ]);
  const unnamed = await runBatchgate(['continue', id, '--json'], typed);
  expect(JSON.parse(unnamed.stdout)).toMatchObject({ error: { code: 'QUESTION_NOT_SEEN' } });
  expect(await processed(id)).toBe(5);
  expect((await run(...words)).code).toBe(0);
  expect(await processed(id)).toBe(10);
});

it('answers a command that was typed before the last batch had run, and refuses one after it', async () => {
  const { operation_id: id } = await harness.start({ params: {}, items: [{ id: 'item-001' }] });
  await run('status', id);
  const typed = { ...settings(), begun: Date.now() };
  const words = ['continue', id, '--by', 'ada', '--json'];
  for (const { code, stdout } of [await runBatchgate(words, typed), await runBatchgate(words, typed)])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { state: 'completed', processed: 1 }]);
  const later = await run(...words);
  expect([later.code, JSON.parse(later.stdout).error.code]).toEqual([1, 'OPERATION_CLOSED']);
});

it('shows a message the question of its session first, if nothing was printed here', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5, session_id: 'unseen' });
  const unseen = await run('say', 'yes', '--session', 'unseen');
  expect([unseen.code, await processed(id)]).toEqual([1, 0]);
  expect(unseen.stderr).toContain('QUESTION_NOT_SEEN');
  expect((await run('say', 'yes', '--session', 'unseen')).code).toBe(0);
  expect(await processed(id)).toBe(5);
});

it('shows the question above the answer to an unclear message, so that the yes to it is for what was read', async () => {
  const session_id = 'unseen-maybe';
  const { operation_id: id } = await harness.start({ batch_size: 5, session_id });
  const elsewhere = (...words: string[]) =>
    runIn(join(folder, 'nothing-shown'), 'say', ...words, '--session', session_id);
  const unclear = await elsewhere('maybe');
  expect(unclear).toMatchObject({ code: 0, stderr: '' });
  expect(unclear.stdout).toMatch(
    /^Mark each item of the group “all”\..*\nReady to mark 30 items in batches of 5\..*\nDid you mean to continue/,
  );
  expect((await elsewhere('maybe')).stdout).toMatch(/^Did you mean to continue/);
  expect(await processed(id)).toBe(0);
  expect((await elsewhere('yes')).code).toBe(0);
  expect(await processed(id)).toBe(5);
});

it('answers a message that was typed before the last batch had run as the first one, and not one after it', async () => {
  const session_id = 'unseen-end';
  const { operation_id: id } = await harness.start({ params: {}, items: [{ id: 'item-001' }], session_id });
  await run('status', id);
  const typed = { ...settings(), begun: Date.now() };
  const words = ['say', 'yes', '--session', session_id, '--json'];
  for (const { code, stdout } of [await runBatchgate(words, typed), await runBatchgate(words, typed)])
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { handled: true, status: { state: 'completed', processed: 1 } },
    ]);
  expect(JSON.parse((await run(...words)).stdout)).toMatchObject({ handled: false });
});

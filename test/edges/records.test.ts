import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonLines, runBatchgate } from '../helpers/command-line';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';

/** What the record answers at a terminal. */
let harness: Harness;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-records-'));
  harness = await startHarness({ adapters: [countingTool(10).adapter] });
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  runBatchgate(args, {
    dataDir: folder,
    env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
  });

it('answers since when a question was on this screen, and counts what was decided', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  // A program that reads JSON shows nothing to a person.
  await run('status', id, '--json');
  await run('cancel', id, '--reason', 'unseen');
  const unseen = jsonLines((await run('report', id, '--questions', '--json')).stdout);
  expect(unseen).toMatchObject([{ decision: 'cancel', door: 'terminal', note: 'unseen' }]);
  expect(unseen[0]).not.toHaveProperty('shown_at');
  const { operation_id: second } = await harness.start({ batch_size: 5 });
  await run('status', second);
  await run('continue', second);
  const open = (await run('report', second, '--questions')).stdout.trim().split('\n');
  expect(open[2]).toMatch(/^batch 2 .* open$/);
  const file = join(folder, 'questions');
  const kept = async (...flags: string[]) => {
    const { stdout, stderr } = await run('report', second, '--questions', '--out', file, ...flags);
    expect([stdout, stderr]).toEqual(['', `2 questions written to ${file}.\n`]);
    return readFile(file, 'utf8');
  };
  expect(jsonLines(await kept('--json'))).toMatchObject([{ batch: 1, decision: 'continue' }, { batch: 2 }]);
  expect(await kept('--format', 'csv')).toMatch(/^question,asked_at,.*\nbatch 1,2.*\nbatch 2,.*open,,,\n$/);
  expect(await kept('--format', 'md')).toMatch(/^\| question \| .*\n\| --- .*\n\| batch 1 \|/);
  expect((await kept()).split('\n')[0]).toMatch(/^question +asked_at/);
  await run('cancel', second);
  const table = (await run('report', second, '--questions')).stdout.trim().split('\n');
  expect(table[0]).toMatch(/^question +asked_at +waited +shown_at +read +decided_at +decision +by +where/);
  expect(table[1]).toMatch(/^batch 1 +2\S+Z +\S.* 2\S+Z .* continue +no name +terminal/);
  expect(table[2]).toMatch(/^batch 2 .* cancel +no name +terminal/);
  const [row] = jsonLines((await run('stats', '--domain', 'fake', '--since', '1d', '--json')).stdout);
  expect(row).toMatchObject({ action: 'mark', read: expect.any(Number) });
  expect((await run('stats', '--since', '7d')).stdout).toMatch(/^what +operations +completed/);
  expect(await run('stats', '--since', 'yesterday')).toMatchObject({ code: 2 });
  expect((await run('stats', '--domain', 'none')).stderr).toContain('No operation was started in this time.');
});

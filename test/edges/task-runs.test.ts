import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { caughtUp } from '../helpers/look-again';

let dataDir: string;
let env: Record<string, string>;
let up: RunningVerb;
const run = (...args: string[]) => runBatchgate(args, { dataDir });
const json = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as Record<string, unknown>;

async function startUp(): Promise<void> {
  up = startBatchgate(['up'], { dataDir, env });
  await up.says('batchgate is up');
}

/** Three pages with titles, for a task to visit. */
async function startSite() {
  const site = createServer((request, response) => response.end(`<title>Page ${request.url}</title>`));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  return { site, urls: ['one', 'two', 'three'].map((name) => `http://127.0.0.1:${port}/${name}`) };
}

async function visit(url: string): Promise<string> {
  const title = /<title>(.*)<\/title>/.exec(await (await fetch(url)).text())?.[1];
  if (title === undefined) throw new Error(`${url} has no title`);
  return url;
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-tasks-'));
  env = await sharedBackend();
  await startUp();
});
afterAll(async () => {
  await up.interrupt();
  await rm(dataDir, { recursive: true, force: true });
});

it('keeps a task of three pages open until all are visited, across a restart, and one that failed until a person forces it', async () => {
  const { site, urls } = await startSite();
  try {
    const [one = '', two = '', three = ''] = urls;
    const contract = JSON.stringify({ expected_total: 3, item_key: 'url', expected_items: urls });
    const goal = ['--goal', 'Visit three URLs and collect their titles'];
    const { task_run_id: id } = json(
      await run('task', 'start', ...goal, '--contract', contract, '--json'),
    ) as {
      task_run_id: string;
    };
    await run('task', 'record', id, '--completed', await visit(one), '--cursor', '1');
    const early = await run('task', 'complete', id, '--json');
    expect(early.code).toBe(1);
    expect(json(early)).toMatchObject({
      error: { code: 'GUARD_BLOCKED', details: { missing_count: 2, missing_items: [two, three] } },
    });
    await up.interrupt();
    await startUp();
    expect(json(await run('task', 'get', id, '--json'))).toMatchObject({ completed: [one], cursor: '1' });
    await run(
      'task',
      'record',
      id,
      '--completed',
      [await visit(two), await visit(three)].join(),
      '--cursor',
      '3',
    );
    const done = await run('task', 'complete', id);
    const evidence = 'It is complete: 3 of 3 completed, 0 failed, 0 skipped.';
    expect(done).toMatchObject({ code: 0, stdout: `Completed. ${evidence}\n` });
    expect(json(await run('task', 'get', id, '--json'))).toMatchObject({
      state: 'completed',
      completed: urls,
    });

    const again = json(await run('task', 'start', ...goal, '--contract', contract, '--json')) as {
      task_run_id: string;
    };
    const failing = [`--failed`, `${three}=it does not answer`];
    const recorded = await run(
      'task',
      'record',
      again.task_run_id,
      '--completed',
      `${one},${two}`,
      ...failing,
    );
    expect(recorded.stdout).toContain('running, 2 of 3 completed, 1 failed, 0 skipped.');
    expect((await run('task', 'complete', again.task_run_id)).code).toBe(1);
    expect((await run('task', 'complete', again.task_run_id, '--force')).stderr).toContain('needs a reason');
    const forced = await run('task', 'complete', again.task_run_id, '--force', '--reason', 'two are enough');
    expect(forced.code).toBe(0);
    await caughtUp(async () => {
      const listed = (await run('task', 'list', '--json')).stdout.trim().split('\n');
      expect(listed.map((line) => json({ stdout: line })['task_run_id'])).toEqual([again.task_run_id, id]);
    });
  } finally {
    site.close();
  }
});

it('does not guess which equals sign separates an item from its reason', async () => {
  const wrong = await run('task', 'record', 'any', '--failed', 'http://x/?page=2=gone');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('{"item": "…", "reason": "…"}');
});

it('releases the slot of a cancelled task, so that its session can start another one', async () => {
  const start = () => run('task', 'start', '--goal', 'Visit', '--session', 'one at a time', '--json');
  const { task_run_id: id } = json(await start()) as { task_run_id: string };
  const second = await start();
  expect(second.code).toBe(1);
  expect(json(second)).toMatchObject({ error: { code: 'SESSION_LOCKED' } });
  expect(json(await run('task', 'cancel', id, '--json'))).toMatchObject({ state: 'cancelled' });
  const third = await start();
  expect(third.code).toBe(0);
  await run('task', 'cancel', (json(third) as { task_run_id: string }).task_run_id);
});

it('refuses a contract that can never be completed, with a hint on how to fix it', async () => {
  const contract = '{"expected_total": 2, "min_completed": 3}';
  const refused = await run('task', 'start', '--goal', 'Visit', '--contract', contract, '--json');
  expect(refused.code).toBe(1);
  expect(json(refused)).toMatchObject({
    error: {
      code: 'INVALID_INPUT',
      message: expect.stringContaining('The contract can never be completed.') as string,
      hint: expect.stringContaining('a min_completed of 2 or less') as string,
    },
  });
});

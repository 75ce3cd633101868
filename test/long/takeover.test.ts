import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { Batchgate } from '../../src';
import { isClosed } from '../../src/core/bulk/transitions';
import { confirmOpen } from '../helpers/confirm';
import { gateway, testServer } from '../helpers/harness';
import { lookAgain } from '../helpers/look-again';
import { sharedPostgres } from '../helpers/postgres';

/**
 * A new version takes over what an earlier one left open. The earlier one is the package of the last release, packed from
 * its tag; before the first release, of the last commit. `BATCHGATE_EARLIER` names another commit.
 */
const exec = promisify(execFile);
const root = join(__dirname, '../..');
const here = join(__dirname, 'takeover');
const postgres = sharedPostgres();
const processes: ChildProcess[] = [];
let folder: string;

beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'batchgate-takeover-'))));
afterAll(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const earlier = async (): Promise<string> =>
  process.env['BATCHGATE_EARLIER'] ??
  (
    await exec('git', ['describe', '--tags', '--abbrev=0'], { cwd: root }).catch(() => undefined)
  )?.stdout.trim() ??
  'HEAD';

/** The packages of an older tree: the ones that are installed here, if its lockfile names the same. */
async function install(tree: string): Promise<string> {
  const [own, ours] = [join(tree, 'node_modules'), join(root, 'node_modules')];
  const lockfiles = [tree, root].map((at) => readFile(join(at, 'package-lock.json'), 'utf8'));
  const [theirs, today] = await Promise.all(lockfiles);
  if (theirs === today) await symlink(ours, own);
  else await exec('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit'], { cwd: tree });
  return own;
}

/** A project with the package of a commit and with our scripts. */
async function projectOf(commit: string): Promise<string> {
  const [tree, project] = [join(folder, 'tree'), join(folder, 'project')];
  const modules = join(project, 'node_modules');
  for (const one of [tree, modules]) await mkdir(one, { recursive: true });
  await exec('git', ['archive', '--output', join(folder, 'tree.tar'), commit], { cwd: root });
  await exec('tar', ['-xf', join(folder, 'tree.tar'), '-C', tree]);
  const installed = await install(tree);
  await exec('npm', ['run', '-s', 'build'], { cwd: tree });
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await exec('npm', pack, { cwd: tree });
  for (const name of await readdir(installed)) await symlink(join(installed, name), join(modules, name));
  await exec('tar', ['-xzf', join(folder, stdout.trim()), '-C', modules]);
  await rename(join(modules, 'package'), join(modules, 'batchgate'));
  await cp(here, project, { recursive: true });
  return project;
}

/** Starts a script, and waits for its first line. */
async function started(
  script: string,
  ...args: string[]
): Promise<{ line: string; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  if (done) throw new Error(`${script} ended early`);
  const gone = once(child, 'exit');
  return {
    line: value,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** The tool that both versions work on. It counts changes, holds one of them, and does not tell of another. */
async function startTool() {
  const changes = new Map<string, number>();
  const holds = gateway();
  const server = createServer(({ url = '', method }, response) => {
    const [, domain, item_id] = url.split('/');
    const count = changes.get(url) ?? 0;
    if (method === 'GET') return void response.end(JSON.stringify(count > 0 ? 'applied' : 'not_applied'));
    changes.set(url, count + 1);
    if (url === '/held/item-3' && count === 0) return holds.open();
    const unknown = domain === 'doubtful' && item_id === 'item-2';
    const result = unknown
      ? { item_id, success: false, error: 'No answer came', outcome_unknown: true }
      : { item_id, success: true };
    response.end(JSON.stringify(result));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, changes, held: holds.opened, close: () => server.close() };
}

it('takes over the jobs that an earlier version left open, in every state, and does nothing twice', async () => {
  const project = await projectOf(await earlier());
  const [tool, databaseUrl] = [await startTool(), await postgres.newDatabase()];
  const { address } = testServer();
  const taskQueue = `takeover-${randomUUID()}`;
  const at = [address, taskQueue, databaseUrl, tool.url];
  const before = await started(join(project, 'worker.mjs'), ...at, 'broken');
  const client = await started(join(project, 'leave.mjs'), address, taskQueue);
  const left = JSON.parse(client.line) as Record<
    'run_id' | 'paused_id' | 'task_run_id' | 'sent_back',
    string
  > & {
    operations: Record<string, string>;
  };
  await tool.held;
  const connection = await Connection.connect({ address });
  const temporal = new Client({ connection });
  const batchgate = new Batchgate({ client: temporal, taskQueue });
  const known = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(left.operations).map(async ([name, id]) => {
          const { state, next_batch, succeeded, in_doubt, scheduled_for, approvals } =
            await batchgate.status(id);
          const { digest, attempt } = next_batch ?? {};
          return [name, { state, digest, attempt, succeeded, in_doubt, scheduled_for, approvals }] as const;
        }),
      ),
    );
  const then = await known();
  expect(Object.values(then).map(({ state }) => state)).toEqual([
    ...['awaiting_confirmation', 'awaiting_confirmation', 'scheduled', 'batch_failed', 'awaiting_resolution'],
    ...['awaiting_confirmation', 'awaiting_confirmation', 'running_batch'],
  ]);
  for (const one of [client, before]) await one.kill();

  await started(join(here, 'worker.mjs'), ...at);
  const { held: _, ...still } = await known();
  expect(still).toEqual({ ...then, held: undefined });
  const { asked, confirmed, scheduled, failed, doubtful, approved, edited, held } = left.operations;
  await batchgate.withdraw(scheduled!, { by: 'ana' });
  await batchgate.resolve(doubtful!, { item_id: 'item-2', outcome: 'succeeded', reason: 'seen', by: 'ana' });
  while ((await batchgate.status(held!)).state === 'running_batch') await lookAgain();
  for (const id of [asked, confirmed, scheduled, failed, approved, edited, held])
    for (let by = 'ben'; !isClosed((await batchgate.status(id!)).state); by = 'cleo')
      await confirmOpen(temporal, id!, { by });
  for (const [name, id] of Object.entries(left.operations))
    expect([name, await batchgate.status(id)]).toMatchObject([
      name,
      { state: 'completed', succeeded: 12, in_doubt: 0 },
    ]);
  expect([...tool.changes].filter(([, count]) => count !== 1)).toEqual([]);
  expect(tool.changes.size).toBe(12 * 8);

  const revised = { action: 'mark', params: { group: 'all' }, batch_size: 5, revises: left.sent_back };
  expect(await batchgate.start({ domain: 'edited', ...revised })).toMatchObject({
    state: 'awaiting_confirmation',
  });
  await batchgate.macros.answer(left.paused_id, { answer: 'this', question: 1 });
  await batchgate.macros.resume(left.paused_id);
  expect(await batchgate.macros.wait(left.paused_id)).toMatchObject({ state: 'completed' });
  await batchgate.macros.answer(left.run_id, { answer: 'this', question: 1 });
  await batchgate.taskRuns.record(left.task_run_id, { completed: ['b'] });
  expect(await batchgate.macros.wait(left.run_id)).toMatchObject({ state: 'completed' });
  expect(await batchgate.taskRuns.complete(left.task_run_id, {})).toMatchObject({ allowed: true });
  await connection.close();
  tool.close();
});

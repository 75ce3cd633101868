import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import manifest from '../../package.json';
import { testServer } from '../helpers/harness';

/** The package as users get it: packed, and installed into empty projects. This needs a registry and takes minutes. */
jest.setTimeout(900_000);
const exec = promisify(execFile);
const root = join(__dirname, '../..');
const { optionalDependencies: optional, peerDependencies: peers } = manifest;
const taskQueue = `package-${randomUUID()}`;

let folder: string;
/** Two projects: one with only a client, and one with a worker. */
const project = (name: 'client' | 'worker') => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-package-'));
  await exec('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  const tarball = join(folder, `batchgate-${manifest.version}.tgz`);
  const client = ['@temporalio/client', '@temporalio/common'] as const;
  await install('client', [tarball, ...client.map((name) => `${name}@${peers[name]}`)], ['--omit=peer']);
  await install('worker', [tarball, `@electric-sql/pglite@${optional['@electric-sql/pglite']}`]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function install(name: 'client' | 'worker', packages: string[], flags: string[] = []): Promise<void> {
  const cwd = project(name);
  await mkdir(cwd);
  for (const folder of ['embedding', 'adapters'])
    await cp(join(root, 'examples', folder), join(cwd, folder), { recursive: true });
  await cp(join(__dirname, 'environment.mjs'), join(cwd, 'environment.mjs'));
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ name, private: true }));
  const quick = ['--omit=optional', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await exec('npm', ['install', ...quick, ...flags, ...packages], { cwd });
}

async function installed(name: 'client' | 'worker'): Promise<string[]> {
  const modules = join(project(name), 'node_modules');
  const scopes = ['@temporalio', '@electric-sql', '@googleapis', '@ai-sdk'];
  const scoped = scopes.map(async (scope) =>
    (await readdir(join(modules, scope)).catch(() => [])).map((one) => `${scope}/${one}`),
  );
  return [...(await readdir(modules)), ...(await Promise.all(scoped)).flat()];
}

const run = async (name: 'client' | 'worker', script: string, ...args: string[]) =>
  (await exec(process.execPath, [script, ...args], { cwd: project(name) })).stdout;

const ask = async (domain: string, action: string, params: object): Promise<unknown> => {
  const { address } = testServer();
  const request = [address, taskQueue, domain, action, JSON.stringify(params)];
  return JSON.parse(await run('client', 'embedding/client.cjs', ...request));
};

it('contains neither the worker nor optional parts, and never the emulator', async () => {
  const found = await installed('client');
  for (const name of ['emulate', '@temporalio/worker', ...Object.keys(optional)])
    expect(found).not.toContain(name);
  expect(found).toEqual(expect.arrayContaining(['batchgate', '@temporalio/client']));
  expect(await installed('worker')).not.toContain('emulate');
  const folder = join(project('client'), 'node_modules/batchgate');
  expect(await readdir(join(folder, 'dist'))).not.toContain('dev');
  expect(await readdir(join(folder, 'docs'))).toEqual(await readdir(join(root, 'docs')));
});

it('reads no variable of the environment when the client is imported', async () => {
  const read = JSON.parse(await run('client', 'environment.mjs')) as Record<string, string[]>;
  expect(read['by_batchgate']).toEqual([]);
  // Reads by other packages prove that reads are recorded.
  expect(read['by_others']).not.toEqual([]);
});

it('runs a worker with an own adapter, and a separate client confirms its batch', async () => {
  const { address } = testServer();
  const worker = spawn(process.execPath, ['embedding/worker.mjs', address, taskQueue], {
    cwd: project('worker'),
  });
  const lines = linesOf(worker);
  expect(await lines.next()).toBe('ready');
  try {
    expect(await ask('shelf', 'withdraw', { shelf: 'Travel' })).toMatchObject({
      state: 'awaiting_confirmation',
      total: 24,
      succeeded: 10,
    });
    // Google's client is not installed there, and the error names it.
    expect(await ask('gmail', 'archive', { query: 'in:inbox' })).toMatchObject({
      error: {
        code: 'NOT_CONFIGURED',
        message: 'The package @googleapis/gmail is not installed.',
        hint: expect.stringContaining(
          `npm install @googleapis/gmail@"${optional['@googleapis/gmail']}"`,
        ) as string,
      },
    });
  } finally {
    worker.kill('SIGTERM');
  }
  expect(await lines.next()).toBe('10 books withdrawn');
});

it('says in plain words that a demo needs an account there', async () => {
  const args = [join('node_modules', 'batchgate', manifest.bin.batchgate), 'demo'];
  const env = { PATH: process.env['PATH'], BATCHGATE_DATA_DIR: join(folder, 'data') };
  const demo = exec(process.execPath, args, { cwd: project('worker'), env });
  await expect(demo).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^NOT_CONFIGURED: The demo has no mailbox: .* only a clone .*\n.*login google/,
    ) as string,
  });
});

/** The lines that a process prints, one by one. An early end is an error with its stderr. */
function linesOf(child: ChildProcess): { next(): Promise<string> } {
  if (!child.stdout || !child.stderr) throw new Error('no streams');
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await lines.next();
      if (!done) return value;
      if (child.exitCode === null) await once(child, 'close');
      throw new Error(`it ended early: ${said}`);
    },
  };
}

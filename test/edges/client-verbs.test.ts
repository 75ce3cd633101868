import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inherited } from '../helpers/command-line';

const run = promisify(execFile);
const root = join(__dirname, '../..');
let folder: string;

/** A separate installation, with only what the bundle needs. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-client-verbs-'));
  await mkdir(join(folder, 'data'));
  for (const path of ['package.json', 'bin/batchgate.cjs', ...BUNDLE.map((name) => `dist/src/cli/${name}`)])
    await cp(join(root, path), join(folder, path));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const BUNDLE = ['client-verbs.bundle.js', 'client-verbs.json'];

/** Lists progress contracts, which needs no server, in a separate process. */
async function listContracts(): Promise<string> {
  const env = { ...inherited(), BATCHGATE_DATA_DIR: join(folder, 'data') };
  const program = join(folder, 'bin/batchgate.cjs');
  return (await run(process.execPath, [program, 'contract', 'list'], { env })).stdout;
}

const compiled = async () =>
  (await readdir(join(folder, 'dist/src/cli'))).filter((name) => !BUNDLE.includes(name));

it('keeps its compiled code for the next run, and compiles again what it cannot use', async () => {
  const first = await listContracts();
  expect(first).toMatch(/^contract/);
  const [kept = ''] = await compiled();
  expect(kept).toMatch(/^client-verbs\.\w+\.\d+\.cache$/);
  expect(await listContracts()).toBe(first);
  await writeFile(join(folder, 'dist/src/cli', kept), 'not compiled code');
  expect(await listContracts()).toBe(first);
  expect(await compiled()).toEqual([kept]);
});

it('runs even if it may not store its compiled code', async () => {
  const [kept = ''] = await compiled();
  await rm(join(folder, 'dist/src/cli', kept));
  await mkdir(join(folder, 'dist/src/cli', kept));
  expect(await listContracts()).toMatch(/^contract/);
});

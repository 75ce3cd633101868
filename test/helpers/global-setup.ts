import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { pino } from 'pino';
import { loadConfig } from '../../src/host/config';
import { ensureServer, type TemporalServer } from '../../src/host/temporal/start-server';
import { bundling } from '../../src/worker/bundling';
import { prepareEmbedded } from './embedded';
import { startProgramProcess } from './program-process';
import { startPostgres, type TestPostgres } from './postgres';
import { createStoreTemplate } from './store';

const ROOT = join(__dirname, '../..');
/** The product's own bundle, made by `npm run build`. */
const BUILT_BUNDLE = join(ROOT, 'dist/workflow-bundle.js');
const MEMORY = '/dev/shm';
const LAST_BUNDLE = join(ROOT, 'node_modules/.cache/workflow-bundle');

/** The data that the setup passes to the teardown; both run in Jest's own process. */
export type RunGlobals = typeof globalThis & {
  batchgateRun?: { server: TemporalServer; postgres: TestPostgres; host: ChildProcess; dataDir: string };
};

/** One Temporal server and one PostgreSQL for the run; their addresses are in BATCHGATE_TEST_TEMPORAL and _POSTGRES. */
export default async function globalSetup(): Promise<void> {
  // A run within a run, as for the mutations, uses the servers of the outer one.
  if (process.env['BATCHGATE_TEST_TEMPORAL']) return;
  const folder = await fastFolder();
  const dataDir = await mkdtemp(join(folder, 'batchgate-test-'));
  if (folder === MEMORY && (await runsPrograms())) await moveTemporaryFiles(dataDir);
  const cacheDir = loadConfig().cacheDir;
  const log = pino({ level: 'warn' });
  await prepareEmbedded();
  const server = await ensureServer({ dataDir, cacheDir, namespace: 'default', log });
  const postgres = await startPostgres();
  const programSocket = join(dataDir, 'program.sock');
  const host = await startProgramProcess(programSocket);
  process.env['BATCHGATE_TEST_PROGRAM'] = programSocket;
  (globalThis as RunGlobals).batchgateRun = { server, postgres, host, dataDir };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Jest runs no teardown for an interrupted run, and the server would outlive it.
    process.once(signal, () => {
      if (server.pid !== undefined) process.kill(server.pid);
      try {
        rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
      } finally {
        process.exit(1);
      }
    });
  }
  process.env['BATCHGATE_TEST_TEMPORAL'] = server.address;
  process.env['BATCHGATE_TEST_POSTGRES'] = String(postgres.port);
  await createStoreTemplate(postgres);
  process.env['BATCHGATE_TEST_BUNDLE'] = await bundleWorkflows(dataDir);
}

/**
 * The folder for all data of the run: in memory if the system has enough. Servers and embedded databases wait for their
 * disk at each commit, and other programs that fill the disk's queue could delay every test by up to a minute.
 */
async function fastFolder(): Promise<string> {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free >= 8 * 1024 ** 3 ? MEMORY : tmpdir();
}

/** Moves temporary files into the folder. PostgreSQL and Dovecot run as other users, so all may pass through it. */
async function moveTemporaryFiles(dataDir: string): Promise<void> {
  const place = join(dataDir, 'tmp');
  await mkdir(place);
  await chmod(dataDir, 0o711);
  await chmod(place, 0o1777);
  process.env['TMPDIR'] = place;
}

/** True if a test may start a program that it has written into a folder in memory. */
const runsPrograms = async (): Promise<boolean> =>
  !new RegExp(` ${MEMORY} .*\\bnoexec\\b`).test(await readFile('/proc/mounts', 'utf8'));

/** Provides a bundle of the current workflows. Bundling takes seconds, so the last one is used until a file changes. */
async function bundleWorkflows(dataDir: string): Promise<string> {
  const bundlePath = join(dataDir, 'workflow-bundle.js');
  const sources = await sourcesOfBundle();
  if (await isNewest(BUILT_BUNDLE, sources)) {
    await copyFile(BUILT_BUNDLE, bundlePath);
    return bundlePath;
  }
  const last = join(LAST_BUNDLE, `${await digestOf(sources)}.js`);
  try {
    await copyFile(last, bundlePath);
  } catch {
    const path = join(ROOT, 'workflows/index.ts');
    const { code } = await bundleWorkflowCode({ ...bundling(path), logger: new DefaultLogger('WARN') });
    await writeFile(bundlePath, code);
    await rm(LAST_BUNDLE, { recursive: true, force: true });
    await mkdir(LAST_BUNDLE, { recursive: true });
    await copyFile(bundlePath, `${last}.${process.pid}`);
    await rename(`${last}.${process.pid}`, last);
  }
  return bundlePath;
}

/** All files that a bundle can contain. */
async function sourcesOfBundle(): Promise<string[]> {
  const files = await Promise.all(
    ['src', 'workflows'].map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((name) => join(folder, name)),
    ),
  );
  return [...files.flat().filter((name) => name.endsWith('.ts')), 'package-lock.json'].sort();
}

async function isNewest(path: string, others: readonly string[]): Promise<boolean> {
  const changed = (name: string) => stat(name).then(({ mtimeMs }) => mtimeMs);
  const built = await changed(path).catch(() => 0);
  const times = await Promise.all(others.map((name) => changed(join(ROOT, name))));
  return times.every((time) => time < built);
}

async function digestOf(sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const name of sources) hash.update(`${name}\0`).update(await readFile(join(ROOT, name)));
  return hash.digest('hex');
}

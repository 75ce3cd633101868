import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { pino } from 'pino';
import { defaultCacheDir } from '../../src/temporal/find-server';
import { ensureServer } from '../../src/temporal/start-server';
import type { TemporalServer } from '../../src/temporal/start-server';
import { startPostgres, type TestPostgres } from './postgres';
import { createStoreTemplate } from './store';

/** What the setup hands to the teardown; both run in Jest's own process. */
export type RunGlobals = typeof globalThis & {
  batchgateRun?: { server: TemporalServer; postgres: TestPostgres; host: ChildProcess; dataDir: string };
};

/** One Temporal server and one PostgreSQL for the run; tests find them in BATCHGATE_TEST_TEMPORAL and _POSTGRES. */
export default async function globalSetup(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-test-'));
  const cacheDir = defaultCacheDir(process.env);
  const log = pino({ level: 'warn' });
  const server = await ensureServer({ dataDir, cacheDir, namespace: 'default', log });
  const postgres = await startPostgres();
  const host = await startProgramHost(join(dataDir, 'program.sock'));
  (globalThis as RunGlobals).batchgateRun = { server, postgres, host, dataDir };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Jest runs no teardown for an interrupted run, and the server is made to outlive its starter.
    process.once(signal, () => {
      if (server.pid !== undefined) process.kill(server.pid);
      process.exit(1);
    });
  }
  process.env['BATCHGATE_TEST_TEMPORAL'] = server.address;
  process.env['BATCHGATE_TEST_POSTGRES'] = String(postgres.port);
  await createStoreTemplate(postgres);
  process.env['BATCHGATE_TEST_BUNDLE'] = await bundleWorkflows(dataDir);
}

/** The built command line in one process, which tests find in BATCHGATE_TEST_PROGRAM. */
async function startProgramHost(socketPath: string): Promise<ChildProcess> {
  const host = fork(join(__dirname, 'program-host.ts'), [socketPath], { execArgv: ['--import', 'tsx'] });
  await Promise.race([
    once(host, 'message'),
    once(host, 'exit').then(() => Promise.reject(new Error('the program host did not start'))),
  ]);
  process.env['BATCHGATE_TEST_PROGRAM'] = socketPath;
  return host;
}

/** The workflows as they stand in the tree, bundled once for the run. */
async function bundleWorkflows(dataDir: string): Promise<string> {
  const workflowsPath = join(__dirname, '../../workflows/index.ts');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  const bundlePath = join(dataDir, 'workflow-bundle.js');
  await writeFile(bundlePath, code);
  return bundlePath;
}

import type { ChildProcess } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { pino } from 'pino';
import { defaultCacheDir } from '../../src/host/temporal/find-server';
import { ensureServer, type TemporalServer } from '../../src/host/temporal/start-server';
import { bundling } from '../../src/worker/bundling';
import { prepareEmbedded } from './embedded';
import { startProgramProcess } from './program-process';
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
  await prepareEmbedded();
  const server = await ensureServer({ dataDir, cacheDir, namespace: 'default', log });
  const postgres = await startPostgres();
  const programSocket = join(dataDir, 'program.sock');
  const host = await startProgramProcess(programSocket);
  process.env['BATCHGATE_TEST_PROGRAM'] = programSocket;
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

/** The workflows as they stand in the tree, bundled once for the run. */
async function bundleWorkflows(dataDir: string): Promise<string> {
  const path = join(__dirname, '../../workflows/index.ts');
  const { code } = await bundleWorkflowCode({ ...bundling(path), logger: new DefaultLogger('WARN') });
  const bundlePath = join(dataDir, 'workflow-bundle.js');
  await writeFile(bundlePath, code);
  return bundlePath;
}

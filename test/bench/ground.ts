import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection } from '@temporalio/worker';
import { loadConfig } from '../../src/host/config';
import type { MacroDependencies } from '../../activities/shared/dependencies';
import type { BulkAdapter } from '../../src/contract/adapter';
import { MAX_SLOTS } from '../../src/contract/sentinel';
import { settingsSchema } from '../../src/contract/settings';
import type { Databases } from '../../src/postgres/databases';
import { createRegistry } from '../../src/core/bulk/registry';
import { openStore, type Store } from '../../src/postgres/store/open';
import { ensureServer } from '../../src/host/temporal/start-server';
import { createBatchgateWorker } from '../../src/worker/create-worker';
import type { BatchgateWorker } from '../../src/worker/create-worker';

/** What all measurements share: one server and one database. */
export interface Ground {
  /** Whether to measure at the full sizes, however long that takes. */
  full: boolean;
  address: string;
  /** Milliseconds of processor time that this process and the server have used. */
  cpu: () => number;
  client: Client;
  connection: NativeConnection;
  store: Store;
}

/** Sets up the ground in a temporary folder, and tears it down when the work has ended. */
export async function onGround(full: boolean, work: (ground: Ground) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-bench-'));
  const undo: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  try {
    const { cacheDir } = loadConfig();
    const log = { info: () => undefined };
    const server = await ensureServer({ dataDir, cacheDir, namespace: 'default', log });
    undo.push(() => server.stop());
    const store = await openStore({ dataDir });
    undo.push(() => store.close());
    const connection = await NativeConnection.connect({ address: server.address });
    undo.push(() => connection.close());
    const clientConnection = await Connection.connect({ address: server.address });
    undo.push(() => clientConnection.close());
    const { address, pid } = server;
    const cpu = () => ownCpu() + (pid === undefined ? 0 : cpuOf(pid));
    await work({
      full,
      address,
      cpu,
      client: new Client({ connection: clientConnection }),
      connection,
      store,
    });
  } catch (error) {
    // Printed at once, because calls that are still retried during the teardown may end this process.
    console.error(error);
    process.exitCode = 1;
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Processor time of another process, on systems that report it (Linux: proc(5), in ticks of 10 ms). */
function cpuOf(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const [, fields = ''] = readFileSync(file, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

/** Runs the product's own worker, and returns the function that stops it. */
export async function productWorker(
  { connection, store }: Ground,
  taskQueue: string,
  adapters: BulkAdapter[],
  macros?: Partial<MacroDependencies>,
  databases?: Databases,
): Promise<() => Promise<void>> {
  const worker = await createBatchgateWorker({
    connection,
    namespace: 'default',
    taskQueue,
    workflowBundle: PRODUCT_BUNDLE,
    databases,
    dependencies: {
      adapters: createRegistry(adapters),
      ledger: store.ledger,
      hygiene: store.hygiene,
      scratchpad: store.scratchpad,
      profiles: store.profiles,
      settings: settingsSchema.parse({ max_active_jobs: MAX_SLOTS, max_total_items: 26_000 }),
      log: { info: () => undefined, warn: () => undefined },
      ...(macros && { macros }),
    },
  });
  return running(worker);
}

/** Runs a worker, and returns the function that stops it. */
export function running(worker: BatchgateWorker): () => Promise<void> {
  const ended = worker.run();
  return async () => {
    worker.shutdown();
    await ended;
  };
}

/** The workflows as users run them: the bundle that the build makes. */
export const PRODUCT_BUNDLE = { codePath: join(__dirname, '../../dist/workflow-bundle.js') };

export function bundle(path: string): ReturnType<typeof bundleWorkflowCode> {
  return bundleWorkflowCode({ workflowsPath: require.resolve(path), logger: new DefaultLogger('WARN') });
}

export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

import { readFileSync } from 'node:fs';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { settingsSchema } from '../../src/contract/settings';
import { createRegistry } from '../../src/core/bulk/registry';
import { createDatabases } from '../../src/postgres/databases';
import { openStore } from '../../src/postgres/store/open';
import { connectWorker } from '../../src/host/temporal/worker-connection';
import { createBatchgateWorker } from '../../src/worker/create-worker';
import { createRowSource } from '../../src/worker/macros';
import { DATABASES, LIMITS, MODEL } from './model-run';
import { FUZZ_TOOLS } from './tools';

export interface FuzzWorkerOptions {
  address: string;
  taskQueue: string;
  bundlePath: string;
  resourcesDir: string;
  /** The addresses of the worker's store, and of the databases of macros by name. */
  storeUrl: string;
  databaseUrls: Record<string, string>;
}

/** The product's worker with the fuzzer's tools. It prints `ready` once it polls, and ends with its parent. */
async function main(options: FuzzWorkerOptions): Promise<void> {
  process.stdin.once('close', () => process.exit()).resume();
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const { address, taskQueue, bundlePath, resourcesDir, storeUrl, databaseUrls } = options;
  const store = await openStore({ dataDir: resourcesDir, databaseUrl: storeUrl });
  const named = Object.entries(databaseUrls).map(([name, url]) => [name, { url }] as const);
  const databases = createDatabases({ databases: Object.fromEntries(named), folder: resourcesDir }, {});
  const worker = await createBatchgateWorker({
    connection: await connectWorker({ address }, 30_000),
    namespace: 'default',
    taskQueue,
    workflowBundle: { code: readFileSync(bundlePath, 'utf8') },
    databases,
    tools: FUZZ_TOOLS,
    dependencies: {
      adapters: createRegistry([]),
      ...{
        ledger: store.ledger,
        hygiene: store.hygiene,
        scratchpad: store.scratchpad,
        profiles: store.profiles,
      },
      settings: settingsSchema.parse({ max_active_jobs: 1_000, tool_timeout_ms: 30_000 }),
      log: { info: () => undefined, warn: () => undefined },
      macros: {
        resourcesDir,
        model: MODEL,
        limits: () => Promise.resolve(LIMITS),
        databases: createRowSource(databases, DATABASES),
      },
    },
  });
  console.log('ready');
  await worker.run();
}

if (require.main === module) {
  main(JSON.parse(process.argv[2] ?? '{}') as FuzzWorkerOptions).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}

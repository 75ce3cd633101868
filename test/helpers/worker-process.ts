import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { z } from 'zod';
import type { BulkItem, BulkResult } from '../../src/contract/items';
import type { Claim, Ledger } from '../../src/contract/ledger';
import { settingsSchema, type Settings } from '../../src/contract/settings';
import { defineTool, type ToolDefinition } from '../../src/contract/tools';
import { createRegistry } from '../../src/core/bulk/registry';
import { policiesSchema } from '../../src/core/policy/rules';
import { openStore } from '../../src/postgres/store/open';
import { connectWorker } from '../../src/host/temporal/worker-connection';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { createDatabases } from '../../src/postgres/databases';
import { createBatchgateWorker } from '../../src/worker/create-worker';
import { createRowSource } from '../../src/worker/macros';
import type { BulkAdapter, CallLimits } from '../../src/contract/adapter';
import { NO_MARK, type Moment } from './touch-target';

/** The settings of a worker process, as JSON in its argument. */
export interface WorkerProcessOptions {
  address: string;
  taskQueue: string;
  bundlePath: string;
  dataDir: string;
  databaseUrl?: string;
  targetUrl: string;
  settings: Partial<Settings>;
  shutdownForceMs?: number;
  policies?: z.input<typeof policiesSchema>;
  /** The addresses of databases for macros, by name. */
  databases?: Record<string, string>;
  /** The folder of the files that macros fetch. */
  resourcesDir?: string;
  /** The memory limit of each of its threads for objects. */
  memoryMb?: number;
}

/** The id of an operation's item: the ledger uses places, the target ids. */
export const itemId = (operationId: string, index: number): string => `${operationId}~${index}`;

/**
 * Waits for a line of input before it opens anything, and prints `ready` once it polls. Then it prints one line for
 * each start and each end of a batch, after the operation's id. It ends when its test ends for any reason.
 */
async function main(options: WorkerProcessOptions): Promise<void> {
  process.stdin.once('close', () => process.exit());
  await once(process.stdin, 'data');
  Runtime.install({
    logger: new DefaultLogger('DEBUG', ({ message, meta }) => {
      const { workflowId, activityType, error } = (meta ?? {}) as Record<string, unknown>;
      if (activityType !== 'runBatch') return;
      const reason = error instanceof Error ? error.message : '';
      console.log(`${String(workflowId)} ${message}: ${reason}`.replaceAll('\n', ' '));
    }),
  });
  const { address, taskQueue, bundlePath, dataDir, databaseUrl, targetUrl, resourcesDir } = options;
  const store = await openStore({ dataDir, databaseUrl });
  const connection = await connectWorker({ address }, 30_000);
  const configs = Object.entries(options.databases ?? {}).map(([name, url]) => [name, { url }] as const);
  const databases = createDatabases({ databases: Object.fromEntries(configs), folder: dataDir }, {});
  const worker = await createBatchgateWorker({
    connection,
    namespace: 'default',
    taskQueue,
    workflowBundle: { code: readFileSync(bundlePath, 'utf8') },
    databases,
    shutdownForceMs: options.shutdownForceMs,
    tools: [macroTool(targetUrl, 'touch_again', true), macroTool(targetUrl, 'touch_once', false)],
    dependencies: {
      adapters: createRegistry([
        tool(targetUrl, 'idempotent'),
        tool(targetUrl, 'blind'),
        markingTool(targetUrl),
        stuckTool(),
      ]),
      ledger: speaking(store.ledger, targetUrl),
      hygiene: store.hygiene,
      scratchpad: store.scratchpad,
      profiles: store.profiles,
      policies: policiesSchema.parse(options.policies ?? []),
      settings: settingsSchema.parse({ max_active_jobs: 1_000, ...options.settings }),
      log: { info: () => undefined, warn: () => undefined },
      macros: { resourcesDir, databases: createRowSource(databases, Object.keys(options.databases ?? {})) },
    },
  });
  const running = worker.run();
  console.log('ready');
  await running;
  await store.close();
  process.exit();
}

/** The tool of the target. The kind `blind` cannot read the outcome of an item. */
function tool(targetUrl: string, kind: 'idempotent' | 'blind') {
  return createFakeAdapter({
    toolName: kind,
    items: () => [],
    apply: (item, limits) => touch(targetUrl, item, limits),
    ...(kind === 'idempotent' && {
      readBack: async ({ id }: BulkItem) => {
        const answer = await fetch(`${targetUrl}/items/${encodeURIComponent(id)}`);
        const { applied } = (await answer.json()) as { applied: boolean };
        return applied ? 'applied' : 'not_applied';
      },
    }),
  });
}

/** A tool of the target that marks items, and removes marks again. */
function markingTool(targetUrl: string) {
  const url = (path: string, id: string) => `${targetUrl}/${path}/${encodeURIComponent(id)}`;
  const set = async (id: string, mark: string) => {
    const { ok, status } = await fetch(url(`marks/${mark}`, id), { method: 'POST' });
    if (!ok) throw new Error(`status ${status}`);
  };
  return createFakeAdapter({
    toolName: 'marked',
    items: () => [],
    apply: () => Promise.resolve(),
    marks: {
      get: async (id) => ((await (await fetch(url('items', id))).json()) as { mark?: string }).mark,
      set,
      delete: (id) => set(id, NO_MARK),
    },
  });
}

/** A tool that ignores its deadline and never answers; it prints `stuck`. */
function stuckTool(): BulkAdapter {
  const prepare = () => {
    console.log('stuck');
    return new Promise<never>(() => undefined);
  };
  return { ...createFakeAdapter({ toolName: 'stuck', items: () => [], apply: prepare }), prepare };
}

async function touch(targetUrl: string, { id }: BulkItem, { signal }: CallLimits): Promise<BulkResult> {
  try {
    const path = `${targetUrl}/items/${encodeURIComponent(id)}`;
    const { ok, status } = await fetch(path, { method: 'POST', signal });
    return { item_id: id, success: ok, ...(!ok && { error: `status ${status}` }) };
  } catch (error) {
    return { item_id: id, success: false, error: String(error), outcome_unknown: true };
  }
}

/** A tool of macros that changes one item per call, named by the tool and the call's idempotency key. */
function macroTool(targetUrl: string, name: string, idempotent: boolean): ToolDefinition {
  return defineTool({
    ...{ name, description: 'Touches an item', category: 'test', args: z.strictObject({}) },
    ...{ read_only: false, idempotent, transactional: false },
    async handler(_, { idempotency_key, signal }) {
      const item = `${name}~${idempotency_key}`;
      const answer = await fetch(`${targetUrl}/items/${encodeURIComponent(item)}`, {
        method: 'POST',
        signal,
      });
      return await answer.json();
    },
  });
}

/** The ledger with a report of its moments to the target, which may hold this process there. */
function speaking(ledger: Ledger, targetUrl: string): Ledger {
  const say = async (moment: Moment, { operation_id }: Pick<Claim, 'operation_id'>, index = 0) => {
    const id = encodeURIComponent(itemId(operation_id, index));
    await fetch(`${targetUrl}/moments/${moment}/${id}`, { method: 'POST' });
  };
  return {
    ...ledger,
    async recordPlan(operation, items) {
      await say('planning', operation);
      return ledger.recordPlan(operation, items);
    },
    async stagePlan(plan) {
      await say('replanning', plan);
      await ledger.stagePlan(plan);
      await say('replanned', plan);
    },
    async adoptPlan(adoption) {
      await say('adopting', adoption);
      await ledger.adoptPlan(adoption);
      await say('adopted', adoption);
    },
    async claim(claim, batch) {
      await say('claiming', claim, batch.items[0]?.index);
      const isOpen = await ledger.claim(claim, batch);
      if (isOpen) await say('intended', claim, batch.items[0]?.index);
      return isOpen;
    },
    async intend(claim, items, deadline) {
      const isOpen = await ledger.intend(claim, items, deadline);
      if (isOpen) await say('intended', claim, items[0]?.index);
      return isOpen;
    },
    async record(claim, results) {
      await say('answered', claim, results[0]?.index);
      const isHeld = await ledger.record(claim, results);
      if (isHeld) await say('recorded', claim, results[0]?.index);
      return isHeld;
    },
    async fence(claim, skipped, part) {
      const rows = await ledger.fence(claim, skipped, part);
      await say('fenced', claim);
      return rows;
    },
  };
}

if (require.main === module) {
  main(JSON.parse(process.argv[2] ?? '{}') as WorkerProcessOptions).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}

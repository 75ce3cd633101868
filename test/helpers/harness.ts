import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { z } from 'zod';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm';
import type { ChatModel } from '../../activities/assistant/model';
import type { MacroDependencies } from '../../activities/shared/dependencies';
import type { ActivityLog } from '../../activities/shared/dependencies';
import type { AuditKeys } from '../../src/contract/audit';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { DeadlineRule } from '../../src/contract/settings';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkItem } from '../../src/contract/items';
import type { ToolDefinition } from '../../src/contract/tools';
import type { Databases } from '../../src/postgres/databases';
import type { Ledger } from '../../src/contract/ledger';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { settingsSchema, type Settings } from '../../src/contract/settings';
import { getBulkStatus, startBulkOperation } from '../../src/client';
import { createRegistry } from '../../src/core/bulk/registry';
import type { Windows } from '../../src/core/bulk/windows';
import { policiesSchema } from '../../src/core/policy/rules';
import { connectClient } from '../../src/host/temporal/connection';
import type { Store } from '../../src/postgres/store/open';
import { createFakeAdapter, type FakeAdapterOptions } from '../../src/testing/fake-adapter';
import { createBatchgateWorker } from '../../src/worker/create-worker';
import type { WebhookOptions } from '../../src/worker/create-worker';
import type { BatchgateWorker } from '../../src/worker/create-worker';
import { auditorOf, newAuditKey } from './audit';
import { openTestStore } from './store';
import { shareWorkflowThreads } from './workflow-threads';

/** The addresses of the run's Temporal server and workflow bundle (global-setup.ts). */
export function testServer(): { address: string; bundlePath: string } {
  const address = process.env['BATCHGATE_TEST_TEMPORAL'];
  const bundlePath = process.env['BATCHGATE_TEST_BUNDLE'];
  if (!address || !bundlePath) throw new Error('run through jest: the global setup starts the server');
  return { address, bundlePath };
}

export interface Harness {
  client: Client;
  store: Store;
  taskQueue: string;
  adapters: readonly BulkAdapter[];
  /** Starts an operation on this harness's queue. */
  start(input: Partial<BulkOperationInput>, id?: string): Promise<BulkStatus>;
  status(id: string): Promise<BulkStatus>;
  /** Starts a new worker, with another ledger or other webhooks if they are set. */
  restartWorker(ledger?: Ledger, webhooks?: WebhookOptions): Promise<void>;
  stopWorker(): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  adapters: BulkAdapter[];
  /** By default a new, empty store. */
  store?: Store;
  settings?: Partial<Settings>;
  macros?: Partial<MacroDependencies>;
  chatModel?: ChatModel;
  /** Secrets that must be in no prompt and no error. */
  secrets?: string[];
  /** The databases whose transactions may span steps. */
  databases?: Databases;
  /** The log of the worker's activities; by default it is dropped. */
  log?: ActivityLog;
  tools?: ToolDefinition[];
  webhooks?: WebhookOptions;
  deadlines?: DeadlineRule[];
  windows?: Windows;
  policies?: z.input<typeof policiesSchema>;
  dataConverter?: DataConverter;
  /** By default a separate queue. */
  taskQueue?: string;
  /** The keys that sign the audit record; by default new ones. */
  auditKeys?: AuditKeys;
  /** A server other than the run's own, such as the time-skipping one. */
  connect?: { client: Client; connection: NativeConnection };
}

// Once per process; the SDK logs much at its default level.
Runtime.install({ logger: new DefaultLogger('ERROR') });
shareWorkflowThreads(ThreadedVMWorkflowCreator);

const silentLog = { info: () => undefined, warn: () => undefined };

/** A worker with an in-memory store on a separate queue, and a client for it. */
export async function startHarness(options: HarnessOptions): Promise<Harness> {
  const { address, bundlePath } = testServer();
  const { taskQueue = `test-${randomUUID()}` } = options;
  const store = options.store ?? (await openTestStore());
  const owned = options.connect ? undefined : await connectClient({ address });
  const native = options.connect?.connection ?? (await NativeConnection.connect({ address }));
  const client =
    options.connect?.client ?? new Client({ connection: owned, dataConverter: options.dataConverter });
  // Tests leave many operations open; only tests of the limit set a lower one. This process also compiles and runs the
  // tests, and may be busy for longer than any worker.
  const settings = settingsSchema.parse({
    max_active_jobs: 1_000,
    heartbeat_timeout_ms: 10_000,
    ...options.settings,
  });
  let running: { worker: BatchgateWorker; ended: Promise<void> } | undefined;
  const auditKeys = options.auditKeys ?? { current: newAuditKey() };
  const startWorker = async (ledger = store.ledger, webhooks = options.webhooks) => {
    const worker = await createBatchgateWorker({
      connection: native,
      namespace: 'default',
      taskQueue,
      dataConverter: options.dataConverter,
      databases: options.databases,
      tools: options.tools,
      webhooks,
      ...(options.secrets && { secrets: () => Promise.resolve(options.secrets ?? []) }),
      workflowBundle: { code: readFileSync(bundlePath, 'utf8') },
      dependencies: {
        adapters: createRegistry(options.adapters),
        ledger,
        hygiene: store.hygiene,
        scratchpad: store.scratchpad,
        profiles: store.profiles,
        access: store.access,
        publicKey: (await store.access.signingKey()).public_key,
        audit: auditorOf(store, auditKeys),
        settings,
        deadlines: options.deadlines,
        windows: options.windows,
        policies: options.policies && policiesSchema.parse(options.policies),
        log: options.log ?? silentLog,
        ...(options.macros && { macros: options.macros }),
        ...(options.chatModel && { chatModel: options.chatModel }),
      },
    });
    running = { worker, ended: worker.run() };
  };
  const stopWorker = async () => {
    running?.worker.shutdown();
    await running?.ended;
    running = undefined;
  };
  await startWorker();
  return {
    client,
    store,
    taskQueue,
    adapters: options.adapters,
    start: (input, id) =>
      startBulkOperation(
        client,
        { domain: 'fake', action: 'mark', params: { group: 'all' }, ...input },
        { task_queue: taskQueue, ...(id !== undefined && { operation_id: id }) },
      ),
    status: (id) => getBulkStatus(client, id),
    restartWorker: async (ledger, webhooks) => {
      await stopWorker();
      await startWorker(ledger, webhooks);
    },
    stopWorker,
    close: async () => {
      await stopWorker();
      await store.close();
      await owned?.close();
      if (!options.connect) await native.close();
    },
  };
}

/** Items `item-001` to `item-NNN`. */
export function manyItems(count: number): BulkItem[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `item-${String(at + 1).padStart(3, '0')}`;
    return { id, display_name: `Item ${at + 1}` };
  });
}

/** A fake tool that counts the changes of each item. */
export function countingTool(
  count: number,
  options: Partial<FakeAdapterOptions> = {},
): { adapter: BulkAdapter; touched: Map<string, number>; items: BulkItem[] } {
  const items = manyItems(count);
  const touched = new Map<string, number>();
  const adapter = createFakeAdapter({
    items: () => items,
    apply: (item) => {
      touched.set(item.id, (touched.get(item.id) ?? 0) + 1);
      return Promise.resolve();
    },
    readBack: (item) => Promise.resolve(touched.has(item.id) ? 'applied' : 'not_applied'),
    ...options,
  });
  return { adapter, touched, items };
}

/** The code of the error with which a promise rejects. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof BatchgateError) return error.code;
    throw error;
  }
  return 'no error';
}

/** Called in a tool's item: resolves once the item's batch is asked to stop. */
export async function stopHeard(): Promise<void> {
  await Context.current().cancelled.catch(() => undefined);
}

/** A promise that the test settles, to hold an item during its change. */
export function gateway(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

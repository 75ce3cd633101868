import { resolve } from 'node:path';
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { BulkAdapter } from '../contract/adapter';
import { TASK_QUEUE } from '../contract/messages';
import { settingsSchema, type Settings } from '../contract/settings';
import { createRegistry } from '../core/bulk/registry';
import { ensureHygieneSchedule } from '../host/temporal/hygiene-schedule';
import { ensureSearchAttributes } from '../host/temporal/search-attributes';
import { openStore, type Store } from '../postgres/store/open';
import { createBatchgateWorker, type CreateWorkerOptions } from './create-worker';
import { runRestarting } from './worker-restarts';

/** Receives structured entries, as pino does: fields first, then the message. */
export interface WorkerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface StartWorkerOptions extends Pick<
  CreateWorkerOptions,
  'databases' | 'dataConverter' | 'secrets' | 'tools' | 'webhooks' | 'workflowBundle'
> {
  connection: NativeConnection;
  adapters: readonly BulkAdapter[];
  /** An open store, which the caller closes. By default an embedded one in `.batchgate/store`, for this process alone. */
  store?: Store;
  /** Default `default`. */
  namespace?: string;
  /** Default `batchgate`. */
  taskQueue?: string;
  settings?: Partial<Settings>;
  /** By default, warnings and errors go to stderr. */
  log?: WorkerLog;
}

export interface EmbeddedWorker {
  /** Settles when the worker has ended and its own store is closed. Rejects with the error of a worker that died. */
  ended: Promise<void>;
  /** Ends the worker once its running activities have ended. */
  stop(): Promise<void>;
}

const DATA_DIR = '.batchgate';
const QUIET_LOG: WorkerLog = {
  info: () => undefined,
  warn: (fields, message) => console.warn(message, fields),
  error: (fields, message) => console.error(message, fields),
};

export async function startWorker(options: StartWorkerOptions): Promise<EmbeddedWorker> {
  const { connection, adapters, namespace = 'default', taskQueue = TASK_QUEUE, log = QUIET_LOG } = options;
  const registry = createRegistry(adapters);
  const settings = settingsSchema.parse(options.settings ?? {});
  await ensureSearchAttributes(connection, namespace);
  const client = new Client({ connection, namespace, dataConverter: options.dataConverter });
  await scheduleHygiene(client, taskQueue, log);
  const store = options.store ?? (await openStore({ dataDir: resolve(DATA_DIR) }));
  const close = () => (options.store ? Promise.resolve() : store.close());
  try {
    const dependencies = { ...(await partsOf(store)), adapters: registry, settings, log };
    const worker = await runRestarting(
      () => createBatchgateWorker({ ...options, namespace, taskQueue, dependencies }),
      log,
    );
    return { ended: worker.ended.finally(close), stop: () => worker.stop().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The parts of a store that activities need. */
export async function partsOf({ ledger, hygiene, scratchpad, profiles, access }: Store) {
  return { ledger, hygiene, scratchpad, profiles, access, publicKey: (await access.signingKey()).public_key };
}

/** Everything else works without it. */
export async function scheduleHygiene(
  client: Client,
  taskQueue: string,
  log: Pick<WorkerLog, 'warn'>,
): Promise<void> {
  const refused = await ensureHygieneSchedule(client, taskQueue);
  if (refused !== undefined) log.warn({ reason: refused }, 'hygiene is not scheduled: idle data is kept');
}

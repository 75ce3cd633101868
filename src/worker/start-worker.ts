import { resolve } from 'node:path';
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import type { z } from 'zod';
import { createSqlAdapter } from '../../activities/adapters/sql';
import type { BulkAdapter } from '../contract/adapter';
import { parseInput } from '../contract/errors';
import { TASK_QUEUE } from '../contract/messages';
import { settingsSchema, type Settings } from '../contract/settings';
import type { ToolDefinition } from '../contract/tools';
import { createRegistry } from '../core/bulk/registry';
import { refuseUnknownDomains, windowsSchema } from '../core/bulk/windows';
import { refuseMistakes } from '../core/policy/mistakes';
import { policiesSchema } from '../core/policy/rules';
import { readAuditKeys, type AuditKeyPlace } from '../host/audit-key';
import { ensureHygieneSchedule } from '../host/temporal/hygiene-schedule';
import { ensureSearchAttributes } from '../host/temporal/search-attributes';
import { openStore, type Store } from '../postgres/store/open';
import { createDatabases, type Databases } from '../postgres/databases';
import { startAuditor } from './audit';
import { createBatchgateWorker } from './create-worker';
import { runRestarting } from './worker-restarts';

type WorkerLog = NonNullable<Parameters<typeof startEmbeddedWorker>[0]['log']>;

const DATA_DIR = '.batchgate';
const QUIET_LOG: WorkerLog = {
  info: () => undefined,
  warn: (fields, message) => console.warn(message, fields),
  error: (fields, message) => console.error(message, fields),
};

/** `startWorker` of the package (src/batchgate.ts). */
export async function startEmbeddedWorker({
  databases: addresses,
  audit: ownKey,
  ...options
}: {
  connection: NativeConnection;
  adapters: readonly BulkAdapter[];
  /**
   * The store of plans, results and reports. Default: an embedded one in the folder `.batchgate`, for one process.
   * `databaseUrl`: a PostgreSQL database, which several workers share.
   */
  store?: { dataDir?: string; databaseUrl?: string };
  /** Default `default`. */
  namespace?: string;
  /** Default `batchgate`. */
  taskQueue?: string;
  /** Limits and timeouts; the defaults are those of the command line. */
  settings?: Partial<z.infer<typeof settingsSchema>>;
  /** Tools for macros and agents, in addition to the built-in ones. */
  tools?: readonly ToolDefinition[];
  /** PostgreSQL databases, or folders, by name: for the adapter `sql`, which is added, and for macros. */
  databases?: Readonly<Record<string, { url: string }>>;
  /** The windows in which batches may begin, by adapter. Default: at any time. */
  windows?: z.infer<typeof windowsSchema>;
  /** Requirements of operations besides a confirmation, and reasons to refuse them, in order. Default: none. */
  policies?: z.input<typeof policiesSchema>;
  /** The Ed25519 key of the audit record, as PEM: one for all workers of a store. Default: that of the data folder. */
  audit?: { key: string; previousKey?: string };
  /** Returns values to remove from tool errors, results for agents and prompts. */
  secrets?: () => Promise<readonly string[]>;
  /** The data converter of your Temporal client. */
  dataConverter?: DataConverter;
  /** Default: the workflow bundle of this package. */
  workflowBundle?: WorkerOptions['workflowBundle'];
  /**
   * Receives structured entries, as pino does: fields first, then the message. Default: warnings and errors go to
   * stderr.
   */
  log?: Readonly<Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>>;
}): Promise<{
  /** Settles when the worker has ended and its store is closed. Rejects with the error of a worker that died. */
  ended: Promise<void>;
  /** Ends the worker once its running activities have ended. */
  stop(): Promise<void>;
}> {
  const { connection, namespace = 'default', taskQueue = TASK_QUEUE, log = QUIET_LOG } = options;
  const settings = parseInput(settingsSchema, options.settings ?? {}, 'The settings of the worker');
  const databases = addresses && createDatabases({ databases: addresses, folder: process.cwd() }, {});
  const registry = createRegistry(withSql(options.adapters, databases, settings));
  const windows = options.windows && parseInput(windowsSchema, options.windows, 'The windows of the worker');
  if (windows) refuseUnknownDomains(windows, registry);
  const policies =
    options.policies && parseInput(policiesSchema, options.policies, 'The policies of the worker');
  const identities = { signIn: options.store?.databaseUrl !== undefined };
  if (policies) refuseMistakes(policies, identities);
  const place = await placeOf(options.store, ownKey);
  await ensureSearchAttributes(connection, namespace);
  const client = new Client({ connection, namespace, dataConverter: options.dataConverter });
  await scheduleHygiene(client, taskQueue, log);
  const store = await openStore(place);
  const audit = startAuditor(store.audit, place, log);
  const close = async () => {
    await audit.stop();
    await databases?.close();
    await store.close();
  };
  try {
    const dependencies = {
      ...(await partsOf(store)),
      ...{ adapters: registry, audit, settings, windows, policies, identities, log },
    };
    const worker = await runRestarting(
      () => createBatchgateWorker({ ...options, namespace, taskQueue, databases, dependencies }),
      log,
    );
    return { ended: worker.ended.finally(close), stop: () => worker.stop().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The place of the store, and of the key that signs its audit record.
 * @throws BatchgateError `NOT_CONFIGURED` if the given text is no such key.
 */
async function placeOf(
  store: { dataDir?: string; databaseUrl?: string } = {},
  given?: { key: string; previousKey?: string },
): Promise<AuditKeyPlace & { databaseUrl?: string }> {
  const place = { dataDir: resolve(DATA_DIR), ...store };
  if (!given) return place;
  const { key, previousKey } = given;
  const audit = {
    key: { env: 'key' },
    ...(previousKey !== undefined && { previous_key: { env: 'previousKey' } }),
    retention_days: {},
  };
  const whole = { ...place, file: { audit, folder: '.' }, env: { key, previousKey } };
  await readAuditKeys(whole);
  return whole;
}

/** Adds `sql` over the databases to the adapters, unless one has that name. */
function withSql(
  adapters: readonly BulkAdapter[],
  databases: Databases | undefined,
  { item_concurrency: concurrency }: Settings,
): readonly BulkAdapter[] {
  const isThere = adapters.some(({ toolName }) => toolName === 'sql');
  return databases && !isThere ? [...adapters, createSqlAdapter({ databases, concurrency })] : adapters;
}

/** Returns the parts of a store that activities need. */
export async function partsOf({ ledger, hygiene, scratchpad, profiles, access }: Store) {
  return { ledger, hygiene, scratchpad, profiles, access, publicKey: (await access.signingKey()).public_key };
}

/** Creates the schedule of hygiene. A failure is not fatal: everything else works without it. */
export async function scheduleHygiene(
  client: Client,
  taskQueue: string,
  log: Pick<WorkerLog, 'warn'>,
): Promise<void> {
  const refused = await ensureHygieneSchedule(client, taskQueue);
  if (refused !== undefined) log.warn({ reason: refused }, 'hygiene is not scheduled: idle data is kept');
}

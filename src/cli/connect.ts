import { Client, type Connection } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import { loadDataConverter } from '../host/data-converter';
import type { Config } from '../host/config';
import { findRuntime, type Runtime } from '../host/runtime-file';
import {
  connectionOptions,
  reachServer,
  type Target,
  type TemporalConfig,
} from '../host/temporal/connection';
import { rememberQueue, signalActivity } from '../client';
import { readConfig } from './io';
import { sayActivity } from './operation/shown-gate';

/** A running server answers at once; a person should not wait long to learn that there is none. */
const CONNECT_MS = 4_000;

interface Server {
  target: Target;
  /** Temporal's own configuration. */
  configured: TemporalConfig;
  /** The `up` that runs on this machine, if no address is configured. */
  runtime: Runtime | undefined;
}

/**
 * The configured server, or that of the `up` that runs on this machine.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE` with this message and hint if there is neither.
 */
export async function findServer(config: Config, message: string, hint: string): Promise<Server> {
  const configured = connectionOptions(config.env);
  const runtime = configured.address === undefined ? await findRuntime(config.dataDir) : undefined;
  const address = configured.address ?? runtime?.temporal_address;
  if (address === undefined) throw new BatchgateError('TEMPORAL_UNAVAILABLE', message, hint);
  return { target: { address, options: configured.options }, configured, runtime };
}

/** A client of that server, in the namespace of its workers and with their codec. It closes with its connection. */
export async function openClient(
  config: Config,
  { target, configured, runtime }: Server,
  connect: (target: Target) => Promise<Connection> = (to) => reachServer(to, CONNECT_MS),
): Promise<Client> {
  const connection = await connect(target);
  try {
    const namespace = runtime?.namespace ?? configured.namespace;
    const dataConverter = await loadDataConverter(config.payloadCodecPath);
    const client = new Client({ connection, namespace, dataConverter });
    rememberQueue(client, config.taskQueue);
    return client;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * Runs `work` with a client of the configured server, or of the `up` that runs on this machine, and the task queue of
 * its workers. `isActivity`: using this verb holds hygiene off.
 */
export async function withClient<T>(
  work: (client: Client, taskQueue: string) => Promise<T>,
  { isActivity = true }: { isActivity?: boolean } = {},
): Promise<T> {
  const config = readConfig();
  const server = await findServer(
    config,
    `No Temporal server is configured, and no \`batchgate up\` runs over ${config.dataDir}.`,
    'Run `npx batchgate up` in another terminal, or set TEMPORAL_ADDRESS.',
  );
  const client = await openClient(config, server);
  try {
    const { taskQueue } = config;
    // Using a verb is activity (specification S4).
    const activity = isActivity ? sayActivity(() => signalActivity(client, undefined, taskQueue)) : undefined;
    try {
      return await work(client, taskQueue);
    } finally {
      await activity;
    }
  } finally {
    await client.connection.close();
  }
}

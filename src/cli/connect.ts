import { Client } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import { loadDataConverter } from '../host/data-converter';
import { findRuntime } from '../host/runtime-file';
import { connectionOptions, reachServer } from '../host/temporal/connection';
import { signalActivity } from '../client';
import { readConfig } from './io';
import { sayActivity } from './operation/shown-gate';

/** A running server answers at once; a person should not wait long to learn that there is none. */
const CONNECT_MS = 4_000;

/**
 * Work with a client of the configured server, or of the `up` that runs on this machine, and the task queue of its
 * workers. `isActivity`: hygiene stays away, because somebody uses this verb.
 */
export async function withClient<T>(
  work: (client: Client, taskQueue: string) => Promise<T>,
  { isActivity = true }: { isActivity?: boolean } = {},
): Promise<T> {
  const config = readConfig();
  const configured = connectionOptions(config.env);
  const runtime = configured.address === undefined ? await findRuntime(config.dataDir) : undefined;
  const address = configured.address ?? runtime?.temporal_address;
  if (address === undefined) {
    throw new BatchgateError(
      'TEMPORAL_UNAVAILABLE',
      `No Temporal server is configured, and no \`batchgate up\` runs over ${config.dataDir}.`,
      'Run `npx batchgate up` in another terminal, or set TEMPORAL_ADDRESS.',
    );
  }
  const connection = await reachServer({ address, options: configured.options }, CONNECT_MS);
  try {
    const namespace = runtime?.namespace ?? configured.namespace;
    const dataConverter = await loadDataConverter(config.payloadCodecPath);
    const client = new Client({ connection, namespace, dataConverter });
    const { taskQueue } = config;
    // Seed 002, interaction cooldown: whoever uses a verb is here.
    const said = isActivity ? sayActivity(() => signalActivity(client, undefined, taskQueue)) : undefined;
    try {
      return await work(client, taskQueue);
    } finally {
      await said;
    }
  } finally {
    await connection.close();
  }
}

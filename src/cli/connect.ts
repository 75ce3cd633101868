import { Client } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import { loadDataConverter } from '../data-converter';
import { findRuntime } from '../runtime-file';
import { connectionOptions, reachServer } from '../temporal/connection';
import { readConfig } from './io';

/** A server that is there answers at once; a person should not wait longer to hear that none is. */
const CONNECT_MS = 4_000;

/**
 * Work with a client of the configured server, or of the `up` that runs on this machine, and the task queue of its
 * workers.
 */
export async function withClient<T>(work: (client: Client, taskQueue: string) => Promise<T>): Promise<T> {
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
    return await work(new Client({ connection, namespace, dataConverter }), config.taskQueue);
  } finally {
    await connection.close();
  }
}

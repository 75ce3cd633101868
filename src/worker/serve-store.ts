import type { AccessStore } from '../contract/access';
import { BatchgateError } from '../contract/errors';
import type { Config } from '../host/config';
import { findRuntime } from '../host/runtime-file';
import { openStore } from '../postgres/store/open';

/**
 * Opens the store for a process that only serves HTTP.
 * @throws BatchgateError `NOT_CONFIGURED` without PostgreSQL: an embedded store belongs to the process that runs `up`.
 */
export async function openAccess(
  config: Config,
): Promise<{ access: AccessStore; close: () => Promise<void> }> {
  if (config.databaseUrl === undefined) throw await embedded(config);
  const store = await openStore(config);
  return { access: store.access, close: () => store.close() };
}

async function embedded({ dataDir }: Config): Promise<BatchgateError> {
  const runtime = await findRuntime(dataDir);
  return new BatchgateError(
    'NOT_CONFIGURED',
    '`serve` needs a PostgreSQL database: an embedded store is for one process.',
    runtime?.http_url === undefined
      ? 'Set BATCHGATE_DATABASE_URL, or run `npx batchgate up`, which serves HTTP itself.'
      : `The batchgate that runs over ${dataDir} serves HTTP already, at ${runtime.http_url}. For another process, set BATCHGATE_DATABASE_URL.`,
  );
}

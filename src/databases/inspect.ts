import { Client } from 'pg';
import type { ConfigFile } from '../config-file';
import { inspectFolder, type FolderFacts } from '../postgres/guard';
import { connectFailure } from './failure';
import { placeOf, type Place } from './open';

export type DatabaseFacts =
  ({ kind: 'embedded'; folder: string } & FolderFacts) | { kind: 'postgres'; host: string; version: string };

const TIMEOUT_MS = 2_500;

/**
 * A database of the configuration, looked at from outside: an embedded one is not opened, a server is asked for its
 * version.
 * @throws BatchgateError when it cannot be reached; Error of the file system.
 */
export async function inspectDatabase(
  name: string,
  { databases, folder }: Pick<ConfigFile, 'databases' | 'folder'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<DatabaseFacts> {
  const place = await placeOf(name, databases[name]?.url ?? '', folder, env);
  if (place.kind === 'postgres') return inspectServer(name, place);
  return { kind: 'embedded', folder: place.folder, ...(await inspectFolder(place.folder)) };
}

async function inspectServer(
  name: string,
  { url, host, secrets }: Extract<Place, { kind: 'postgres' }>,
): Promise<DatabaseFacts> {
  const client = new Client({
    connectionString: url,
    application_name: 'batchgate doctor',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return { kind: 'postgres', host, version: rows[0]?.server_version ?? 'unknown' };
  } catch (error) {
    throw connectFailure(name, error, secrets);
  } finally {
    await client.end().catch(() => undefined);
  }
}

import { sql } from 'kysely';
import type { ConfigFile } from '../../host/config-file';
import { inspectFolder, type FolderFacts } from '../guard';
import { inspectServer } from '../pool';
import { connectFailure } from './failure';
import { undeletable } from './marker-tables';
import { locationOf } from './open';
import { openSqlite } from './sqlite';

export type DatabaseFacts =
  | ({ kind: 'embedded'; folder: string } & FolderFacts)
  | { kind: 'sqlite'; file: string; version: string }
  | {
      kind: 'postgres';
      host: string;
      version: string;
      /** The grants that hygiene lacks for commit markers. */
      missing_grants: string[];
    };

/**
 * Facts about a database of the configuration: an embedded one is not opened, a server is asked for its version.
 * @throws BatchgateError when it cannot be reached; Error of the file system.
 */
export async function inspectDatabase(
  name: string,
  { databases, folder }: Pick<ConfigFile, 'databases' | 'folder'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<DatabaseFacts> {
  const place = await locationOf(name, databases[name]?.url ?? '', folder, env);
  if (place.kind === 'embedded')
    return { kind: 'embedded', folder: place.folder, ...(await inspectFolder(place.folder)) };
  if (place.kind === 'sqlite') {
    const { lend, end } = await openSqlite(name, place.file);
    const { rows } = await lend(new AbortController().signal, (db) =>
      sql<{ version: string }>`select sqlite_version() as version`.execute(db),
    );
    await end();
    return { kind: 'sqlite', file: place.file, version: rows[0]?.version ?? 'unknown' };
  }
  const { url, host, secrets } = place;
  try {
    return await inspectServer(url, async (client, version) => {
      const missing_grants = await undeletable(client);
      return { kind: 'postgres' as const, host, version, missing_grants };
    });
  } catch (error) {
    throw connectFailure(name, error, secrets);
  }
}

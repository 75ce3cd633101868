import { sql } from 'kysely';
import type { ConfigFile } from '../../host/config-file';
import { inspectFolder, type FolderFacts } from '../guard';
import { INSPECTION_MS, inspectServer } from '../pool';
import type { Piece } from './conditions';
import { connectFailure } from './failure';
import { undeletable } from './marker-tables';
import { locationOf } from './open';
import { openMysql } from './mysql';
import { openSqlite, type OpenSqlite } from './sqlite';

export type DatabaseFacts =
  | ({ kind: 'embedded'; folder: string } & FolderFacts)
  | { kind: 'sqlite'; file: string; version: string }
  | { kind: 'mysql'; product: 'MariaDB' | 'MySQL'; host: string; version: string }
  | {
      kind: 'postgres';
      host: string;
      version: string;
      /** The grants that hygiene lacks for commit markers. */
      missing_grants: string[];
    };

/**
 * Inspects a configured database. An embedded database is not opened; a server is queried for its version.
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
    const version = await versionIn(await openSqlite(name, place.file), sql`sqlite_version()`);
    return { kind: 'sqlite', file: place.file, version };
  }
  if (place.kind === 'mysql') {
    const { url, secrets, host } = place;
    const version = await versionIn(
      await openMysql({ name, url: new URL(url), secrets, folder }),
      sql`version()`,
    );
    return { kind: 'mysql', product: /mariadb/i.test(version) ? 'MariaDB' : 'MySQL', host, version };
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

/** Returns the version of a database, and closes it. */
async function versionIn({ lend, end }: OpenSqlite, version: Piece): Promise<string> {
  try {
    const { rows } = await lend(AbortSignal.timeout(INSPECTION_MS), (db) =>
      sql<{ version: string }>`select ${version} as version`.execute(db),
    );
    return rows[0]?.version ?? 'unknown';
  } finally {
    await end();
  }
}

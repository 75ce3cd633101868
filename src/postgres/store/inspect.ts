import { join } from 'node:path';
import type * as Pg from 'pg';
import { inspectFolder, type FolderFacts } from '../guard';
import { inspectServer } from '../pool';
import { MIGRATIONS } from './migrations';
import { SCHEMA_NAME } from './schema';

/** Inspects the embedded store without opening it. @throws the file system's error if this user cannot use it. */
export function inspectEmbedded(dataDir: string): Promise<FolderFacts> {
  return inspectFolder(join(dataDir, 'store'));
}

export interface PostgresFacts {
  version: string;
  /** Migrations that a worker would apply when it starts. */
  pending: string[];
  /** Migrations of a newer version of batchgate. */
  unknown: string[];
  /** A commit is acknowledged before it is on a disk. */
  isAsynchronous: boolean;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: undefined_table, invalid_schema_name */
const NOT_MADE_YET = ['42P01', '3F000'];

/** Reads the facts in a read-only transaction. */
export function inspectPostgres(connectionString: string): Promise<PostgresFacts> {
  return inspectServer(connectionString, async (client, version) => {
    await client.query('begin read only');
    const { rows } = await client.query<{ synchronous_commit: string }>('show synchronous_commit');
    const applied = await appliedMigrations(client);
    const names = Object.keys(MIGRATIONS);
    return {
      version,
      pending: names.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !names.includes(name)),
      isAsynchronous: rows[0]?.synchronous_commit === 'off',
    };
  });
}

async function appliedMigrations(client: Pg.Client): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(`select name from ${SCHEMA_NAME}.kysely_migration`);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (NOT_MADE_YET.includes((error as { code?: string }).code ?? '')) return [];
    throw error;
  }
}

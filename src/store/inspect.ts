import { join } from 'node:path';
import type { Client } from 'pg';
import { inspectFolder, type FolderFacts } from '../postgres/guard';
import { MIGRATIONS } from './migrations';
import { SCHEMA_NAME } from './schema';

/** The embedded store, looked at from outside. @throws Error of the file system when this user may not use it. */
export function inspectEmbedded(dataDir: string): Promise<FolderFacts> {
  return inspectFolder(join(dataDir, 'store'));
}

export interface PostgresFacts {
  version: string;
  /** Migrations that a worker would apply at its start. */
  pending: string[];
  /** Migrations of a newer version of ours. */
  unknown: string[];
}

const TIMEOUT_MS = 2_500;
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: undefined_table, invalid_schema_name */
const NOT_MADE_YET = ['42P01', '3F000'];

/** Asks PostgreSQL, in a transaction that may only read. */
export async function inspectPostgres(connectionString: string): Promise<PostgresFacts> {
  const { Client: PgClient } = await import('pg');
  const client = new PgClient({
    connectionString,
    application_name: 'batchgate doctor',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin read only');
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    const applied = await appliedMigrations(client);
    const known = Object.keys(MIGRATIONS);
    return {
      version: rows[0]?.server_version ?? 'unknown',
      pending: known.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !known.includes(name)),
    };
  } finally {
    await client.end();
  }
}

async function appliedMigrations(client: Client): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>(`select name from ${SCHEMA_NAME}.kysely_migration`);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (NOT_MADE_YET.includes((error as { code?: string }).code ?? '')) return [];
    throw error;
  }
}

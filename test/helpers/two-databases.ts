import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { createDatabases, type Databases } from '../../src/postgres/databases';
import { seedEmbedded } from './embedded';
import { inLongRun } from './long-run';
import { sharedPostgres } from './postgres';

type Row = Record<string, unknown>;

/** Two databases, `users_db` and `audit_db`, with direct access that bypasses the macros. */
export interface TwoDatabases {
  readonly kind: 'embedded' | 'server';
  readonly databases: Databases;
  readonly urls: Readonly<Record<string, string>>;
  /** Runs a statement on a connection outside every transaction. */
  run(database: string, text: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function embeddedDatabases(): Promise<TwoDatabases> {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-two-'));
  const urls = { users_db: 'pglite:users', audit_db: 'pglite:audit' };
  await Promise.all(['users', 'audit'].map((name) => seedEmbedded(join(folder, name))));
  return over('embedded', urls, folder, () => rm(folder, { recursive: true, force: true }));
}

export async function serverDatabases(): Promise<TwoDatabases> {
  const postgres = sharedPostgres();
  const urls = { users_db: await postgres.newDatabase(), audit_db: await postgres.newDatabase() };
  return over('server', urls, tmpdir(), () => Promise.resolve());
}

function over(
  kind: TwoDatabases['kind'],
  urls: Record<string, string>,
  folder: string,
  end: () => Promise<unknown>,
): TwoDatabases {
  const configs = Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { url }]));
  const databases = createDatabases({ databases: configs, folder }, {});
  return {
    kind,
    databases,
    urls,
    async run(name, text, ...values) {
      const database = await databases.get(name);
      return database.lend(new AbortController().signal, async (db) => {
        const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, values));
        return rows;
      });
    },
    async close() {
      await databases.close();
      await end();
    },
  };
}

/** Both kinds in the long run; in `npm test` the embedded one, which has a single connection. */
export const EACH_KIND = inLongRun(
  [
    ['PGlite', embeddedDatabases],
    ['a PostgreSQL server', serverDatabases],
  ] as const,
  [['PGlite', embeddedDatabases]] as const,
);

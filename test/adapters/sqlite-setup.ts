import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { createDatabases, type Databases } from '../../src/postgres/databases';
import { openSqlite } from '../../src/postgres/databases/sqlite';

/** A new SQLite file, the databases of a configuration that names it `shop`, and direct access past the adapter. */
export interface SqliteWorld {
  readonly file: string;
  readonly databases: Databases;
  /** Runs statements on a connection of its own, as another process would. */
  readonly run: (text: string, ...parameters: unknown[]) => Promise<Record<string, unknown>[]>;
  readonly close: () => Promise<void>;
}

export async function startSqlite(): Promise<SqliteWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-sqlite-'));
  const file = join(folder, 'shop.db');
  await writeFile(file, '');
  const databases = createDatabases({ databases: { shop: { url: 'sqlite:shop.db' } }, folder }, {});
  const other = await openSqlite('other', file);
  return {
    file,
    databases,
    run: (text, ...parameters) =>
      other.lend(new AbortController().signal, async (db) => {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, parameters));
        return rows as Record<string, unknown>[];
      }),
    async close() {
      await databases.close();
      await other.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

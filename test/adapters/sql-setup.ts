import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { createSqlAdapter } from '../../activities/adapters/sql';
import type { BatchCall, BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { createDatabases, type Databases } from '../../src/postgres/databases';
import { seedEmbedded } from '../helpers/embedded';
import { type PostgresServer, sharedPostgres } from '../helpers/postgres';

/** Databases of one kind, an adapter for them, and direct access past the adapter. */
export interface SqlWorld {
  readonly databases: Databases;
  readonly adapter: BulkAdapter;
  /** Runs statements as the owner. */
  run(text: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export const WORLDS: [string, () => Promise<SqlWorld>][] = [
  ['PGlite in a folder', startEmbedded],
  ['a PostgreSQL server', async () => (await startServer()).world],
];

async function startEmbedded(): Promise<SqlWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-sql-'));
  await seedEmbedded(join(folder, 'shop'));
  const databases = createDatabases({ databases: { shop: { url: 'pglite:shop' } }, folder }, {});
  return worldOf(databases, () => rm(folder, { recursive: true, force: true }));
}

export async function startServer(): Promise<{ postgres: PostgresServer; url: string; world: SqlWorld }> {
  const postgres = sharedPostgres();
  const url = await postgres.newDatabase();
  const databases = databasesAt({ shop: url });
  return { postgres, url, world: worldOf(databases, () => Promise.resolve()) };
}

export const databasesAt = (urls: Record<string, string>): Databases =>
  createDatabases(
    {
      databases: Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { url }])),
      folder: tmpdir(),
    },
    {},
  );

function worldOf(databases: Databases, end: () => Promise<unknown>): SqlWorld {
  return {
    databases,
    adapter: createSqlAdapter({ databases, concurrency: 5 }),
    run: (text, ...parameters) => runIn(databases, 'shop', text, ...parameters),
    async close() {
      await databases.close();
      await end();
    },
  };
}

export async function runIn(
  databases: Databases,
  name: string,
  text: string,
  ...parameters: unknown[]
): Promise<Record<string, unknown>[]> {
  const database = await databases.get(name);
  return database.lend(new AbortController().signal, async (db) => {
    const { rows } = await db.executeQuery(CompiledQuery.raw(text, parameters));
    return rows as Record<string, unknown>[];
  });
}

export const call = (
  operation_id = 'bulk-test',
  ms = 30_000,
  signal: AbortSignal = new AbortController().signal,
): BatchCall => ({ operation_id, run_id: 'run-1', signal, deadline: Date.now() + ms });

type Params = Record<string, unknown>;

export const prepare = (adapter: BulkAdapter, action: string, params: Params, explicit = false) =>
  adapter.prepare({ action, params: { database: 'shop', ...params }, explicit_items: explicit }, call());

/** Prepares for named items, and freezes them. */
export async function named(adapter: BulkAdapter, action: string, params: Params, ids: string[]) {
  const context = await prepare(adapter, action, params, true);
  const items = ids.map((id) => ({ id, display_name: id }));
  return { context, items: (await adapter.freezeItems?.(items, context, call())) ?? [] };
}

/** Prepares with conditions, and freezes the rows that they match. */
export async function planned(adapter: BulkAdapter, action: string, params: Params) {
  const context = await prepare(adapter, action, params);
  return { context, items: await adapter.getNextBatch(context, 1_000, 0, call()) };
}

export const execute = (
  adapter: BulkAdapter,
  { context, items }: { context: PreparedBulkContext; items: BulkItem[] },
  limits = call(),
) => adapter.executeBatch(items, context, limits);

export { failure } from '../helpers/failure';

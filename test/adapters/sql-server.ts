import { createSqlAdapter } from '../../activities/adapters/sql';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { Databases } from '../../src/postgres/databases';
import { startTcpProxy } from '../helpers/tcp-proxy';
import { databasesAt, planned, startServer, type SqlWorld } from './sql-setup';

export let world: SqlWorld;
/** The URL of the database, for its owner. */
export let url: string;
/** A proxy for the server; it forwards everything at the beginning of each test. */
export let proxy: Awaited<ReturnType<typeof startTcpProxy>>;
const opened: Databases[] = [];

/** A PostgreSQL server with a table of six things, for the tests of one file. */
export function useServer(): void {
  beforeAll(async () => {
    const started = await startServer();
    ({ url, world } = started);
    proxy = await startTcpProxy(started.postgres.port);
  });
  afterAll(async () => {
    for (const databases of opened) await databases.close();
    await proxy.close();
    await world.close();
  });
  beforeEach(async () => {
    proxy.rule = undefined;
    await world.run('drop table if exists things, batchgate_changes');
    await world.run(`create table things (id integer primary key, name text, state text default 'new')`);
    await world.run(`insert into things select n, 'Thing ' || n from generate_series(1, 6) n`);
  });
}

/** An adapter for the same database at a changed address. */
export function adapterAt(change: (address: URL) => void): BulkAdapter {
  const address = new URL(url);
  change(address);
  const databases = databasesAt({ shop: address.href });
  opened.push(databases);
  return createSqlAdapter({ databases, concurrency: 5 });
}

export const states = async () =>
  (await world.run('select state from things order by id')).map(({ state }) => state);
export const where = (id: number) => [{ column: 'id', op: '<=', value: id }];
export const update = (adapter: BulkAdapter, upTo = 1, set: object = { state: 'done' }) =>
  planned(adapter, 'update', { table: 'things', where: where(upTo), set });

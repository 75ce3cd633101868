import { Client } from 'pg';
import { openStore, type Store } from '../../src/postgres/store/open';
import { type PostgresServer, sharedPostgres } from './postgres';

const TEMPLATE = 'batchgate_store';

/** Creates the template of all test stores: copying it is ten times cheaper than migrating each store. */
export async function createStoreTemplate(postgres: PostgresServer): Promise<void> {
  const client = new Client(postgres.urlOf('postgres'));
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const store = await openStore({ dataDir: '', databaseUrl: postgres.urlOf(TEMPLATE) });
  await store.close();
}

/** A new, empty store in the shared PostgreSQL server. */
export async function openTestStore(): Promise<Store> {
  return openStore({ dataDir: '', databaseUrl: await newStoreUrl() });
}

/** The address of a new, empty store. */
export async function newStoreUrl(): Promise<string> {
  const databaseUrl = await sharedPostgres().newDatabase(TEMPLATE);
  const client = new Client(databaseUrl);
  await client.connect();
  // This id identifies a ledger, so two copies need two ids.
  await client.query('update batchgate.store set id = gen_random_uuid()');
  await client.end();
  return databaseUrl;
}

import { join } from 'node:path';
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { Pool } from 'pg';
import { BatchgateError } from '../contract/errors';
import type { HygieneStore } from '../contract/hygiene';
import type { Ledger } from '../contract/ledger';
import { openFolder, openMemory } from './embedded';
import { createHygieneStore } from './hygiene';
import { createLedger } from './ledger';
import { migrate } from './migrations';
import { type Schema, SCHEMA_NAME } from './schema';

export interface StoreOptions {
  /** The embedded store lives in its folder `store`. */
  dataDir: string;
  /** A PostgreSQL URL; without one the store is embedded. */
  databaseUrl?: string;
  /** Embedded, and gone with the process: for tests. */
  embeddedMemory?: boolean;
}

/** What a worker keeps. `db` sees the tables of our schema by their bare names. */
export interface Store {
  ledger: Ledger;
  hygiene: HygieneStore;
  db: Kysely<Schema>;
  backend: 'embedded' | 'postgres';
  /** Waits for what is running, then gives the store back. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the store and brings its tables up to date.
 * @throws BatchgateError `NOT_CONFIGURED` when another process holds the embedded store or the database does not
 * answer, `INTERNAL` when the tables cannot be brought up to date.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, embeddedMemory } = options;
  const backend = databaseUrl === undefined ? 'embedded' : 'postgres';
  const pool = await (databaseUrl !== undefined
    ? openPostgres(databaseUrl)
    : embeddedMemory === true
      ? openMemory()
      : openFolder(join(dataDir, 'store')));
  const root = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= root.destroy());
  try {
    await sql`select 1`.execute(root);
    await migrate(root);
    const db = root.withSchema(SCHEMA_NAME);
    const { id } = await db.selectFrom('store').select('id').executeTakeFirstOrThrow();
    return { ledger: createLedger(db, id), hygiene: createHygieneStore(db), db, backend, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A transaction whose worker sleeps holds the lock of its batch; the server ends it, so that the fence gets through. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const STATEMENT_MS = 60_000;

async function openPostgres(connectionString: string): Promise<PostgresPool> {
  const pool = new Pool({
    connectionString,
    application_name: 'batchgate',
    connectionTimeoutMillis: 10_000,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
  });
  // A lost connection is an event of the pool when idle and of the client when lent, and either one without a
  // listener ends the process; whoever uses it next gets the error (https://node-postgres.com/apis/pool#events).
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    (await pool.connect()).release();
    return pool;
  } catch (error) {
    await pool.end();
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `The database of BATCHGATE_DATABASE_URL does not answer: ${reason(error)}`,
      'Start the database, or correct the address and user of BATCHGATE_DATABASE_URL and the password, in it or in PGPASSWORD.',
    );
  }
}

/** A refused connection to a name with several addresses is an AggregateError with an empty message. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reason).join(', ');
  return error instanceof Error ? error.message : String(error);
}

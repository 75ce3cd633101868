import type * as Pg from 'pg';
import { optional } from '../host/optional';

/** Creates a pool of connections to one PostgreSQL database, opened on demand. */
export function createPool(config: Pg.PoolConfig): Pg.Pool {
  const { Pool } = optional<typeof Pg>('pg');
  const pool = new Pool({
    application_name: 'batchgate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ...config,
  });
  // A lost connection emits an event on the pool if idle and on the client if in use. Without a listener either event
  // ends the process; the next query gets the error (https://node-postgres.com/apis/pool#events).
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Returns the message of a connection error. With several addresses, it is an AggregateError without one. */
export function connectionTrouble(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(connectionTrouble).join(', ');
  return error instanceof Error ? error.message : String(error);
}

export const INSPECTION_MS = 2_500;

/** Runs `work` on one short connection to a server. @throws errors of the driver. */
export async function inspectServer<T>(
  connectionString: string,
  work: (client: Pg.Client, version: string) => Promise<T>,
): Promise<T> {
  const { Client } = optional<typeof Pg>('pg');
  const client = new Client({
    connectionString,
    application_name: 'batchgate doctor',
    connectionTimeoutMillis: INSPECTION_MS,
    query_timeout: INSPECTION_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return await work(client, rows[0]?.server_version ?? 'unknown');
  } finally {
    await client.end().catch(() => undefined);
  }
}

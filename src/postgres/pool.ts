import type * as Pg from 'pg';
import { optional } from '../optional';

/** Connections to one PostgreSQL database, made when they are wanted. */
export function createPool(config: Pg.PoolConfig): Pg.Pool {
  const { Pool } = optional<typeof Pg>('pg');
  const pool = new Pool({
    application_name: 'batchgate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ...config,
  });
  // A lost connection is an event of the pool when idle and of the client when lent, and either one without a
  // listener ends the process; whoever uses it next gets the error (https://node-postgres.com/apis/pool#events).
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A refused connection to a name with several addresses is an AggregateError with an empty message. */
export function connectionTrouble(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(connectionTrouble).join(', ');
  return error instanceof Error ? error.message : String(error);
}

import { Kysely, PostgresDialect } from 'kysely';
import type { ConfigFile } from '../../host/config-file';
import { BatchgateError } from '../../contract/errors';
import { connectFailure, tooLate, unknownDatabase } from './failure';
import type { Db } from './db';
import { openDatabase, type LentConnection, type OpenDatabase, type OpenPostgres } from './open';

export type { Db } from './db';

export interface Database {
  readonly kind: OpenDatabase['kind'];
  /** The address, without user and password. */
  readonly address: string;
  /**
   * Runs `work` on a dedicated connection. When the signal aborts, the connection is closed, so that no further
   * statement of `work` reaches the server; an embedded database finishes the current statement.
   * @throws BatchgateError when there is no connection, so nothing was sent: `ADAPTER_UNAVAILABLE`,
   * `CREDENTIALS_INVALID` or `NOT_CONFIGURED`. Errors of `work` are passed on.
   */
  readonly lend: <T>(signal: AbortSignal, work: (db: Db) => Promise<T>) => Promise<T>;
}

/** The databases of the configuration, each opened on first use. */
export interface Databases {
  /**
   * Returns a database of any kind.
   * @throws BatchgateError `INVALID_INPUT` with the configured names; `NOT_CONFIGURED`, `INTERNAL` for an embedded one.
   */
  ofAnyKind(name: string): Promise<Database>;
  /** A PostgreSQL database. @throws BatchgateError `NOT_CONFIGURED` for another one, too. */
  get(name: string): Promise<Database>;
  /** Returns the names of the databases that were used since the start. */
  opened(): string[];
  /** Waits for running work, then closes all connections. */
  close(): Promise<void>;
}

export function createDatabases(
  { databases, folder }: Pick<ConfigFile, 'databases' | 'folder'>,
  env: Readonly<Record<string, string | undefined>>,
): Databases {
  const open = new Map<string, Promise<OpenDatabase>>();
  const opened = (name: string) => {
    const source = Object.hasOwn(databases, name) ? databases[name] : undefined;
    if (source === undefined) throw unknownDatabase(name, Object.keys(databases));
    const opening = open.get(name) ?? openDatabase(name, source.url, folder, env);
    open.set(name, opening);
    // A failed opening is retried on the next use.
    opening.catch(() => open.delete(name));
    return opening;
  };
  const ofAnyKind = async (name: string): Promise<Database> => {
    const database = await opened(name);
    const { kind, address } = database;
    if (kind === 'postgres') return { kind, address, lend: (signal, work) => lend(database, signal, work) };
    return { kind, address, lend: (signal, work) => database.lend(signal, work) };
  };
  return {
    ofAnyKind,
    async get(name) {
      const database = await ofAnyKind(name);
      if (database.kind === 'postgres') return database;
      throw new BatchgateError(
        'NOT_CONFIGURED',
        `The database '${name}' is not a PostgreSQL database, which macros and their tools need.`,
        'Use it with the adapter sql, or name a PostgreSQL database.',
      );
    },
    opened: () => [...open.keys()],
    async close() {
      const all = await Promise.allSettled(open.values());
      open.clear();
      for (const result of all) if (result.status === 'fulfilled') await endOf(result.value);
    },
  };
}

const endOf = (database: OpenDatabase): Promise<void> =>
  database.kind === 'postgres' ? database.pool.end() : database.end();

async function lend<T>(
  database: OpenPostgres,
  signal: AbortSignal,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const connection = await connected(database, signal);
  let cut = false;
  const abort = () => {
    cut = connection.cut !== undefined;
    connection.cut?.();
  };
  signal.addEventListener('abort', abort, { once: true });
  const pool = {
    connect: () => Promise.resolve({ ...connection, release: () => undefined }),
    end: () => Promise.resolve(),
  };
  try {
    return await work(new Kysely({ dialect: new PostgresDialect({ pool }) }));
  } finally {
    signal.removeEventListener('abort', abort);
    if (!cut) connection.release();
  }
}

/** Waits for a connection. A connection that arrives after the signal is returned to the pool unused. */
async function connected(database: OpenPostgres, signal: AbortSignal): Promise<LentConnection> {
  const pending = database.pool.connect();
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(tooLate(database.name));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([aborted, pending]);
  } catch (error) {
    pending.then(
      (connection) => connection.release(),
      () => undefined,
    );
    throw error instanceof BatchgateError ? error : connectFailure(database.name, error, database.secrets);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

import { Kysely, PostgresDialect } from 'kysely';
import type { ConfigFile } from '../../host/config-file';
import { BatchgateError } from '../../contract/errors';
import { connectFailure, unknownDatabase } from './failure';
import { openDatabase, type LentConnection, type OpenDatabase } from './open';

/** One connection, over tables that are not known in advance. */
export type Db = Kysely<Record<string, Record<string, unknown>>>;

export interface Database {
  /** The address, without user and password. */
  readonly address: string;
  /**
   * Runs `work` on one connection of its own. When the signal aborts, the connection is closed, so that no further
   * statement of `work` reaches PostgreSQL; an embedded database finishes the current statement.
   * @throws BatchgateError when there is no connection, so nothing was sent: `ADAPTER_UNAVAILABLE`,
   * `CREDENTIALS_INVALID` or `NOT_CONFIGURED`. Errors of `work` are passed on.
   */
  lend<T>(signal: AbortSignal, work: (db: Db) => Promise<T>): Promise<T>;
}

/** The databases of the configuration, each opened on first use. */
export interface Databases {
  /** @throws BatchgateError `INVALID_INPUT` with the known names; `NOT_CONFIGURED`, `INTERNAL` for an embedded one. */
  get(name: string): Promise<Database>;
  /** The names of those that were used since the start. */
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
  return {
    async get(name) {
      const database = await opened(name);
      return { address: database.address, lend: (signal, work) => lend(database, signal, work) };
    },
    opened: () => [...open.keys()],
    async close() {
      const all = await Promise.allSettled(open.values());
      open.clear();
      for (const one of all) if (one.status === 'fulfilled') await one.value.pool.end();
    },
  };
}

async function lend<T>(
  database: OpenDatabase,
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

/** A connection that arrives after the signal is returned unused. */
async function connected(database: OpenDatabase, signal: AbortSignal): Promise<LentConnection> {
  const coming = database.pool.connect();
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(tooLate(database.name));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([aborted, coming]);
  } catch (error) {
    coming.then(
      (connection) => connection.release(),
      () => undefined,
    );
    throw error instanceof BatchgateError ? error : connectFailure(database.name, error, database.secrets);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function tooLate(name: string): BatchgateError {
  return new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `The time for this call ran out before the database '${name}' had a free connection`,
    'Try again. If it fails again, check the load of the database.',
  );
}

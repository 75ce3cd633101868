import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Kysely, MysqlDialect, type MysqlPoolConnection } from 'kysely';
import type * as Mysql from 'mysql2';
import { BatchgateError } from '../../contract/errors';
import { optional } from '../../host/optional';
import type { Db } from './db';
import { connectFailure, sqlState, tooLate } from './failure';

/** The location of a server of MariaDB or MySQL, from its address. */
export interface MysqlPlace {
  readonly name: string;
  readonly url: URL;
  /** Values that must not appear in errors. */
  readonly secrets: readonly string[];
  /** The base folder of relative paths. */
  readonly folder: string;
}

export interface OpenMysql {
  readonly lend: <T>(signal: AbortSignal, work: (db: Db) => Promise<T>) => Promise<T>;
  readonly end: () => Promise<void>;
}

const MAX_CONNECTIONS = 10;
const CONNECT_MS = 10_000;
/** The maximum number of prepared statements per connection. The server limits their total. */
const MAX_STATEMENTS = 100;

/**
 * Connection settings that override those of the server and the user, so that a text has the same meaning in every
 * transaction, and no value is truncated or replaced: strict modes, a zero that does not generate a number, UTC, all
 * rows of a select, and enforced keys and checks.
 */
const PINNED = [
  `sql_mode = 'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'`,
  `time_zone = '+00:00'`,
  'sql_select_limit = 18446744073709551615',
  'sql_auto_is_null = 0',
  'sql_safe_updates = 0',
  'foreign_key_checks = 1',
  'unique_checks = 1',
];
/** MySQL reads this as a comment. */
const PINNED_IN_MARIADB = '/*M!100201 , check_constraint_checks = 1 */';

/**
 * Opens a pool of connections to a database of MariaDB or MySQL, each opened on demand.
 * @throws BatchgateError `NOT_CONFIGURED` when the driver is missing, or a parameter of the address is unknown.
 */
export async function openMysql(place: MysqlPlace): Promise<OpenMysql> {
  const { createPool } = optional<typeof Mysql>('mysql2');
  const pool = createPool({
    ...(await optionsOf(place)),
    connectionLimit: MAX_CONNECTIONS,
    maxPreparedStatements: MAX_STATEMENTS,
    connectTimeout: CONNECT_MS,
    enableKeepAlive: true,
    // Report changed rows instead of matched rows, and never send a file of this machine.
    flags: ['-FOUND_ROWS', '-LOCAL_FILES'],
    connectAttributes: { program_name: 'batchgate' },
  });
  // A lost connection emits an event. Without a listener it ends the process; the next query gets the error.
  pool.on('connection', (connection) => connection.on('error', () => undefined));
  const pinned = new WeakSet<object>();
  return {
    async lend(signal, work) {
      const connection = await connected(pool, place, signal);
      const handle = lentTo(connection, place.name, signal);
      try {
        const db: Db = new Kysely({ dialect: new MysqlDialect({ pool: handle.pool }) });
        if (!pinned.has(connection)) await pin(handle.run);
        pinned.add(connection);
        return await work(db);
      } finally {
        handle.end();
      }
    },
    end: () => pool.promise().end(),
  };
}

type Run = (text: string) => Promise<unknown>;

async function pin(run: Run): Promise<void> {
  await run(`set session ${PINNED.join(', ')} ${PINNED_IN_MARIADB}`);
  await run('set names utf8mb4 collate utf8mb4_bin');
  await run('set session transaction isolation level read committed');
}

/**
 * Lends a connection until `end`, or until the signal aborts: then the connection is closed, and no further statement
 * is sent. After a failure without an error code of the server, or of a rollback, the connection is not used again.
 */
function lentTo(connection: Mysql.PoolConnection, name: string, signal: AbortSignal) {
  const open = new Set<(error: unknown) => void>();
  let [isCut, isBroken] = [false, false];
  const abort = () => {
    isCut = true;
    connection.destroy();
    for (const reject of open) reject(tooLate(name));
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  /** Values are bound by the server, and never written into the text of a statement. */
  const query = (text: string, parameters: unknown[], answer: (error: unknown, result: never) => void) => {
    if (isCut) return answer(tooLate(name), undefined as never);
    const fail = (error: unknown) => answer(error, undefined as never);
    open.add(fail);
    const finish = (error: unknown, result: unknown) => {
      // The next transaction would commit statements that were not rolled back.
      isBroken ||= error instanceof Error && (sqlState(error) === '' || text === 'rollback');
      if (open.delete(fail)) answer(error, result as never);
    };
    if (parameters.length === 0) connection.query(text, finish);
    else connection.execute(text, parameters as string[], finish);
  };
  const wrapper = { query, release: () => undefined } as unknown as MysqlPoolConnection;
  const run: Run = (text) =>
    new Promise((resolve, reject) =>
      query(text, [], (error, result) => (error instanceof Error ? reject(error) : resolve(result))),
    );
  return {
    run,
    pool: {
      getConnection: (give: (error: unknown, connection: MysqlPoolConnection) => void) => give(null, wrapper),
      end: (callback: (error: unknown) => void) => callback(null),
    },
    end() {
      signal.removeEventListener('abort', abort);
      if (isBroken) connection.destroy();
      else if (!isCut) connection.release();
    },
  };
}

/** Waits for a connection. A connection that arrives after the signal is returned to the pool unused. */
function connected(
  pool: Mysql.Pool,
  { name, secrets }: MysqlPlace,
  signal: AbortSignal,
): Promise<Mysql.PoolConnection> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(tooLate(name));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    pool.getConnection((error, connection) => {
      signal.removeEventListener('abort', abort);
      if (error) reject(connectFailure(name, error, secrets));
      else if (signal.aborted) connection.release();
      else resolve(connection);
    });
  });
}

/** @throws BatchgateError `NOT_CONFIGURED` */
async function optionsOf(place: MysqlPlace): Promise<Mysql.PoolOptions> {
  const { url } = place;
  const { sslmode = 'disable', sslrootcert, socket, ...others } = Object.fromEntries(url.searchParams);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(place, `has the unknown parameter ${unknown}`);
  if (!Object.hasOwn(TLS, sslmode)) throw wrong(place, 'has an unknown sslmode');
  const tls = TLS[sslmode];
  return {
    ...(socket === undefined
      ? { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 3306) }
      : { socketPath: socket }),
    user: decoded(url.username),
    password: decoded(url.password),
    database: decoded(url.pathname.slice(1)),
    ...(tls && { ssl: { ...tls, ...(sslrootcert && { ca: await authority(place, sslrootcert) }) } }),
  };
}

async function authority(place: MysqlPlace, file: string): Promise<string> {
  try {
    return await readFile(resolve(place.folder, file), 'utf8');
  } catch (error) {
    throw wrong(place, `names an sslrootcert that cannot be read: ${(error as Error).message}`);
  }
}

const wrong = ({ name }: MysqlPlace, what: string): BatchgateError =>
  new BatchgateError(
    'NOT_CONFIGURED',
    `The address of the database '${name}' ${what}.`,
    'Write ?sslmode=disable, require or verify-full, sslrootcert=FILE and socket=FILE only.',
  );

/** Decodes a part of an address. A part that is not percent-encoded is used unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const TLS: Readonly<Record<string, Mysql.SslOptions | undefined>> = {
  disable: undefined,
  require: { rejectUnauthorized: false },
  'verify-full': { rejectUnauthorized: true, verifyIdentity: true },
};

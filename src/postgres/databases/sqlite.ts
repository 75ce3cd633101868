import { access } from 'node:fs/promises';
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely';
import { BatchgateError } from '../../contract/errors';
import { optional } from '../../host/optional';
import { tooLate } from './failure';
import type { Db } from './db';

/** The functions of the driver: https://github.com/tursodatabase/libsql-js, like better-sqlite3. */
interface Driver {
  readonly prepare: (text: string) => ReturnType<SqliteDatabase['prepare']> & {
    safeIntegers(on: boolean): unknown;
  };
  readonly exec: (text: string) => unknown;
  readonly close: () => void;
}

export interface OpenSqlite {
  readonly lend: <T>(signal: AbortSignal, work: (db: Db) => Promise<T>) => Promise<T>;
  readonly end: () => Promise<void>;
}

/**
 * Opens a SQLite file with one connection, which serves one transaction at a time. Statements run in this process, so
 * an abort does not interrupt them. The caller waits for locks of other processes: the driver would block this process.
 * @throws BatchgateError `NOT_CONFIGURED` when there is no such file, or it is not a database.
 */
export async function openSqlite(name: string, file: string): Promise<OpenSqlite> {
  const driver = optional<new (path: string) => Driver>('libsql');
  let connection: Driver;
  try {
    await access(file);
    connection = new driver(file);
    connection.exec('pragma busy_timeout = 0; pragma foreign_keys = on; select count(*) from sqlite_schema');
  } catch (error) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `The SQLite database '${name}' cannot be opened: ${(error as Error).message}`,
      `Correct the path of '${name}' in batchgate.config.json. The file must exist.`,
    );
  }
  const database: SqliteDatabase = {
    prepare(text) {
      const statement = connection.prepare(text);
      // A double cannot represent large integers.
      statement.safeIntegers(true);
      return statement;
    },
    close: () => connection.close(),
  };
  const db: Db = new Kysely({ dialect: new SqliteDialect({ database }) });
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    lend: (signal, work) =>
      new Promise((resolve, reject) => {
        const abort = () => reject(tooLate(name));
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
        const turn = inTurn(async () => {
          signal.removeEventListener('abort', abort);
          if (signal.aborted) throw tooLate(name);
          return work(db);
        });
        turn.then(resolve, reject);
      }),
    end: () => inTurn(() => db.destroy()),
  };
}

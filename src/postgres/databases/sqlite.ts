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
 * A SQLite database in a file: one connection, which one transaction at a time uses. Statements run in this process, so
 * none is cut off. Waiting for the locks of other processes is up to the caller: the driver would block the process.
 * @throws BatchgateError `NOT_CONFIGURED` when there is no such file, or it is not a database.
 */
export async function openSqlite(name: string, file: string): Promise<OpenSqlite> {
  const driver = optional<new (path: string) => Driver>('libsql');
  let opened: Driver;
  try {
    await access(file);
    opened = new driver(file);
    opened.exec('pragma busy_timeout = 0; pragma foreign_keys = on; select count(*) from sqlite_schema');
  } catch (error) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `The SQLite database '${name}' cannot be opened: ${(error as Error).message}`,
      `Correct the path of '${name}' in batchgate.config.json. The file must exist.`,
    );
  }
  const database: SqliteDatabase = {
    prepare(text) {
      const statement = opened.prepare(text);
      // A double holds no large integer.
      statement.safeIntegers(true);
      return statement;
    },
    close: () => opened.close(),
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

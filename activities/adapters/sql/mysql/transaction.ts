import { sql } from 'kysely';
import type { CallLimits } from '../../../../src/contract/adapter';
import { BatchgateError } from '../../../../src/contract/errors';
import type { Database, Db } from '../../../../src/postgres/databases';
import { mysqlNumber } from '../../../../src/postgres/databases/failure';
import { outOfTime, ProviderFailure, providerText } from '../../shared/failure';
import { withLimits } from '../../shared/limits';

/**
 * Runs `work` in one transaction within the limits of a call. COMMIT is not sent after the deadline, and an uncommitted
 * transaction ends with its connection.
 * @throws ProviderFailure, BatchgateError
 */
export async function inMysql<T>(
  database: Database,
  { deadline, signal }: CallLimits,
  mode: 'read only' | 'read write',
  work: (db: Db) => Promise<T>,
): Promise<T> {
  let isCommitting = false;
  const transact = async (db: Db, limits: CallLimits): Promise<T> => {
    const check = () => {
      if (limits.signal.aborted || Date.now() >= limits.deadline) throw outOfTime();
    };
    check();
    await limit(db, limits.deadline - Date.now());
    await sql.raw(`start transaction ${mode}`).execute(db);
    try {
      const result = await work(db);
      check();
      isCommitting = true;
      await sql`commit`.execute(db);
      return result;
    } catch (error) {
      // The error of a rollback matters less than its cause.
      if (!isCommitting || mysqlNumber(error) > 0) await sql`rollback`.execute(db).catch(() => undefined);
      throw error;
    }
  };
  try {
    return await withLimits(deadline, signal, (limits) =>
      database.lend(limits.signal, (db) => transact(db, limits)),
    );
  } catch (error) {
    throw mysqlFailure(error, isCommitting);
  }
}

/**
 * Sets the time limits of the connection. The server ends lock waits, statements and an idle transaction by the
 * deadline, even if this process is suspended or disconnected. Lock waits end first, so that the error of an item names
 * the cause.
 */
async function limit(db: Db, remainingMs: number): Promise<void> {
  const lockSeconds = Math.max(1, Math.floor((remainingMs * 0.75) / 1_000));
  const statementMs = Math.max(1, Math.floor(remainingMs * 0.9));
  await sql
    .raw(
      `
    set session innodb_lock_wait_timeout = ${lockSeconds}, lock_wait_timeout = ${lockSeconds}
      /*M!100300 , max_statement_time = ${statementMs / 1_000}, idle_transaction_timeout = ${Math.ceil(remainingMs / 1_000)} */
      /*!80000 , max_execution_time = ${statementMs} */`,
    )
    .execute(db);
}

/** https://mariadb.com/kb/en/mariadb-error-code-reference/, https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html */
const numbers = (...all: number[]) => new Set(all);
/** The server is shutting down, or has closed the connection. */
const LOST = numbers(1053, 1152, 1184, 1927, 2006, 2013, 3169, 4031);
/** Locks, deadlocks, limits of the server and the user, full disks, and statements that ran out of time. */
const TEMPORARY = numbers(
  ...[1021, 1037, 1038, 1040, 1041, 1114, 1135, 1203, 1205, 1206, 1213, 1226],
  ...[1290, 1317, 1836, 1969, 3024, 3572],
);
/** Answers to COMMIT that mean that nothing was committed. After any other answer, the outcome is unknown. */
const ROLLED_BACK = numbers(1044, 1045, 1142, 1205, 1213, 1216, 1217, 1226, 1290, 1451, 1452, 1836, 3101);
/** A value that is there already, which the message quotes before the name of the unique key. */
const IS_THERE = numbers(1062, 1586, 1761);
/** A refused user, or a missing privilege for a database, a table or a column. */
const REFUSES_US = numbers(1044, 1045, 1142, 1143, 1227, 1370, 1698, 1820);

export const isOfPrivilege = ({ reason = '' }: ProviderFailure): boolean => REFUSES_US.has(Number(reason));

/** Returns the message without the value, in any language of the server. */
function isThere(message: string): string {
  // 'VALUE' … 'KEY': the text between the last two quotation marks, of four or more.
  const parts = message.split("'");
  const key = parts.length < 5 ? '' : (parts.at(-2) ?? '');
  return `Another row has the same values in ${key === '' ? 'a unique key' : `the key '${providerText(key, [])}'`}`;
}

function mysqlFailure(error: unknown, committing: boolean): ProviderFailure | BatchgateError {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof BatchgateError && error.code !== 'ADAPTER_UNAVAILABLE') return error;
  const number = mysqlNumber(error);
  // Any other error is a failure of the connection.
  if (number === 0 || (committing ? !ROLLED_BACK.has(number) : LOST.has(number)))
    return committing
      ? new ProviderFailure('no_answer', 'The connection was lost while the change was being committed')
      : new ProviderFailure(
          'not_sent',
          error instanceof BatchgateError
            ? error.message
            : 'The connection was lost before anything was committed',
        );
  const { message } = error as Error;
  return new ProviderFailure('refused', IS_THERE.has(number) ? isThere(message) : providerText(message, []), {
    reason: String(number),
    retryable: TEMPORARY.has(number),
    refusesUs: REFUSES_US.has(number),
  });
}

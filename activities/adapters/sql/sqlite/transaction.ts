import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { CallLimits } from '../../../../src/contract/adapter';
import { BatchgateError } from '../../../../src/contract/errors';
import type { Database, Db } from '../../../../src/postgres/databases';
import { outOfTime, ProviderFailure, providerText } from '../../shared/failure';
import { withLimits } from '../../shared/limits';

/** The interval between tries for a lock that another process holds, in milliseconds. */
const BETWEEN_MS = 20;
/** The share of the time of a call to wait for a lock. After that, the item fails with this reason. */
const SHARE_OF_TIME = 0.75;

/**
 * Runs `work` in one transaction. A writing transaction holds the only write lock from its begin on.
 * @throws ProviderFailure, BatchgateError
 */
export async function inSqlite<T>(
  database: Database,
  { deadline, signal }: CallLimits,
  mode: 'read only' | 'read write',
  work: (db: Db) => Promise<T>,
): Promise<T> {
  let isCommitting = false;
  const lockDeadline = Date.now() + (deadline - Date.now()) * SHARE_OF_TIME;
  const transact = async (db: Db, limits: CallLimits): Promise<T> => {
    const check = () => {
      if (limits.signal.aborted || Date.now() >= limits.deadline) throw outOfTime();
    };
    check();
    await whenFree(() => begin(db, mode), lockDeadline);
    try {
      const result = await work(db);
      check();
      isCommitting = true;
      await whenFree(() => sql`commit`.execute(db), lockDeadline);
      return result;
    } catch (error) {
      await rollBack(db);
      throw error;
    }
  };
  try {
    return await withLimits(deadline, signal, (limits) =>
      database.lend(limits.signal, (db) => transact(db, limits)),
    );
  } catch (error) {
    throw sqliteFailure(error, isCommitting);
  }
}

/** Begins a transaction. A reading transaction gets its lock and snapshot at its first read, which is done here. */
async function begin(db: Db, mode: 'read only' | 'read write'): Promise<void> {
  if (mode === 'read write') return void (await sql`begin immediate`.execute(db));
  await sql`begin`.execute(db);
  try {
    await sql`select count(*) from sqlite_schema`.execute(db);
  } catch (error) {
    await rollBack(db);
    throw error;
  }
}

/** Rolls back. Ignores the error of a rollback, which matters less than its cause. */
const rollBack = (db: Db) => sql`rollback`.execute(db).catch(() => undefined);

/** Retries while the database is locked, because a wait in the driver would block this process. */
async function whenFree(work: () => Promise<unknown>, until: number): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!BUSY.test(codeOf(error)) || Date.now() >= until) throw error;
      await pause(BETWEEN_MS);
    }
  }
}

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : '';
};

/** https://www.sqlite.org/rescode.html */
const BUSY = /^SQLITE_(?:BUSY|LOCKED)/;
const REFUSES_US = /^SQLITE_(?:READONLY|PERM|AUTH|CANTOPEN|NOTADB)/;
const TEMPORARY = /^SQLITE_(?:BUSY|LOCKED|FULL|NOMEM|INTERRUPT)/;
/** Errors after which the outcome of a commit is unknown. */
const UNCERTAIN = /^SQLITE_(?:IOERR|CORRUPT)|^$/;

function sqliteFailure(error: unknown, committing: boolean): ProviderFailure | BatchgateError {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof BatchgateError && error.code === 'ADAPTER_UNAVAILABLE')
    return new ProviderFailure('not_sent', error.message);
  if (error instanceof BatchgateError) return error;
  const code = codeOf(error);
  if (UNCERTAIN.test(code))
    return committing
      ? new ProviderFailure('no_answer', 'The file failed while the change was being committed')
      : new ProviderFailure(
          'not_sent',
          `Nothing was committed: ${providerText((error as Error).message, [])}`,
        );
  return new ProviderFailure('refused', providerText((error as Error).message, []), {
    reason: code,
    retryable: TEMPORARY.test(code),
    refusesUs: REFUSES_US.test(code),
  });
}

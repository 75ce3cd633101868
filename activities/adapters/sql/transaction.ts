import { sql } from 'kysely';
import type { CallLimits } from '../../../src/contract/adapter';
import type { Database, Db } from '../../../src/postgres/databases';
import { settings } from '../../../src/postgres/databases/settings';
import { withLimits } from '../shared/limits';
import { outOfTime } from '../shared/failure';
import { sqlFailure } from './failure';

/**
 * Runs `work` in one transaction within the limits of a call. COMMIT is not sent after the deadline, and an uncommitted
 * transaction ends with its connection.
 * @throws ProviderFailure `no_answer` if there was no answer to COMMIT. Any other kind means that nothing changed.
 * @throws BatchgateError
 */
export async function inTransaction<T>(
  database: Database,
  { deadline, signal }: CallLimits,
  accessMode: 'read only' | 'read write',
  work: (db: Db) => Promise<T>,
): Promise<T> {
  let isCommitting = false;
  const transact = async (db: Db, limits: CallLimits): Promise<T> => {
    if (isOver(limits)) throw outOfTime();
    const transaction = await db
      .startTransaction()
      // Set explicitly, because a role can have other defaults. Markers must see rows committed while they waited.
      .setIsolationLevel('read committed')
      .setAccessMode(accessMode)
      .execute();
    try {
      await setUp(transaction, limits);
      const result = await work(transaction);
      if (isOver(limits)) throw outOfTime();
      isCommitting = true;
      await transaction.commit().execute();
      return result;
    } catch (error) {
      // After a failed COMMIT there is no transaction. The error of a rollback matters less than its cause.
      if (!isCommitting)
        await transaction
          .rollback()
          .execute()
          .catch(() => undefined);
      throw error;
    }
  };
  try {
    return await withLimits(deadline, signal, (limits) =>
      database.lend(limits.signal, (db) => transact(db, limits)),
    );
  } catch (error) {
    throw sqlFailure(error, isCommitting);
  }
}

const isOver = ({ signal, deadline }: CallLimits) => signal.aborted || Date.now() >= deadline;

/**
 * Sets the limits of a transaction, and settings with which values print the same in every transaction. The server ends
 * statements by the deadline, even if this process is suspended or disconnected. Lock waits end first, so that the
 * error of an item names the cause.
 */
async function setUp(db: Db, { deadline }: CallLimits): Promise<void> {
  const remainingMs = Math.max(1, deadline - Date.now());
  const share = (part: number) => String(Math.max(1, Math.floor(remainingMs * part)));
  const limits = {
    lock_timeout: share(0.75),
    statement_timeout: share(0.9),
    idle_in_transaction_session_timeout: share(1),
  };
  await sql`select ${settings(limits)}`.execute(db);
}

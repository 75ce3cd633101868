import { sql } from 'kysely';
import type { CallLimits } from '../../../src/contract/adapter';
import type { Database } from '../../../src/databases';
import { withLimits } from '../../../src/provider/limits';
import { outOfTime } from '../../../src/provider/failure';
import { sqlFailure } from './failure';

export type Db = Parameters<Parameters<Database['lend']>[1]>[0];

/**
 * Runs `work` in one transaction within the limits of a call. COMMIT is not sent once the call's time is over, and a
 * transaction that was begun and not committed by then is gone with its connection.
 * @throws ProviderFailure `no_answer` where the answer to COMMIT never came, anything else where nothing was changed.
 * @throws BatchgateError
 */
export async function inTransaction<T>(
  database: Database,
  limits: CallLimits,
  accessMode: 'read only' | 'read write',
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const progress = { committing: false };
  try {
    return await withLimits(limits.deadline, limits.signal, (own) =>
      database.lend(own.signal, (db) => transact(db, own, accessMode, progress, work)),
    );
  } catch (error) {
    throw sqlFailure(error, progress.committing);
  }
}

async function transact<T>(
  db: Db,
  limits: CallLimits,
  accessMode: 'read only' | 'read write',
  progress: { committing: boolean },
  work: (db: Db) => Promise<T>,
): Promise<T> {
  if (isOver(limits)) throw outOfTime();
  const transaction = await db
    .startTransaction()
    // A role may have other defaults; the marks need to see what was committed while they waited.
    .setIsolationLevel('read committed')
    .setAccessMode(accessMode)
    .execute();
  try {
    await limitStatements(transaction, limits);
    const result = await work(transaction);
    if (isOver(limits)) throw outOfTime();
    progress.committing = true;
    await transaction.commit().execute();
    return result;
  } catch (error) {
    // After a failed COMMIT there is nothing left; what a rollback itself says is worth less than why it came.
    if (!progress.committing)
      await transaction
        .rollback()
        .execute()
        .catch(() => undefined);
    throw error;
  }
}

const isOver = ({ signal, deadline }: CallLimits) => signal.aborted || Date.now() >= deadline;

/**
 * The server ends what we can no longer wait for, also where this process sleeps or is cut off. Locks first, then
 * statements, so that an item is told what it waited for.
 */
async function limitStatements(db: Db, { deadline }: CallLimits): Promise<void> {
  const left = Math.max(1, deadline - Date.now());
  const share = (part: number) => String(Math.max(1, Math.floor(left * part)));
  await sql`
    select set_config('lock_timeout', ${share(0.75)}, true), set_config('statement_timeout', ${share(0.9)}, true),
      set_config('idle_in_transaction_session_timeout', ${share(1)}, true)`.execute(db);
}

import { sql } from 'kysely';
import type { Db } from '../../../src/postgres/databases';
import { settings } from '../../../src/postgres/databases/settings';
import { ensureMarks } from './marks';

/** The timeouts of a transaction; milliseconds. */
export interface SessionLimits {
  /** The maximum wait for a lock of another transaction. */
  lock: number;
  statement: number;
  /** The server ends a transaction that is idle for longer. */
  idle: number;
}

/** Clears the open transaction, settings, locks and role from the connection for its next user. */
export async function leaveClean(db: Db): Promise<void> {
  await sql`rollback`.execute(db);
  await sql`discard all`.execute(db);
}

/** Begins a transaction. Returns the schema of the marks table if this role may write to it. */
export async function begin(db: Db, { lock, statement, idle }: SessionLimits): Promise<string | undefined> {
  const marks = await ensureMarks(db);
  await sql`begin`.execute(db);
  const ms = (value: number) => `${Math.ceil(value)}ms`;
  const limits = {
    lock_timeout: ms(lock),
    statement_timeout: ms(statement),
    idle_in_transaction_session_timeout: ms(idle),
  };
  await sql`select ${settings(limits)}`.execute(db);
  return marks;
}

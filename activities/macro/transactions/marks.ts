import { sql } from 'kysely';
import type { TransactionOutcome } from '../../../src/contract/macro-activities';
import type { Db } from '../../../src/postgres/databases';
import { sqlState } from '../../../src/postgres/databases/failure';
import {
  isMadeMeanwhile,
  markerPlaces,
  TRANSACTIONS_TABLE as MARKS,
} from '../../../src/postgres/databases/marker-tables';

/**
 * A mark is a row that is committed together with a transaction of a macro run. After a lost answer it shows whether
 * the transaction was committed. The unique key settles a race between the commit and a check for it: the check leaves
 * a row under the same key.
 */
export interface Mark {
  schema: string;
  key: string;
  run_id: string;
}

/** Creates the marks table if necessary, and returns its schema; undefined if this role may not write marks. */
export async function ensureMarks(db: Db): Promise<string | undefined> {
  const [place] = await markerPlaces(db, MARKS, sql`current_schema()`);
  if (place === undefined || place.made || !place.creatable) return place?.usable ? place.schema : undefined;
  try {
    await sql`
      create table if not exists ${sql.id(place.schema, MARKS)} (
        transaction_id uuid primary key,
        run_id text not null,
        outcome text not null,
        at timestamptz not null default now()
      )`.execute(db);
  } catch (error) {
    if (!isMadeMeanwhile(sqlState(error))) throw error;
  }
  return place.schema;
}

/** Writes the mark within the transaction, right before its commit. A transaction without writes needs no mark. */
export async function leaveMark(db: Db, { schema, key, run_id }: Mark): Promise<void> {
  const { rows } = await sql<{ wrote: boolean }>`
    select pg_current_xact_id_if_assigned() is not null as wrote`.execute(db);
  if (rows[0]?.wrote) {
    await sql`insert into ${sql.id(schema, MARKS)} (transaction_id, run_id, outcome)
      values (${key}, ${run_id}, 'committed')`.execute(db);
  }
}

/** Waits for a running commit and returns the outcome. If there was no commit, none can follow. */
export async function readMark(db: Db, { schema, key, run_id }: Mark): Promise<TransactionOutcome> {
  const { rows } = await sql<{ outcome: TransactionOutcome }>`
    insert into ${sql.id(schema, MARKS)} as marks (transaction_id, run_id, outcome)
    values (${key}, ${run_id}, 'rolled_back')
    on conflict (transaction_id) do update set outcome = marks.outcome
    returning outcome`.execute(db);
  return rows[0]?.outcome ?? 'unknown';
}

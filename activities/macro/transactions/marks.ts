import { sql } from 'kysely';
import type { TransactionOutcome } from '../../../src/contract/macro-activities';
import type { Database } from '../../../src/postgres/databases';
import { TRANSACTIONS_TABLE as MARKS } from '../../../src/postgres/databases/marker-tables';

export type Db = Parameters<Parameters<Database['lend']>[1]>[0];

/**
 * A mark is a row that is committed together with a transaction, so that it says after a lost answer whether the commit
 * was made. The unique key settles a race between the commit and a check for it: the check leaves a row under the same key.
 */
/** Which mark, the macro run that it belongs to, and the schema that its table is in. */
export interface Mark {
  schema: string;
  key: string;
  run_id: string;
}

interface MarksTable {
  schema: string;
  made: boolean;
  usable: boolean;
  creatable: boolean;
}

/** The schema of the marks, the first one of this role; undefined where it may leave none. The table is made where there is none. */
export async function ensureMarks(db: Db): Promise<string | undefined> {
  const { rows } = await sql<MarksTable>`
    select n.nspname as schema, c.oid is not null as made,
      coalesce(has_table_privilege(c.oid, 'SELECT') and has_table_privilege(c.oid, 'INSERT')
        and has_table_privilege(c.oid, 'UPDATE'), false) as usable,
      has_schema_privilege(n.oid, 'CREATE') as creatable
    from pg_catalog.pg_namespace n
      left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = ${MARKS}
    where n.nspname = current_schema()`.execute(db);
  const [place] = rows;
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
    // Of two that make it at once, one is refused by a unique index of the catalogue, or finds the table there.
    if (!['23505', '42P07'].includes(sqlState(error))) throw error;
  }
  return place.schema;
}

/** Of an error of PostgreSQL; empty for any other. https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function sqlState(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9FHPX][0-9A-Z]{4}$/.test(code) ? code : '';
}

/** Within the transaction, right before its commit. One that wrote nothing needs none. */
export async function leaveMark(db: Db, { schema, key, run_id }: Mark): Promise<void> {
  const { rows } = await sql<{ wrote: boolean }>`
    select pg_current_xact_id_if_assigned() is not null as wrote`.execute(db);
  if (rows[0]?.wrote) {
    await sql`insert into ${sql.id(schema, MARKS)} (transaction_id, run_id, outcome)
      values (${key}, ${run_id}, 'committed')`.execute(db);
  }
}

/** Waits for a commit that is still under way; where there was none, there can be none any more. */
export async function readMark(db: Db, { schema, key, run_id }: Mark): Promise<TransactionOutcome> {
  const { rows } = await sql<{ outcome: TransactionOutcome }>`
    insert into ${sql.id(schema, MARKS)} as marks (transaction_id, run_id, outcome)
    values (${key}, ${run_id}, 'rolled_back')
    on conflict (transaction_id) do update set outcome = marks.outcome
    returning outcome`.execute(db);
  return rows[0]?.outcome ?? 'unknown';
}

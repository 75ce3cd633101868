import { sql, type RawBuilder } from 'kysely';
import type { Piece } from './conditions';
import type { Db } from './db';

/** The tables of commit markers in a user's database, each with the column that names the job of a row. */
export const CHANGES_TABLE = 'batchgate_changes';
export const TRANSACTIONS_TABLE = 'batchgate_transactions';
const JOB_COLUMNS: Readonly<Record<string, string>> = {
  [CHANGES_TABLE]: 'operation_id',
  [TRANSACTIONS_TABLE]: 'run_id',
};

export const jobColumnOf = (table: string): string => JOB_COLUMNS[table] ?? '';

const NAMES = Object.keys(JOB_COLUMNS)
  .map((name) => `'${name}'`)
  .join(', ');
/** The names of the tables, for a condition. */
export const MARKER_TABLES: RawBuilder<unknown> = sql.raw(NAMES);

interface MarkerPlace {
  readonly schema: string;
  /** The table exists. */
  readonly made: boolean;
  readonly usable: boolean;
  readonly creatable: boolean;
}

/** Returns which of these schemas have, or let this role create, a table of markers. `public` comes last. */
export async function markerPlaces(db: Db, table: string, schemas: Piece): Promise<MarkerPlace[]> {
  const { rows } = await sql<MarkerPlace>`
    select n.nspname as schema, c.oid is not null as made,
      has_schema_privilege(n.oid, 'USAGE') and coalesce(has_table_privilege(c.oid, 'SELECT')
        and has_table_privilege(c.oid, 'INSERT') and has_table_privilege(c.oid, 'UPDATE'), false) as usable,
      has_schema_privilege(n.oid, 'USAGE') and has_schema_privilege(n.oid, 'CREATE') as creatable
    from pg_catalog.pg_namespace n
      left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = ${table}
    where n.nspname in (${schemas})
    order by n.nspname = 'public'`.execute(db);
  return rows;
}

/**
 * Returns true for the errors of a concurrent creation: a unique violation in the catalogue, an existing table, or an
 * existing row type.
 */
export const isMadeMeanwhile = (state: string): boolean => ['23505', '42P07', '42710'].includes(state);

export interface MarkerTable {
  readonly schema: string;
  readonly name: string;
  /** The role may delete its rows. */
  readonly deletable: boolean;
}

/** The tables of markers that the role can read, in all schemas. */
const READABLE = `
  select n.nspname as schema, c.relname as name, has_table_privilege(c.oid, 'DELETE') as deletable
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relname in (${NAMES}) and c.relkind in ('r', 'p')
    and has_schema_privilege(n.oid, 'USAGE') and has_table_privilege(c.oid, 'SELECT')
  order by 1, 2`;
export const markerTables: RawBuilder<MarkerTable> = sql.raw(READABLE);

/** The tables of markers in a SQLite file. */
export const sqliteMarkers: RawBuilder<MarkerTable> = sql.raw(`
  select 'main' as schema, name, true as deletable from sqlite_schema where type = 'table' and name in (${NAMES})`);

/** The tables of markers on a MariaDB or MySQL server. It does not report a missing right to delete in advance. */
export const mysqlMarkers: RawBuilder<MarkerTable> = sql.raw(`
  select t.table_schema as \`schema\`, t.table_name as name, true as deletable from information_schema.tables t
  where t.table_name in (${NAMES}) order by 1, 2`);

/** Returns the statement that the owner of the table must run. */
export const deleteGrant = ({ schema, name }: MarkerTable): string => `grant delete on ${schema}.${name}`;

/** Returns the missing grants that hygiene needs to delete old markers. */
export async function undeletable(client: {
  query(text: string): Promise<{ rows: MarkerTable[] }>;
}): Promise<string[]> {
  const { rows } = await client.query(READABLE);
  return rows.filter(({ deletable }) => !deletable).map(deleteGrant);
}

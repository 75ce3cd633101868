import { sql } from 'kysely';
import { BatchgateError } from '../../../src/contract/errors';
import type { Db } from '../../../src/postgres/databases';
import { tableNameParts } from '../../../src/postgres/databases/table-name';
import { nearestNames } from '../shared/names';
import { MARKER_TABLES } from '../../../src/postgres/databases/marker-tables';
import { shownTable, type TableName } from './parameters';

export interface Column {
  readonly name: string;
  /** As in the catalogue, quoted if necessary, without its length, so that a cast does not truncate. */
  readonly type: string;
  /** With its length and precision. */
  readonly fullType: string;
  /** https://www.postgresql.org/docs/current/catalog-pg-type.html, typcategory: `S` for texts. */
  readonly category: string;
  readonly json: boolean;
  /** PostgreSQL generates its value. */
  readonly generated: boolean;
  /** Computed from other columns, so that no statement can set it. */
  readonly computed: boolean;
  /** The position in the primary key, from 0. */
  readonly keyPosition: number | null;
}

export interface Table extends TableName {
  readonly columns: readonly Column[];
  /** In the order of the primary key. */
  readonly key: readonly Column[];
}

/** Relations whose rows cannot be changed by key. */
const NOT_A_TABLE: Record<string, string> = {
  v: 'a view',
  m: 'a materialized view',
  f: 'a foreign table',
};

/**
 * Looks up a table by the name that a person gave.
 * @throws BatchgateError `INVALID_INPUT` with the nearest tables if there is none, or with the kind of relation.
 */
export async function findTable(db: Db, given: string): Promise<Table> {
  const parts = tableNameParts(given);
  const [name = '', schema] = [...parts].reverse();
  const found = await sql<{ schema: string; name: string; kind: string }>`
    select n.nspname as schema, c.relname as name, c.relkind::text as kind
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relname = ${name} and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and ${schema === undefined ? sql`pg_catalog.pg_table_is_visible(c.oid)` : sql`n.nspname = ${schema}`}
      and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relname not in (${MARKER_TABLES})`.execute(
    db,
  );
  const [relation] = found.rows;
  if (relation === undefined) throw await unknownTable(db, given, name);
  const what = NOT_A_TABLE[relation.kind];
  if (what !== undefined) throw refused(relation, `is ${what}`, 'Name the underlying table.');
  const table = await loadTable(db, relation);
  if (table.key.length === 0) {
    throw refused(relation, 'has no primary key', 'Its rows cannot be identified; add a primary key.');
  }
  return table;
}

interface ColumnRow extends Omit<Column, 'keyPosition'> {
  readonly key_position: number | null;
}

/** The columns and the key of a table that was found before; without a key if the table no longer exists. */
export async function loadTable(db: Db, { schema, name }: TableName): Promise<Table> {
  const { rows } = await sql<ColumnRow>`
    select a.attname as name, t.typcategory::text as category,
      pg_catalog.format_type(a.atttypid, -1) as type,
      pg_catalog.format_type(a.atttypid, a.atttypmod) as "fullType",
      coalesce(nullif(t.typbasetype, 0::oid), t.oid) in ('json'::regtype, 'jsonb'::regtype) as json,
      a.attgenerated <> '' or a.attidentity = 'a' as generated, a.attgenerated <> '' as computed,
      pg_catalog.array_position(i.indkey::int2[], a.attnum) as key_position
    from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_catalog.pg_type t on t.oid = a.atttypid
      left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
    where n.nspname = ${schema} and c.relname = ${name} and c.relkind in ('r', 'p')
    order by a.attnum`.execute(db);
  const columns = rows.map(({ key_position, ...column }) => ({ ...column, keyPosition: key_position }));
  const key = columns
    .filter(({ keyPosition }) => keyPosition !== null)
    .sort((a, b) => (a.keyPosition ?? 0) - (b.keyPosition ?? 0));
  return { schema, name, columns, key };
}

/** @throws BatchgateError `INVALID_INPUT` with the nearest columns. */
export function columnOf(table: Table, name: string): Column {
  const column = table.columns.find((one) => one.name === name);
  if (column !== undefined) return column;
  const names = table.columns.map((one) => one.name);
  const near = nearestNames(names, name);
  throw new BatchgateError(
    'INVALID_INPUT',
    `Column '${name}' not found in ${shownTable(table)}`,
    near.length > 0
      ? `The nearest columns: ${near.join(', ')}.`
      : `Its columns: ${names.slice(0, 20).join(', ')}.`,
  );
}

/** A column that may be set. @throws BatchgateError `INVALID_INPUT` */
export function settableColumn(table: Table, name: string): Column {
  const column = columnOf(table, name);
  if (!column.generated) return column;
  throw new BatchgateError(
    'INVALID_INPUT',
    `The column '${name}' of ${shownTable(table)} is generated by the database.`,
    'Leave it out of set.',
  );
}

const NAMES_READ = 2_000;

async function unknownTable(db: Db, given: string, name: string): Promise<BatchgateError> {
  const { rows } = await sql<TableName>`
    select n.nspname as schema, c.relname as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and c.relname not in (${MARKER_TABLES})
    order by 1, 2 limit ${NAMES_READ}`.execute(db);
  const likely = new Set(nearestNames([...new Set(rows.map((row) => row.name))], name));
  const near = rows.filter((row) => likely.has(row.name)).slice(0, 3);
  return new BatchgateError(
    'INVALID_INPUT',
    `Table '${given}' not found`,
    near.length > 0
      ? `The nearest tables: ${near.map(shownTable).join(', ')}.`
      : 'Spell it as in the database, with its schema if that is not on the search path.',
  );
}

const refused = (table: TableName, why: string, hint: string) =>
  new BatchgateError('INVALID_INPUT', `${shownTable(table)} ${why}.`, hint);

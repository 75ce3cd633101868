import { sql } from 'kysely';
import type { BatchgateError } from '../../../src/contract/errors';
import { isPrivate } from '../../../src/core/shared/plain-secrets';
import type { Db } from '../../../src/postgres/databases';
import {
  columnTypeFields,
  columnTypeJoin,
  type ColumnType,
} from '../../../src/postgres/databases/column-types';
import { tableNameParts } from '../../../src/postgres/databases/table-name';
import { mistake } from '../shared/failure';
import { notFound } from '../shared/names';
import type { Piece } from '../../../src/postgres/databases/conditions';
import { MARKER_TABLES } from '../../../src/postgres/databases/marker-tables';
import { shownTable, type TableName } from './parameters';

export interface Column extends ColumnType {
  /** Whether the database generates its value. */
  readonly generated: boolean;
  /** Whether it is computed from other columns, so that no statement can set it. */
  readonly computed: boolean;
  /** The position in the primary key, from 0. */
  readonly keyPosition: number | null;
  readonly notNull: boolean;
  /** Whether the database supplies a value in a new row. */
  readonly hasDefault: boolean;
  /** Whether this role may set the column in an existing row, or in a new row. */
  readonly mayUpdate: boolean;
  readonly mayInsert: boolean;
  /** For text columns of MySQL, where each column can have its own. */
  readonly charset?: string;
  readonly collation?: string;
}

export interface Table extends TableName {
  readonly columns: readonly Column[];
  /** The columns of the primary key, in order. */
  readonly key: readonly Column[];
  readonly mayDelete: boolean;
  /** Whether this role may read the whole table, including its system columns. */
  readonly mayRead: boolean;
  /** The statements that fire triggers or rules of users. */
  readonly reacts: { readonly insert: boolean; readonly update: boolean; readonly delete: boolean };
  /** Columns that refer to rows of the same table, and the columns to which they refer. */
  readonly selfReferences: readonly { readonly from: readonly string[]; readonly to: readonly string[] }[];
}

/** Relations whose rows cannot be changed by key. */
const NOT_A_TABLE: Record<string, string> = {
  v: 'a view',
  m: 'a materialized view',
  f: 'a foreign table',
};

/** The relations that are not part of the system. */
const OF_USERS = sql`
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relname not in (${MARKER_TABLES})`;

/**
 * Looks up a table by the name in a request.
 * @throws BatchgateError `INVALID_INPUT` with the nearest tables if there is none, or with the kind of relation.
 */
export async function findTable(db: Db, givenName: string): Promise<Table> {
  const [name = '', schema] = [...tableNameParts(givenName)].reverse();
  const { rows } = await sql<{ schema: string; name: string; kind: string }>`
    select n.nspname as schema, c.relname as name, c.relkind::text as kind
    ${OF_USERS} and c.relname = ${name} and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and ${schema === undefined ? sql`pg_catalog.pg_table_is_visible(c.oid)` : sql`n.nspname = ${schema}`}`.execute(
    db,
  );
  const [relation] = rows;
  if (relation === undefined) throw await unknownTable(db, givenName, name);
  const what = NOT_A_TABLE[relation.kind];
  if (what !== undefined) throw mistake(`${shownTable(relation)} is ${what}.`, 'Name the underlying table.');
  const table = await loadTable(db, relation);
  if (table.key.length > 0) return table;
  throw mistake(
    `${shownTable(relation)} has no primary key.`,
    'Its rows cannot be identified; add a primary key.',
  );
}

type Facts = Pick<Table, 'mayDelete' | 'mayRead' | 'reacts' | 'selfReferences'>;

interface ColumnRow extends Omit<Column, 'keyPosition'> {
  readonly key_position: number | null;
  readonly facts: Facts;
}

/**
 * Reads the columns and the key of a table that was looked up before; no key if the table no longer exists. Includes
 * triggers of partitions. https://www.postgresql.org/docs/current/catalog-pg-trigger.html, tgtype
 */
export async function loadTable(db: Db, { schema, name }: TableName): Promise<Table> {
  const { rows } = await sql<ColumnRow>`
    with facts as (
      select json_build_object('mayDelete', pg_catalog.has_table_privilege(c.oid, 'delete'),
        'mayRead', pg_catalog.has_table_privilege(c.oid, 'select'),
        'reacts', json_build_object('insert', c.relhasrules or events & 4 > 0,
          'delete', c.relhasrules or events & 8 > 0, 'update', c.relhasrules or events & 16 > 0),
        'selfReferences', (select coalesce(json_agg(json_build_object('from', ${columnNames(sql`k.conrelid, k.conkey`)},
            'to', ${columnNames(sql`k.confrelid, k.confkey`)})), '[]')
          from pg_catalog.pg_constraint k
          where k.contype = 'f' and k.conrelid = c.oid and k.confrelid = c.oid)) as facts, c.oid
      from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        cross join lateral (
          select coalesce(bit_or(g.tgtype), 0::int2) as events from pg_catalog.pg_trigger g
          where not g.tgisinternal and g.tgenabled in ('O', 'A')
            and (g.tgrelid = c.oid or g.tgrelid in (select relid from pg_catalog.pg_partition_tree(c.oid)))
        ) as triggers
      where n.nspname = ${schema} and c.relname = ${name} and c.relkind in ('r', 'p')
    )
    select ${columnTypeFields}, facts.facts,
      a.attgenerated <> '' or a.attidentity = 'a' as generated, a.attgenerated <> '' as computed,
      pg_catalog.array_position(i.indkey::int2[], a.attnum) as key_position, a.attnotnull as "notNull",
      a.atthasdef or a.attidentity <> '' or exists (select from pg_catalog.pg_type d
        where d.oid = a.atttypid and d.typdefault is not null) as "hasDefault",
      pg_catalog.has_column_privilege(facts.oid, a.attnum, 'update') as "mayUpdate",
      pg_catalog.has_column_privilege(facts.oid, a.attnum, 'insert') as "mayInsert"
    from facts
      join pg_catalog.pg_attribute a on a.attrelid = facts.oid and a.attnum > 0 and not a.attisdropped
      left join pg_catalog.pg_index i on i.indrelid = facts.oid and i.indisprimary
      ${columnTypeJoin}
    order by a.attnum`.execute(db);
  const columns = rows.map(({ key_position, facts: _, ...column }) => ({
    ...column,
    keyPosition: key_position,
  }));
  const key = columns
    .filter(({ keyPosition }) => keyPosition !== null)
    .sort((a, b) => (a.keyPosition ?? 0) - (b.keyPosition ?? 0));
  const facts: Facts = rows[0]?.facts ?? {
    ...{ mayDelete: false, mayRead: false, selfReferences: [] },
    reacts: { insert: false, update: false, delete: false },
  };
  return { schema, name, columns, key, ...facts };
}

/** Returns the names of columns as a JSON array. `of`: a relation and an array of attribute numbers. */
export const columnNames = (of: Piece): Piece => sql`(
  select json_agg(a.attname order by u.at) from (select ${of}) as o (rel, keys)
    cross join lateral unnest(o.keys) with ordinality as u (attnum, at)
    join pg_catalog.pg_attribute a on a.attrelid = o.rel and a.attnum = u.attnum)`;

/** @throws BatchgateError `INVALID_INPUT` with the nearest columns. */
export function columnOf(table: Table, name: string): Column {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column !== undefined) return column;
  const names = table.columns.map((candidate) => candidate.name);
  const otherwise = `Its columns: ${names.slice(0, 20).join(', ')}.`;
  const near = { names, kinds: 'columns', otherwise };
  throw notFound(`Column '${name}' not found in ${shownTable(table)}`, name, near);
}

/** Returns a column that may be set. @throws BatchgateError `INVALID_INPUT` */
export function settableColumn(table: Table, name: string): Column {
  const column = columnOf(table, name);
  if (column.keyPosition !== null)
    throw mistake(
      `The column '${name}' is in the primary key of ${shownTable(table)}, by which rows are identified.`,
      'Leave it out of set: a row with another key is another row.',
    );
  if (!column.generated) return column;
  throw mistake(
    `The column '${name}' of ${shownTable(table)} is generated by the database.`,
    'Leave it out of set.',
  );
}

/** Returns the error for a value that a column does not accept. `why`: the reason, which may quote the value. */
export function doesNotFit(table: TableName, { name, type }: Column, why?: string): BatchgateError {
  const reason = why === undefined || isPrivate(name) ? `it is of type ${type}` : why;
  return mistake(
    `The column '${name}' of ${shownTable(table)} does not take the value: ${reason}.`,
    'Write a value that fits the type of the column.',
  );
}

const NAMES_READ = 2_000;

async function unknownTable(db: Db, givenName: string, name: string): Promise<BatchgateError> {
  const { rows } = await sql<TableName>`
    select n.nspname as schema, c.relname as name ${OF_USERS} and c.relkind in ('r', 'p')
    order by 1, 2 limit ${NAMES_READ}`.execute(db);
  const otherwise = 'Spell it as in the database, with its schema if that is not on the search path.';
  const near = { names: rows.map(shownTable), kinds: 'tables', otherwise };
  return notFound(`Table '${givenName}' not found`, name, near);
}

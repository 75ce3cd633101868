import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import type { Piece } from '../../../../src/postgres/databases/conditions';
import { MARKER_TABLES } from '../../../../src/postgres/databases/marker-tables';
import { tableNameParts } from '../../../../src/postgres/databases/table-name';
import { mistake } from '../../shared/failure';
import { notFound } from '../../shared/names';
import type { Column, Table } from '../catalogue';
import type { Identity } from '../local/dialect';
import { shownTable, type TableName } from '../parameters';
import type { Reference } from '../references';
import { selected } from './statements';
import { typeOf } from './types';

interface Relation extends TableName {
  readonly type: string;
  readonly engine: string | null;
  readonly safe: string | null;
}

const NAMES_READ = 2_000;
const OF_SERVER = sql`('mysql', 'information_schema', 'performance_schema', 'sys')`;

/**
 * Reads the relations of users: all of them, or those with an exact name.
 * https://mariadb.com/kb/en/information-schema-tables-table/
 */
async function relations(db: Db, schema: string | undefined, name?: string): Promise<Relation[]> {
  const { rows } = await sql<Relation>`
    select t.table_schema as ${sql.id('schema')}, t.table_name as name, t.table_type as type, t.engine as engine,
      (select e.transactions from information_schema.engines e where e.engine = t.engine) as safe
    from information_schema.tables t
    where t.table_schema = ${schema === undefined ? sql`database()` : sql`${schema}`}
      and t.table_schema not in ${OF_SERVER} and t.table_name not in (${MARKER_TABLES})
      ${name === undefined ? sql`` : sql`and t.table_name = ${name}`}
    order by 1, 2 limit ${sql.lit(NAMES_READ)}`.execute(db);
  return name === undefined ? rows : rows.filter((relation) => relation.name === name);
}

/** @throws BatchgateError `INVALID_INPUT` with the nearest tables, or with the reason that rows cannot be changed. */
export async function findMysqlTable(db: Db, givenName: string): Promise<Table> {
  const [name = '', schema] = [...tableNameParts(givenName)].reverse();
  const [relation] = await relations(db, schema, name);
  if (relation === undefined) {
    const names = (await relations(db, schema)).map((other) => other.name);
    const otherwise =
      'Spell it as in the database, with the name of its database before it if that is another one.';
    throw notFound(`Table '${givenName}' not found`, name, { names, kinds: 'tables', otherwise });
  }
  refuse(relation);
  const table = await loadMysqlTable(db, relation);
  if (table.key.length > 0) return table;
  throw mistake(
    `${shownTable(relation)} has no primary key.`,
    'Its rows cannot be identified; add a primary key.',
  );
}

/** @throws BatchgateError `INVALID_INPUT` for a relation whose changes cannot be rolled back. */
function refuse({ type, engine, safe, ...relation }: Relation): void {
  const table = shownTable(relation);
  if (/view/i.test(type)) throw mistake(`${table} is a view.`, 'Name the underlying table.');
  if (type === 'SEQUENCE') throw mistake(`${table} is a sequence.`, 'Name a table.');
  if (safe === 'YES') return;
  throw mistake(
    `${table} is kept by the engine ${engine ?? 'of another server'}, which has no transactions: a change that fails half-way would stay.`,
    `Convert it first: alter table ${table} engine = InnoDB.`,
  );
}

/** Compares with case: some columns of information_schema ignore it, even if table names are case-sensitive. */
const isExactly = (column: Piece, name: string): Piece => sql`${column} = ${name}
  and (@@lower_case_table_names > 0 or cast(${column} as binary) = cast(${name} as binary))`;

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly nullable: string;
  readonly initial: string | null;
  readonly extra: string;
  readonly charset: string | null;
  readonly collation: string | null;
  readonly privileges: string;
}

/** Loads a table. It has no key if it no longer exists. Triggers are visible only with the privilege for them. */
export async function loadMysqlTable(db: Db, { schema, name }: TableName): Promise<Table> {
  const { rows } = await sql<ColumnRow>`
    select c.column_name as name, c.column_type as type, c.is_nullable as nullable, c.column_default as initial,
      c.extra as extra, c.character_set_name as charset, c.collation_name as ${sql.id('collation')},
      c.privileges as ${sql.id('privileges')}
    from information_schema.columns c
    where c.table_schema = ${schema} and c.table_name = ${name} order by c.ordinal_position`.execute(db);
  const { rows: key } = await sql<{ name: string }>`
    select s.column_name as name from information_schema.statistics s
    where s.table_schema = ${schema} and s.table_name = ${name} and s.index_name = 'PRIMARY'
    order by s.seq_in_index`.execute(db);
  const { rows: triggers } = await sql<{ event: string }>`
    select event_manipulation as event from information_schema.triggers
    where event_object_schema = ${schema} and ${isExactly(sql`event_object_table`, name)}`.execute(db);
  const texts = await jsonTexts(db, { schema, name }, rows);
  const positions = key.map((column) => column.name);
  const columns = rows.map((row) => columnOf(row, positions.indexOf(row.name), texts));
  const on = (event: string) => triggers.some((trigger) => trigger.event === event);
  const selfRefs = (await referencesTo(db, { schema, name })).filter(({ child, parent }) => child === parent);
  return {
    ...{ schema, name, columns, mayDelete: true },
    mayRead: rows.every(({ privileges }) => privileges.includes('select')),
    key: columns
      .filter(({ keyPosition }) => keyPosition !== null)
      .sort((left, right) => (left.keyPosition ?? 0) - (right.keyPosition ?? 0)),
    reacts: {
      insert: on('INSERT'),
      // An undo does not restore a column that the database sets on every update, either.
      update: on('UPDATE') || rows.some(({ extra }) => /on update/i.test(extra)),
      delete: on('DELETE'),
    },
    selfReferences: selfRefs.map(({ from, to }) => ({ from, to })),
  };
}

function columnOf(row: ColumnRow, position: number, texts: ReadonlySet<string>): Column {
  const { name, type, nullable, initial, extra, charset, collation, privileges } = row;
  const { family } = typeOf({ type });
  const generated = /\b(?:VIRTUAL|STORED|PERSISTENT) GENERATED\b/i.test(extra);
  return {
    ...{ name, type, base: type, stored: type, generated, computed: generated },
    category: family === 'text' ? 'S' : '',
    json: family === 'json' || texts.has(name),
    keyPosition: position < 0 ? null : position,
    notNull: nullable === 'NO',
    hasDefault: initial !== null || /auto_increment/i.test(extra),
    mayUpdate: privileges.includes('update'),
    mayInsert: privileges.includes('insert'),
    ...(charset !== null && { charset }),
    ...(collation !== null && { collation }),
  };
}

/** Reads the text columns that MariaDB declares as json, which are texts with a check. */
async function jsonTexts(
  db: Db,
  { schema, name }: TableName,
  rows: readonly ColumnRow[],
): Promise<Set<string>> {
  if (!rows.some(({ type }) => type === 'longtext')) return new Set();
  const { rows: checks } = await sql<{ clause: string }>`
    select c.check_clause as clause from information_schema.check_constraints c
    where c.constraint_schema = ${schema}`.execute(db);
  const { rows: constraints } = await sql<{ text: string }>`
    select constraint_name as text from information_schema.table_constraints
    where table_schema = ${schema} and table_name = ${name} and constraint_type = 'CHECK'`.execute(db);
  return constraints.length === 0
    ? new Set()
    : new Set(
        rows.map((row) => row.name).filter((column) => checks.some(({ clause }) => isJsonOf(clause, column))),
      );
}

const isJsonOf = (clause: string, column: string): boolean =>
  clause.toLowerCase() === `json_valid(\`${column.replaceAll('`', '``').toLowerCase()}\`)`;

export const nameOf = ({ schema, name }: TableName): string => JSON.stringify([schema, name]);

/** InnoDB refuses `SET DEFAULT`, and `SET NULL` for a column that cannot be null. */
const ACTIONS: Record<string, string> = { CASCADE: 'c', 'SET NULL': 'n' };

interface KeyRow extends TableName {
  readonly constraint: string;
  readonly column: string;
  readonly to: string;
}

interface RuleRow {
  readonly on_delete: string;
  readonly on_update: string;
}

/** Reads the foreign keys that refer to a table, from any database of the server. */
async function referencesTo(db: Db, parent: TableName): Promise<Omit<Reference, 'readable'>[]> {
  const { rows } = await sql<KeyRow>`
    select k.constraint_name as ${sql.id('constraint')}, k.table_schema as ${sql.id('schema')}, k.table_name as name,
      k.column_name as ${sql.id('column')}, k.referenced_column_name as ${sql.id('to')}
    from information_schema.key_column_usage k
    where k.referenced_table_schema = ${parent.schema} and ${isExactly(sql`k.referenced_table_name`, parent.name)}
    order by k.table_schema, k.table_name, k.constraint_name, k.ordinal_position`.execute(db);
  const keys = new Map<string, KeyRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.schema, row.name, row.constraint]);
    keys.set(key, [...(keys.get(key) ?? []), row]);
  }
  const references: Omit<Reference, 'readable'>[] = [];
  for (const parts of keys.values()) {
    const { schema, name, constraint } = parts[0]!;
    const { rows: rules } = await sql<RuleRow>`
      select r.delete_rule as on_delete, r.update_rule as on_update from information_schema.referential_constraints r
      where r.constraint_schema = ${schema} and r.table_name = ${name} and r.constraint_name = ${constraint}`.execute(
      db,
    );
    const from = parts.map(({ column }) => column);
    references.push({
      ...{
        schema,
        name,
        from,
        to: parts.map(({ to }) => to),
        partitioned: false,
        empties: from,
        required: false,
      },
      ...{ parent: nameOf(parent), child: nameOf({ schema, name }) },
      on_delete: ACTIONS[rules[0]?.on_delete ?? ''] ?? 'a',
      on_update: ACTIONS[rules[0]?.on_update ?? ''] ?? 'a',
    });
  }
  return references;
}

/** Reads the foreign keys that refer to a table, directly or through other tables. */
export async function mysqlReferences(db: Db, table: TableName): Promise<Reference[]> {
  const tables: TableName[] = [table];
  const references: Reference[] = [];
  for (const parent of tables) {
    for (const reference of await referencesTo(db, parent)) {
      references.push({ ...reference, readable: await isReadable(db, reference) });
      if (!tables.some((other) => nameOf(other) === reference.child)) tables.push(reference);
    }
  }
  return references;
}

async function isReadable(db: Db, { schema, name }: TableName): Promise<boolean> {
  const { rows } = await sql<{ privileges: string }>`
    select c.privileges as ${sql.id('privileges')} from information_schema.columns c
    where c.table_schema = ${schema} and c.table_name = ${name}`.execute(db);
  return rows.every(({ privileges }) => privileges.includes('select'));
}

/** Identifies a row by its key. In a table without a key, by the whole row, with a number for equal rows. */
export async function mysqlIdentity(db: Db, name: TableName): Promise<Identity> {
  const { columns, key } = await loadMysqlTable(db, name);
  const parts = (row: string) =>
    (key.length > 0 ? key : columns).map((column) => {
      const text = selected(column, sql.id(row, column.name));
      return sql`ifnull(hex(cast(${text} as binary)), '-')`;
    });
  const values = (row: string): Piece => sql`concat_ws(',', ${sql.join(parts(row))})`;
  if (key.length > 0) return { of: values, isIn: (row, ids) => sql`${values(row)} in (${sql.join(ids)})` };
  return {
    of: (row) => sql`concat(${values(row)}, '#', row_number() over (partition by ${values(row)}))`,
    isIn: (row, ids) =>
      sql`${values(row)} in (${sql.join([...new Set(ids.map((id) => id.replace(/#.*/, '')))])})`,
  };
}

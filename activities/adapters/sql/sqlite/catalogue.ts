import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import { CHANGES_TABLE } from '../../../../src/postgres/databases/marker-tables';
import { tableNameParts } from '../../../../src/postgres/databases/table-name';
import { mistake } from '../../shared/failure';
import { notFound } from '../../shared/names';
import type { Column, Table } from '../catalogue';
import { shownTable } from '../parameters';
import type { Reference } from '../references';
import { affinityOf } from './values';

/** The schema of the file itself. */
export const MAIN = 'main';

interface Relation {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** Reads the tables and views of users. */
async function relations(db: Db): Promise<Relation[]> {
  const { rows } = await sql<Relation>`
    select name, type, coalesce(sql, '') as text from sqlite_schema
    where type in ('table', 'view') and substr(name, 1, 7) <> 'sqlite_' and name <> ${CHANGES_TABLE}
    order by name`.execute(db);
  return rows;
}

const NOT_A_TABLE: Record<string, string> = { view: 'a view', virtual: 'a virtual table' };

/** @throws BatchgateError `INVALID_INPUT` with the nearest tables if there is none, or with the kind of relation. */
export async function findSqliteTable(db: Db, givenName: string): Promise<Table> {
  const [name = '', schema = MAIN] = [...tableNameParts(givenName)].reverse();
  const all = await relations(db);
  const relation = schema === MAIN ? all.find((candidate) => candidate.name === name) : undefined;
  if (relation === undefined) {
    const names = all.filter(({ type }) => type === 'table').map((table) => table.name);
    const otherwise = 'Spell it as in the database.';
    throw notFound(`Table '${givenName}' not found`, name, { names, kinds: 'tables', otherwise });
  }
  const kind = /^create virtual/i.test(relation.text) ? 'virtual' : relation.type;
  const what = NOT_A_TABLE[kind];
  if (what !== undefined)
    throw mistake(`${name} is ${what}.`, 'Name a table that the database itself keeps.');
  const table = await loadSqliteTable(db, name);
  const untyped = table.key.find(({ base }) => base === 'ANY');
  if (untyped)
    throw mistake(
      `The column '${untyped.name}' of the primary key of ${shownTable(table)} has no type.`,
      'Its rows cannot be identified by texts; give the column a type.',
    );
  if (table.key.length > 0) return table;
  throw mistake(
    `${shownTable(table)} has no primary key.`,
    'Its rows cannot be identified; add a primary key.',
  );
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: bigint;
  readonly dflt_value: string | null;
  readonly pk: bigint;
  /** 2 or 3 for a generated column. */
  readonly hidden: bigint;
}

/** Loads a table. It has no key if it no longer exists. A trigger counts for every statement. */
export async function loadSqliteTable(db: Db, name: string): Promise<Table> {
  const { rows } = await sql<ColumnRow>`select * from pragma_table_xinfo(${name}) order by cid`.execute(db);
  const { rows: triggers } = await sql`
    select 1 from sqlite_schema where type = 'trigger' and tbl_name = ${name} collate nocase limit 1`.execute(
    db,
  );
  const columns = rows.map((row) => columnOf(row, rows));
  const key = columns
    .filter(({ keyPosition }) => keyPosition !== null)
    .sort((a, b) => (a.keyPosition ?? 0) - (b.keyPosition ?? 0));
  const reacts = triggers.length > 0;
  const ownReferences = (await referencesOf(db, name)).filter(({ parent }) => isSameName(parent, name));
  return {
    ...{ schema: MAIN, name, columns, key, mayDelete: true, mayRead: true },
    reacts: { insert: reacts, update: reacts, delete: reacts },
    selfReferences: ownReferences.map(({ from, to }) => ({ from, to })),
  };
}

function columnOf({ name, type, notnull, dflt_value, pk, hidden }: ColumnRow, all: ColumnRow[]): Column {
  const generated = hidden === 2n || hidden === 3n;
  const affinity = affinityOf(type);
  // Such a key is the rowid, which SQLite can assign.
  const isNumber =
    pk > 0n && type.toUpperCase() === 'INTEGER' && all.filter((column) => column.pk > 0n).length === 1;
  return {
    ...{ name, type: type || 'ANY', base: affinity, stored: type || 'ANY', generated, computed: generated },
    ...{ category: affinity === 'TEXT' ? 'S' : '', json: /^JSON/i.test(type) },
    keyPosition: pk > 0n ? Number(pk) - 1 : null,
    notNull: notnull === 1n,
    hasDefault: dflt_value !== null || isNumber,
    ...{ mayUpdate: true, mayInsert: true },
  };
}

const isSameName = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

interface KeyRow {
  readonly id: bigint;
  readonly table: string;
  readonly from: string;
  readonly to: string | null;
  readonly on_update: string;
  readonly on_delete: string;
}

const ACTIONS: Record<string, string> = { CASCADE: 'c', 'SET NULL': 'n', 'SET DEFAULT': 'd' };

/** Reads the foreign keys of one table. */
async function referencesOf(db: Db, child: string): Promise<Reference[]> {
  const { rows } = await sql<KeyRow>`
    select * from pragma_foreign_key_list(${child}) order by id, seq`.execute(db);
  const references: Reference[] = [];
  for (const id of new Set(rows.map((row) => row.id))) {
    const parts = rows.filter((row) => row.id === id);
    const [first] = parts;
    if (first === undefined) continue;
    const from = parts.map((part) => part.from);
    // A foreign key without column names refers to the primary key.
    const to = parts.some((part) => part.to === null)
      ? await columnNames(db, sql`pk > 0`, first.table, 'pk')
      : parts.map((part) => part.to ?? '');
    const required = await columnNames(db, sql`"notnull" = 1`, child, 'cid');
    references.push({
      ...{
        parent: first.table,
        child,
        schema: MAIN,
        name: child,
        partitioned: false,
        readable: true,
        from,
        to,
      },
      on_delete: ACTIONS[first.on_delete] ?? 'a',
      on_update: ACTIONS[first.on_update] ?? 'a',
      empties: from,
      required: from.some((name) => required.includes(name)),
    });
  }
  return references;
}

async function columnNames(
  db: Db,
  filter: ReturnType<typeof sql>,
  table: string,
  order: string,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from pragma_table_xinfo(${table}) where ${filter} order by ${sql.id(order)}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Reads the foreign keys of all tables. */
export async function allReferences(db: Db): Promise<Reference[]> {
  const all: Reference[] = [];
  const names = (await relations(db)).filter(({ type }) => type === 'table').map(({ name }) => name);
  for (const name of names) {
    for (const reference of await referencesOf(db, name)) {
      const parent = names.find((other) => isSameName(other, reference.parent));
      if (parent !== undefined) all.push({ ...reference, parent });
    }
  }
  return all;
}

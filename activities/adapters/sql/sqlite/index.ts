import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import type { TableName } from '../parameters';
import { localEngine } from '../local';
import type { Dialect, Identity, Stored } from '../local/dialect';
import { allReferences, findSqliteTable, loadSqliteTable, MAIN } from './catalogue';
import { ensureMarks, fence, mark, MARKS } from './marks';
import { inSqlite } from './transaction';
import { isRestorable, printed, storedAs } from './values';

const dialect: Dialect = {
  transact: inSqlite,
  findTable: findSqliteTable,
  loadTable: (db, { name }) => loadSqliteTable(db, name),
  references: (db) => allReferences(db),
  nameOf: ({ name }) => name,
  identityOf,
  stored: storedAs,
  bound: (_column, value) => sql`${value}`,
  selected: (_column, ref) => ref,
  received: (_column, value) =>
    value instanceof ArrayBuffer ? new Uint8Array(value) : (value as Exclude<Stored, undefined>),
  ...{ printed, isRestorable },
  matches: (_column, left, op, pattern) =>
    op === 'like' ? sql`${left} glob ${globOf(pattern)}` : sql`${left} like ${pattern} escape '\\'`,
  differs: (left, value) => sql`${left} is not ${value}`,
  isDoubtful: () => false,
  refused: () => Promise.resolve(undefined),
  sameKey: () => Promise.resolve(undefined),
  // A writing transaction holds the only write lock.
  lock: sql``,
  chooseMarks: () => Promise.resolve(MARKS),
  ...{ ensureMarks, mark, fence },
};

export const sqlite = localEngine(dialect);

/** Identifies a row by its rowid, or by its key in a table without rowids. */
async function identityOf(db: Db, { name: table }: TableName): Promise<Identity> {
  const { rows: kinds } = await sql<{ wr: bigint }>`
    select wr from pragma_table_list where schema = ${MAIN} and name = ${table}`.execute(db);
  const { rows } = await sql<{ name: string; pk: bigint }>`
    select name, pk from pragma_table_xinfo(${table}) order by pk`.execute(db);
  const names = rows.map(({ name }) => name.toLowerCase());
  const number = ['rowid', '_rowid_', 'oid'].find((name) => !names.includes(name));
  const isNumbered = kinds[0]?.wr === 0n && number !== undefined;
  const key = rows.filter(({ pk }) => pk > 0n);
  const of = (row: string) =>
    isNumbered
      ? sql`cast(${sql.id(row, number)} as text)`
      : sql`json_array(${sql.join(key.map(({ name }) => sql`quote(${sql.id(row, name)})`))})`;
  return {
    of,
    isIn: (row, ids) => sql`${of(row)} in (select value from json_each(${JSON.stringify(ids)}))`,
  };
}

/** Returns a pattern of `like` as one of `glob`: SQLite ignores case in `like`, and compares it in `glob`. */
const globOf = (pattern: string): string =>
  pattern.replace(/\\([\s\S])|[\s\S]/g, (character, escaped: string | undefined) => {
    if (escaped === undefined && character === '%') return '*';
    if (escaped === undefined && character === '_') return '?';
    const letter = escaped ?? character;
    return /[*?[]/.test(letter) ? `[${letter}]` : letter;
  });

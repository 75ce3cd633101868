import { sql } from 'kysely';
import { condition, type Piece } from '../../../src/postgres/databases/conditions';
import {
  asStored,
  comparable,
  isKept,
  readValue,
  type GivenValue,
} from '../../../src/postgres/databases/typed-values';
import { mistake, ProviderFailure } from '../shared/failure';
import { jsonIn } from '../shared/parsed';
import { columnOf, settableColumn, type Column, type Table } from './catalogue';
import {
  Notation,
  shownTable,
  type Condition,
  type SqlChange,
  type TableName,
  type Value,
} from './parameters';

export const tableRef = ({ schema, name }: TableName): Piece => sql.id(schema, name);
const columnRef = ({ name }: Pick<Column, 'name'>): Piece => sql.id(name);

/** Builds a bound value, parsed by the type of its column. */
const typed = (column: Column, value: Value): Piece => readValue(column, textOf(column, value));

export function textOf({ name, json }: Column, value: Value): string | null {
  if (value === null) return null;
  if (value instanceof Notation) return value.text;
  if (json) return JSON.stringify(value);
  if (typeof value === 'object') {
    throw mistake(
      `The column '${name}' accepts no list and no object.`,
      'Write it as text in the notation of the database: {1,2} for an array of PostgreSQL.',
    );
  }
  return String(value);
}

/** Builds the conjunction of the conditions. @throws BatchgateError `INVALID_INPUT` */
export function whereOf(table: Table, conditions: readonly Condition[]): Piece {
  return sql.join(
    conditions.map((clause) => conditionOf(columnOf(table, clause.column), clause)),
    sql` and `,
  );
}

function conditionOf(column: Column, clause: Condition): Piece {
  const left = columnRef(column);
  if (!('value' in clause)) return condition(left, clause.op);
  if (!isPattern(clause))
    return condition(
      comparable(column),
      clause.op,
      ...[clause.value].flat().map((value) => typed(column, value)),
    );
  if (column.category === 'S') return condition(left, clause.op, sql`cast(${clause.value} as text)`);
  throw mistake(
    `The column '${column.name}' is of type ${column.type}, but ${clause.op} is for text.`,
    'Compare it with =, !=, <, <=, >, >=, in or not_in.',
  );
}

/** Returns every value of a change, with its column. @throws BatchgateError `INVALID_INPUT` */
export function valuesOf(table: Table, { where, set }: Pick<SqlChange, 'where' | 'set'>): ColumnValue[] {
  const valueOf = (name: string, value: Value, assigned: boolean) => {
    const column = columnOf(table, name);
    return { column, text: textOf(column, value), assigned };
  };
  return [
    ...where.flatMap((clause) =>
      'value' in clause && !isPattern(clause)
        ? [clause.value].flat().map((value) => valueOf(clause.column, value, false))
        : [],
    ),
    ...Object.entries(set).map(([name, value]) => valueOf(name, value, true)),
  ];
}

export interface ColumnValue extends GivenValue {
  readonly column: Column;
}

export const isPattern = ({ op }: Condition): boolean => op === 'like' || op === 'ilike';

/** Builds the list `column = value, …`. @throws BatchgateError `INVALID_INPUT` */
export function assignments(table: Table, set: SqlChange['set']): Piece {
  return sql.join(
    Object.entries(set).map(([name, value]) => {
      const column = settableColumn(table, name);
      return sql`${columnRef(column)} = ${typed(column, value)}`;
    }),
  );
}

/**
 * Builds a digest of the data that a change depends on. For an update: the columns of its conditions and the columns
 * that it sets. For a delete: the whole row.
 */
export function digestOf(table: Table, { action, where, set }: SqlChange): Piece {
  const names = new Set([...where.map(({ column }) => column), ...Object.keys(set)]);
  const columns = table.columns.filter(({ name }) => action === 'delete' || names.has(name));
  const row = sql`cast(row(${sql.join(columns.map(columnRef))}) as text)`;
  return hashOf(row);
}

export const hashOf = (text: Piece): Piece => sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;

/**
 * Returns the columns that a change alters: the columns that it sets, or for a deletion all that a statement can write.
 */
export const alteredColumns = (table: Table, { action, set }: Pick<SqlChange, 'action' | 'set'>) =>
  table.columns.filter(({ name, computed }) => (action === 'delete' ? !computed : Object.hasOwn(set, name)));

/** Values of columns by name, as PostgreSQL prints them, in a JSON object. */
export function textsOf(columns: readonly Column[], valueOf: (column: Column) => Piece = columnRef): Piece {
  const names = sql.join(columns.map(({ name }) => sql`cast(${name} as text)`));
  const values = sql.join(columns.map((column) => sql`cast(${valueOf(column)} as text)`));
  return sql`cast(json_object(array[${names}]::text[], array[${values}]::text[]) as text)`;
}

/** Returns a new value in the form that the column stores. */
export const storedValue = (column: Column, value: Value): Piece => asStored(column, textOf(column, value));

/** Returns the values of a row as PostgreSQL printed it, for the columns that it contains. */
export const printedValues = (columns: readonly Column[], row: Row): ColumnValue[] =>
  columns
    .filter(({ name }) => Object.hasOwn(row, name))
    .map((column) => ({ column, text: row[column.name] ?? null, assigned: true }));

/** Builds the list `column = text, …` for printed values. */
export const restoredColumns = (values: readonly GivenValue[]): Piece =>
  sql.join(values.map(({ column, text }) => sql`${columnRef(column)} = ${readValue(column, text)}`));

/**
 * Inserts a row as PostgreSQL printed it, unless its key exists. Columns that were added since then get their defaults.
 * Does not use `on conflict`, which cannot name a deferrable key.
 */
export function insertion(table: Table, values: readonly GivenValue[], isTaken: Piece): Piece {
  const names = sql.join(values.map(({ column }) => columnRef(column)));
  const texts = sql.join(values.map(({ column, text }) => readValue(column, text)));
  return sql`insert into ${tableRef(table)} (${names}) overriding system value
    select ${texts} where not exists (select from ${tableRef(table)} where ${isTaken})`;
}

/** Values by column, as PostgreSQL prints them. */
export type Row = Readonly<Record<string, string | null>>;

/** Returns the texts of a row's key, as an array. */
export const keyTexts = ({ key }: Table): Piece =>
  sql`array[${sql.join(key.map((column) => sql`cast(${columnRef(column)} as text)`))}]`;

/**
 * Selects the row with this id, or no row if PostgreSQL would parse the id as another key.
 * @throws ProviderFailure `refused` for an id that does not fit the key of this table.
 */
export function keyIs(table: Table, id: string): Piece {
  const values = keyOfId(table, id);
  return sql.join(
    table.key.flatMap((column, at) => {
      const text = values[at] ?? null;
      const unrounded = isKept({ column, text, assigned: false });
      return [sql`${comparable(column)} = ${readValue(column, text)}`, ...(unrounded ? [unrounded] : [])];
    }),
    sql` and `,
  );
}

/** Returns the id of a row: its key as text, or the canonical JSON of the texts of several key columns. */
export const idOfKey = (key: readonly string[]): string =>
  key.length === 1 ? (key[0] ?? '') : JSON.stringify(key);

export function keyOfId(table: Table, id: string): string[] {
  const { length } = table.key;
  const parts = length === 1 ? [id] : jsonIn(id);
  if (Array.isArray(parts) && parts.length === length && parts.every((part) => typeof part !== 'object'))
    return parts.map(String);
  const format = `[${table.key.map(({ name }) => JSON.stringify(name)).join(', ')}]`;
  throw new ProviderFailure(
    'refused',
    `The id is not a key of ${shownTable(table)}, which is ${format} as JSON`,
  );
}

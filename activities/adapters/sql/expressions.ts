import { sql } from 'kysely';
import { BatchgateError } from '../../../src/contract/errors';
import { condition, type Piece } from '../../../src/postgres/databases/conditions';
import {
  asStored,
  comparable,
  isKept,
  readValue,
  type GivenValue,
} from '../../../src/postgres/databases/typed-values';
import { ProviderFailure } from '../shared/failure';
import { columnOf, settableColumn, type Column, type Table } from './catalogue';
import { shownTable, type Condition, type SetValues, type SqlChange, type TableName } from './parameters';

export const tableRef = ({ schema, name }: TableName): Piece => sql.id(schema, name);
const columnRef = ({ name }: Pick<Column, 'name'>): Piece => sql.id(name);

type Scalar = string | number | boolean;
type Value = SetValues[string];

/** invalid_text_representation: PostgreSQL's answer to a key that its type cannot parse. */
const INVALID_TEXT = '22P02';

/** A bound value, as the type of its column reads it. */
export const typed = (column: Column, value: Value): Piece => readValue(column, textOf(column, value));

function textOf({ name, json }: Column, value: Value): string | null {
  if (value === null) return null;
  if (json) return JSON.stringify(value);
  if (typeof value === 'object') {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The column '${name}' accepts no list and no object.`,
      'Write it as text in the notation of PostgreSQL: {1,2} for an array.',
    );
  }
  return String(value);
}

/** All conditions together. @throws BatchgateError `INVALID_INPUT` */
export function whereOf(table: Table, conditions: readonly Condition[]): Piece {
  return sql.join(
    conditions.map((one) => conditionOf(columnOf(table, one.column), one)),
    sql` and `,
  );
}

function conditionOf(column: Column, { op, ...rest }: Condition): Piece {
  const left = columnRef(column);
  const { value } = rest as { value?: Scalar | Scalar[] };
  if (value === undefined) return condition(left, op);
  if (op !== 'like' && op !== 'ilike') {
    return condition(comparable(column), op, ...[value].flat().map((one) => typed(column, one)));
  }
  if (column.category !== 'S') throw noText(column, op);
  return condition(left, op, sql`cast(${value} as text)`);
}

function noText({ name, type }: Column, op: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `The column '${name}' is of type ${type}, but ${op} is for text.`,
    'Compare it with =, !=, <, <=, >, >=, in or not_in.',
  );
}

/** Every value of a change, with its column. @throws BatchgateError `INVALID_INPUT` */
export function valuesOf(table: Table, { where, set }: Pick<SqlChange, 'where' | 'set'>): GivenValue[] {
  const compared = where.flatMap((condition) => {
    if (!('value' in condition) || condition.op === 'like' || condition.op === 'ilike') return [];
    const column = columnOf(table, condition.column);
    return [condition.value]
      .flat()
      .map((value) => ({ column, text: textOf(column, value), assigned: false }));
  });
  const assigned = Object.entries(set).map(([name, value]) => {
    const column = columnOf(table, name);
    return { column, text: textOf(column, value), assigned: true };
  });
  return [...compared, ...assigned];
}

/** `column = value, …` @throws BatchgateError `INVALID_INPUT` */
export function assignments(table: Table, set: SetValues): Piece {
  return sql.join(
    Object.entries(set).map(([name, value]) => {
      const column = settableColumn(table, name);
      return sql`${columnRef(column)} = ${typed(column, value)}`;
    }),
  );
}

/** Whether a row contains the values that were set, as the columns store and print them. */
export function holds(table: Table, set: SetValues): Piece {
  const parts = Object.entries(set).map(([name, value]) => {
    const column = columnOf(table, name);
    return sql`cast(${columnRef(column)} as text) is not distinct from cast(${storedValue(column, value)} as text)`;
  });
  return sql.join(parts, sql` and `);
}

/**
 * A digest of the data that a change depends on: for an update the columns of its conditions and those that it sets, for
 * a delete the whole row.
 */
export function digestOf(table: Table, { action, where, set }: SqlChange): Piece {
  const names = new Set([...where.map(({ column }) => column), ...Object.keys(set)]);
  const columns = table.columns.filter(({ name }) => action === 'delete' || names.has(name));
  const row = sql`cast(row(${sql.join(columns.map(columnRef))}) as text)`;
  return sql`encode(sha256(convert_to(${row}, 'UTF8')), 'hex')`;
}

/** The columns that a change alters: those that it sets; for a deletion all that a statement can write. */
export const alteredColumns = (table: Table, { action, set }: Pick<SqlChange, 'action' | 'set'>) =>
  table.columns.filter(({ name, computed }) => (action === 'delete' ? !computed : Object.hasOwn(set, name)));

/** Values of columns by name, as PostgreSQL prints them, in a JSON object. */
export function textsOf(columns: readonly Column[], valueOf: (column: Column) => Piece = columnRef): Piece {
  const names = sql.join(columns.map(({ name }) => sql`cast(${name} as text)`));
  const values = sql.join(columns.map((column) => sql`cast(${valueOf(column)} as text)`));
  return sql`cast(json_object(array[${names}], array[${values}]) as text)`;
}

/** A value that is set, as the column stores it. */
export const storedValue = (column: Column, value: Value): Piece => asStored(column, textOf(column, value));

/** `column = text, …` of a row as PostgreSQL printed it. */
export const restoredColumns = (columns: readonly Column[], row: Texts): Piece =>
  sql.join(
    columns.map((column) => sql`${columnRef(column)} = ${readValue(column, row[column.name] ?? null)}`),
  );

/** The values of a row as PostgreSQL printed it. */
export const printedValues = (columns: readonly Column[], row: Texts): GivenValue[] =>
  columns
    .filter(({ name }) => Object.hasOwn(row, name))
    .map((column) => ({ column, text: row[column.name] ?? null, assigned: true }));

/**
 * Inserts a row as PostgreSQL printed it, unless its key is taken. Columns that were added since get their defaults. A
 * key that is deferrable cannot be named in an `on conflict`.
 */
export function insertion(table: Table, columns: readonly Column[], row: Texts, isTaken: Piece): Piece {
  const kept = columns.filter(({ name }) => Object.hasOwn(row, name));
  const values = sql.join(kept.map((column) => readValue(column, row[column.name] ?? null)));
  return sql`insert into ${tableRef(table)} (${sql.join(kept.map(columnRef))}) overriding system value
    select ${values} where not exists (select from ${tableRef(table)} where ${isTaken}) returning 1`;
}

type Texts = Readonly<Record<string, string | null>>;

/** The texts of a row's key, as an array. */
export const keyTexts = ({ key }: Table): Piece =>
  sql`array[${sql.join(key.map((column) => sql`cast(${columnRef(column)} as text)`))}]`;

/**
 * The row with this id; none if PostgreSQL would read the id as another key than it names.
 * @throws ProviderFailure `refused` for an id that does not fit the key of this table.
 */
export function keyIs(table: Table, id: string): Piece {
  const values = keyOfId(table, id);
  return sql.join(
    table.key.flatMap((column, at) => {
      const text = values[at] ?? null;
      const kept = isKept({ column, text, assigned: false });
      return [sql`${comparable(column)} = ${readValue(column, text)}`, ...(kept ? [kept] : [])];
    }),
    sql` and `,
  );
}

/** The id of a row: its key as text, or the canonical JSON of the texts of several key columns. */
export const idOfKey = (key: readonly string[]): string =>
  key.length === 1 ? (key[0] ?? '') : JSON.stringify(key);

function keyOfId(table: Table, id: string): string[] {
  const { key } = table;
  if (key.length === 1) return [id];
  let parts: unknown;
  try {
    parts = JSON.parse(id);
  } catch {
    parts = undefined;
  }
  const fits = (part: unknown) => ['string', 'number', 'boolean'].includes(typeof part);
  if (Array.isArray(parts) && parts.length === key.length && parts.every(fits)) return parts.map(String);
  const wanted = `[${key.map(({ name }) => JSON.stringify(name)).join(', ')}]`;
  throw new ProviderFailure(
    'refused',
    `The id is not a key of ${shownTable(table)}, which is ${wanted} as JSON`,
    {
      reason: INVALID_TEXT,
    },
  );
}

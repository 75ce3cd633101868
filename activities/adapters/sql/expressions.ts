import { sql, type RawBuilder } from 'kysely';
import { BatchgateError } from '../../../src/contract/errors';
import { ProviderFailure } from '../../../src/provider/failure';
import { columnOf, settableColumn, type Column, type Table } from './catalogue';
import { shownTable, type Condition, type SetValues, type SqlChange, type TableName } from './parameters';

/** A piece of SQL: names quoted, values bound. */
type Piece = RawBuilder<unknown>;

export const tableRef = ({ schema, name }: TableName): Piece => sql.id(schema, name);
const columnRef = ({ name }: Pick<Column, 'name'>): Piece => sql.id(name);

type Value = SetValues[string];

/** invalid_text_representation: what PostgreSQL answers to a key that its type cannot read. */
const INVALID_TEXT = '22P02';

/**
 * A bound value in its column's type, read as the type itself reads text; so every driver binds the same. The name of
 * the type is the catalogue's own.
 */
function typed(column: Column, value: Value, type = column.type): Piece {
  return read(textOf(column, value), type);
}

const read = (text: string | null, type: string): Piece =>
  sql`cast(cast(${text} as text) as ${sql.raw(type)})`;

function textOf({ name, json }: Column, value: Value): string | null {
  if (value === null) return null;
  if (json) return JSON.stringify(value);
  if (typeof value === 'object') {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The column '${name}' takes no list and no object.`,
      'Write one as PostgreSQL does, in a text: {1,2} for an array.',
    );
  }
  return String(value);
}

const OPERATORS = {
  '=': sql`=`,
  '!=': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
  in: sql`in`,
  not_in: sql`not in`,
  like: sql`like`,
  ilike: sql`ilike`,
} as const;

/** All conditions together. @throws BatchgateError `INVALID_INPUT` */
export function whereOf(table: Table, conditions: readonly Condition[]): Piece {
  return sql.join(
    conditions.map((condition) => conditionOf(columnOf(table, condition.column), condition)),
    sql` and `,
  );
}

function conditionOf(column: Column, condition: Condition): Piece {
  const left = columnRef(column);
  switch (condition.op) {
    case 'is_null':
      return sql`${left} is null`;
    case 'is_not_null':
      return sql`${left} is not null`;
    case 'in':
    case 'not_in':
      return sql`${left} ${OPERATORS[condition.op]} (${sql.join(condition.value.map((value) => typed(column, value)))})`;
    case 'like':
    case 'ilike':
      if (column.category !== 'S') throw noText(column, condition.op);
      return sql`${left} ${OPERATORS[condition.op]} cast(${condition.value} as text)`;
    default:
      return sql`${left} ${OPERATORS[condition.op]} ${typed(column, condition.value)}`;
  }
}

function noText({ name, type }: Column, op: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `The column '${name}' is of type ${type}, and ${op} is for texts.`,
    'Compare it with =, !=, <, <=, >, >=, in or not_in.',
  );
}

/** Each value in its column's type, for a look at whether it can be read so. @throws BatchgateError `INVALID_INPUT` */
export function valuesOf(table: Table, { where, set }: Pick<SqlChange, 'where' | 'set'>): Piece[] {
  const compared = where.flatMap((condition) => {
    if (!('value' in condition) || condition.op === 'like' || condition.op === 'ilike') return [];
    const column = columnOf(table, condition.column);
    return [condition.value].flat().map((value) => typed(column, value));
  });
  return [...compared, ...Object.entries(set).map(([name, value]) => typed(columnOf(table, name), value))];
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

/** Whether a row holds the values that were set, as the columns keep them. */
export function holds(table: Table, set: SetValues): Piece {
  const parts = Object.entries(set).map(([name, value]) => {
    const column = columnOf(table, name);
    // Values of type json cannot be compared; as jsonb they can.
    const [left, right] = column.json
      ? [sql`cast(${columnRef(column)} as jsonb)`, typed(column, value, 'jsonb')]
      : [columnRef(column), sql`cast(${typed(column, value)} as ${sql.raw(column.fullType)})`];
    return sql`${left} is not distinct from ${right}`;
  });
  return sql.join(parts, sql` and `);
}

/**
 * A digest of what a change depends on: for an update the columns that chose the row and those that are set, for a
 * delete the whole row, since all of it goes.
 */
export function digestOf(table: Table, { action, where, set }: SqlChange): Piece {
  const names = new Set([...where.map(({ column }) => column), ...Object.keys(set)]);
  const columns = table.columns.filter(({ name }) => action === 'delete' || names.has(name));
  const row = sql`cast(row(${sql.join(columns.map(columnRef))}) as text)`;
  return sql`encode(sha256(convert_to(${row}, 'UTF8')), 'hex')`;
}

/** The texts of a row's key, as an array. */
export const keyTexts = ({ key }: Table): Piece =>
  sql`array[${sql.join(key.map((column) => sql`cast(${columnRef(column)} as text)`))}]`;

/** The row with this id. @throws ProviderFailure `refused` for an id that is none of this table's. */
export function keyIs(table: Table, id: string): Piece {
  const values = keyOfId(table, id);
  return sql.join(
    table.key.map((column, at) => sql`${columnRef(column)} = ${read(values[at] ?? null, column.type)}`),
    sql` and `,
  );
}

/** The id of a row: its key as text, or the canonical JSON of the texts where the key has several columns. */
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
    `The id is no key of ${shownTable(table)}, which is ${wanted} as JSON`,
    {
      reason: INVALID_TEXT,
    },
  );
}

import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import type { Piece } from '../../../../src/postgres/databases/conditions';
import { mistake } from '../../shared/failure';
import type { Column, Table } from '../catalogue';
import type { ColumnValue } from '../expressions';
import type { Stored } from '../local/dialect';
import { typeOf } from './types';

/** Selects a column of any type as text, because the driver converts some types itself. */
export function selected(column: Column, ref: Piece): Piece {
  const { name, family } = typeOf(column);
  if (family === 'bytes' || family === 'other') return sql`hex(${ref})`;
  // In a join, a server may apply the zerofill width of another column.
  if (family === 'bits' || / zerofill/.test(column.type)) return sql`cast(${ref} + 0 as char)`;
  // A float would be printed with six digits.
  return name === 'float' ? sql`cast(cast(${ref} as double) as char)` : sql`cast(${ref} as char)`;
}

/** Returns a value in the type of its column, because these databases compare a number with a text as doubles. */
export function bound(column: Column, value: Stored): Piece {
  if (value === null) return sql`null`;
  const text = String(value);
  const { name, family, numbers } = typeOf(column);
  switch (family) {
    case 'integer':
      return text.startsWith('-') ? sql`cast(${text} as signed)` : sql`cast(${text} as unsigned)`;
    case 'bits':
    case 'year':
      return sql`cast(${text} as unsigned)`;
    case 'decimal':
      return sql`cast(${text} as decimal(65, ${sql.lit(numbers[1] ?? 0)}))`;
    case 'double':
      // A float is compared as the double that equals it.
      return sql`cast(${name === 'float' ? String(Math.fround(Number(text))) : text} as double)`;
    case 'bytes':
      return sql`unhex(${text.slice(2)})`;
    case 'moment':
      return sql`cast(${text} as datetime(6))`;
    case 'day':
      return sql`cast(${text} as date)`;
    case 'time':
      return sql`cast(${text} as time(6))`;
    case 'json':
      return sql`cast(${text} as json)`;
    default:
      return sql`${text}`;
  }
}

/** Uses a binary collation, because others can ignore case in `like`. `ilike` compares both sides in lower case. */
export function matches(column: Column, left: Piece, op: 'like' | 'ilike', pattern: string): Piece {
  if (typeOf(column).family !== 'text')
    throw mistake(
      `The column '${column.name}' is of type ${column.type}, but ${op} is for text.`,
      'Compare it with =, !=, <, <=, >, >=, in or not_in.',
    );
  const text = sql`convert(${left} using utf8mb4)`;
  return op === 'like'
    ? sql`${text} collate utf8mb4_bin like ${pattern}`
    : sql`lower(${text}) collate utf8mb4_bin like lower(${pattern})`;
}

const OWN = /^utf8mb[34]$/;
const NAME = /^\w+$/;

/** Returns true if the character set of the column may lack a character of the text. */
export const isDoubtful = ({ column: { charset }, text }: ColumnValue): boolean =>
  text !== null && charset !== undefined && !OWN.test(charset) && NAME.test(charset);

export async function refused(db: Db, values: readonly ColumnValue[]): Promise<string | undefined> {
  if (values.length === 0) return undefined;
  const tests = values.map(({ column: { charset = '' }, text }, at) => {
    const converted = sql`convert(convert(${text} using ${sql.raw(charset)}) using utf8mb4)`;
    return sql`cast(${converted} as binary) = cast(${text} as binary) as ${sql.id(`c${at}`)}`;
  });
  const { rows } = await sql<Record<string, number | string>>`select ${sql.join(tests)}`.execute(db);
  const cut = values.find((_, at) => Number(rows[0]?.[`c${at}`]) !== 1);
  return (
    cut &&
    `the column '${cut.column.name}' has the character set ${cut.column.charset}, which lacks a character of the value`
  );
}

/** Collations that compare trailing spaces. */
const COUNTS_BLANKS = /nopad|_0900_/;

/** Returns the weights of a key: texts that a collation compares as equal are the same key. */
export async function sameKey(db: Db, { key }: Table, texts: readonly string[]): Promise<string | undefined> {
  if (!key.some(({ collation }) => collation !== undefined)) return undefined;
  const weights = key.map(({ charset = '', collation = '' }, at) => {
    const text = texts[at] ?? '';
    if (!NAME.test(charset) || !NAME.test(collation)) return sql`cast(${text} as char)`;
    const encoded = sql`convert(${text} using ${sql.raw(charset)})`;
    const counted = COUNTS_BLANKS.test(collation) ? encoded : sql`trim(trailing ' ' from ${encoded})`;
    return sql`hex(weight_string(${counted} collate ${sql.raw(collation)}))`;
  });
  const fields = weights.map((weight, at) => sql`${weight} as ${sql.id(`w${at}`)}`);
  const { rows } = await sql<Record<string, string>>`select ${sql.join(fields)}`.execute(db);
  // No id has this character.
  return `\0${JSON.stringify(key.map((_, at) => rows[0]?.[`w${at}`]))}`;
}

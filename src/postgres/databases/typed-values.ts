import { sql } from 'kysely';
import { BatchgateError } from '../../contract/errors';
import { shortened } from '../../contract/text';
import { looksSecret } from '../../core/shared/plain-secrets';
import type { ColumnType } from './column-types';
import type { Piece } from './conditions';

/** A text read as a type without length and precision, so that every driver binds the same and nothing is cut. */
export const readAs = (text: string | null, type: string): Piece =>
  sql`cast(cast(${text} as text) as ${sql.raw(type)})`;

/** A value as the type of its column reads it. */
export const readValue = ({ base }: ColumnType, text: string | null): Piece => readAs(text, base);

/** A column to compare with such a value: an array of a domain has no operators for it. */
export const comparable = ({ name, type, base, category }: ColumnType): Piece =>
  category === 'A' && type !== base ? sql`cast(${sql.id(name)} as ${sql.raw(base)})` : sql.id(name);

/** A value as the column stores it. It equals what an assignment stores only if `unkept` finds nothing. */
export const asStored = (column: ColumnType, text: string | null): Piece =>
  sql`cast(${readValue(column, text)} as ${sql.raw(column.stored)})`;

/** Types whose input cuts a text without an error: to 63 bytes, and to one. */
const CUTS = new Set(['name', '"char"']);
/** Types whose input rounds a number without an error. */
const ROUNDS = new Set(['real', 'double precision', 'money']);
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** PostgreSQL keeps microseconds, and a date no time of day. */
const TOO_FINE = /\.\d{6}0*[1-9]/;
const TIME_OF_DAY = /(\d\d?):(\d\d)(?::(\d\d(?:\.\d+)?))?/;

/**
 * Whether the base type of a column reads a text without changing it. Undefined where it always does.
 */
function readsExactly(column: ColumnType, text: string): Piece | undefined {
  const { base } = column;
  if (CUTS.has(base)) return sql`cast(${readValue(column, text)} as text) = cast(${text} as text)`;
  if (ROUNDS.has(base) && NUMBER.test(text.trim())) return isSameNumber(column, text);
  const fine = base.startsWith('time') && TOO_FINE.test(text);
  const timed = base === 'date' && (TIME_OF_DAY.exec(text) ?? []).slice(1).some((part) => Number(part) > 0);
  return fine || timed ? sql`false` : undefined;
}

function isSameNumber(column: ColumnType, text: string): Piece {
  // A float prints the shortest text that it reads as the same number; its own cast to numeric rounds.
  const value = readValue(column, text);
  const printed = column.base === 'money' ? value : sql`cast(${value} as text)`;
  return sql`cast(${printed} as numeric) = cast(cast(${text} as text) as numeric)`;
}

/** Whether the column would store a value as it is: an assignment rounds some, and cuts blanks. Undefined where it always does. */
function storesExactly(column: ColumnType, text: string): Piece | undefined {
  if (column.stored === column.base) return undefined;
  const [read, stored] = [readValue(column, text), asStored(column, text)];
  // Types of extensions may have no operator.
  return column.category === 'U'
    ? sql`cast(${stored} as text) = cast(${read} as text)`
    : sql`${stored} = ${read}`;
}

/** A text for a column; `assigned` if the column is to store it, and not only to be compared with it. */
export interface GivenValue {
  readonly column: ColumnType;
  readonly text: string | null;
  readonly assigned: boolean;
}

const exactly = ({ column, text, assigned }: GivenValue): Piece[] =>
  text === null
    ? []
    : [readsExactly(column, text), assigned ? storesExactly(column, text) : undefined].filter(
        (one) => one !== undefined,
      );

/** Whether PostgreSQL takes a value as it is; undefined where it takes every value so. */
export function isKept(value: GivenValue): Piece | undefined {
  const tests = exactly(value);
  return tests.length === 0 ? undefined : sql`(${sql.join(tests, sql` and `)})`;
}

/**
 * The first value that PostgreSQL would cut or round, found by `query`, which runs a statement that reads no rows.
 * @throws errors of PostgreSQL for a value that its type does not read.
 */
export async function unkept(
  values: readonly GivenValue[],
  query: (statement: Piece) => Promise<readonly unknown[]>,
): Promise<GivenValue | undefined> {
  const doubtful = values.flatMap((value) => {
    const test = isKept(value);
    return test === undefined ? [] : [{ value, test }];
  });
  // Each test binds its value up to four times.
  for (let from = 0; from < doubtful.length; from += MAX_TESTS) {
    const part = doubtful.slice(from, from + MAX_TESTS);
    const tests = sql.join(part.map(({ test }) => test));
    const [row] = (await query(sql`select array_position(array[${tests}], false) as at`)) as readonly {
      at: number | null;
    }[];
    if (typeof row?.at === 'number') return part[row.at - 1]?.value;
  }
  return undefined;
}

const MAX_TESTS = 5_000;

export function notKept({ column, text, assigned }: GivenValue, of: string): BatchgateError {
  const given = looksSecret(column.name) ? 'the given one' : shortened(JSON.stringify(text), 100);
  const how = assigned ? 'store' : 'compare';
  return new BatchgateError(
    'INVALID_INPUT',
    `The column '${column.name}' of ${of} is of type ${assigned ? column.stored : column.base}, so PostgreSQL would ${how} another value than ${given}.`,
    'Write a value that fits the type of the column.',
  );
}

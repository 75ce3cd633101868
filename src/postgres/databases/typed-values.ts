import { sql } from 'kysely';
import { BatchgateError } from '../../contract/errors';
import { shortened } from '../../contract/text';
import { isPrivate } from '../../core/shared/plain-secrets';
import type { ColumnType } from './column-types';
import type { Piece } from './conditions';

/** Casts a text to a type without length and precision: every driver binds the same value, and nothing is truncated. */
export const readAs = (text: string | null, type: string): Piece =>
  sql`cast(cast(${text} as text) as ${sql.raw(type)})`;

/** Casts a value to the base type of its column. */
export const readValue = ({ base }: ColumnType, text: string | null): Piece => readAs(text, base);

/**
 * Returns a column expression to compare with such a value. An array of a domain needs a cast: it has no operators for
 * it.
 */
export const comparable = ({ name, type, base, category }: ColumnType): Piece =>
  category === 'A' && type !== base ? sql`cast(${sql.id(name)} as ${sql.raw(base)})` : sql.id(name);

/** Casts a value to the stored type of its column. An assignment stores this value only if `unkept` returns none. */
export const asStored = (column: ColumnType, text: string | null): Piece =>
  sql`cast(${readValue(column, text)} as ${sql.raw(column.stored)})`;

/** Types whose input truncates a text without an error: to 63 bytes and to 1 byte. */
const CUTS = new Set(['name', '"char"']);
/** Types whose input rounds a number without an error. */
const ROUNDS = new Set(['real', 'double precision', 'money']);
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** PostgreSQL stores microseconds, and no time of day in a date. */
const TOO_FINE = /\.\d{6}0*[1-9]/;
const TIME_OF_DAY = /(\d\d?):(\d\d)(?::(\d\d(?:\.\d+)?))?/;

/** A condition that is true if the base type of a column reads a text unchanged. Undefined if it always does. */
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

/** A condition that is true if an assignment neither rounds a value nor trims blanks. Undefined if it never does. */
function storesExactly(column: ColumnType, text: string): Piece | undefined {
  if (column.stored === column.base) return undefined;
  const [value, stored] = [readValue(column, text), asStored(column, text)];
  // Types of extensions may have no operator.
  return column.category === 'U'
    ? sql`cast(${stored} as text) = cast(${value} as text)`
    : sql`${stored} = ${value}`;
}

/** A text for a column. `assigned`: the column stores the text; otherwise it is only compared with it. */
export interface GivenValue {
  readonly column: ColumnType;
  readonly text: string | null;
  readonly assigned: boolean;
}

const exactly = ({ column, text, assigned }: GivenValue): Piece[] =>
  text === null
    ? []
    : [readsExactly(column, text), assigned ? storesExactly(column, text) : undefined].filter(
        (test) => test !== undefined,
      );

/** A condition that is true if PostgreSQL uses a value unchanged. Undefined if it always does. */
export function isKept(value: GivenValue): Piece | undefined {
  const tests = exactly(value);
  return tests.length === 0 ? undefined : sql`(${sql.join(tests, sql` and `)})`;
}

/**
 * Returns the first value that PostgreSQL would truncate or round. `query` runs a statement that reads no table.
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
  const value = isPrivate(column.name) ? 'the given one' : shortened(JSON.stringify(text), 100);
  const verb = assigned ? 'store' : 'compare';
  return new BatchgateError(
    'INVALID_INPUT',
    `The column '${column.name}' of ${of} is of type ${assigned ? column.stored : column.base}, so PostgreSQL would ${verb} another value than ${value}.`,
    'Write a value that fits the type of the column.',
  );
}

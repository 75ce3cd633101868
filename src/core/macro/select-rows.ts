import { BatchgateError } from '../../contract/errors';
import type { Json } from '../../contract/macro';
import type { FetchInput } from '../../contract/macro-activities';

type Filter = NonNullable<FetchInput['filter']>[number];

/**
 * Filters, sorts and limits rows as SQL would: a missing or null value matches only `is_null`, and sorts last. In
 * `textual` rows, such as those of CSV, a text that is a number is compared with numbers as a number, and an empty
 * cell sorts last, too.
 */
export function selectRows(rows: readonly Json[], input: FetchInput, textual: boolean): Json[] {
  const { filter = [], order = [], limit = Infinity } = input;
  const matches = rows.filter((row) => filter.every((part) => meets(cell(row, part.column), part, textual)));
  const sorted =
    order.length === 0 ? matches : [...matches].sort((a, b) => compareRows(a, b, order, textual));
  return sorted.slice(0, limit);
}

function cell(row: Json, column: string): Json {
  if (row === null || typeof row !== 'object' || Array.isArray(row)) return null;
  return Object.hasOwn(row, column) ? (row[column] ?? null) : null;
}

function meets(cell: Json, { op, value = null }: Filter, textual: boolean): boolean {
  if (op === 'is_null') return cell === null;
  if (cell === null) return false;
  if (op === 'is_not_null') return true;
  if (op === 'in')
    return (Array.isArray(value) ? value : [value]).some((element) => compare(cell, element, textual) === 0);
  if (op === 'like') return typeof cell === 'string' && typeof value === 'string' && isLike(cell, value);
  const order = compare(cell, value, textual);
  // In SQL, no value is unequal to null.
  if (op === '!=') return value !== null && order !== 0;
  if (order === undefined) return false;
  return { '=': order === 0, '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[op];
}

/** Undefined if the two cannot be compared. */
function compare(a: Json, b: Json, textual: boolean): number | undefined {
  if (textual && typeof a === 'string' && typeof b === 'number') return compare(toNumber(a), b, false);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return undefined;
}

const toNumber = (text: string): Json =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : null;

function compareRows(a: Json, b: Json, order: NonNullable<FetchInput['order']>, textual: boolean): number {
  for (const { column, direction = 'asc' } of order) {
    const [left, right] = [a, b].map((row) => sortedAs(cell(row, column), textual)) as [Json, Json];
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1;
      continue;
    }
    const compared = rankOf(left) - rankOf(right) || (compare(left, right, false) ?? 0);
    if (compared !== 0) return direction === 'asc' ? compared : -compared;
  }
  return 0;
}

function sortedAs(value: Json, textual: boolean): Json {
  if (!textual || typeof value !== 'string') return value;
  return value.trim() === '' ? null : (toNumber(value) ?? value);
}

/** Values of different types have a fixed order: without one, a sort would depend on the order of the rows. */
const RANKS = ['number', 'string', 'boolean'];
const rankOf = (value: Json): number => {
  const rank = RANKS.indexOf(typeof value);
  return rank === -1 ? RANKS.length : rank;
};

/**
 * SQL's pattern: `%` matches any text, `_` one letter. Only the last `%` is tried at another place, because a regular
 * expression would try all combinations of all places.
 */
function isLike(text: string, pattern: string): boolean {
  const [letters, signs] = [Array.from(text), Array.from(pattern)];
  let [at, next] = [0, 0];
  let last: { at: number; next: number } | undefined;
  while (at < letters.length) {
    const sign = signs[next];
    if (sign === '%') last = { at, next: ++next };
    else if (sign === '_' || sign === letters[at]) [at, next] = [at + 1, next + 1];
    else if (last) [at, next] = [++last.at, last.next];
    else return false;
  }
  return signs.slice(next).every((sign) => sign === '%');
}

/** The only row, if one was requested. @throws BatchgateError `TOOL_FAILED` if there are none or several. */
export function singleRow(rows: readonly Json[], { resource }: Pick<FetchInput, 'resource'>): Json {
  const [only] = rows;
  if (only !== undefined && rows.length === 1) return only;
  throw new BatchgateError(
    'TOOL_FAILED',
    `[TOOL ERROR] ${rows.length === 0 ? 'No row' : 'More than one row'} of '${resource}' meets the filter.`,
    '[HINT]: Narrow or widen the filter, or leave out "single".',
  );
}

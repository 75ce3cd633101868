import type { Column } from '../catalogue';
import { typed, Unfit, type Stored } from '../local/dialect';
import { isExactly, numberIn, type Decimal } from '../local/numbers';

/** The type affinity of a column by its declared type: https://www.sqlite.org/datatype3.html, section 3.1 */
export type Affinity = 'INTEGER' | 'TEXT' | 'BLOB' | 'REAL' | 'NUMERIC' | 'ANY';

export function affinityOf(declared: string): Affinity {
  const type = declared.toUpperCase();
  if (type === '' || type === 'ANY') return 'ANY';
  if (type.includes('INT')) return 'INTEGER';
  if (/CHAR|CLOB|TEXT/.test(type)) return 'TEXT';
  if (type.includes('BLOB')) return 'BLOB';
  return /REAL|FLOA|DOUB/.test(type) ? 'REAL' : 'NUMERIC';
}

/** Declared types whose values are stored as texts, because SQLite has no type for them. */
const IS_DAY = /DATE|TIME/i;
const BYTES = /^\\x((?:[0-9a-f]{2})*)$/i;
const [LOWEST, HIGHEST] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Returns the value that a column stores for a text. @throws Unfit */
export function storedAs({ base, type }: Pick<Column, 'base' | 'type'>, text: string | null): Stored {
  if (text === null || base === 'TEXT' || base === 'ANY') return text;
  if (base === 'BLOB') {
    const [, hex] = BYTES.exec(text) ?? [];
    if (hex === undefined) throw new Unfit(`it holds bytes, which are written as \\x00ff`);
    return Buffer.from(hex, 'hex');
  }
  const number = numberIn(text);
  if (number === undefined) {
    if (/JSON/i.test(type) || (IS_DAY.test(type) && /^\s*[+-]?\d/.test(text))) return text;
    if (IS_DAY.test(type)) throw new Unfit(`it is of type ${type}, and SQLite would store the text as it is`);
    throw new Unfit(`it is of type ${type}, and ${JSON.stringify(text)} is not a number`);
  }
  const value = base === 'REAL' ? Number(text) : whole(text, number);
  if (typeof value === 'bigint' || isExactly(value, number)) return value;
  throw new Unfit(`SQLite would store another value than ${JSON.stringify(text)}`);
}

/** Returns an integer if the number fits into one. SQLite stores other numbers as doubles. */
function whole(text: string, number: Decimal): bigint | number {
  const { digits, exponent } = number;
  if (exponent >= 0 && digits.length + exponent <= 19) {
    const value = BigInt(digits) * 10n ** BigInt(exponent) * (number.negative ? -1n : 1n);
    if (value >= LOWEST && value <= HIGHEST) return value;
  }
  return Number(text);
}

/** Returns a value as text. */
export function printed(value: Stored): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  return value > 0 ? '9e999' : '-9e999';
}

/**
 * Returns true if the column stores the same value from its text. False if the value has another kind than the column.
 */
export function isRestorable(column: Column, value: Stored): boolean {
  try {
    return typed({ printed }, storedAs(column, printed(value))) === typed({ printed }, value);
  } catch (error) {
    if (error instanceof Unfit) return false;
    throw error;
  }
}

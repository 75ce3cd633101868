import { readJson } from '../../../../src/core/shared/json';
import { jsonIn } from '../../shared/parsed';
import type { Column } from '../catalogue';
import { Unfit, type Stored } from '../local/dialect';
import { isExactly, numberIn, type Decimal } from '../local/numbers';
import { typeOf, type Family, type Type } from './types';
import { daysText, momentText, timeText, yearText } from './times';

/** Returns the value that a column stores for a text, as text in a canonical form. @throws Unfit */
export function storedAs(column: Column, text: string | null): string | null {
  if (text === null) return null;
  const type = typeOf(column);
  return READ[column.json && type.family === 'text' ? 'text' : type.family](text, type, column);
}

const unfit = (text: string, { type }: Column): Unfit =>
  new Unfit(`it is of type ${type}, which does not store ${JSON.stringify(text)}`);

const READ: Readonly<Record<Family, (text: string, type: Type, column: Column) => string>> = {
  integer: (text, type, column) => integerText(truth(text, type, 'tinyint'), type, column),
  bits: (text, type, column) => bitsText(truth(text, type, 'bit'), type, column),
  decimal: decimalText,
  double: doubleText,
  text: plainText,
  choice: choiceText,
  bytes: bytesText,
  moment: momentText,
  day: daysText,
  time: timeText,
  year: yearText,
  json: jsonText,
  address: addressText,
  other: (_text, _type, column) => {
    throw new Unfit(`values of type ${column.type} are not written`);
  },
};

/** These databases represent true and false as `tinyint(1)` or `bit(1)`. */
function truth(text: string, { name, numbers }: Type, of: string): string {
  if (name !== of || numbers[0] !== 1) return text;
  const word = text.toLowerCase();
  return word === 'true' ? '1' : word === 'false' ? '0' : text;
}

function numberOf(text: string, column: Column): Decimal {
  const number = numberIn(text);
  if (number === undefined)
    throw new Unfit(`it is of type ${column.type}, and ${JSON.stringify(text)} is not a number`);
  return number;
}

const BYTES: Readonly<Record<string, number>> = { tinyint: 1, smallint: 2, mediumint: 3, int: 4, bigint: 8 };
/** The maximum number of digits before the decimal point in these databases. */
const MAX_DIGITS = 65;

function wholeOf(text: string, column: Column): bigint {
  const { digits, exponent, negative } = numberOf(text, column);
  if (exponent < 0 || digits.length + exponent > MAX_DIGITS) throw unfit(text, column);
  return BigInt(digits) * 10n ** BigInt(exponent) * (negative ? -1n : 1n);
}

function integerText(text: string, { name, unsigned }: Type, column: Column): string {
  const value = wholeOf(text, column);
  const bits = BigInt(8 * (BYTES[name] ?? 8));
  const [low, high] = unsigned ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  if (value < low || value > high) throw unfit(text, column);
  return String(value);
}

function bitsText(text: string, { numbers: [length = 1] }: Type, column: Column): string {
  const value = wholeOf(text, column);
  if (value < 0n || value >= 2n ** BigInt(length)) throw unfit(text, column);
  return String(value);
}

function decimalText(text: string, { numbers: [precision = 10, scale = 0], unsigned }: Type, column: Column) {
  const { digits, exponent, negative } = numberOf(text, column);
  const isUnfit = -exponent > scale || digits.length + exponent > precision - scale || (negative && unsigned);
  if (digits !== '0' && isUnfit) throw unfit(text, column);
  const all = (digits + '0'.repeat(Math.max(0, exponent + scale))).padStart(scale + 1, '0');
  const cut = all.length - scale;
  return `${negative ? '-' : ''}${all.slice(0, cut)}${scale > 0 ? `.${all.slice(cut)}` : ''}`;
}

/** Returns a double, or for a float the shortest text that is read as the same float. */
function doubleText(text: string, { name, numbers, unsigned }: Type, column: Column): string {
  const number = numberOf(text, column);
  const value = Number(text);
  const stored = name === 'float' ? shortest(value) : value;
  const [, places] = numbers;
  const isFine = places === undefined || -number.exponent <= places;
  if (!Number.isFinite(stored) || !isFine || (unsigned && value < 0)) throw unfit(text, column);
  if (isExactly(stored, number)) return String(stored);
  throw new Unfit(
    `it is of type ${column.type}, which would store another value than ${JSON.stringify(text)}`,
  );
}

function shortest(value: number): number {
  const single = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(single.toPrecision(digits));
    if (Math.fround(text) === single) return text;
  }
  return Number(single.toPrecision(9));
}

/** The maximum number of bytes of types without a declared length. */
const MAX_BYTES: Readonly<Record<string, number>> = {
  tinytext: 255,
  tinyblob: 255,
  text: 65_535,
  blob: 65_535,
  mediumtext: 16_777_215,
  mediumblob: 16_777_215,
};

function plainText(text: string, { name, numbers: [length] }: Type, column: Column): string {
  const limit = MAX_BYTES[name];
  const isLong =
    length === undefined ? Buffer.byteLength(text) > (limit ?? Infinity) : [...text].length > length;
  // A blank at the end of a char is not stored.
  if (isLong || (name === 'char' && text.endsWith(' '))) throw unfit(text, column);
  if (column.charset === 'utf8mb3' && /[\u{10000}-\u{10ffff}]/u.test(text)) throw unfit(text, column);
  if (column.json && jsonIn(text) === undefined) throw unfit(text, column);
  return text;
}

/** Accepts only the exact spelling of a member: the database would store another text for a number or variant. */
function choiceText(text: string, { name, members }: Type): string {
  if (name === 'enum') {
    if (members.includes(text)) return text;
  } else {
    const parts = text === '' ? [] : text.split(',');
    if (parts.every((part) => members.includes(part)))
      return members.filter((member) => parts.includes(member)).join(',');
  }
  throw new Unfit(`it holds ${members.map((member) => JSON.stringify(member)).join(', ')} only`);
}

const HEX = /^\\x((?:[0-9a-f]{2})*)$/i;

function bytesText(text: string, { name, numbers: [length] }: Type, column: Column): string {
  const [, hex] = HEX.exec(text) ?? [];
  if (hex === undefined) throw new Unfit('it holds bytes, which are written as \\x00ff');
  const bytes = hex.length / 2;
  const isUnfit = length === undefined ? bytes > (MAX_BYTES[name] ?? Infinity) : bytes > length;
  // The database would append zero bytes.
  if (isUnfit || (name === 'binary' && bytes !== length)) throw unfit(text, column);
  return `\\x${hex.toLowerCase()}`;
}

/** Canonical JSON, because MySQL drops spaces and reorders members. Refuses a number that would change. */
function jsonText(text: string, _type: Type, column: Column): string {
  try {
    return JSON.stringify(sorted(readJson(text)));
  } catch (error) {
    throw new Unfit(`it is of type ${column.type}: ${(error as Error).message}`);
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

const UUID = /^\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i;
const INET4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function addressText(text: string, { name }: Type, column: Column): string {
  const [, ...parts] = UUID.exec(text) ?? [];
  if (name === 'uuid' && parts.length > 0) return parts.join('-').toLowerCase();
  if (name === 'inet4' && INET4.test(text)) return text;
  if (name === 'inet6' && URL.canParse(`http://[${text}]/`))
    return new URL(`http://[${text}]/`).hostname.slice(1, -1);
  throw unfit(text, column);
}

/** Types that the database prints in another form: floats with the digits of a double, and bytes without a prefix. */
const SPELLED: Partial<Record<Family, (text: string, column: Column) => string>> = {
  double: (text, column) => String(typeOf(column).name === 'float' ? shortest(Number(text)) : Number(text)),
  bytes: (text) => `\\x${text.toLowerCase()}`,
  other: (text) => `\\x${text.toLowerCase()}`,
};

/** Returns a text of the database in canonical form, or unchanged if the column would not store it again. */
export function receivedAs(column: Column, value: string | null): Stored {
  if (value === null) return null;
  const text = SPELLED[typeOf(column).family]?.(value, column) ?? value;
  try {
    return storedAs(column, text);
  } catch (error) {
    if (error instanceof Unfit) return text;
    throw error;
  }
}

export function isRestorable(column: Column, value: Stored): boolean {
  try {
    return value === null || storedAs(column, String(value)) === value;
  } catch (error) {
    if (error instanceof Unfit) return false;
    throw error;
  }
}

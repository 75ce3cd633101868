import { createScanner, SyntaxKind, type Node } from 'jsonc-parser';
import { BatchgateError } from '../../contract/errors';
import { shortened, withoutTrailing } from '../../contract/text';

/** Numbers of up to 15 digits without an exponent are exact, so that most texts need not be scanned. */
const MAY_BE_INEXACT = /[\d.]{16}|\de/i;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** The significant digits of a decimal number, and the power of ten of the last one. */
function decimal(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = withoutTrailing(all, '0');
  if (digits === '') return '0';
  return `${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}

/** Whether a number of JSON is the same number in JavaScript, which has doubles only. */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && decimal(text) === decimal(String(value));
}

export interface NumberPlace {
  readonly number: string;
  readonly offset: number;
}

/** The numbers of a JSON text that a double cannot hold, with or without comments in it. */
export function inexactNumbers(text: string): NumberPlace[] {
  if (!MAY_BE_INEXACT.test(text)) return [];
  const places: NumberPlace[] = [];
  const scanner = createScanner(text, true);
  for (let token = scanner.scan(); token !== SyntaxKind.EOF; token = scanner.scan()) {
    if (token !== SyntaxKind.NumericLiteral) continue;
    const number = scanner.getTokenValue();
    if (!isExactNumber(number)) places.push({ number, offset: scanner.getTokenOffset() });
  }
  return places;
}

/** The deepest nesting of brackets in a JSON text, also in values that a parser would drop. */
export function nestingOf(text: string): number {
  const scanner = createScanner(text, true);
  let open = 0;
  let most = 0;
  for (let token = scanner.scan(); token !== SyntaxKind.EOF; token = scanner.scan()) {
    if (token === SyntaxKind.OpenBraceToken || token === SyntaxKind.OpenBracketToken)
      most = Math.max(most, ++open);
    if (token === SyntaxKind.CloseBraceToken || token === SyntaxKind.CloseBracketToken) open--;
  }
  return most;
}

/**
 * The repeated keys of the objects in a JSON tree, each after its first place: a parser would use the last value, and
 * the author may have read the first.
 */
export function repeatedKeys({ type, children = [] }: Node): Node[] {
  const keys = type === 'object' ? children.flatMap((property) => property.children?.[0] ?? []) : [];
  const values = new Set<string>();
  const own = keys.filter(({ value }) => values.size === values.add(String(value)).size);
  return [...own, ...children.flatMap(repeatedKeys)];
}

/** A number within a sentence, shortened because it may have any number of digits. */
export const shownNumber = (number: string): string => shortened(number, 50);

export class InexactNumber extends BatchgateError {
  constructor(number: string) {
    const digits = shownNumber(number);
    super('INVALID_INPUT', `The number ${digits} cannot be kept exactly.`, `Write it as text: "${digits}".`);
  }
}

/**
 * Parses JSON in which every number keeps its value.
 * @throws SyntaxError for text that is not JSON; InexactNumber for a number that a double cannot hold.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const [place] = inexactNumbers(text);
  if (place !== undefined) throw new InexactNumber(place.number);
  return value;
}

/** The value of a JSON text, or the text itself if it is not JSON. @throws InexactNumber as above. */
export function jsonOrText(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof InexactNumber) throw error;
    return text;
  }
}

/** Parses JSON from another program. Numbers that a double cannot hold become texts. @throws SyntaxError */
export function readForeignJson(text: string): unknown {
  let exact = '';
  let end = 0;
  for (const { number, offset } of inexactNumbers(text)) {
    exact += `${text.slice(end, offset)}"${number}"`;
    end = offset + number.length;
  }
  return JSON.parse(exact + text.slice(end));
}

import { has, type Part, type Section } from './format-code';

/** The number of digits that a spreadsheet keeps. */
const KEPT_DIGITS = 15;

/** The decimal digits of a number that is not negative, moved by `shift` places and rounded half up to `places`. */
function decimal(value: number, shift: number, places: number): { whole: string; fraction: string } {
  const [mantissa = '', exponent] = value.toExponential(KEPT_DIGITS - 1).split('e');
  const digits = BigInt(mantissa.replace('.', ''));
  const scale = Number(exponent) - (KEPT_DIGITS - 1) + shift + places;
  const power = 10n ** BigInt(Math.abs(scale));
  const units = scale >= 0 ? digits * power : (digits + power / 2n) / power;
  const text = units.toString().padStart(places + 1, '0');
  const end = text.length - places;
  return { whole: text.slice(0, end).replace(/^0$/, ''), fraction: text.slice(end) };
}

/** The digits of a number, without a power of ten. */
export function plainNumber(value: number): string {
  const size = Math.abs(value);
  const exponent = Number(size.toExponential(KEPT_DIGITS - 1).split('e')[1]);
  const { whole, fraction } = decimal(size, 0, Math.max(0, KEPT_DIGITS - 1 - exponent));
  const significant = fraction.slice(0, significantIn(fraction));
  return `${value < 0 ? '-' : ''}${whole === '' ? '0' : whole}${significant === '' ? '' : `.${significant}`}`;
}

/** The number of digits before the zeros at the end. */
function significantIn(fraction: string): number {
  let end = fraction.length;
  while (fraction[end - 1] === '0') end--;
  return end;
}

/** The text of a number that is not negative; undefined if the section has parts that are not supported. */
export function numberText(section: Section, value: number): string | undefined {
  if (has(section, 'date', 'elapsed', 'half', 'power', 'text')) return undefined;
  if (!has(section, 'digit')) {
    if (has(section, 'point', 'comma', 'percent')) return undefined;
    return section.parts.map(({ kind, text }) => (kind === 'general' ? plainNumber(value) : text)).join('');
  }
  if (has(section, 'general') || isFraction(section)) return undefined;
  const layout = layoutOf(section.parts);
  if (!layout) return undefined;
  const { whole, fraction, shift, isGrouped } = layout;
  const digits = decimal(value, shift, fraction.filter(isDigit).length);
  return wholeText(whole, digits.whole, isGrouped) + fractionText(fraction, digits.fraction);
}

const isDigit = ({ kind }: Part): boolean => kind === 'digit';

/** Digits on both sides of a slash are numerator and denominator. */
function isFraction({ parts }: Section): boolean {
  const slash = parts.findIndex(({ kind }) => kind === 'slash');
  return slash !== -1 && parts.slice(0, slash).some(isDigit) && parts.slice(slash).some(isDigit);
}

interface Layout {
  /** The parts before the decimal point. */
  whole: Part[];
  /** The decimal point and the parts after it. */
  fraction: Part[];
  /** The power of ten by which percent signs and commas at the end move the point. */
  shift: number;
  isGrouped: boolean;
}

function layoutOf(parts: readonly Part[]): Layout | undefined {
  const point = parts.findIndex(({ kind }) => kind === 'point');
  const layout: Layout = { whole: [], fraction: [], shift: 0, isGrouped: false };
  for (const [at, part] of parts.entries()) {
    const isFirstPoint = at === point;
    if (part.kind === 'point' && !isFirstPoint) return undefined;
    if (part.kind === 'percent') layout.shift += 2;
    if (part.kind !== 'comma') (point !== -1 && at >= point ? layout.fraction : layout.whole).push(part);
    else if (!addComma(layout, parts, at, point)) return undefined;
  }
  const { whole, isGrouped } = layout;
  const [first, last] = [whole.findIndex(isDigit), whole.findLastIndex(isDigit)];
  return isGrouped && !whole.slice(first, last).every(isDigit) ? undefined : layout;
}

/** A comma between digits separates thousands, and one after the last digit divides by a thousand. */
function addComma(layout: Layout, parts: readonly Part[], at: number, point: number): boolean {
  const [before, after] = [parts[at - 1], parts[at + 1]];
  if (before && isDigit(before) && after && isDigit(after)) {
    layout.isGrouped = true;
    return point === -1 || at < point;
  }
  const last = parts.slice(0, at).findLast(({ kind }) => kind !== 'comma');
  const others = parts.slice(at, at < point ? point : undefined);
  if (!last || !isDigit(last) || others.some(isDigit)) return false;
  layout.shift -= 3;
  return true;
}

const PADDING: Readonly<Record<string, string>> = { '0': '0', '?': ' ' };

/** Fills the placeholders from the right. The first one takes the digits that are left. */
function wholeText(parts: readonly Part[], digits: string, isGrouped: boolean): string {
  const first = parts.findIndex(isDigit);
  let rest = digits;
  let place = 0;
  let text = first === -1 ? digits : '';
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at];
    if (!part) continue;
    if (!isDigit(part)) {
      text = part.text + text;
      continue;
    }
    for (let more = at === first ? Math.max(1, rest.length) : 1; more > 0; more--) {
      const digit = rest.at(-1) ?? PADDING[part.text] ?? '';
      const isSeparated = isGrouped && place > 0 && place % 3 === 0 && /\d/.test(digit);
      text = digit + (isSeparated ? ',' : '') + text;
      rest = rest.slice(0, -1);
      place++;
    }
  }
  return text;
}

function fractionText(parts: readonly Part[], digits: string): string {
  const significant = significantIn(digits);
  let place = 0;
  return parts
    .map((part) => {
      if (!isDigit(part)) return part.text;
      const digit = digits[place] ?? '0';
      const isShown = part.text === '0' || place < significant;
      place++;
      return isShown ? digit : (PADDING[part.text] ?? '');
    })
    .join('');
}

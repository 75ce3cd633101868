import type { Part, Section } from './format-code';

const DAY = 86_400_000;
const BLANK_DAY = 'T00:00:00';
const FIRST_1900 = Date.UTC(1899, 11, 31);
const FIRST_1904 = Date.UTC(1904, 0, 1);
/** Spreadsheets disagree on earlier days, because some count a 29 February 1900. */
const FIRST_CERTAIN = Date.UTC(1900, 2, 1);
const END = Date.UTC(10_000, 0, 1);

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Whether all spreadsheets write the same day. */
const isCertain = (date: Date, is1904: boolean) =>
  date.getTime() < END && (is1904 || date.getTime() >= FIRST_CERTAIN);

/** A date with the time of day, unless that is midnight; undefined if its day is not certain. */
export function isoDate(date: Date, is1904: boolean): string | undefined {
  if (!isCertain(date, is1904)) return undefined;
  const [seconds = ''] = date.toISOString().split('.');
  return seconds.endsWith(BLANK_DAY) ? seconds.slice(0, -BLANK_DAY.length) : seconds;
}

/** The milliseconds since the first day of the workbook's calendar. */
function elapsedOf(date: Date, is1904: boolean): number {
  const time = date.getTime();
  return is1904 ? time - FIRST_1904 : time - FIRST_1900 + (time >= FIRST_CERTAIN ? DAY : 0);
}

/** The number that a workbook stores for a date. */
export const serialOf = (date: Date, is1904: boolean): number => elapsedOf(date, is1904) / DAY;

/** The library returns the same date for two days, of which the second does not exist: 28 and 29 February 1900. */
const isAmbiguous = (elapsed: number) => elapsed >= 59 * DAY && elapsed < 61 * DAY;

/** The text of a date or a time; undefined if the section has parts that are not supported. */
export function dateText(section: Section, date: Date, is1904: boolean): string | undefined {
  const units = unitsOf(section.parts);
  const elapsed = elapsedOf(date, is1904);
  if (!units || !(date.getTime() < END) || elapsed < 0) return undefined;
  const { language } = section;
  const hasDay = language === 'date' || includes(units, /^[yMd]/);
  if (hasDay && !isCertain(date, is1904)) return undefined;
  if (!is1904 && includes(units, ELAPSED) && isAmbiguous(elapsed)) return undefined;
  const hasTime = includes(units, /^[hmsHIS]/);
  if (language === 'date' || (!hasTime && section.isOfReader)) return date.toISOString().slice(0, 10);
  const rounded = hasTime ? roundedTo(units, date) : date;
  if (language === 'time') return rounded.toISOString().slice(11, 19);
  if (section.isOfReader) return isoDate(rounded, is1904);
  if (language === 'other' && includes(units, /^(MMM|ddd|a)/)) return undefined;
  const time = { date: rounded, elapsed: elapsedOf(rounded, is1904), isHalved: includes(units, /^a/) };
  return units.map((unit) => valueOf(unit, time)).join('');
}

/**
 * The unit of a part: `M` for months and `m` for minutes; `H`, `I` and `S` for elapsed hours, minutes and seconds; `f`
 * for a point and for each digit of a fraction of a second; `a` for the half of a day. Empty for a literal.
 */
interface Unit {
  unit: string;
  text: string;
}

const ELAPSED = /^[HIS]/;
const SUPPORTED = /^(|y{1,4}|m{1,5}|d{1,4}|h{1,2}|s{1,2}|H+|I+|S+|f{2,4}|a)$/;

const includes = (units: readonly Unit[], pattern: RegExp) => units.some(({ unit }) => pattern.test(unit));

function unitsOf(parts: readonly Part[]): Unit[] | undefined {
  const units: Unit[] = [];
  for (const [at, { kind, text }] of parts.entries()) {
    const last = units.at(-1);
    if (kind === 'digit' && text === '0' && last?.unit.startsWith('f')) last.unit += 'f';
    else {
      const unit =
        kind === 'point' && parts[at + 1]?.kind === 'digit' ? 'f' : rawUnit(kind, text.toLowerCase());
      if (unit === undefined) return undefined;
      units.push({ unit, text });
    }
  }
  const isFit = units.every(
    ({ unit }, at) =>
      SUPPORTED.test(unit) && (!unit.startsWith('f') || /^s/i.test(units[at - 1]?.unit ?? '')),
  );
  return isFit ? units.map((unit, at) => (isMonth(units, at) ? monthOf(unit) : unit)) : undefined;
}

function rawUnit(kind: Part['kind'], text: string): string | undefined {
  if (kind === 'literal' || kind === 'comma' || kind === 'point' || kind === 'slash') return '';
  if (kind === 'half') return 'a';
  if (kind === 'date') return text;
  if (kind !== 'elapsed') return undefined;
  return { h: 'H', m: 'I', s: 'S' }[text.charAt(0)]?.repeat(text.length);
}

const monthOf = ({ unit, text }: Unit): Unit => ({ unit: unit.toUpperCase(), text });

/** One or two letters m are minutes after hours and before seconds. */
function isMonth(units: readonly Unit[], at: number): boolean {
  const unit = units[at]?.unit ?? '';
  if (!unit.startsWith('m')) return false;
  const isUnit = ({ unit: other }: Unit) => /^[a-z]/i.test(other) && other !== 'a';
  const before = units.slice(0, at).findLast(isUnit)?.unit ?? '';
  const after = units.slice(at + 1).find(isUnit)?.unit ?? '';
  return unit.length > 2 || !(/^h/i.test(before) || /^s/i.test(after));
}

/** Rounds to the last unit below a second. Minutes and hours are not rounded. */
function roundedTo(units: readonly Unit[], date: Date): Date {
  const digits = Math.max(0, (units.find(({ unit }) => unit.startsWith('f'))?.unit.length ?? 1) - 1);
  const step = 10 ** (3 - digits);
  return new Date(Math.round(date.getTime() / step) * step);
}

interface Time {
  date: Date;
  /** In milliseconds. */
  elapsed: number;
  isHalved: boolean;
}

function valueOf({ unit, text }: Unit, { date, elapsed, isHalved }: Time): string {
  const hours = date.getUTCHours();
  const padded = (value: number) => String(Math.floor(value)).padStart(unit.length, '0');
  switch (unit.charAt(0)) {
    case 'y':
      return unit.length > 2 ? String(date.getUTCFullYear()) : String(date.getUTCFullYear()).slice(-2);
    case 'M':
      return nameOf(MONTHS[date.getUTCMonth()], unit) ?? padded(date.getUTCMonth() + 1);
    case 'd':
      return nameOf(DAYS[date.getUTCDay()], unit) ?? padded(date.getUTCDate());
    case 'h':
      return padded(isHalved ? hours % 12 || 12 : hours);
    case 'm':
      return padded(date.getUTCMinutes());
    case 's':
      return padded(date.getUTCSeconds());
    case 'H':
      return padded(elapsed / 3_600_000);
    case 'I':
      return padded(elapsed / 60_000);
    case 'S':
      return padded(elapsed / 1_000);
    case 'f':
      return `.${String(date.getUTCMilliseconds())
        .padStart(3, '0')
        .slice(0, unit.length - 1)}`;
    case 'a':
      return halfOf(text, hours);
    default:
      return text;
  }
}

/** Three letters of a name, the whole name, or its first letter; undefined for a number. */
function nameOf(name = '', { length }: string): string | undefined {
  if (length < 3) return undefined;
  return length === 4 ? name : name.slice(0, length === 3 ? 3 : 1);
}

/** `AM/PM` or `A/P`. */
const halfOf = (text: string, hours: number): string => text.split('/')[hours < 12 ? 0 : 1] ?? '';

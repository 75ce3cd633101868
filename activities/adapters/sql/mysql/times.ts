import { withoutTrailing } from '../../../../src/contract/text';
import type { Column } from '../catalogue';
import { Unfit } from '../local/dialect';
import type { Type } from './types';

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const CLOCK = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})0*)?)?$/;
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;
const TIME = /^([+-]?)(\d{1,3}):(\d\d)(?::(\d\d)(?:\.(\d{1,6})0*)?)?$/;
const MAX_HOURS = 838;
const ZERO = '0000-00-00';
/** The range of recent servers. Older servers refuse moments after 2038. */
const [EARLIEST, LATEST] = ['1970-01-01 00:00:01', '2106-02-07 06:28:15'];

const unfit = (text: string, { type }: Column, how: string): Unfit =>
  new Unfit(`it is of type ${type}, and ${JSON.stringify(text)} is not written as ${how}`);

/** Returns true if the text is a valid day, or the zero date of these databases. */
function isDay(text: string): boolean {
  const [, year = '', month = '', day = ''] = DAY.exec(text) ?? [];
  if (text === ZERO) return true;
  const date = new Date(`${text}T00:00:00Z`);
  return year !== '' && Number(month) > 0 && date.getUTCDate() === Number(day);
}

/** Returns the fraction of a second with the digits of a column; undefined if the text has more digits. */
function fractionOf(digits: string, places: number): string | undefined {
  const significant = withoutTrailing(digits, '0');
  if (significant.length > places) return undefined;
  return places === 0 ? '' : `.${significant.padEnd(places, '0')}`;
}

export function daysText(text: string, _type: Type, column: Column): string {
  if (isDay(text)) return text;
  throw unfit(text, column, 'a day, 2026-12-31');
}

/** A timestamp can be written with an offset, and is printed in UTC. A datetime has no offset. */
export function momentText(text: string, { name, numbers: [places = 0] }: Type, column: Column): string {
  const [, day = '', clock = '00:00', offset] = MOMENT.exec(text) ?? [];
  const [, hours = '', minutes = '', seconds = '00', digits = ''] = CLOCK.exec(clock) ?? [];
  const fraction = fractionOf(digits, places);
  const isClock = hours !== '' && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  const isOffset = offset === undefined || (name === 'timestamp' && Number(offset.slice(1, 3) || 0) < 24);
  if (!isDay(day) || !isClock || !isOffset) throw unfit(text, column, '2026-12-31 23:59:59');
  if (fraction === undefined)
    throw new Unfit(`it is of type ${column.type}, which has ${places} digits of a second`);
  const utc = inUtc(`${day} ${hours}:${minutes}:${seconds}`, offset);
  if (name === 'timestamp' && day !== ZERO && (utc < EARLIEST || utc > LATEST))
    throw new Unfit(`it is of type ${column.type}, which holds moments from ${EARLIEST} to ${LATEST}`);
  return `${utc}${fraction}`;
}

function inUtc(local: string, offset = 'Z'): string {
  if (offset === 'Z') return local;
  const utc = new Date(`${local.replace(' ', 'T')}${offset}`).toISOString();
  return utc.slice(0, 19).replace('T', ' ');
}

export function timeText(text: string, { numbers: [places = 0] }: Type, column: Column): string {
  const [, sign = '', hours = '', minutes = '', seconds = '00', digits = ''] = TIME.exec(text) ?? [];
  const fraction = fractionOf(digits, places);
  const isTime = hours !== '' && Number(hours) <= MAX_HOURS && Number(minutes) < 60 && Number(seconds) < 60;
  if (!isTime) throw unfit(text, column, '23:59:59');
  if (fraction === undefined)
    throw new Unfit(`it is of type ${column.type}, which has ${places} digits of a second`);
  const size = `${hours.replace(/^0+/, '').padStart(2, '0')}:${minutes}:${seconds}${fraction}`;
  return sign === '-' && /[1-9]/.test(size) ? `-${size}` : size;
}

/** Refuses years of two digits, which the database would assign to a century. */
export function yearText(text: string, _type: Type, column: Column): string {
  const year = Number(text);
  if (/^\d{4}$/.test(text) && (year === 0 || (year >= 1901 && year <= 2155))) return text;
  throw unfit(text, column, 'a year of four digits, 1901 to 2155');
}

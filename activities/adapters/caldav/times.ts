import { atWallClock, DAY_MS, formatInstant, isZone, wallClock } from '../../../src/core/shared/zoned-time';
import { paramOf, type Property } from './icalendar';

/** A time as iCalendar writes it: `20270301`, `20270301T100000` in a zone or without one, `20270301T090000Z`. */
export interface Time {
  readonly value: string;
  readonly zone?: string | undefined;
}

export const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;

export function timeOf(property: Property): Time {
  const zone = paramOf(property, 'TZID');
  return { value: property.value, ...(zone !== undefined && { zone }) };
}

export const isDate = ({ value }: Time): boolean => /^\d{8}$/.test(value);
const isUtc = ({ value }: Time): boolean => value.endsWith('Z');

/**
 * Returns the name of the zone in the IANA database. Clients write the name alone, or at the end of an id of their own.
 */
export function zoneOf({ zone, value }: Time): string | undefined {
  if (value.endsWith('Z')) return 'UTC';
  const names = zone === undefined ? [] : [zone, zone.split('/').slice(-2).join('/')];
  return names.find(isZone);
}

/** Returns the digits of the time as milliseconds, whatever its zone. */
function wallOf({ value }: Time): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/.exec(value) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

export const isTime = (time: Time): boolean => !Number.isNaN(wallOf(time));

function withWall<T extends Time>(time: T, wall: number): T {
  if (Number.isNaN(wall)) return time;
  const digits = new Date(wall).toISOString().replace(/\.\d+Z$|[-:]/g, '');
  return { ...time, value: isDate(time) ? digits.slice(0, 8) : `${digits}${isUtc(time) ? 'Z' : ''}` };
}

/** Returns the instant, to sort events by. A time without a known zone counts as UTC. */
export function instantOf(time: Time): number {
  const zone = zoneOf(time);
  return zone === undefined || isDate(time) ? wallOf(time) : atWallClock(zone, wallOf(time));
}

/** Adds minutes. Whole days keep the local time across daylight-saving changes, the rest is exact (RFC 5545, 3.3.6). */
export function later(time: Time, minutes: number): Time {
  const zone = zoneOf(time);
  const rest = (minutes % DAY_MINUTES) * MINUTE_MS;
  const wall = wallOf(time) + minutes * MINUTE_MS;
  if (isDate(time) || zone === undefined || rest === 0) return withWall(time, wall);
  return withWall(time, wallClock(zone, atWallClock(zone, wall - rest) + rest));
}

/** Returns the difference of the local times, in minutes. */
export const difference = (from: Time, to: Time): number => (wallOf(to) - wallOf(from)) / MINUTE_MS;

/** Adds minutes on the wall clock; for a time in UTC, on the clock of `home`, the zone of its series. */
export function laterOnClock(time: Time, minutes: number, home?: string): Time {
  const wall = wallOf(time);
  const size = minutes * MINUTE_MS;
  if (!isUtc(time) || home === undefined) return withWall(time, wall + size);
  return withWall(time, atWallClock(home, wallClock(home, wall) + size));
}

/** Returns the end of an event that moves from `before` to `start` and keeps its duration. */
export function endAfter(start: Time, end: Time, before: Time): Time {
  if (isDate(end)) return withWall(end, wallOf(end) + wallOf(start) - wallOf(before));
  const instant = instantOf(end) + instantOf(start) - instantOf(before);
  return withWall(end, wallClock(zoneOf(end) ?? 0, instant));
}

export const isOtherDay = (left: Time, right: Time): boolean =>
  Math.floor(wallOf(left) / DAY_MS) !== Math.floor(wallOf(right) / DAY_MS);

/** Returns the time by RFC 3339, or the local time as text if its zone is unknown. */
export function shownTime(time: Time): { time: string } | string {
  if (!isTime(time)) return time.value;
  const zone = zoneOf(time);
  const local = new Date(wallOf(time)).toISOString();
  if (isDate(time)) return { time: local.slice(0, 10) };
  if (zone !== undefined) return { time: formatInstant(zone, instantOf(time)) };
  return `${local.slice(0, 16).replace('T', ' ')} (${time.zone ?? 'local time'})`;
}

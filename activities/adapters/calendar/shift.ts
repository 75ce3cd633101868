import {
  addDays,
  atWallClock,
  DAY_MS,
  formatInstant,
  isZone,
  wallClock,
  type Zone,
} from '../../../src/core/shared/zoned-time';
import type { EventTime } from './client';

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;

interface Times {
  readonly start?: EventTime | undefined;
  readonly end?: EventTime | undefined;
}

/** Returns the reason that the times of an event cannot be shifted, if there is one. */
export function unshiftable({ start, end }: Times, minutes: number, isSeries: boolean): string | undefined {
  if (start?.date !== undefined && end?.date !== undefined) {
    if (isSeries) return SERIES;
    return minutes % DAY_MINUTES === 0 ? undefined : 'An all-day event can be shifted by whole days only';
  }
  const [from, to] = [start, end].map((time) => Date.parse(time?.dateTime ?? ''));
  if (!start || !end || !(from! <= to!)) return 'The event has no start and end that can be shifted';
  const zone = zoneOf(start);
  const isOtherDay = dayOf(zone, begin(start, minutes)) !== dayOf(zone, from!);
  return isSeries && isOtherDay ? SERIES : undefined;
}

/** The rule of a series names days of the week and an end, which a shift would not move. */
const SERIES =
  'A series can be shifted within its day only; shift its occurrences instead (single_events: true)';

/**
 * Returns the times of an event after a shift. Whole days keep the event's local time across daylight-saving changes,
 * and remaining minutes are exact (RFC 5545, section 3.3.6). Duration and time zone stay.
 */
export function shifted<T extends Times>({ start = {}, end = {}, ...state }: T, minutes: number): T {
  if (start.date !== undefined && end.date !== undefined) {
    const days = minutes / DAY_MINUTES;
    return {
      ...state,
      start: { date: addDays(start.date, days) },
      end: { date: addDays(end.date, days) },
    } as T;
  }
  const begins = begin(start, minutes);
  const length = Date.parse(end.dateTime ?? '') - Date.parse(start.dateTime ?? '');
  return { ...state, start: at(start, begins), end: at(end, begins + length) } as T;
}

function begin(start: EventTime, minutes: number): number {
  const from = Date.parse(start.dateTime ?? '');
  const days = Math.trunc(minutes / DAY_MINUTES);
  const zone = zoneOf(start);
  const sameClock = days === 0 ? from : atWallClock(zone, wallClock(zone, from) + days * DAY_MS);
  return sameClock + (minutes % DAY_MINUTES) * MINUTE_MS;
}

const dayOf = (zone: Zone, instant: number) => Math.floor(wallClock(zone, instant) / DAY_MS);

/** UTC if Google names no zone: its offsets are the calendar's, and not those that were sent. */
const zoneOf = ({ timeZone }: EventTime): Zone => (timeZone !== undefined && isZone(timeZone) ? timeZone : 0);

const at = (time: EventTime, instant: number): EventTime => ({
  dateTime: formatInstant(zoneOf(time), instant),
  ...(time.timeZone !== undefined && { timeZone: time.timeZone }),
});

/** Returns a time in its own zone. Google writes it with the offset of the calendar. */
export function canonicalTime(time: EventTime = {}): EventTime {
  if (time.date !== undefined) return { date: time.date };
  const instant = Date.parse(time.dateTime ?? '');
  return Number.isNaN(instant) ? {} : at(time, instant);
}

import { addDays, atWallClock, DAY_MS, formatInstant, wallClock } from '../../../src/core/shared/zoned-time';
import { invalid } from './api';
import type { EventTimes } from './model';

/** The limit of a series; Google's calendars continue for years. */
const MOST_OCCURRENCES = 400;

interface Rule {
  readonly everyDays: number;
  readonly count: number;
  /** The last moment, or the last date. */
  readonly until?: string;
}

/**
 * Reads the rule of a series. Of RFC 5545 it supports daily and weekly rules with INTERVAL and either COUNT or UNTIL,
 * and refuses everything else.
 */
export function readRule(recurrence: readonly string[]): Rule {
  const [line = '', ...more] = recurrence;
  const parts = new Map(
    line
      .replace(/^RRULE:/, '')
      .split(';')
      .map((part) => part.split('=', 2) as [string, string]),
  );
  const { FREQ, INTERVAL = '1', COUNT, UNTIL, ...rest } = Object.fromEntries(parts);
  const step = FREQ === 'DAILY' ? 1 : FREQ === 'WEEKLY' ? 7 : undefined;
  const numbers = [INTERVAL, COUNT ?? '1'].every((value) => /^[1-9]\d{0,3}$/.test(value));
  const ends = (COUNT === undefined) !== (UNTIL === undefined);
  const supported = line.startsWith('RRULE:') && more.length === 0 && Object.keys(rest).length === 0;
  if (!supported || step === undefined || !numbers || !ends || !/^(\d{8}(T\d{6}Z)?)?$/.test(UNTIL ?? '')) {
    throw invalid(
      'The local calendar knows RRULE:FREQ=DAILY or WEEKLY, INTERVAL, and one of COUNT and UNTIL; it has none of the rest',
    );
  }
  return {
    everyDays: step * Number(INTERVAL),
    count: Math.min(Number(COUNT ?? MOST_OCCURRENCES), MOST_OCCURRENCES),
    until: UNTIL,
  };
}

/** The times of each occurrence, at the same local time of the series. */
export function occurrences({ start, end }: EventTimes, recurrence: readonly string[]): EventTimes[] {
  const rule = readRule(recurrence);
  const list: EventTimes[] = [];
  for (let n = 0; n < rule.count; n += 1) {
    const times = later({ start, end }, n * rule.everyDays);
    if (rule.until !== undefined && stamp(times.start).slice(0, rule.until.length) > rule.until) break;
    list.push(times);
  }
  return list;
}

function later({ start, end }: EventTimes, days: number): EventTimes {
  if ('date' in start || 'date' in end) {
    const moved = (time: EventTimes['start']) => ({ date: addDays('date' in time ? time.date : '', days) });
    return { start: moved(start), end: moved(end) };
  }
  const zone = start.timeZone ?? 'UTC';
  const [from, to] = [Date.parse(start.dateTime), Date.parse(end.dateTime)];
  const begins = atWallClock(zone, wallClock(zone, from) + days * DAY_MS);
  const at = (instant: number, timeZone = zone) => ({
    dateTime: formatInstant(timeZone, instant),
    timeZone,
  });
  return { start: at(begins), end: at(begins + (to - from), end.timeZone) };
}

/** The format of times in UNTIL and in ids of occurrences: `20261123T080000Z`, or `20261123`. */
export function stamp(time: EventTimes['start']): string {
  const text = 'date' in time ? time.date : new Date(time.dateTime).toISOString().replace('.000', '');
  return text.replace(/[-:]/g, '');
}

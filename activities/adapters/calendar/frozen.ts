import { z } from 'zod';
import type { BulkItem } from '../../../src/contract/items';
import {
  addDays,
  atWallClock,
  DAY_MS,
  formatInstant,
  isZone,
  wallClock,
  writtenOffset,
  type Zone,
} from './zoned-time';
import type { CalendarEvent, EventTime } from './client';
import { eventName } from './describe';
import type { CalendarChange } from './parameters';

const time = z.object({ date: z.string(), dateTime: z.string(), timeZone: z.string() }).partial();
const frozenSchema = z.object({
  etag: z.string().min(1),
  /** For a shift: the times to set. */
  start: time.optional(),
  end: time.optional(),
  /** Why the change does not fit this event. */
  refused: z.string().optional(),
});

/** What the plan keeps of an event: the version that a person confirms, and what the change means for it. */
export type Frozen = z.output<typeof frozenSchema>;

export function freeze(event: CalendarEvent, change: CalendarChange): Frozen {
  return { etag: event.etag, ...(change.action === 'shift' && shifted(event, change.shift_minutes)) };
}

/** Undefined if the item was not planned by this adapter. */
export function frozenOf({ raw_data }: BulkItem): Frozen | undefined {
  return frozenSchema.safeParse(raw_data).data;
}

export function plannedItem(event: CalendarEvent, change: CalendarChange): BulkItem {
  return { id: event.id, display_name: eventName(event), raw_data: { ...freeze(event, change) } };
}

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;

type Shifted = { readonly start: EventTime; readonly end: EventTime } | { readonly refused: string };

/**
 * The times of an event after a shift. Whole days keep the event's local time across daylight-saving changes, and
 * remaining minutes are exact (RFC 5545, section 3.3.6). Duration and time zone stay.
 */
function shifted({ start, end, recurrence }: CalendarEvent, minutes: number): Shifted {
  if (start?.date !== undefined && end?.date !== undefined) {
    if (recurrence !== undefined) return { refused: SERIES };
    if (minutes % DAY_MINUTES !== 0) return { refused: 'An all-day event can be shifted by whole days only' };
    const days = minutes / DAY_MINUTES;
    return { start: { date: addDays(start.date, days) }, end: { date: addDays(end.date, days) } };
  }
  const [from, to] = [start, end].map((time) => Date.parse(time?.dateTime ?? ''));
  if (start?.dateTime === undefined || end?.dateTime === undefined || !(from! <= to!)) {
    return { refused: 'The event has no start and end that can be shifted' };
  }
  const zone = zoneOf(start);
  const days = Math.trunc(minutes / DAY_MINUTES);
  const sameClock = days === 0 ? from! : atWallClock(zone, wallClock(zone, from!) + days * DAY_MS);
  const begins = sameClock + (minutes % DAY_MINUTES) * MINUTE_MS;
  if (recurrence !== undefined && dayOf(zone, begins) !== dayOf(zone, from!)) return { refused: SERIES };
  return { start: at(start, begins), end: at(end, begins + (to! - from!)) };
}

/** The rule of a series names days of the week and an end, which would not shift. */
const SERIES =
  'A series can be shifted within its day only; shift its occurrences instead (single_events: true)';

const dayOf = (zone: Zone, instant: number) => Math.floor(wallClock(zone, instant) / DAY_MS);

const zoneOf = ({ timeZone, dateTime }: EventTime): Zone =>
  timeZone !== undefined && isZone(timeZone) ? timeZone : writtenOffset(dateTime ?? '');

const at = (time: EventTime, instant: number): EventTime => ({
  dateTime: formatInstant(zoneOf(time), instant),
  ...(time.timeZone !== undefined && { timeZone: time.timeZone }),
});

import { z } from 'zod';
import { utf8Length, type BulkItem, type PreparedBulkContext } from '../../../src/contract/items';
import type { ItemPreview } from '../../../src/contract/preview';
import { difference, NOT_RECORDED, undoOf } from '../shared/frozen-state';
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
import { changeOf, type CalendarChange } from './parameters';
import {
  partAfter,
  partOf,
  partSchema,
  samePart,
  stateOf,
  timeSchema,
  type EventPart,
  type Place,
} from './state';

/** A larger before-state is not stored, so that an item stays within its bounds. Bytes. */
const MAX_PART_BYTES = 1_200;

const frozenSchema = z.object({
  etag: z.string().min(1),
  /** For a shift: the times to set. */
  start: timeSchema.optional(),
  end: timeSchema.optional(),
  /** Why the change does not fit this event. */
  refused: z.string().optional(),
  /** The current values that the change can alter; absent if they are too large to store. */
  was: partSchema.optional(),
  /** Whether Google can restore the event: only if this account is its organizer, and no guests were notified. */
  restorable: z.enum(['yes', 'partly', 'no']).optional(),
});

/** What the plan stores of an event: the version that a person confirms, and the effect of the change on it. */
export type Frozen = z.output<typeof frozenSchema>;

export function freeze(event: CalendarEvent, change: CalendarChange, place: Place = 'source'): Frozen {
  const was = partOf(event, change, place);
  return {
    etag: event.etag,
    ...(change.action === 'shift' && shifted(event, change.shift_minutes)),
    ...(change.action === 'delete' && { restorable: restorable(event) }),
    ...(utf8Length(JSON.stringify(was)) <= MAX_PART_BYTES && { was }),
  };
}

function restorable({ attendees = [], organizer }: CalendarEvent): Frozen['restorable'] {
  if (organizer?.self !== true) return 'no';
  return attendees.length > 0 ? 'partly' : 'yes';
}

/** Undefined if the item was not planned by this adapter. */
export function frozenOf({ raw_data }: Pick<BulkItem, 'raw_data'>): Frozen | undefined {
  return frozenSchema.safeParse(raw_data).data;
}

export function plannedItem(event: CalendarEvent, change: CalendarChange, place?: Place): BulkItem {
  return { id: event.id, display_name: eventName(event), raw_data: { ...freeze(event, change, place) } };
}

/** The intended state of an event; undefined if an undo does not know its previous state. */
export function wanted(item: BulkItem, context: PreparedBulkContext): EventPart | undefined {
  const undo = undoOf(item, context);
  if (undo) return frozenOf({ raw_data: undo.to })?.was;
  return partAfter(changeOf(context), frozenOf(item) ?? {});
}

/** The state in which the operation to undo left its event. */
export function leftBy(item: BulkItem, context: PreparedBulkContext): EventPart | undefined {
  const undo = undoOf(item, context);
  if (undo === undefined) return undefined;
  if (undo.left) return frozenOf({ raw_data: undo.left })?.was;
  return partAfter(changeOf(context), frozenOf({ raw_data: undo.to }) ?? {});
}

export function previewEvent(item: BulkItem, context: PreparedBulkContext): ItemPreview {
  const now = frozenOf(item);
  if (now === undefined)
    return item.raw_data?.['missing'] === true ? { expected_error: 'Event not found' } : {};
  if (!context.undo && now.refused !== undefined) return { expected_error: now.refused };
  if (now.was === undefined) return { reversible: 'no' };
  const before = stateOf(now.was, context);
  const wish = wanted(item, context);
  if (wish === undefined) return { before, reversible: 'no', expected_error: NOT_RECORDED };
  if (samePart(now.was, wish)) return { before, after: before, already: true };
  const told = changeOf(context).send_updates !== 'none';
  const reversible = context.undo ? 'yes' : (now.restorable ?? (told ? 'partly' : 'yes'));
  const notInvited = now.was.response === null && { expected_error: NOT_INVITED };
  const left = leftBy(item, context);
  const conflict = left && !samePart(now.was, left) ? difference(stateOf(left, context), before) : undefined;
  return { before, after: stateOf(wish, context), reversible, ...notInvited, ...(conflict && { conflict }) };
}

export const NOT_INVITED = 'This calendar is not invited to the event';

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

/** The rule of a series names days of the week and an end, which a shift would not move. */
const SERIES =
  'A series can be shifted within its day only; shift its occurrences instead (single_events: true)';

const dayOf = (zone: Zone, instant: number) => Math.floor(wallClock(zone, instant) / DAY_MS);

const zoneOf = ({ timeZone, dateTime }: EventTime): Zone =>
  timeZone !== undefined && isZone(timeZone) ? timeZone : writtenOffset(dateTime ?? '');

const at = (time: EventTime, instant: number): EventTime => ({
  dateTime: formatInstant(zoneOf(time), instant),
  ...(time.timeZone !== undefined && { timeZone: time.timeZone }),
});

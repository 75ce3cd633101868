import { z } from 'zod';
import type { PreparedBulkContext } from '../../../src/contract/items';
import type { ItemState, StateValue } from '../../../src/contract/preview';
import type { CalendarEvent, EventTime } from './client';
import { changeOf, type CalendarChange, type EventPatch } from './parameters';

export const timeSchema = z
  .object({ date: z.string(), dateTime: z.string(), timeZone: z.string() })
  .partial();

/** The part of an event that a change can alter. */
export const partSchema = z.object({
  /** For `patch`: the fields that it sets, null where an event has none. */
  values: z.record(z.string(), z.unknown()).optional(),
  start: timeSchema.optional(),
  end: timeSchema.optional(),
  /** The reply of this calendar to the invitation; null without one. */
  response: z.string().nullable().optional(),
  place: z.enum(['source', 'target']).optional(),
  deleted: z.boolean().optional(),
});
export type EventPart = z.output<typeof partSchema>;

export type Place = NonNullable<EventPart['place']>;

export const calendarOf = (change: CalendarChange, place: Place): string =>
  change.action === 'move' && place === 'target' ? change.target_id : change.calendar_id;

/** An event in its current state in one of the calendars of the change. */
export function partOf(event: CalendarEvent, change: CalendarChange, place: Place): EventPart {
  switch (change.action) {
    case 'delete':
      return { deleted: event.status === 'cancelled' };
    case 'move':
      return { place };
    case 'patch':
      return { values: valuesOf(event, change.patch) };
    case 'shift':
      return { start: event.start, end: event.end };
    case 'respond':
      return { response: event.attendees?.find(({ self }) => self === true)?.responseStatus ?? null };
  }
}

/** Google omits these values from its answers. */
const DEFAULTS: Partial<Record<keyof EventPatch, string>> = {
  visibility: 'default',
  transparency: 'opaque',
  location: '',
};

const valuesOf = (event: CalendarEvent, patch: EventPatch): Record<string, unknown> =>
  Object.fromEntries(
    (Object.keys(patch) as (keyof EventPatch)[]).map((name) => [name, event[name] ?? DEFAULTS[name] ?? null]),
  );

/** The event after the change. `shifted`: the times that the plan computed. */
export function partAfter(change: CalendarChange, shifted: Pick<EventPart, 'start' | 'end'>): EventPart {
  switch (change.action) {
    case 'delete':
      return { deleted: true };
    case 'move':
      return { place: 'target' };
    case 'patch':
      return { values: change.patch };
    case 'shift':
      return { start: shifted.start, end: shifted.end };
    case 'respond':
      return { response: change.response };
  }
}

export function samePart(one: EventPart, other: EventPart): boolean {
  const names = Object.keys({ ...one.values, ...other.values });
  return (
    one.deleted === other.deleted &&
    one.place === other.place &&
    one.response === other.response &&
    sameTime(one.start, other.start) &&
    sameTime(one.end, other.end) &&
    names.every((name) => valueKey(name, one.values?.[name]) === valueKey(name, other.values?.[name]))
  );
}

const valueKey = (name: string, value: unknown): string =>
  name === 'reminders' ? reminderText(value) : JSON.stringify(value ?? null);

const remindersSchema = z.object({
  useDefault: z.boolean().optional(),
  overrides: z.array(z.object({ method: z.string().optional(), minutes: z.number().optional() })).optional(),
});

function reminderText(value: unknown): string {
  const { useDefault = false, overrides = [] } = remindersSchema.safeParse(value).data ?? {};
  const own = overrides.map(({ method, minutes }) => `${method} ${minutes} min before`).sort();
  return [...(useDefault ? ['as the calendar'] : []), ...own].join(', ');
}

/** Google writes times in the calendar's offset, whatever offset was sent. */
function sameTime(one: EventTime | undefined, other: EventTime | undefined): boolean {
  if (one === undefined && other === undefined) return true;
  if (one?.date !== undefined || other?.date !== undefined) return one?.date === other?.date;
  return Date.parse(one?.dateTime ?? '') === Date.parse(other?.dateTime ?? '');
}

/** The part in words and times. */
export function stateOf(part: EventPart, context: PreparedBulkContext): ItemState {
  const change = changeOf(context);
  switch (change.action) {
    case 'delete':
      return { deleted: part.deleted ? 'yes' : 'no' };
    case 'move':
      return { calendar: shownText(part.place === 'target' ? change.target_name : change.calendar_name) };
    case 'patch':
      return Object.fromEntries(
        Object.entries(part.values ?? {}).map(([name, value]) => [
          name,
          shownText(name === 'reminders' ? reminderText(value) : value),
        ]),
      );
    case 'shift':
      return { start: shownTime(part.start), end: shownTime(part.end) };
    case 'respond':
      return { response: shownText(part.response) };
  }
}

const shownText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

function shownTime(time: EventTime | undefined): StateValue {
  const shown = time?.date ?? time?.dateTime;
  return shown === undefined ? null : { time: shown };
}

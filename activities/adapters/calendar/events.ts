import { z } from 'zod';
import type { Prepared } from '../kit/types';
import { displayName } from '../shared/names';
import type { CalendarEvent, EventTime } from './client';
import { patchFields, preparedChange, SEND_UPDATES, type EventPatch, type EventSearch } from './parameters';
import { canonicalTime } from './shift';

export const changeSchema = preparedChange.extend({
  send_updates: z.enum(SEND_UPDATES),
  patch: patchFields.optional(),
});
export type CalendarChange = z.output<typeof changeSchema>;
export type PreparedEvents = Prepared<EventSearch, CalendarChange>;

const time = z.strictObject({
  date: z.string().optional(),
  dateTime: z.string().optional(),
  timeZone: z.string().optional(),
});

/** The fields of an event that the change concerns. A deletion stores none of them. */
export const eventState = z.strictObject({
  /** The id of its calendar. */
  calendar: z.string().optional(),
  start: time.optional(),
  end: time.optional(),
  /** The reply of this calendar to the invitation; null if there is no invitation. */
  response: z.string().nullable().optional(),
  colorId: z.string().nullable().optional(),
  visibility: z.string().nullable().optional(),
  transparency: z.string().nullable().optional(),
  summary: z.string().nullable().optional(),
  location: z.string().nullable().optional(),
  reminders: z.unknown().optional(),
});
export type EventState = z.output<typeof eventState>;

/** `calendar`: the id of the calendar that contains the event. */
export function stateOf(event: CalendarEvent, calendar: string, prepared: PreparedEvents): EventState {
  const { action, change } = prepared;
  switch (action) {
    case 'move':
      return { calendar };
    case 'patch':
      return valuesOf(event, Object.keys(change.patch ?? {}) as (keyof EventPatch)[]);
    case 'shift':
      return { start: canonicalTime(event.start), end: canonicalTime(event.end) };
    case 'respond':
      return { response: event.attendees?.find(({ self }) => self === true)?.responseStatus ?? null };
    default:
      return {};
  }
}

/** Google omits these values from its answers. */
const DEFAULTS: Partial<Record<keyof EventPatch, string>> = {
  visibility: 'default',
  transparency: 'opaque',
  location: '',
};

const valuesOf = (event: CalendarEvent, names: readonly (keyof EventPatch)[]): EventState =>
  Object.fromEntries(
    names.map((name) => [
      name,
      name === 'reminders' ? canonicalReminders(event.reminders) : (event[name] ?? DEFAULTS[name] ?? null),
    ]),
  );

type Reminders = NonNullable<CalendarEvent['reminders']>;

/** Google omits fields that are false or empty, and keeps no order. */
export function canonicalReminders({ useDefault = false, overrides = [] }: Reminders = {}): Reminders {
  const entries = overrides.map(({ method = '', minutes = 0 }) => ({ method, minutes }));
  const order = ({ method, minutes }: { method: string; minutes: number }) => `${method} ${minutes}`;
  entries.sort((left, right) => (order(left) < order(right) ? -1 : 1));
  return useDefault ? { useDefault } : { useDefault, overrides: entries };
}

/** Returns the state as words and times for display. */
export function showEvent(
  { calendar, start, end, ...values }: Partial<EventState>,
  name: (id: string | null | undefined) => string | null,
) {
  const fields = Object.entries(values).map(([field, value]) => [
    field,
    field === 'reminders'
      ? reminderText(value as Reminders)
      : typeof value === 'string' && value
        ? value
        : null,
  ]);
  return {
    ...(calendar !== undefined && { calendar: name(calendar) }),
    ...(start !== undefined && { start: shownTime(start) }),
    ...(end !== undefined && { end: shownTime(end) }),
    ...(Object.fromEntries(fields) as Record<string, string | null>),
  };
}

function reminderText({ useDefault, overrides = [] }: Reminders): string {
  const texts = overrides.map(({ method, minutes }) => `${method} ${minutes} min before`);
  return [...(useDefault ? ['as the calendar'] : []), ...texts].join(', ');
}

function shownTime({ date, dateTime }: EventTime) {
  const value = date ?? dateTime;
  return value === undefined ? null : { time: value };
}

/** Returns a name such as `Stand-up, 2026-11-23 09:00`, in the time zone of Google's answer. */
export function eventName({
  summary,
  start,
  recurrence,
}: Pick<CalendarEvent, 'summary' | 'start' | 'recurrence'>): string {
  const startText = start?.dateTime?.slice(0, 16).replace('T', ' ') ?? start?.date;
  const parts = [
    startText === undefined ? '' : `, ${startText}`,
    recurrence === undefined ? '' : ` (${ofSeries(recurrence)})`,
  ];
  return displayName(summary ?? '', '(no title)', parts.join(''));
}

/** Returns the end of a series in words, by its rule (RFC 5545, section 3.3.10). */
function ofSeries(recurrence: readonly string[]): string {
  const rule = recurrence.join(';');
  const [, count] = /\bCOUNT=(\d+)/i.exec(rule) ?? [];
  const [, year, month, day] = /\bUNTIL=(\d{4})(\d\d)(\d\d)/i.exec(rule) ?? [];
  if (count !== undefined) return `series of ${count}`;
  return year === undefined ? 'series without an end' : `series until ${year}-${month}-${day}`;
}

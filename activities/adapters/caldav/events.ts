import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { eventName } from '../calendar/events';
import type { EventSearch } from '../calendar/parameters';
import type { Prepared, ToolItem } from '../kit/types';
import { decoded } from '../shared/parsed';
import type { StoredEvent } from './client';
import {
  calendarText,
  componentsOf,
  escaped,
  paramOf,
  propertiesOf,
  setProperty,
  textOf,
  type Component,
  type Property,
} from './icalendar';
import { PATCHED, type CaldavChange } from './parameters';
import { DAY_MINUTES, difference, laterOnClock, shownTime, timeOf, zoneOf, type Time } from './times';

export type PreparedEvents = Prepared<EventSearch, CaldavChange>;

const time = z.strictObject({ value: z.string(), zone: z.string().optional() });
const value = z.string().nullable().optional();

/** The fields of an event that the change concerns. */
export const eventState = z.strictObject({
  /** The id of its calendar. */
  calendar: z.string().optional(),
  start: time.nullable().optional(),
  end: time.nullable().optional(),
  rule: value,
  /** The reply of this person to the invitation; null if there is no invitation. */
  response: value,
  ...{ summary: value, location: value, visibility: value, transparency: value, color: value },
  /** The whole event, compressed, to recreate it or to restore a series that the fields do not describe fully. */
  data: z.string().optional(),
});
export type EventState = z.output<typeof eventState>;

/** The facts that decide whether an action can change an event. */
export interface EventFacts extends Record<string, unknown> {
  readonly series: boolean;
  readonly main: Component;
  /** Whether another person is the organizer. */
  readonly guest: boolean;
  readonly guests: number;
}

export const eventsOf = (calendar: Component): Component[] => componentsOf(calendar, 'VEVENT');
const isOverride = (event: Component): boolean => propertiesOf(event, 'RECURRENCE-ID').length > 0;
export const mainOf = (calendar: Component): Component | undefined => {
  const events = eventsOf(calendar);
  return events.find((event) => !isOverride(event)) ?? events[0];
};
export const valueOf = (event: Component, name: string): string | undefined =>
  propertiesOf(event, name)[0]?.value;
export const timeIn = (event: Component, name: string): Time | null => {
  const [property] = propertiesOf(event, name);
  return property ? timeOf(property) : null;
};

type Field = keyof typeof PATCHED;
function fieldOf(event: Component, field: Field): string | null {
  const [property, usual] = PATCHED[field];
  const raw = valueOf(event, property);
  if (usual !== undefined) return (raw ?? usual).toLowerCase();
  return raw === undefined || raw === '' ? null : textOf(raw);
}

/** Returns true if an address is among `addresses`, in any case. */
const isOf = (addresses: readonly string[], address: string): boolean =>
  addresses.some((other) => other.toLowerCase() === address.toLowerCase());
const invitations = (event: Component, addresses: readonly string[]) =>
  propertiesOf(event, 'ATTENDEE').filter(({ value: address }) => isOf(addresses, address));

/** The longest `data` that fits into a plan beside the fields that an action sets. */
const MAX_DATA = { delete: 1_200, others: 800 };

function stateOf(
  { calendar }: StoredEvent,
  main: Component,
  place: string,
  prepared: PreparedEvents,
): EventState {
  const { action, change, undo } = prepared;
  const isNeeded = action === 'delete' || (action !== 'move' && eventsOf(calendar).length > 1);
  const data = isNeeded && !undo ? packed(calendarText(calendar)) : undefined;
  const wholeEvent =
    data !== undefined && data.length <= MAX_DATA[action === 'delete' ? action : 'others'] ? { data } : {};
  const times = { start: timeIn(main, 'DTSTART'), end: timeIn(main, 'DTEND') };
  if (action === 'move') return { calendar: place };
  if (action === 'shift') return { ...times, ...wholeEvent };
  if (action === 'respond') {
    const [invitation] = invitations(main, change.addresses);
    const response = invitation ? (paramOf(invitation, 'PARTSTAT') ?? '').toLowerCase() : null;
    return { response, ...wholeEvent };
  }
  if (action === 'delete')
    return {
      ...times,
      rule: valueOf(main, 'RRULE') ?? null,
      summary: fieldOf(main, 'summary'),
      ...wholeEvent,
    };
  const fields = Object.keys(change.patch ?? {}) as Field[];
  return { ...Object.fromEntries(fields.map((field) => [field, fieldOf(main, field)])), ...wholeEvent };
}

/** Returns the item of a stored event; undefined if `stored` is not an event. `place`: the id of its calendar. */
export function itemOf(
  stored: StoredEvent,
  place: string,
  prepared: PreparedEvents,
): (ToolItem<EventState> & { facts: EventFacts }) | undefined {
  const main = mainOf(stored.calendar);
  if (!main) return undefined;
  const rule = valueOf(main, 'RRULE');
  const start = timeIn(main, 'DTSTART');
  const startTime = start && shownTime(start);
  const organizer = valueOf(main, 'ORGANIZER');
  const [series] = propertiesOf(main, 'RRULE', 'RDATE', 'RECURRENCE-ID');
  return {
    id: idOf(stored.name),
    name: eventName({
      summary: textOf(valueOf(main, 'SUMMARY') ?? ''),
      ...(startTime && { start: { dateTime: typeof startTime === 'string' ? startTime : startTime.time } }),
      ...(series && { recurrence: [rule ?? ''] }),
    }),
    state: stateOf(stored, main, place, prepared),
    version: stored.etag,
    facts: {
      ...{ main, series: series !== undefined || eventsOf(stored.calendar).length > 1 },
      guest: organizer !== undefined && !isOf(prepared.change.addresses, organizer),
      guests: propertiesOf(main, 'ATTENDEE').length,
    },
  };
}

/** Keeps letters of every language. Encodes characters that a list of ids, a file or a normalisation could change. */
const idOf = (name: string): string => name.replace(/[%/,;"\\\p{Cc}\p{Cf}\p{M}\p{Z}]/gu, encodeURIComponent);

/** Returns the name in an id; undefined for an id of no event, because a server could read the name as a path. */
export function nameOf(id: string): string | undefined {
  const name = decoded(id) ?? '';
  return name.split('/').some((part) => /^\.{0,2}$/.test(part)) ? undefined : name;
}

/** Returns the text of the event after the change from one state to the other. */
export function edited(
  { calendar }: StoredEvent,
  from: EventState,
  to: EventState,
  { action, change }: PreparedEvents,
): string {
  const copy = structuredClone(calendar);
  const [main, events] = [mainOf(copy), eventsOf(copy)];
  if (main && action === 'shift') shift(main, events, from, to);
  for (const event of action === 'respond' ? events : [])
    for (const invitation of invitations(event, change.addresses)) answer(invitation, to.response ?? '');
  if (main && action === 'patch') {
    for (const [field, [property, usual]] of Object.entries(PATCHED)) {
      const target = to[field as Field];
      const before = fieldOf(main, field as Field);
      if (target === undefined || target === before) continue;
      const text = usual === undefined ? target && escaped(target) : target?.toUpperCase();
      // An occurrence keeps a value of its own.
      for (const event of events)
        if (fieldOf(event, field as Field) === before)
          setProperty(event, property, text === 'DEFAULT' ? undefined : (text ?? undefined));
    }
  }
  return calendarText(copy);
}

function answer(invitation: Property, response: string): void {
  const param = response === '' ? '' : `;PARTSTAT=${response.toUpperCase()}`;
  const { params } = invitation;
  const status = /;PARTSTAT=[^;]*/i;
  invitation.params = status.test(params) ? params.replace(status, param) : `${params}${param}`;
}

const MOVED = ['DTSTART', 'DTEND', 'RECURRENCE-ID', 'EXDATE', 'RDATE'];

function shift(main: Component, events: Component[], from: EventState, to: EventState): void {
  const [series] = propertiesOf(main, 'RRULE', 'RDATE', 'RECURRENCE-ID');
  if (!from.start || !to.start) return;
  if (!series && events.length === 1) {
    setProperty(main, 'DTSTART', to.start.value);
    if (to.end) setProperty(main, 'DTEND', to.end.value);
  } else {
    const minutes = difference(from.start, to.start);
    const home = zoneOf(from.start);
    const moved = (text: string, zone?: string) => laterOnClock({ value: text, zone }, minutes, home).value;
    for (const event of events) {
      for (const property of propertiesOf(event, ...MOVED)) {
        const { zone } = timeOf(property);
        property.value = property.value
          .split(',')
          .map((instant) => moved(instant, zone))
          .join();
      }
      for (const rule of propertiesOf(event, 'RRULE'))
        rule.value = rule.value.replace(/(?<=\bUNTIL=)\d{8}(T\d{6}Z?)?/i, (until, time?: string) =>
          time === undefined && minutes % DAY_MINUTES !== 0 ? until : moved(until),
        );
    }
  }
  if (propertiesOf(main, 'ORGANIZER').length > 0)
    setProperty(main, 'SEQUENCE', String(Number(valueOf(main, 'SEQUENCE') ?? 0) + 1));
}

const packed = (text: string): string => deflateRawSync(text).toString('base64');
export const unpacked = (data: string): string => inflateRawSync(Buffer.from(data, 'base64')).toString();

/** Returns the state as words and times for display. */
export function showEvent(
  { calendar, start, end, response, data: _data, ...values }: Partial<EventState>,
  name: (id: string | null | undefined) => string | null,
) {
  return {
    ...(calendar !== undefined && { calendar: name(calendar) }),
    ...(start && { start: shownTime(start) }),
    ...(end && { end: shownTime(end) }),
    ...(response !== undefined && { response: response === '' ? 'needs-action' : response }),
    ...values,
  };
}

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
  /** The id of the calendar that it is in. */
  calendar: z.string().optional(),
  start: time.nullable().optional(),
  end: time.nullable().optional(),
  rule: value,
  /** The reply of this person to the invitation; null without one. */
  response: value,
  ...{ summary: value, location: value, visibility: value, transparency: value, color: value },
  /** The whole event, compressed: to make it again, or to restore a series of which the fields tell too little. */
  data: z.string().optional(),
});
export type EventState = z.output<typeof eventState>;

/** What decides whether an event can be changed so. */
export interface EventFacts extends Record<string, unknown> {
  readonly series: boolean;
  readonly main: Component;
  /** Somebody else is the organizer. */
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
  const written = valueOf(event, property);
  if (usual !== undefined) return (written ?? usual).toLowerCase();
  return written === undefined || written === '' ? null : textOf(written);
}

/** Those of the addresses that an event uses for this person. */
const isOf = (addresses: readonly string[], address: string): boolean =>
  addresses.some((one) => one.toLowerCase() === address.toLowerCase());
const invitations = (event: Component, addresses: readonly string[]) =>
  propertiesOf(event, 'ATTENDEE').filter((one) => isOf(addresses, one.value));

/** More does not fit into a plan, beside the fields that an action sets. */
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
  const kept =
    data !== undefined && data.length <= MAX_DATA[action === 'delete' ? action : 'others'] ? { data } : {};
  const times = { start: timeIn(main, 'DTSTART'), end: timeIn(main, 'DTEND') };
  if (action === 'move') return { calendar: place };
  if (action === 'shift') return { ...times, ...kept };
  if (action === 'respond') {
    const [own] = invitations(main, change.addresses);
    const response = own ? (paramOf(own, 'PARTSTAT') ?? '').toLowerCase() : null;
    return { response, ...kept };
  }
  if (action === 'delete')
    return { ...times, rule: valueOf(main, 'RRULE') ?? null, summary: fieldOf(main, 'summary'), ...kept };
  const fields = Object.keys(change.patch ?? {}) as Field[];
  return { ...Object.fromEntries(fields.map((field) => [field, fieldOf(main, field)])), ...kept };
}

/** Undefined for anything but an event. `place`: the id of the calendar that it is in. */
export function itemOf(
  stored: StoredEvent,
  place: string,
  prepared: PreparedEvents,
): (ToolItem<EventState> & { facts: EventFacts }) | undefined {
  const main = mainOf(stored.calendar);
  if (!main) return undefined;
  const rule = valueOf(main, 'RRULE');
  const start = timeIn(main, 'DTSTART');
  const shown = start && shownTime(start);
  const organizer = valueOf(main, 'ORGANIZER');
  const [series] = propertiesOf(main, 'RRULE', 'RDATE', 'RECURRENCE-ID');
  return {
    id: idOf(stored.name),
    name: eventName({
      summary: textOf(valueOf(main, 'SUMMARY') ?? ''),
      ...(shown && { start: { dateTime: typeof shown === 'string' ? shown : shown.time } }),
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

/** Letters of every language stay; what a list of ids, a file or a normalisation could change does not. */
const idOf = (name: string): string => name.replace(/[%/,;"\\\p{Cc}\p{Cf}\p{M}\p{Z}]/gu, encodeURIComponent);

/** Undefined for an id that no event can have: a name that a server could take for a path. */
export function nameOf(id: string): string | undefined {
  const name = decoded(id) ?? '';
  return name.split('/').some((part) => /^\.{0,2}$/.test(part)) ? undefined : name;
}

/** The event as it is after the change: from one state to another. */
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
    for (const own of invitations(event, change.addresses)) answer(own, to.response ?? '');
  if (main && action === 'patch') {
    for (const [field, [property, usual]] of Object.entries(PATCHED)) {
      const target = to[field as Field];
      const before = fieldOf(main, field as Field);
      if (target === undefined || target === before) continue;
      const written = usual === undefined ? target && escaped(target) : target?.toUpperCase();
      // An occurrence that has a value of its own keeps it.
      for (const event of events)
        if (fieldOf(event, field as Field) === before)
          setProperty(event, property, written === 'DEFAULT' ? undefined : (written ?? undefined));
    }
  }
  return calendarText(copy);
}

function answer(invitation: Property, response: string): void {
  const written = response === '' ? '' : `;PARTSTAT=${response.toUpperCase()}`;
  const { params } = invitation;
  const known = /;PARTSTAT=[^;]*/i;
  invitation.params = known.test(params) ? params.replace(known, written) : `${params}${written}`;
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
    const moved = (written: string, zone?: string) =>
      laterOnClock({ value: written, zone }, minutes, home).value;
    for (const event of events) {
      for (const property of propertiesOf(event, ...MOVED)) {
        const { zone } = timeOf(property);
        property.value = property.value
          .split(',')
          .map((one) => moved(one, zone))
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

/** The state in words and times. */
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

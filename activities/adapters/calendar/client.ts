import type * as Calendar from '@googleapis/calendar';
import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { optional } from '../../../src/host/optional';
import { fromPages, googleTransport, type AskGoogle, type GoogleAccount } from '../google/transport';
import type { EventSearch } from './parameters';

/** Google Calendar's requests, one function each. Each obeys the limits and throws `ProviderFailure`. */
export type CalendarClient = ReturnType<typeof calendarClient>;

export function calendarClient(options: GoogleAccount, limits: CallLimits) {
  const { calendar } = optional<typeof Calendar>('@googleapis/calendar');
  const { calendarList, events } = calendar({
    version: 'v3',
    ...(options.rootUrl !== undefined && { rootUrl: options.rootUrl }),
  });
  const ask = googleTransport('Google Calendar', options, limits);
  return { ...listRequests(calendarList, events, ask), ...eventRequests(events, ask) };
}

/** The largest page of `events.list`. */
export const PAGE_SIZE = 2_500;
/** The largest page of `calendarList.list`. */
const CALENDARS_PAGE_SIZE = 250;
/** The quota counts requests (https://developers.google.com/workspace/calendar/api/guides/quota). */
const ONE = 1;

const calendarEntry = z.object({
  id: z.string().min(1),
  summary: z.string().optional(),
  summaryOverride: z.string().optional(),
  primary: z.boolean().optional(),
  accessRole: z.string().optional(),
});
export type CalendarEntry = z.output<typeof calendarEntry>;

const eventTime = z.object({
  date: z.string().optional(),
  dateTime: z.string().optional(),
  timeZone: z.string().optional(),
});
export type EventTime = z.output<typeof eventTime>;

/** Google omits fields that have their default value. */
const event = z.object({
  id: z.string().min(1),
  etag: z.string().min(1),
  status: z.string().optional(),
  summary: z.string().optional(),
  location: z.string().optional(),
  colorId: z.string().optional(),
  visibility: z.string().optional(),
  transparency: z.string().optional(),
  start: eventTime.optional(),
  end: eventTime.optional(),
  recurrence: z.array(z.string()).optional(),
  organizer: z.object({ self: z.boolean().optional() }).optional(),
  guestsCanModify: z.boolean().optional(),
  eventType: z.string().optional(),
  recurringEventId: z.string().optional(),
  attendees: z
    .array(z.looseObject({ self: z.boolean().optional(), responseStatus: z.string().optional() }))
    .optional(),
  attendeesOmitted: z.boolean().optional(),
  reminders: z
    .object({
      useDefault: z.boolean().optional(),
      overrides: z
        .array(z.object({ method: z.string().optional(), minutes: z.number().optional() }))
        .optional(),
    })
    .optional(),
});
export type CalendarEvent = z.output<typeof event>;
/** The body of a 204. */
const nothing = z.literal('').optional();
const EVENT_FIELDS = Object.keys(event.shape).join();

/** The fields that decide whether a listed event is an item. */
const listed = z.object({
  id: z.string().min(1),
  status: z.string().optional(),
  recurringEventId: z.string().optional(),
});
const planned = event.omit({ id: true, status: true, attendeesOmitted: true }).extend(listed.shape);
const pageOf = <T>(schema: z.ZodType<T>) =>
  z.object({ items: z.array(schema).default([]), nextPageToken: z.string().optional() });
const fieldsOf = ({ shape }: z.ZodObject) => `nextPageToken,items(${Object.keys(shape).join()})`;

function listRequests(
  calendarList: Calendar.calendar_v3.Resource$Calendarlist,
  events: Calendar.calendar_v3.Resource$Events,
  ask: AskGoogle,
) {
  /** Reads pages until `limit` items are found, because items are filtered out of a page. */
  function search<T extends z.output<typeof listed>>(
    schema: z.ZodType<T> & z.ZodObject,
    calendarId: string,
    query: EventSearch,
    limit: number,
  ): Promise<T[]> {
    const params = { ...listParams(calendarId, query), fields: fieldsOf(schema) };
    return fromPages(async (next) => {
      const request = (how: object) => events.list({ ...params, ...next }, how);
      const { items, ...more } = await ask(pageOf<T>(schema), ONE, request);
      return { items: items.filter((item) => isItem(item, query)), ...more };
    }, limit);
  }
  return {
    calendars(): Promise<CalendarEntry[]> {
      const params = { maxResults: CALENDARS_PAGE_SIZE, showHidden: true, fields: fieldsOf(calendarEntry) };
      return fromPages((next) =>
        ask(pageOf(calendarEntry), ONE, (how) => calendarList.list({ ...params, ...next }, how)),
      );
    },
    count: async (calendarId: string, query: EventSearch): Promise<number> =>
      (await search(listed, calendarId, query, Infinity)).length,
    /** Returns the first `limit` events, in list order. */
    search: (calendarId: string, query: EventSearch, limit: number): Promise<CalendarEvent[]> =>
      search(planned, calendarId, query, limit),
  };
}

function listParams(calendarId: string, { text, time_min, time_max, single_events }: EventSearch) {
  return {
    calendarId,
    singleEvents: single_events,
    maxResults: PAGE_SIZE,
    ...(single_events && { orderBy: 'startTime' }),
    ...(text !== undefined && { q: text }),
    ...(time_min !== undefined && { timeMin: time_min }),
    ...(time_max !== undefined && { timeMax: time_max }),
  };
}

/** Cancelled and changed occurrences belong to their series, although Google lists them beside it. */
function isItem(
  { status, recurringEventId }: z.output<typeof listed>,
  { single_events }: EventSearch,
): boolean {
  return status !== 'cancelled' && (single_events || recurringEventId === undefined);
}

function eventRequests(events: Calendar.calendar_v3.Resource$Events, ask: AskGoogle) {
  const ifMatch = (etag: string) => ({ 'if-match': etag });
  return {
    event(calendarId: string, eventId: string): Promise<CalendarEvent> {
      const params = { calendarId, eventId, fields: EVENT_FIELDS };
      return ask(event, ONE, (options) => events.get(params, options));
    },
    /** Returns the event after the change. */
    patch(
      change: Change,
      { eventId, etag }: Target,
      requestBody: Calendar.calendar_v3.Schema$Event,
    ): Promise<CalendarEvent> {
      const params = { ...written(change), eventId, requestBody, fields: EVENT_FIELDS };
      return ask(event, ONE, (options) => events.patch(params, options), ifMatch(etag));
    },
    async delete(change: Change, { eventId, etag }: Target): Promise<void> {
      const params = { ...written(change), eventId };
      await ask(nothing, ONE, (options) => events.delete(params, options), ifMatch(etag));
    },
    /** Accepts no etag, so the caller reads the event first. */
    move(
      change: Change,
      { from, to }: { from: string; to: string },
      eventId: string,
    ): Promise<CalendarEvent> {
      const params = {
        ...{ ...written(change), calendarId: from, destination: to },
        ...{ eventId, fields: EVENT_FIELDS },
      };
      return ask(event, ONE, (options) => events.move(params, options));
    },
  };
}

/** The calendar whose events are changed, and the guests to notify. */
interface Change {
  readonly calendar: { readonly id: string };
  readonly send_updates: string;
}

interface Target {
  readonly eventId: string;
  /** The etag of the version to change. */
  readonly etag: string;
}

const written = ({ calendar, send_updates }: Change) => ({
  calendarId: calendar.id,
  sendUpdates: send_updates,
});

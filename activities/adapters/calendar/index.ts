import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { placeOf, type GoogleOptions } from '../google/transport';
import { defineAdapter } from '../kit/define';
import type { Tool, ToolItem, WrittenItem } from '../kit/types';
import { createAllowance } from '../shared/allowance';
import { ProviderFailure, unlessGone } from '../shared/failure';
import { CALENDAR_ACTIONS, type EventFacts } from './actions';
import { calendarsNamed, placesOf, withCalendars, writableNames } from './calendars';
import { calendarClient, PAGE_SIZE, type CalendarClient, type CalendarEvent } from './client';
import {
  changeSchema,
  eventName,
  eventState,
  showEvent,
  stateOf,
  type CalendarChange,
  type EventState,
  type PreparedEvents,
} from './events';
import { query, type EventSearch } from './parameters';

/**
 * Google allows 600 requests a minute and user: half of them in a burst, the rest evenly
 * (https://developers.google.com/workspace/calendar/api/guides/quota).
 */
export const CALENDAR_QUOTA = { perInterval: 300, intervalMs: 60_000, burst: 300 };
const NAMES_A_CALENDAR = new Set(['calendar', 'target_calendar']);

const HINTS = {
  signIn:
    'Sign in again with `batchgate login google --for calendar`, or renew BATCHGATE_GOOGLE_ACCESS_TOKEN.',
  grant:
    'Allow it with `batchgate login google --for calendar` (a service account needs the scopes ' +
    'calendar.events and calendar.calendarlist.readonly), enable the Google Calendar API in the project, ' +
    'and check what the account may do in this calendar.',
  tryLater: 'Check the connection and BATCHGATE_CALENDAR_BASE_URL, and try again in a minute.',
};

interface CalendarOptions extends GoogleOptions {
  /** Concurrent requests. */
  readonly concurrency?: number;
}

/**
 * Creates a bulk adapter for Google Calendar: delete, move, patch, shift, respond. `rootUrl`: another server with its
 * API.
 */
export function createCalendarAdapter(options: CalendarOptions): BulkAdapter {
  const { allowance = createAllowance(CALENDAR_QUOTA), concurrency } = options;
  return defineAdapter<EventState, EventSearch, CalendarChange, CalendarTool>({
    name: 'calendar',
    provider: 'Google',
    noun: { one: 'event', many: 'events' },
    hints: HINTS,
    state: eventState,
    actions: CALENDAR_ACTIONS,
    prepared: { query, change: changeSchema },
    async resolve(request, { client }) {
      const { query: search, change } = withCalendars(await client.calendars(), request);
      return { query: search, change: change as CalendarChange };
    },
    connect: (limits: CallLimits, prepared) =>
      toolOf(calendarClient({ ...options, allowance }, limits), prepared),
    show: showEvent,
    resolvedParams: calendarsNamed,
    suggest: async ({ parameter }, { client }) =>
      NAMES_A_CALENDAR.has(parameter) ? writableNames(await client.calendars()) : [],
    place: () => placeOf(options),
    pageSize: PAGE_SIZE,
    ...(concurrency !== undefined && { concurrency }),
  });
}

interface CalendarTool extends Tool<EventState, EventSearch> {
  readonly client: CalendarClient;
}

function toolOf(client: CalendarClient, prepared?: PreparedEvents): CalendarTool {
  const calendar = prepared?.change.calendar.id ?? '';
  /** The events that were read, because some writes send a part of the event. */
  const eventsRead = new Map<string, CalendarEvent>();
  const itemOf = (event: CalendarEvent, place: string): ToolItem<EventState> => ({
    id: event.id,
    name: eventName(event),
    state: event.status === 'cancelled' || !prepared ? null : stateOf(event, place, prepared),
    version: event.etag,
    facts: factsOf(event),
  });
  return {
    client,
    count: (search) => client.count(calendar, search),
    list: async (search, limit) =>
      (await client.search(calendar, search, limit)).map((event) => itemOf(event, calendar)),
    async read(id) {
      let deleted: ToolItem<EventState> | undefined;
      for (const place of prepared ? placesOf(prepared) : []) {
        const event = await unlessGone(() => client.event(place, id));
        if (event?.status === 'cancelled') deleted = itemOf(event, place);
        // If the target calendar was a guest, it has an event with the same id before the move, too.
        else if (event && (place === calendar || event.organizer?.self === true)) {
          eventsRead.set(id, event);
          return itemOf(event, place);
        }
      }
      return deleted;
    },
    async write(item, target) {
      try {
        return prepared && (await write(client, item, target, { prepared, event: eventsRead.get(item.id) }));
      } catch (error) {
        throw ofThisEvent(error);
      }
    },
  };
}

/** Here a failed precondition concerns the event, and not the account. */
function ofThisEvent(error: unknown): unknown {
  if (!(error instanceof ProviderFailure) || error.status !== 400) return error;
  const { status, reason, message, retryable } = error;
  return new ProviderFailure('refused', message, { status, retryable, ...(reason && { reason }) });
}

/** Returns the state of the event in Google's answer. */
async function write(
  client: CalendarClient,
  { id: eventId, state, version: etag = '' }: WrittenItem<EventState>,
  target: EventState | null,
  { prepared, event }: { prepared: PreparedEvents; event: CalendarEvent | undefined },
): Promise<EventState | undefined> {
  const { action, change } = prepared;
  const version = { eventId, etag };
  if (target === null) return void (await client.delete(change, version));
  // Google keeps an organizer's deleted event for some time, and restores it if it is set to confirmed.
  if (state === null) return void (await client.patch(change, version, { status: 'confirmed' }));
  if (action === 'move') {
    const [from, to] = [state.calendar ?? '', target.calendar ?? ''];
    const movedEvent = await client.move(change, { from, to }, eventId);
    return { calendar: movedEvent.organizer?.self === true ? to : from };
  }
  const body = action === 'respond' ? reply(event, target.response ?? 'needsAction') : fieldsOf(target);
  const patchedEvent = await client.patch(change, version, body);
  return stateOf(patchedEvent, change.calendar.id, prepared);
}

/**
 * A patch merges objects, and Google refuses the default reminders together with reminders of the event's own. Null
 * removes these.
 */
function fieldsOf({ reminders, ...fields }: EventState) {
  if (reminders === undefined) return fields;
  const { useDefault = false } = reminders as NonNullable<CalendarEvent['reminders']>;
  return { ...fields, reminders: useDefault ? { useDefault, overrides: null } : reminders };
}

/** Sends the whole guest list, because a patch replaces lists. If-Match protects the replies of other guests. */
function reply({ attendees = [], attendeesOmitted }: Partial<CalendarEvent> = {}, responseStatus: string) {
  return {
    attendees: attendees.map((guest) => (guest.self === true ? { ...guest, responseStatus } : guest)),
    // Google then changes only this reply, and keeps the guests that its answer omitted.
    ...(attendeesOmitted === true && { attendeesOmitted }),
  };
}

function factsOf(event: CalendarEvent): EventFacts {
  return {
    own: event.organizer?.self === true,
    guest: event.organizer !== undefined && event.organizer.self !== true,
    open: event.guestsCanModify === true,
    type: event.eventType ?? 'default',
    series: event.recurrence !== undefined,
    occurrence: event.recurringEventId !== undefined,
    guests: event.attendees?.length ?? 0,
  };
}

import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { calendarsNamed, placesOf, withCalendars, writableNames } from '../calendar/calendars';
import type { EventSearch } from '../calendar/parameters';
import { defineAdapter } from '../kit/define';
import type { Asked, Tool, ToolItem } from '../kit/types';
import { outdated, ProviderFailure } from '../shared/failure';
import { placeAt, type ServerAccount } from '../shared/server-account';
import { CALDAV_ACTIONS } from './actions';
import { caldavClient, PROVIDER, type CaldavClient, type StoredEvent } from './client';
import {
  edited,
  eventsOf,
  eventState,
  itemOf,
  mainOf,
  nameOf,
  showEvent,
  timeIn,
  unpacked,
  type EventState,
  type PreparedEvents,
} from './events';
import { propertiesOf, textOf, type Component } from './icalendar';
import { changeSchema, query, type CaldavChange } from './parameters';
import { instantOf } from './times';

const HINTS = {
  signIn: 'Renew BATCHGATE_CALDAV_PASSWORD or BATCHGATE_CALDAV_ACCESS_TOKEN, and start the worker again.',
  grant: 'Give this account the right to change the calendar.',
  tryLater: 'Check the connection and BATCHGATE_CALDAV_URL, and try again in a minute.',
};
/** Large, because each page reads the whole calendar again. */
const PAGE_SIZE = 2_500;

/** Creates a bulk adapter for CalDAV servers: delete, move, patch, shift, respond. */
export function createCaldavAdapter(options: {
  readonly account: () => ServerAccount;
  /** Concurrent requests. */
  readonly concurrency?: number;
}): BulkAdapter {
  return defineAdapter<EventState, EventSearch, CaldavChange, CaldavTool>({
    name: 'caldav',
    provider: PROVIDER,
    noun: { one: 'event', many: 'events' },
    hints: HINTS,
    state: eventState,
    adjusts: ['data'],
    actions: CALDAV_ACTIONS,
    prepared: { query, change: changeSchema },
    resolve: (request, { client }) => resolve(client, request, options.account().user),
    connect: (limits: CallLimits, prepared) => toolOf(caldavClient(options.account(), limits), prepared),
    show: showEvent,
    resolvedParams: calendarsNamed,
    suggest: async ({ parameter }, { client }) =>
      /calendar$/.test(parameter) ? writableNames((await client.account()).calendars) : [],
    place: () => placeAt(options.account()),
    pageSize: PAGE_SIZE,
    ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
  });
}

interface CaldavTool extends Tool<EventState, EventSearch> {
  readonly client: CaldavClient;
}

function toolOf(client: CaldavClient, prepared?: PreparedEvents): CaldavTool {
  const calendar = prepared?.change.calendar.id ?? '';
  /** The events that were read, because a write sends the whole event. */
  const storedEvents = new Map<string, StoredEvent>();
  const toItem = (stored: StoredEvent, place: string): ToolItem<EventState> | undefined => {
    const item = prepared && itemOf(stored, place, prepared);
    const alone = prepared?.query?.single_events === true;
    return item && { ...item, facts: { ...item.facts, alone } };
  };
  const list = async (search: EventSearch) => {
    const events = await client.events(calendar, rangeOf(search));
    return events
      .filter((event) => matches(event.calendar, search.text))
      .sort((left, right) => startOf(left) - startOf(right) || (left.name < right.name ? -1 : 1))
      .flatMap((event) => toItem(event, calendar) ?? []);
  };
  return {
    client,
    list: async (search, limit) => (await list(search)).slice(0, limit),
    count: async (search) => (await list(search)).length,
    async read(id) {
      const name = nameOf(id);
      if (name === undefined || !prepared) return undefined;
      for (const place of placesOf(prepared)) {
        const [event] = await client.objects(place, [name]);
        const item = event && toItem(event, place);
        if (item) storedEvents.set(item.id, event);
        if (item) return item;
      }
      return undefined;
    },
    async write({ id, state, version, kept, keep }, target) {
      const name = nameOf(id);
      if (name === undefined || !prepared) return;
      if (state === null) return void (target && (await client.put(calendar, name, restored(target))));
      if (version === undefined) throw outdated();
      if (target === null) return client.remove(calendar, name, version);
      if (prepared.action === 'move') {
        const [from = '', to = ''] = [state.calendar, target.calendar];
        return client
          .move(from, to, name, version)
          .catch((error: unknown) => isTaken(client, to, name, error));
      }
      const event = storedEvents.get(id);
      if (event?.etag !== version) throw outdated();
      // The event is unchanged since our write, so the undo restores its earlier text exactly.
      const isOurs = prepared.undo && kept['etag'] === version && target.data !== undefined;
      const data = isOurs ? restored(target) : edited(event, state, target, prepared);
      const etag = await client.put(calendar, name, data, version);
      if (etag !== undefined) keep({ etag });
    },
  };
}

const NOT_KEPT = new ProviderFailure('refused', 'The event was too large to be kept for an undo', {
  status: 400,
});

function restored({ data }: EventState): string {
  if (data === undefined) throw NOT_KEPT;
  return unpacked(data);
}

/** Throws the reason of a failed move. The target calendar can have another event at this address. */
async function isTaken(client: CaldavClient, target: string, name: string, error: unknown): Promise<void> {
  const isRefused = error instanceof ProviderFailure && error.status === 412;
  if (!isRefused || (await client.objects(target, [name])).length === 0) throw error;
  const message = 'The target calendar has an event at the same address';
  throw new ProviderFailure('refused', message, { status: 409 });
}

function rangeOf({ time_min, time_max }: EventSearch) {
  const utc = (time: string) => new Date(time).toISOString().replace(/\.\d+|[-:]/g, '');
  const range = { ...(time_min && { start: utc(time_min) }), ...(time_max && { end: utc(time_max) }) };
  return Object.keys(range).length === 0 ? undefined : range;
}

const SEARCHED = ['SUMMARY', 'LOCATION', 'DESCRIPTION', 'ATTENDEE', 'ORGANIZER'];
const foldedText = (text: string): string => text.normalize('NFC').toLowerCase();

const matches = (calendar: Component, text = ''): boolean =>
  eventsOf(calendar).some((event) =>
    propertiesOf(event, ...SEARCHED).some(({ params, value }) =>
      foldedText(`${params} ${textOf(value)}`).includes(foldedText(text)),
    ),
  ) || text === '';

function startOf({ calendar }: StoredEvent): number {
  const main = mainOf(calendar);
  const start = main && timeIn(main, 'DTSTART');
  return (start && instantOf(start)) ?? 0;
}

/** Replaces names by ids, within the calendars of this account. */
async function resolve(
  client: CaldavClient,
  request: Asked,
  user: string,
): Promise<{ query: EventSearch; change: CaldavChange }> {
  const { calendars, addresses: serverAddresses } = await client.account();
  const { query: search, change } = withCalendars(calendars, request);
  const addresses = user.includes('@') ? [...serverAddresses, `mailto:${user}`] : serverAddresses;
  const schedules = await client.schedules(change.calendar.id);
  return { query: search, change: { ...change, schedules, addresses } as unknown as CaldavChange };
}

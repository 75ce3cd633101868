import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import { mapConcurrently, parseAction } from '../shared/actions';
import { placeOf, type GoogleOptions } from '../google/transport';
import { createAllowance } from '../shared/allowance';
import { ProviderFailure } from '../shared/failure';
import { keepingUndo } from '../shared/frozen-state';
import { calendarName, findCalendar, writableNames } from './calendars';
import {
  calendarClient,
  PAGE_SIZE,
  type CalendarClient,
  type CalendarEntry,
  type CalendarEvent,
} from './client';
import { describeCalendarChange } from './describe';
import { isGone, results } from './errors';
import { executeChange, reconcileChange } from './execute';
import { leftBy, plannedItem, previewEvent } from './frozen';
import { calendarOf, type Place } from './state';
import { CALENDAR_ACTIONS, changeOf, searchOf } from './parameters';

/**
 * Of 600 requests a minute and user: half in a burst, the rest evenly
 * (https://developers.google.com/workspace/calendar/api/guides/quota).
 */
const QUOTA = { perInterval: 300, intervalMs: 60_000, burst: 300 };
const DEFAULT_CONCURRENCY = 5;
const NAMES_A_CALENDAR = new Set(['calendar', 'target_calendar']);

interface CalendarOptions extends GoogleOptions {
  /** Concurrent requests. */
  readonly concurrency?: number;
}

/**
 * Google Calendar as a bulk adapter: delete, move, patch, shift, respond.
 *
 * `raw_data` of an item: `{ etag, was }`, the version and what the change can alter, and for shift `{ start, end }`, the
 * times to set, or `{ refused }`, the reason why there are none. `rootUrl` is another server with the Calendar API.
 */
export function createCalendarAdapter(options: CalendarOptions): BulkAdapter {
  const { allowance = createAllowance(QUOTA), concurrency = DEFAULT_CONCURRENCY } = options;
  const client = (limits: CallLimits) => calendarClient({ ...options, allowance }, limits);
  return {
    toolName: 'calendar',
    itemNoun: { one: 'event', many: 'events' },
    actions: CALENDAR_ACTIONS,
    planPageSize: PAGE_SIZE,
    sliceSize: concurrency,
    describeChange: describeCalendarChange,
    previewItem: previewEvent,
    place: () => placeOf(options),

    async prepare(request, limits) {
      const { query, change } = parseAction('calendar', CALENDAR_ACTIONS, request);
      const calendars = await results.explained('Failed to read the calendars', () =>
        client(limits).calendars(),
      );
      return {
        tool_name: 'calendar',
        action: request.action,
        query_params: query,
        action_params: withIds(calendars, change),
      };
    },

    async getTotalCount(context, limits) {
      const [search, { calendar_id }] = [searchOf(context), changeOf(context)];
      return results.explained('Failed to count events', () => client(limits).count(calendar_id, search));
    },

    async getNextBatch(context, batchSize, offset, limits) {
      const [search, change] = [searchOf(context), changeOf(context)];
      return results.explained('Failed to fetch events', async () => {
        const events = await client(limits).search(change.calendar_id, search, offset + batchSize);
        return events.slice(offset).map((event) => plannedItem(event, change));
      });
    },

    async freezeItems(items, context, limits) {
      const requests = client(limits);
      return results.explained('Failed to fetch events', () =>
        mapConcurrently(items, concurrency, async (item) =>
          keepingUndo(await freezeItem(requests, item, context), item),
        ),
      );
    },

    suggest: ({ parameter }, limits) =>
      results.explained('Failed to read the calendars', async () =>
        NAMES_A_CALENDAR.has(parameter) ? writableNames(await client(limits).calendars()) : [],
      ),

    async executeBatch(items, context, call) {
      return executeChange(client(call), items, context, { concurrency, call });
    },

    async reconcile(item, context, call) {
      return results.reconcile(() => reconcileChange(client(call), item, context));
    },
  };
}

/** A missing event stays in the plan as named, and fails when it is executed. */
async function freezeItem(
  client: CalendarClient,
  item: BulkItem,
  context: PreparedBulkContext,
): Promise<BulkItem> {
  const { id, display_name } = item;
  const change = changeOf(context);
  const left = leftBy(item, context);
  const here = left?.place ?? 'source';
  // An undo of a move finds an event that somebody has already moved back; one of a deletion reads deleted events.
  const places: Place[] = change.action === 'move' && context.undo ? [here, other(here)] : [here];
  for (const place of places) {
    const event = await readEvent(client, calendarOf(change, place), id);
    if (event === undefined) continue;
    if (event.status !== 'cancelled' || left?.deleted !== undefined)
      return { ...plannedItem(event, change, place), id };
  }
  return { id, display_name, raw_data: { missing: true } };
}

const other = (place: Place): Place => (place === 'source' ? 'target' : 'source');

async function readEvent(
  client: CalendarClient,
  calendar: string,
  id: string,
): Promise<CalendarEvent | undefined> {
  try {
    return await client.event(calendar, id);
  } catch (error) {
    if (error instanceof ProviderFailure && isGone(error)) return undefined;
    throw error;
  }
}

/** The change with ids and names of its calendars. */
function withIds(
  calendars: readonly CalendarEntry[],
  { calendar, target_calendar, ...change }: Record<string, unknown>,
): Record<string, unknown> {
  const source = findCalendar(calendars, String(calendar));
  const ids = { calendar_id: source.id, calendar_name: calendarName(source) };
  if (typeof target_calendar !== 'string') return { ...change, ...ids };
  const target = findCalendar(calendars, target_calendar);
  if (target.id === source.id) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The events are already in '${calendarName(target)}'`,
      'Name another target_calendar.',
    );
  }
  return { ...change, ...ids, target_id: target.id, target_name: calendarName(target) };
}

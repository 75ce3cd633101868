import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem } from '../../../src/contract/items';
import { mapConcurrently, parseAction } from '../shared/actions';
import type { GoogleOptions } from '../google/transport';
import { createAllowance } from '../shared/allowance';
import { ProviderFailure } from '../shared/failure';
import { calendarName, findCalendar } from './calendars';
import { calendarClient, PAGE_SIZE, type CalendarClient, type CalendarEntry } from './client';
import { describeCalendarChange } from './describe';
import { isGone, results } from './errors';
import { executeChange, reconcileChange } from './execute';
import { plannedItem } from './frozen';
import { CALENDAR_ACTIONS, changeOf, searchOf, type CalendarChange } from './parameters';

/**
 * Of 600 requests a minute and user: half in a burst, the rest evenly
 * (https://developers.google.com/workspace/calendar/api/guides/quota).
 */
const QUOTA = { perInterval: 300, intervalMs: 60_000, burst: 300 };
const DEFAULT_CONCURRENCY = 5;

interface CalendarOptions extends GoogleOptions {
  /** Concurrent requests. */
  readonly concurrency?: number;
}

/**
 * Google Calendar as a bulk adapter: delete, move, patch, shift, respond.
 *
 * `raw_data` of an item: `{ etag }`, and for shift `{ start, end }`, the times to set, or `{ refused }`, the reason why
 * there are none. `rootUrl` is another server with the Calendar API.
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
      const change = changeOf(context);
      const requests = client(limits);
      return results.explained('Failed to fetch events', () =>
        mapConcurrently(items, concurrency, (item) => freezeItem(requests, item, change)),
      );
    },

    async executeBatch(items, context, call) {
      return executeChange(client(call), items, changeOf(context), concurrency);
    },

    async reconcile(item, context, call) {
      const change = changeOf(context);
      return results.reconcile(() => reconcileChange(client(call), item, change));
    },
  };
}

/** A missing event stays in the plan as named, and fails when it is executed. */
async function freezeItem(client: CalendarClient, item: BulkItem, change: CalendarChange): Promise<BulkItem> {
  const { id, display_name } = item;
  try {
    const event = await client.event(change.calendar_id, id);
    return event.status === 'cancelled' ? { id, display_name } : { ...plannedItem(event, change), id };
  } catch (error) {
    if (error instanceof ProviderFailure && isGone(error)) return { id, display_name };
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

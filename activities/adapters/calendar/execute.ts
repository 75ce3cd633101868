import type { Reconciliation } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { mapConcurrently } from '../shared/actions';
import { failureOf, inDoubt, ProviderFailure } from '../shared/failure';
import { reconciliation } from '../shared/results';
import type { CalendarClient, CalendarEvent, EventTime } from './client';
import { changedSincePlanned, deletedAlready, failedResult, isGone, results } from './errors';
import { freeze, frozenOf, type Frozen } from './frozen';
import type { CalendarChange, EventPatch } from './parameters';

/** The result of one item. `refusedUs`: Google refused our credentials, and the event is unchanged. */
interface Attempt {
  readonly result: BulkResult;
  readonly refusedUs?: ProviderFailure;
}

/**
 * Changes the events, `concurrency` at a time.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Google refused our credentials for all of them.
 */
export async function executeChange(
  client: CalendarClient,
  items: readonly BulkItem[],
  change: CalendarChange,
  concurrency: number,
): Promise<BulkResult[]> {
  const attempts = await mapConcurrently(items, concurrency, (item) => attempt(client, item, change));
  const [first] = attempts;
  if (first?.refusedUs && attempts.every(({ refusedUs }) => refusedUs !== undefined)) {
    throw results.callError(first.refusedUs, 'Nothing was changed');
  }
  return attempts.map(({ result }) => result);
}

async function attempt(client: CalendarClient, item: BulkItem, change: CalendarChange): Promise<Attempt> {
  const { id } = item;
  try {
    const event = await write(client, item, change);
    const shows = event === undefined || isApplied(event, change, frozenOf(item));
    return { result: results.accepted(id, reconciliation(shows)) };
  } catch (error) {
    if (error instanceof Unfit)
      return { result: { item_id: id, success: false, error: error.message, retryable: false } };
    const failure = failureOf(error);
    if (failure.kind === 'malformed')
      return { result: await results.readBack(id, () => reconcileChange(client, item, change)) };
    const refusedUs = failure.refusesUs && failure.status !== 400 ? failure : undefined;
    return { result: failedResult(id, failure), refusedUs };
  }
}

/** The change does not fit this event, and nothing was sent. */
class Unfit extends Error {}

/** Returns the event as Google shows it afterwards; undefined after a deletion. */
async function write(
  client: CalendarClient,
  item: BulkItem,
  change: CalendarChange,
): Promise<CalendarEvent | undefined> {
  const { id } = item;
  const planned = frozenOf(item);
  // A move takes no If-Match, and a reply to an invitation carries the whole guest list: both read the event first.
  const reads = planned === undefined || change.action === 'move' || change.action === 'respond';
  const event = reads ? await current(client, id, change, planned) : undefined;
  const frozen = planned ?? freeze(event!, change);
  if (frozen.refused !== undefined) throw new Unfit(frozen.refused);
  const target = { eventId: id, etag: frozen.etag };
  switch (change.action) {
    case 'delete':
      await client.delete(change, target);
      return undefined;
    case 'move':
      return client.move(change, change.target_id, id);
    case 'patch':
      return client.patch(change, target, change.patch);
    case 'shift':
      return client.patch(change, target, { start: frozen.start, end: frozen.end }).catch(shiftFailed);
    case 'respond':
      return client.patch(change, target, reply(event!, change.response));
  }
}

/** An internal error of Google may follow the write, and a retry from a new plan would shift the event twice. */
function shiftFailed(error: unknown): never {
  if (error instanceof ProviderFailure && error.status === 500) throw inDoubt('Google Calendar', 500);
  throw error;
}

/** Reads an event before its change. If this fails, nothing was changed. */
async function current(
  client: CalendarClient,
  id: string,
  { calendar_id }: CalendarChange,
  planned: Frozen | undefined,
): Promise<CalendarEvent> {
  let event: CalendarEvent;
  try {
    event = await client.event(calendar_id, id);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== 'no_answer' && failure.kind !== 'malformed') throw failure;
    throw new ProviderFailure(
      'not_sent',
      `The event could not be read before its change: ${failure.message}`,
    );
  }
  if (event.status === 'cancelled') throw deletedAlready();
  if (planned !== undefined && planned.etag !== event.etag) throw changedSincePlanned();
  return event;
}

/** The whole guest list, because a patch replaces lists whole; If-Match protects the replies of other guests. */
function reply(event: CalendarEvent, response: string) {
  const { attendees = [], attendeesOmitted } = event;
  if (!attendees.some(({ self }) => self === true)) {
    throw new Unfit('This calendar is not invited to the event');
  }
  return {
    attendees: attendees.map((one) => (one.self === true ? { ...one, responseStatus: response } : one)),
    // Google then takes this reply only, and keeps the guests that it did not show.
    ...(attendeesOmitted === true && { attendeesOmitted }),
  };
}

/**
 * Whether an event shows the change. @throws ProviderFailure if it cannot be read.
 */
export async function reconcileChange(
  client: CalendarClient,
  item: BulkItem,
  change: CalendarChange,
): Promise<Reconciliation> {
  const frozen = frozenOf(item);
  const calendarId = change.action === 'move' ? change.target_id : change.calendar_id;
  const gone: Reconciliation = change.action === 'delete' ? 'applied' : 'not_applied';
  try {
    const event = await client.event(calendarId, item.id);
    if (event.status === 'cancelled') return gone;
    // Without the plan the intended times are unknown.
    if (change.action === 'shift' && frozen?.start === undefined) return 'unknown';
    return reconciliation(isApplied(event, change, frozen));
  } catch (error) {
    if (error instanceof ProviderFailure && isGone(error)) return gone;
    throw error;
  }
}

/** Whether an event that exists shows the change. */
function isApplied(event: CalendarEvent, change: CalendarChange, frozen: Frozen | undefined): boolean {
  switch (change.action) {
    case 'delete':
      return false;
    case 'move':
      // A target that was a guest has an event with the same id before the move, too.
      return event.organizer?.self === true;
    case 'patch':
      return showsPatch(event, change.patch);
    case 'shift':
      // Without a plan the times were computed from the event during execution, and Google's answer counts.
      return frozen === undefined || (sameTime(event.start, frozen.start) && sameTime(event.end, frozen.end));
    case 'respond':
      return event.attendees?.find(({ self }) => self === true)?.responseStatus === change.response;
  }
}

/** Google omits these values from its answers. */
const DEFAULTS: Partial<Record<keyof EventPatch, string>> = {
  visibility: 'default',
  transparency: 'opaque',
  location: '',
};

function showsPatch(event: CalendarEvent, patch: EventPatch): boolean {
  const { reminders, ...texts } = patch;
  const names = Object.keys(texts) as (keyof typeof texts)[];
  return (
    names.every((name) => (event[name] ?? DEFAULTS[name]) === texts[name]) &&
    (reminders === undefined || reminderKey(event.reminders) === reminderKey(reminders))
  );
}

function reminderKey(reminders: CalendarEvent['reminders']): string {
  const overrides = (reminders?.overrides ?? []).map(({ method, minutes }) => `${method} ${minutes}`);
  return JSON.stringify([reminders?.useDefault ?? false, overrides.sort()]);
}

/** Google writes times in the calendar's offset, whatever offset was sent. */
function sameTime(one: EventTime | undefined, other: EventTime | undefined): boolean {
  if (one?.date !== undefined || other?.date !== undefined) return one?.date === other?.date;
  return Date.parse(one?.dateTime ?? '') === Date.parse(other?.dateTime ?? '');
}

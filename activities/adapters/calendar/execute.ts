import type { Reconciliation } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { mapConcurrently } from '../../../src/provider/actions';
import { failureOf, inDoubt, ProviderFailure } from '../../../src/provider/failure';
import type { CalendarClient, CalendarEvent } from './client';
import { callError, changedSincePlanned, deletedAlready, failedResult, isGone } from './errors';
import { freeze, frozenOf, type Frozen } from './frozen';
import { isApplied } from './outcome';
import type { CalendarChange } from './parameters';

/** What became of one item; `refusedUs`: Google refused our credentials, and the event is untouched. */
interface Touched {
  readonly result: BulkResult;
  readonly refusedUs?: ProviderFailure;
}

/**
 * One event after another, `concurrency` at once.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Google refused us for every one of them, so that none was touched.
 */
export async function executeChange(
  client: CalendarClient,
  items: readonly BulkItem[],
  change: CalendarChange,
  concurrency: number,
): Promise<BulkResult[]> {
  const touched = await mapConcurrently(items, concurrency, (item) => touch(client, item, change));
  const [first] = touched;
  if (first?.refusedUs !== undefined && touched.every(({ refusedUs }) => refusedUs !== undefined)) {
    throw callError(first.refusedUs, 'Nothing was changed');
  }
  return touched.map(({ result }) => result);
}

async function touch(client: CalendarClient, item: BulkItem, change: CalendarChange): Promise<Touched> {
  const { id } = item;
  try {
    const event = await write(client, item, change);
    const shows = event === undefined || isApplied(event, change, frozenOf(item));
    return { result: shows ? { item_id: id, success: true } : notShown(id) };
  } catch (error) {
    if (error instanceof Refused) return { result: refusal(id, error.message) };
    const failure = failureOf(error);
    if (failure.kind === 'malformed') return { result: await readBack(client, item, change) };
    const result = failedResult(id, failure);
    return failure.refusesUs && failure.status !== 400 ? { result, refusedUs: failure } : { result };
  }
}

/** The change does not fit this event, and nothing was sent. */
class Refused extends Error {}
const refusal = (item_id: string, error: string): BulkResult => ({
  item_id,
  success: false,
  error,
  retryable: false,
});

/** Answers the event as Google shows it afterwards; undefined once it is deleted, and where nothing had to be done. */
async function write(
  client: CalendarClient,
  item: BulkItem,
  change: CalendarChange,
): Promise<CalendarEvent | undefined> {
  const { id } = item;
  const planned = frozenOf(item);
  // A move takes no If-Match, and an answer to an invitation carries the guest list along: both look first.
  const looks = planned === undefined || change.action === 'move' || change.action === 'respond';
  const event = looks ? await look(client, id, change, planned) : undefined;
  const frozen = planned ?? freeze(event!, change);
  if (frozen.refused !== undefined) throw new Refused(frozen.refused);
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
      return client.patch(change, target, answer(event!, change.response));
  }
}

/** An error inside Google may come after the write, and an item that is planned anew would be shifted once more. */
function shiftFailed(error: unknown): never {
  if (error instanceof ProviderFailure && error.status === 500) throw inDoubt('Google Calendar', 500);
  throw error;
}

/** Reads an event that is about to be changed. Whatever fails here, nothing was touched. */
async function look(
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

/** The whole guest list, because a patch replaces lists whole; If-Match keeps it from undoing another's answer. */
function answer(event: CalendarEvent, response: string) {
  const { attendees = [], attendeesOmitted } = event;
  if (!attendees.some(({ self }) => self === true)) {
    throw new Refused('This calendar is not invited to the event');
  }
  return {
    attendees: attendees.map((one) => (one.self === true ? { ...one, responseStatus: response } : one)),
    // Google then takes the one answer, and leaves those whom it did not show.
    ...(attendeesOmitted === true && { attendeesOmitted }),
  };
}

/** Looks at an event whose change Google accepted in words that could not be read. */
async function readBack(client: CalendarClient, item: BulkItem, change: CalendarChange): Promise<BulkResult> {
  const { id } = item;
  let found: Reconciliation;
  try {
    found = await reconcileChange(client, item, change);
  } catch (error) {
    return {
      item_id: id,
      success: false,
      error: `Google accepted the change, but the event could not be read back: ${failureOf(error).message}`,
      outcome_unknown: true,
    };
  }
  if (found === 'applied') return { item_id: id, success: true };
  if (found === 'not_applied') return notShown(id);
  return { item_id: id, success: false, error: 'Nobody can say what became of it', outcome_unknown: true };
}

const notShown = (item_id: string): BulkResult => ({
  item_id,
  success: false,
  error: 'Google accepted the change, but the event is as it was',
  retryable: true,
});

/**
 * Whether an event shows the change. @throws ProviderFailure when it cannot be read.
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
    // Without the plan nobody knows which times were meant.
    if (change.action === 'shift' && frozen?.start === undefined) return 'unknown';
    return isApplied(event, change, frozen) ? 'applied' : 'not_applied';
  } catch (error) {
    if (error instanceof ProviderFailure && isGone(error)) return gone;
    throw error;
  }
}

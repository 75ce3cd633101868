import type { BatchCall, Reconciliation } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../../src/contract/items';
import { mapConcurrently } from '../shared/actions';
import { failureOf, inDoubt, ProviderFailure } from '../shared/failure';
import { changedSincePreview, difference, NOT_RECORDED } from '../shared/frozen-state';
import { reconciliation, reported } from '../shared/results';
import type { CalendarClient, CalendarEvent } from './client';
import { changedSinceFrozen, deletedAlready, failedResult, isGone, results } from './errors';
import { freeze, frozenOf, NOT_INVITED, wanted, type Frozen } from './frozen';
import { changeOf, type CalendarChange } from './parameters';
import { calendarOf, partAfter, partOf, samePart, stateOf, type EventPart, type Place } from './state';

/** The result of one item. `refusedUs`: Google refused our credentials, and the event is unchanged. */
interface Attempt {
  readonly result: BulkResult;
  readonly refusedUs?: ProviderFailure;
}

/** One event, its intended state, and the calendar that it is in before the change. */
interface Task {
  readonly item: BulkItem;
  readonly context: PreparedBulkContext;
  readonly change: CalendarChange;
  /** As frozen; undefined if the item was not planned by this adapter. */
  readonly frozen: Frozen | undefined;
  readonly wish: EventPart;
  readonly place: Place;
}

function taskOf(item: BulkItem, context: PreparedBulkContext): Task | undefined {
  const [change, frozen, wish] = [changeOf(context), frozenOf(item), wanted(item, context)];
  if (wish === undefined) return undefined;
  return { item, context, change, frozen, wish, place: frozen?.was?.place ?? 'source' };
}

/**
 * Changes the events, `concurrency` at a time.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Google refused our credentials for all of them.
 */
export async function executeChange(
  client: CalendarClient,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
  { concurrency, call }: { concurrency: number; call: BatchCall },
): Promise<BulkResult[]> {
  const attempts = await mapConcurrently(items, concurrency, async (item) => {
    const made = await attempt(client, item, taskOf(item, context));
    if (!made.refusedUs) reported(call, made.result);
    return made;
  });
  const [first] = attempts;
  if (first?.refusedUs && attempts.every(({ refusedUs }) => refusedUs !== undefined)) {
    throw results.callError(first.refusedUs, 'Nothing was changed');
  }
  return attempts.map(({ result }) => result);
}

async function attempt(client: CalendarClient, { id }: BulkItem, task: Task | undefined): Promise<Attempt> {
  const refused = (error: string) => ({ result: { item_id: id, success: false, error, retryable: false } });
  if (task === undefined) return refused(NOT_RECORDED);
  try {
    const event = await write(client, task);
    const shows = event === undefined || isAs(event, task);
    return { result: results.accepted(id, reconciliation(shows)) };
  } catch (error) {
    if (error instanceof Unfit) return refused(error.message);
    const failure = failureOf(error);
    if (failure.status === 412) return { result: await whatChanged(client, task) };
    // Somebody else has already deleted the event.
    if (failure.status === 410 && task.frozen !== undefined && task.wish.deleted === true)
      return { result: { item_id: id, success: true } };
    if (failure.kind === 'malformed')
      return { result: await results.readBack(id, () => reconcileTask(client, task)) };
    const refusedUs = failure.refusesUs && failure.status !== 400 ? failure : undefined;
    return { result: failedResult(id, failure), refusedUs };
  }
}

/** The change does not fit this event, and nothing was sent. */
class Unfit extends Error {}

/** The result of an event that has a newer version at Google: it was not changed. */
async function whatChanged(client: CalendarClient, task: Task): Promise<BulkResult> {
  const { item, context, change, frozen, wish, place } = task;
  try {
    const event = await client.event(calendarOf(change, place), item.id);
    const now = partOf(event, change, place);
    if (samePart(now, wish)) return { item_id: item.id, success: true };
    if (event.status === 'cancelled') return failedResult(item.id, deletedAlready());
    if (frozen === undefined) return changedSincePreview(item.id, 'it was not found before');
    const told = frozen.was && difference(stateOf(frozen.was, context), stateOf(now, context));
    return changedSincePreview(item.id, told ?? 'the event has a newer version');
  } catch {
    return changedSincePreview(item.id, 'the event has a newer version');
  }
}

/** Returns the event as Google shows it afterwards; undefined after a deletion. */
async function write(client: CalendarClient, task: Task): Promise<CalendarEvent | undefined> {
  const { item, change, place } = task;
  // A move takes no If-Match, and a reply to an invitation carries the whole guest list: both read the event first.
  const reads = task.frozen === undefined || change.action === 'move' || change.action === 'respond';
  const event = reads ? await current(client, task) : undefined;
  const frozen = task.frozen ?? freeze(event!, change);
  if (!task.context.undo && frozen.refused !== undefined) throw new Unfit(frozen.refused);
  const wish = task.frozen ? task.wish : partAfter(change, frozen);
  const target = { eventId: item.id, etag: frozen.etag };
  switch (change.action) {
    case 'delete':
      // Google stores a deleted event of its organizer for some time, and shows it again as confirmed.
      if (!wish.deleted) return client.patch(change, target, { status: 'confirmed' });
      await client.delete(change, target);
      return undefined;
    case 'move': {
      const to = calendarOf(change, wish.place ?? 'target');
      return client.move(change, { from: calendarOf(change, place), to }, item.id);
    }
    case 'patch':
      return client.patch(change, target, { ...wish.values });
    case 'shift':
      return client.patch(change, target, { start: wish.start, end: wish.end }).catch(shiftFailed);
    case 'respond':
      return client.patch(change, target, reply(event!, wish.response ?? 'needsAction'));
  }
}

/** An internal error of Google may follow the write, and a retry from a new plan would shift the event twice. */
function shiftFailed(error: unknown): never {
  if (error instanceof ProviderFailure && error.status === 500) throw inDoubt('Google Calendar', 500);
  throw error;
}

/** Reads an event before its change. If this fails, nothing was changed. */
async function current(client: CalendarClient, task: Task): Promise<CalendarEvent> {
  const { item, change, frozen, place } = task;
  let event: CalendarEvent;
  try {
    event = await client.event(calendarOf(change, place), item.id);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== 'no_answer' && failure.kind !== 'malformed') throw failure;
    throw new ProviderFailure(
      'not_sent',
      `The event could not be read before its change: ${failure.message}`,
    );
  }
  if (event.status === 'cancelled') throw deletedAlready();
  const wasMissing = item.raw_data?.['missing'] === true;
  if (wasMissing || (frozen !== undefined && frozen.etag !== event.etag)) throw changedSinceFrozen();
  return event;
}

/** The whole guest list, because a patch replaces lists whole; If-Match protects the replies of other guests. */
function reply(event: CalendarEvent, response: string) {
  const { attendees = [], attendeesOmitted } = event;
  if (!attendees.some(({ self }) => self === true)) throw new Unfit(NOT_INVITED);
  return {
    attendees: attendees.map((one) => (one.self === true ? { ...one, responseStatus: response } : one)),
    // Google then accepts only this reply, and keeps the guests that it did not show.
    ...(attendeesOmitted === true && { attendeesOmitted }),
  };
}

/** Whether an event shows the change. @throws ProviderFailure if it cannot be read. */
export async function reconcileChange(
  client: CalendarClient,
  item: BulkItem,
  context: PreparedBulkContext,
): Promise<Reconciliation> {
  const task = taskOf(item, context);
  return task === undefined ? 'unknown' : reconcileTask(client, task);
}

async function reconcileTask(client: CalendarClient, task: Task): Promise<Reconciliation> {
  const { item, change, wish } = task;
  const gone: Reconciliation = wish.deleted ? 'applied' : 'not_applied';
  try {
    const event = await client.event(calendarOf(change, wish.place ?? 'source'), item.id);
    if (event.status === 'cancelled') return gone;
    // Without the plan the intended times are unknown.
    if (change.action === 'shift' && wish.start === undefined) return 'unknown';
    return reconciliation(isAs(event, task));
  } catch (error) {
    if (error instanceof ProviderFailure && isGone(error)) return gone;
    throw error;
  }
}

/** Whether an existing event has its intended state. */
function isAs(event: CalendarEvent, { change, frozen, wish }: Task): boolean {
  // A target that was a guest has an event with the same id before the move, too.
  if (change.action === 'move') return event.organizer?.self === true;
  // Without a plan the times were computed from the event during execution, and Google's answer counts.
  if (change.action === 'shift' && frozen === undefined) return true;
  return samePart(partOf(event, change, 'source'), wish);
}

import { randomUUID } from 'node:crypto';
import type { OperationEvent } from '../contract/operation';
import type { OperationRow } from '../client';

/** Lists lag: an operation may be listed as ended this much later than one that ended after it. Milliseconds. */
export const LAG_MS = 10_000;

/** A change of a job that no event describes. Its reader reads the job again. */
type JobEvent = Pick<OperationEvent, 'event_id'>;

/** A change without a change of state: more time, a refused decision. Only a page reads its operation again then. */
export const touched = (operationId: string): JobEvent => ({ event_id: `${operationId} was touched` });

/** A change, with the session that determines who may see it. */
export interface SeenEvent {
  event: OperationEvent | JobEvent;
  session_id?: string;
}

/** The latest change of an operation, and the row with which a later list is compared. */
interface Known {
  row: OperationRow;
  now: string;
  seen: SeenEvent;
}

/** Changes in the order of arrival, for any number of readers. */
export interface Channel {
  id: string;
  seen: SeenEvent[];
  /** The number of changes before those in `seen`. */
  forgotten: number;
  /** In the channel of all operations: the live ones, and those that ended after `since`. */
  known: Map<string, Known>;
  /** In the channel of all operations: the changes include every end before this time. Milliseconds. */
  since: number;
  readers: number;
  /** In the channel of all operations: the lists are read until this time even without a reader. Milliseconds. */
  wantedUntil: number;
  /** All past changes have been read, or each list has been read once. */
  caughtUp: boolean;
  over: boolean;
  stop: AbortController;
  wake: Set<() => void>;
  failure?: Error;
}

export const newChannel = (): Channel => ({
  id: randomUUID(),
  seen: [],
  forgotten: 0,
  known: new Map(),
  since: Date.now() - LAG_MS,
  readers: 0,
  wantedUntil: 0,
  caughtUp: false,
  over: false,
  stop: new AbortController(),
  wake: new Set(),
});

/**
 * Yields the changes from the number `from` on. With `latest`, the reader can skip forgotten changes. Any other reader
 * that is too slow to receive a change before the channel forgets it must reconnect.
 */
export async function* readOn(
  channel: Channel,
  from: number,
  signal: AbortSignal,
  { latest = false }: { latest?: boolean } = {},
): AsyncGenerator<SeenEvent> {
  let next = from;
  while (!signal.aborted) {
    if (next < channel.forgotten && !latest) throw new Error('this reader is too slow');
    const rest = channel.seen.slice(Math.max(0, next - channel.forgotten));
    next = countOf(channel);
    yield* rest;
    if (next < countOf(channel)) continue;
    if (channel.failure !== undefined) throw channel.failure;
    if (channel.over) return;
    await woken(channel, signal);
  }
}

export const countOf = ({ forgotten, seen }: Channel) => forgotten + seen.length;

/** The number of the change after the one with this id; undefined if this channel does not hold that one. */
export function placeAfter({ forgotten, seen }: Channel, id: string | undefined): number | undefined {
  const at = seen.findIndex(({ event }) => event.event_id === id);
  return at < 0 ? undefined : forgotten + at + 1;
}

/** The place after all changes so far, as a mark that a page can store. */
export const placeOf = (channel: Channel): string => `${channel.id}/${countOf(channel)}`;

/** The number of the change after a mark; undefined for another channel, or if later changes were forgotten. */
export function placeAt(channel: Channel, mark: string): number | undefined {
  const [id, count] = mark.split('/');
  const place = Number(count);
  return id === channel.id && place >= channel.forgotten && place <= countOf(channel) ? place : undefined;
}

/**
 * An event id that contains the time since which its reader may have missed ends. Another server, or this one after a
 * restart, reads it.
 */
export const idAt = (since: number): string => `${since}.${randomUUID()}`;

export function forget(channel: Channel, count: number): void {
  channel.forgotten += channel.seen.splice(0, Math.max(0, count)).length;
}

export function woken({ wake }: Channel, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      wake.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    wake.add(done);
    signal.addEventListener('abort', done, { once: true });
  });
}

export const wakeAll = ({ wake }: Channel) => [...wake].forEach((done) => done());

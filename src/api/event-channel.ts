import { randomUUID } from 'node:crypto';
import type { OperationEvent } from '../contract/operation';
import type { OperationRow } from '../client';

/** Lists lag, so an end may be listed this much later than one that came after it. Milliseconds. */
export const LAG_MS = 10_000;

/** A job has done something that no event shows: its reader reads it again. */
type JobEvent = Pick<OperationEvent, 'event_id'>;

/** Something that changed no state: more time, a refused decision. Only a page reads its operation again for that. */
export const touched = (operationId: string): JobEvent => ({ event_id: `${operationId} was touched` });

/** One change, with the data that decides who may see it. */
export interface SeenEvent {
  event: OperationEvent | JobEvent;
  session_id?: string;
}

/** The latest change of an operation, and what a later list is compared with. */
interface Known {
  row: OperationRow;
  now: string;
  seen: SeenEvent;
}

/** Changes in the order of arrival, for any number of readers. */
export interface Channel {
  id: string;
  seen: SeenEvent[];
  /** How many changes came before those in `seen`. */
  forgotten: number;
  /** Of all operations: the live ones, and those that ended since `since`. */
  known: Map<string, Known>;
  /** Of all operations: earlier ends are among the changes. Milliseconds. */
  since: number;
  readers: number;
  /** Of all operations: they are read until then, also without a reader. Milliseconds. */
  wantedUntil: number;
  /** All past changes have been read, or all lists once. */
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
 * From the change with this number on. `latest`: the reader needs no earlier one. Any other reader that is so slow that
 * changes were forgotten must connect again.
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

/** The number of the change after the one with this id; undefined if that is unknown here. */
export function placeAfter({ forgotten, seen }: Channel, id: string | undefined): number | undefined {
  const at = seen.findIndex(({ event }) => event.event_id === id);
  return at < 0 ? undefined : forgotten + at + 1;
}

/** The place after all changes so far, in a form that a page keeps. */
export const placeOf = (channel: Channel): string => `${channel.id}/${countOf(channel)}`;

/** The number of the change after such a place; undefined if it is of another channel, or changes since were forgotten. */
export function placeAt(channel: Channel, mark: string): number | undefined {
  const [id, count] = mark.split('/');
  const place = Number(count);
  return id === channel.id && place >= channel.forgotten && place <= countOf(channel) ? place : undefined;
}

/** The id of an event says since when its reader may lack ends, for another server or after a restart. */
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

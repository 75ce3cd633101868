import type { OperationEvent } from '../contract/operation';
import type { OperationRow } from '../client';

/** Lists lag, so an end may be listed this much later than one that came after it. Milliseconds. */
export const LAG_MS = 10_000;

/** A job of another kind has changed: its reader reads it again. */
type JobEvent = Pick<OperationEvent, 'event_id'>;

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
  seen: SeenEvent[];
  /** How many changes came before those in `seen`. */
  forgotten: number;
  /** Of all operations: the live ones, and those that ended since `since`. */
  known: Map<string, Known>;
  /** Of all operations: earlier ends are among the changes. Milliseconds. */
  since: number;
  readers: number;
  /** All past changes have been read. */
  caughtUp: boolean;
  over: boolean;
  stop: AbortController;
  wake: Set<() => void>;
  failure?: Error;
}

export const newChannel = (): Channel => ({
  seen: [],
  forgotten: 0,
  known: new Map(),
  since: Date.now() - LAG_MS,
  readers: 0,
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

import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { glanceAt, watchChanges, watchOperation, type OperationRow } from '../client';
import { BatchgateError } from '../contract/errors';
import {
  countOf,
  forget,
  idAt,
  newChannel,
  placeAfter,
  placeAt,
  placeOf,
  readOn,
  touched,
  wakeAll,
  woken,
  type Channel,
  type SeenEvent,
} from './event-channel';
import { closedAt, fillFromLists, listEnded, seenIn } from './event-lists';

/** The limits of open streams and of watched operations. Temporal limits its long polls. */
const MAX_STREAMS = 1_000;
const MAX_WATCHED = 200;
/** The interval at which the progress of a running batch is read. Milliseconds. */
const PROGRESS_EVERY_MS = 1_000;

/** The key of the channel of all operations. An operation id is never empty. */
const ALL = '';

type Fill = (channel: Channel) => Promise<void>;

/** Reads each source in Temporal once, and shares its changes among all streams that need them. */
export interface EventHub {
  /**
   * Yields the changes of an operation after the event with this id, or all changes if the id is unknown, until the
   * operation ends or `signal` aborts.
   */
  ofOperation(operationId: string, after: string | undefined, signal: AbortSignal): AsyncIterable<SeenEvent>;
  /**
   * Yields every change of an operation since this revision, including those without an event, such as an extended
   * deadline. If the operation has another revision already, that revision comes first.
   */
  ofOperationSince(operationId: string, revision: string, signal: AbortSignal): AsyncIterable<unknown>;
  /** Yields an event whenever the number of finished items in the running batch changes. */
  ofBatch(operationId: string, signal: AbortSignal): AsyncIterable<SeenEvent>;
  /**
   * Yields the changes of all operations after the event with this id. If this server does not hold that event, yields
   * the current state of all live operations, the ends since that event, and then the changes from now on.
   */
  ofAll(after: string | undefined, signal: AbortSignal): AsyncIterable<SeenEvent>;
  /** Returns a mark for `ofAllSince`. A read after this call includes all changes before the mark. */
  markOfAll(): Promise<string>;
  /** Yields the changes of all operations since a mark. If the mark is unknown here, first yields an empty change. */
  ofAllSince(mark: string, signal: AbortSignal): AsyncIterable<Partial<SeenEvent>>;
  /** Yields an event for every change of a macro run, task run or assistant from now on, until it ends. */
  ofJob(jobId: string, signal: AbortSignal): AsyncIterable<SeenEvent>;
  open(): number;
  close(): void;
}

/** The time for which lists are read after a page received a mark. Milliseconds. */
const WANTED_MS = 10_000;

interface Channels {
  /** Returns the channel with this key, or creates and fills one. */
  of: (key: string, fill: Fill) => Channel;
  /** Does the same, and counts a reader until `signal` aborts. */
  follow: (key: string, fill: Fill, signal: AbortSignal) => Channel;
  /** The number of readers. */
  open: () => number;
  close: () => void;
}

function createChannels(): Channels {
  const channels = new Map<string, Channel>();
  let open = 0;
  const of = (key: string, fill: Fill): Channel => {
    const current = channels.get(key);
    if (current && !current.over) return current;
    if (channels.size >= MAX_WATCHED) throw tooMany(`${MAX_WATCHED} operations are watched`);
    const channel = newChannel();
    channels.set(key, channel);
    void fill(channel)
      .catch(
        (failure: unknown) =>
          void (channel.failure = failure instanceof Error ? failure : new Error(String(failure))),
      )
      .finally(() => {
        channel.over = true;
        wakeAll(channel);
        if (channels.get(key) === channel) channels.delete(key);
      });
    return channel;
  };
  return {
    of,
    follow(key, fill, signal) {
      if (open >= MAX_STREAMS) throw tooMany(`${MAX_STREAMS} streams are open`);
      const channel = of(key, fill);
      open++;
      channel.readers++;
      const leave = () => {
        open--;
        // The channel of all operations ends by itself, so the next reader need not read all lists again.
        if (--channel.readers > 0 || key === ALL) return;
        channel.stop.abort();
        if (channels.get(key) === channel) channels.delete(key);
      };
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      return channel;
    },
    open: () => open,
    // Readers reconnect after a failure, but not after an end.
    close: () =>
      channels.forEach((channel) => {
        channel.failure = new Error('this server stops');
        channel.stop.abort();
      }),
  };
}

export function createEventHub(client: Client, taskQueue: string): EventHub {
  const channels = createChannels();
  const { follow } = channels;
  const fillOf = (operationId: string) => (channel: Channel) => fillFromHistory(client, operationId, channel);
  const fillAll = (channel: Channel) => fillFromLists(client, taskQueue, channel);
  return {
    ofOperation: (operationId, after, signal) =>
      changesIn(readAfter(follow(operationId, fillOf(operationId), signal), after, signal)),
    ofOperationSince: (operationId, revision, signal) => {
      const now = async () => (await glanceAt(client, operationId)).revision;
      return readSince(follow(operationId, fillOf(operationId), signal), revision, now, signal);
    },
    ofBatch: (operationId, signal) => {
      const fill = (channel: Channel) => fillFromHeartbeats(client, operationId, channel);
      return readOn(follow(`batch ${operationId}`, fill, signal), 0, signal, { latest: true });
    },
    ofJob: (jobId, signal) => {
      const fill = (channel: Channel) => fillFromChanges(client, jobId, channel);
      return readOn(follow(`job ${jobId}`, fill, signal), 0, signal, { latest: true });
    },
    ofAll: (after, signal) => {
      const channel = follow(ALL, fillAll, signal);
      return changesIn(readAll((since) => listEnded(client, taskQueue, since), channel, after, signal));
    },
    async markOfAll() {
      const channel = channels.of(ALL, fillAll);
      channel.wantedUntil = Date.now() + WANTED_MS;
      while (!channel.caughtUp && !channel.over) await woken(channel, channel.stop.signal);
      return placeOf(channel);
    },
    async *ofAllSince(mark, signal) {
      const channel = follow(ALL, fillAll, signal);
      const place = placeAt(channel, mark);
      if (place === undefined) yield {};
      yield* readOn(channel, place ?? countOf(channel), signal);
    },
    open: channels.open,
    close: channels.close,
  };
}

async function* readAfter(
  channel: Channel,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SeenEvent> {
  const place = () => placeAfter(channel, after);
  // The event with the id `after` may not have been read yet.
  const mayCome = () => after !== undefined && place() === undefined && !channel.caughtUp && !channel.over;
  while (mayCome() && !signal.aborted) await woken(channel, signal);
  yield* readOn(channel, place() ?? 0, signal);
}

/** Leaves out changes that no event describes. */
async function* changesIn(events: AsyncIterable<SeenEvent>): AsyncGenerator<SeenEvent> {
  for await (const change of events) if ('operation_id' in change.event) yield change;
}

/** `now` reads the current revision. The channel yields every change after that read. */
async function* readSince(
  channel: Channel,
  revision: string,
  now: () => Promise<string>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  while (!channel.caughtUp && !channel.over && !signal.aborted) await woken(channel, signal);
  const place = countOf(channel);
  const current = await now();
  if (current !== revision) yield current;
  yield* readOn(channel, place, signal);
}

async function* readAll(
  endedSince: (since: number) => Promise<OperationRow[]>,
  channel: Channel,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SeenEvent> {
  let place = placeAfter(channel, after);
  if (place === undefined) {
    const time = timeIn(after);
    // The clock of the server that sent the event may be ahead.
    const since = Math.min(time ?? Infinity, channel.since);
    let [current, until] = [channel.known, channel.since];
    let ended: OperationRow[] = [];
    do {
      [place, current, until] = [countOf(channel), new Map(channel.known), channel.since];
      if (time !== undefined) ended = await endedSince(since);
      // Repeats the read if the channel forgot changes meanwhile, because they would be lost.
    } while (place < channel.forgotten);
    for (const { seen } of current.values())
      yield { ...seen, event: { ...seen.event, event_id: idAt(since) } };
    // The channel sends the ends of the operations that it holds.
    for (const row of ended.filter(({ operation_id }) => !current.has(operation_id)))
      yield seenIn(row, idAt(Math.min(closedAt(row), until)));
  }
  yield* readOn(channel, place, signal);
}

function timeIn(id: string | undefined): number | undefined {
  const [, time] = /^(\d{1,13})\./.exec(id ?? '') ?? [];
  return time === undefined ? undefined : Number(time);
}

async function fillFromHistory(client: Client, operationId: string, channel: Channel): Promise<void> {
  const note = () => {
    channel.seen.push({ event: touched(operationId) });
    wakeAll(channel);
  };
  for await (const event of watchOperation(client, operationId, channel.stop.signal, { touched: note })) {
    if (event === 'caught_up') channel.caughtUp = true;
    else channel.seen.push({ event });
    wakeAll(channel);
  }
}

async function fillFromHeartbeats(client: Client, operationId: string, channel: Channel): Promise<void> {
  const { signal } = channel.stop;
  for (let last = ''; !signal.aborted;) {
    const { progress } = await glanceAt(client, operationId);
    const event_id = JSON.stringify(progress ?? null);
    if (event_id !== last) keepLatest(channel, event_id);
    last = event_id;
    await pause(PROGRESS_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function fillFromChanges(client: Client, jobId: string, channel: Channel): Promise<void> {
  for await (const event_id of watchChanges(client, jobId, channel.stop.signal))
    keepLatest(channel, event_id);
}

/** Keeps only the latest change, because the readers read the items or the job themselves. */
function keepLatest(channel: Channel, event_id: string): void {
  forget(channel, channel.seen.length);
  channel.seen.push({ event: { event_id } });
  wakeAll(channel);
}

const tooMany = (what: string) =>
  new BatchgateError(
    'RATE_LIMITED',
    `${what} on this server, which is as many as it takes.`,
    'Try again later.',
  );

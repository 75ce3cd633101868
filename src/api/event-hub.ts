import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { listBulkOperations, watchChanges, watchOperation, type OperationRow } from '../client';
import { BatchgateError } from '../contract/errors';
import type { OperationEvent } from '../contract/operation';

/** The limit of open streams, and of operations watched for them: the server limits its long polls. */
const MAX_STREAMS = 1_000;
const MAX_WATCHED = 200;
/** How often lists are read for readers who watch everything. Milliseconds. */
const LIST_EVERY_MS = 1_000;
/** How many changes of all operations are kept for a reader who reconnects. */
const REMEMBERED = 1_000;

/** A job of another kind has changed: its reader reads it again. */
type JobEvent = Pick<OperationEvent, 'event_id'>;

/** One change, with the data that decides who may see it. */
export interface SeenEvent {
  event: OperationEvent | JobEvent;
  session_id?: string;
}

/** Changes in the order of arrival, for any number of readers. */
interface Channel {
  seen: SeenEvent[];
  readers: number;
  /** All past changes have been read. */
  caughtUp: boolean;
  over: boolean;
  stop: AbortController;
  wake: Set<() => void>;
  failure?: Error;
}

type Fill = (channel: Channel) => Promise<void>;

/** Shares what one reader of Temporal reads with all streams that need it. */
export interface EventHub {
  /** Changes of an operation after this id, or all if it is unknown, until the operation ends or `signal` aborts. */
  ofOperation(operationId: string, after: string | undefined, signal: AbortSignal): AsyncIterable<SeenEvent>;
  /** Of all operations: the changes after the event with this id, or else the current state of all live ones. */
  ofAll(after: string | undefined, signal: AbortSignal): AsyncIterable<SeenEvent>;
  /** Of a macro run or a task run: an event for every change from now on, until it has ended. */
  ofJob(jobId: string, signal: AbortSignal): AsyncIterable<SeenEvent>;
  open(): number;
  close(): void;
}

export function createEventHub(client: Client, taskQueue: string): EventHub {
  const channels = new Map<string, Channel>();
  const streams = { open: 0 };
  const channelOf = (key: string, fill: Fill): Channel => {
    const there = channels.get(key);
    if (there && !there.over) return there;
    if (channels.size >= MAX_WATCHED) throw tooMany(`${MAX_WATCHED} operations are watched`);
    const channel: Channel = {
      seen: [],
      readers: 0,
      caughtUp: false,
      over: false,
      stop: new AbortController(),
      wake: new Set(),
    };
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
  const follow = (key: string, fill: Fill, after: string | undefined, signal: AbortSignal) => {
    if (streams.open >= MAX_STREAMS) throw tooMany(`${MAX_STREAMS} streams are open`);
    const channel = channelOf(key, fill);
    streams.open++;
    channel.readers++;
    signal.addEventListener(
      'abort',
      () => {
        streams.open--;
        if (--channel.readers > 0) return;
        channel.stop.abort();
        if (channels.get(key) === channel) channels.delete(key);
      },
      { once: true },
    );
    return readOn(channel, after, signal);
  };
  return {
    ofOperation: (operationId, after, signal) =>
      follow(operationId, (channel) => fillFromHistory(client, operationId, channel), after, signal),
    ofJob: (jobId, signal) =>
      follow(`job ${jobId}`, (channel) => fillFromChanges(client, jobId, channel), undefined, signal),
    ofAll: (after, signal) =>
      follow('', (channel) => fillFromLists(client, taskQueue, channel), after, signal),
    open: () => streams.open,
    close: () => channels.forEach(({ stop }) => stop.abort()),
  };
}

async function* readOn(
  channel: Channel,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SeenEvent> {
  let last = after;
  const rest = () => channel.seen.slice(channel.seen.findIndex(({ event }) => event.event_id === last) + 1);
  const knows = (id: string) => channel.seen.some(({ event }) => event.event_id === id);
  // The event to continue after may not have been read yet.
  while (after !== undefined && !knows(after) && !channel.caughtUp && !channel.over && !signal.aborted)
    await woken(channel, signal);
  while (!signal.aborted) {
    for (const seen of rest()) {
      yield seen;
      last = seen.event.event_id;
    }
    if (rest().length > 0) continue;
    if (channel.failure !== undefined) throw channel.failure;
    if (channel.over) return;
    await woken(channel, signal);
  }
}

function woken({ wake }: Channel, signal: AbortSignal): Promise<void> {
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

const wakeAll = ({ wake }: Channel) => [...wake].forEach((done) => done());

async function fillFromHistory(client: Client, operationId: string, channel: Channel): Promise<void> {
  for await (const event of watchOperation(client, operationId, channel.stop.signal)) {
    if (event === 'caught_up') channel.caughtUp = true;
    else channel.seen.push({ event });
    wakeAll(channel);
  }
}

async function fillFromChanges(client: Client, jobId: string, channel: Channel): Promise<void> {
  for await (const event_id of watchChanges(client, jobId, channel.stop.signal)) {
    // A reader reads the job itself, so the latest change is enough.
    channel.seen = [{ event: { event_id } }];
    wakeAll(channel);
  }
}

async function fillFromLists(client: Client, task_queue: string, channel: Channel): Promise<void> {
  const { signal } = channel.stop;
  // Numbers of another process mean nothing here, so its readers get everything again.
  const source = randomUUID();
  const known = new Map<string, { now: string; row: OperationRow }>();
  const since = new Date().toISOString();
  let number = 0;
  while (!signal.aborted) {
    const live = await listBulkOperations(client, { task_queue, live: true, limit: 1_000 });
    const ended = await listBulkOperations(client, { task_queue, closed_after: since, limit: 1_000 });
    for (const row of [...live, ...ended]) {
      const { state, progress, reminded_at } = row;
      const now = JSON.stringify([state, progress, reminded_at]);
      const before = known.get(row.operation_id);
      if (state === undefined || before?.now === now || isOlder(row, before?.row)) continue;
      known.set(row.operation_id, { now, row });
      const reminder = before !== undefined && before.row.reminded_at !== reminded_at;
      channel.seen.push({
        event: eventOf(row, state, `${source}.${++number}`, reminder),
        session_id: row.session_id,
      });
    }
    channel.caughtUp = true;
    channel.seen.splice(0, channel.seen.length - REMEMBERED);
    wakeAll(channel);
    await pause(LIST_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** A row whose history could not be read says what its memo says. What remains never grows. */
function isOlder(row: OperationRow, known: OperationRow | undefined): boolean {
  const [now, before] = [row.progress?.['remaining'], known?.progress?.['remaining']];
  return row.created_at === known?.created_at && now !== undefined && before !== undefined && now > before;
}

function eventOf(
  row: OperationRow,
  state: NonNullable<OperationRow['state']>,
  event_id: string,
  reminder: boolean,
): OperationEvent {
  const { operation_id, progress } = row;
  return {
    event_id,
    operation_id,
    state,
    at: new Date().toISOString(),
    ...(progress && { progress }),
    ...(reminder && { reminder }),
  };
}

const tooMany = (what: string) =>
  new BatchgateError(
    'RATE_LIMITED',
    `${what} on this server, which is as many as it takes.`,
    'Try again later.',
  );

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  getBulkStatus,
  glanceAt,
  listBulkOperations,
  progressOf,
  unlessMissing,
  watchChanges,
  watchOperation,
  type OperationRow,
} from '../client';
import { BatchgateError } from '../contract/errors';
import type { BulkState } from '../contract/operation';
import { isClosed } from '../core/bulk/transitions';
import {
  countOf,
  forget,
  LAG_MS,
  newChannel,
  placeAfter,
  readOn,
  wakeAll,
  woken,
  type Channel,
  type SeenEvent,
} from './event-channel';

/** The limit of open streams, and of operations watched for them: the server limits its long polls. */
const MAX_STREAMS = 1_000;
const MAX_WATCHED = 200;
/** How often lists are read for readers who watch everything. Milliseconds. */
const LIST_EVERY_MS = 1_000;
/** How many changes of all operations are kept for a reader who reconnects. */
const REMEMBERED = 1_000;
/** As many as a list returns. The latest ends come first. */
const MAX_ENDED = 20_000;

/** The key of the channel of all operations. No id is empty. */
const ALL = '';

type Fill = (channel: Channel) => Promise<void>;

/** Shares what one reader of Temporal reads with all streams that need it. */
export interface EventHub {
  /** Changes of an operation after this id, or all if it is unknown, until the operation ends or `signal` aborts. */
  ofOperation(operationId: string, after: string | undefined, signal: AbortSignal): AsyncIterable<SeenEvent>;
  /**
   * Of all operations: the changes after the event with this id. If that is unknown here, the current state of all live
   * ones, the ends since that event, and the changes from now on.
   */
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
  const follow = (key: string, fill: Fill, signal: AbortSignal): Channel => {
    if (streams.open >= MAX_STREAMS) throw tooMany(`${MAX_STREAMS} streams are open`);
    const channel = channelOf(key, fill);
    streams.open++;
    channel.readers++;
    const leave = () => {
      streams.open--;
      // What reads the lists ends by itself: the next reader finds it, instead of beginning to read them all again.
      if (--channel.readers > 0 || key === ALL) return;
      channel.stop.abort();
      if (channels.get(key) === channel) channels.delete(key);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return channel;
  };
  return {
    ofOperation: (operationId, after, signal) => {
      const fill = (channel: Channel) => fillFromHistory(client, operationId, channel);
      return readAfter(follow(operationId, fill, signal), after, signal);
    },
    ofJob: (jobId, signal) => {
      const fill = (channel: Channel) => fillFromChanges(client, jobId, channel);
      return readOn(follow(`job ${jobId}`, fill, signal), 0, signal, { latest: true });
    },
    ofAll: (after, signal) => {
      const channel = follow(ALL, (filled) => fillFromLists(client, taskQueue, filled), signal);
      return readAll((since) => listEnded(client, taskQueue, since), channel, after, signal);
    },
    open: () => streams.open,
    // Readers reconnect after a failure, and not after an end.
    close: () =>
      channels.forEach((channel) => {
        channel.failure = new Error('this server stops');
        channel.stop.abort();
      }),
  };
}

async function* readAfter(
  channel: Channel,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SeenEvent> {
  const place = () => placeAfter(channel, after);
  // The event to continue after may not have been read yet.
  const mayCome = () => after !== undefined && place() === undefined && !channel.caughtUp && !channel.over;
  while (mayCome() && !signal.aborted) await woken(channel, signal);
  yield* readOn(channel, place() ?? 0, signal);
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
    // The clock of the server that sent it may be ahead.
    const since = Math.min(time ?? Infinity, channel.since);
    let [current, until] = [channel.known, channel.since];
    let ended: OperationRow[] = [];
    do {
      [place, current, until] = [countOf(channel), new Map(channel.known), channel.since];
      if (time !== undefined) ended = await endedSince(since);
      // Changes that the channel forgot meanwhile would be lost.
    } while (place < channel.forgotten);
    for (const { seen } of current.values())
      yield { ...seen, event: { ...seen.event, event_id: idAt(since) } };
    // The channel itself sends the ends of those that it knows.
    for (const row of ended.filter(({ operation_id }) => !current.has(operation_id)))
      yield seenIn(row, idAt(Math.min(closedAt(row), until)));
  }
  yield* readOn(channel, place, signal);
}

/** The id of an event says since when its reader may lack ends, for another server or after a restart. */
const idAt = (since: number) => `${since}.${randomUUID()}`;

function timeIn(id: string | undefined): number | undefined {
  const [, time] = /^(\d{1,13})\./.exec(id ?? '') ?? [];
  return time === undefined ? undefined : Number(time);
}

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
    forget(channel, channel.seen.length);
    channel.seen.push({ event: { event_id } });
    wakeAll(channel);
  }
}

async function fillFromLists(client: Client, task_queue: string, channel: Channel): Promise<void> {
  const { signal } = channel.stop;
  do {
    const live = await listBulkOperations(client, { task_queue, live: true, limit: 1_000 });
    const ended = await listEnded(client, task_queue, channel.since);
    // All readers have read these, while all that one list shows must remain until they have.
    forget(channel, channel.seen.length - REMEMBERED);
    [...live, ...ended].forEach((row) => note(channel, row));
    await noteDeleted(client, channel, [...live, ...ended]);
    const listed = new Set(ended.map(({ operation_id }) => operation_id));
    for (const [id, { row }] of channel.known)
      if (row.closed_at !== undefined && !listed.has(id)) channel.known.delete(id);
    // By the server's clock, which may differ from ours.
    channel.since = Math.max(channel.since, ...ended.map((row) => closedAt(row) - LAG_MS));
    wakeAll(channel);
    await pause(LIST_EVERY_MS, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted && channel.readers > 0);
}

/** How many operations that are missing in lists are looked at in one round: lists may lag, or be cut. */
const MAX_LOOKS = 20;

/** A live operation that somebody deletes in Temporal leaves the lists without an end, so it is looked at. */
async function noteDeleted(client: Client, channel: Channel, rows: readonly OperationRow[]): Promise<void> {
  const listed = new Set(rows.map(({ operation_id }) => operation_id));
  const missing = [...channel.known.values()].filter(
    ({ row }) => row.closed_at === undefined && !listed.has(row.operation_id),
  );
  for (const { row } of missing.slice(0, MAX_LOOKS)) {
    const end = await endIfDeleted(client, row.operation_id);
    if (end) note(channel, { ...row, ...end });
  }
}

/** What a list would say of an operation that was deleted; undefined if it was not. */
async function endIfDeleted(client: Client, operationId: string): Promise<Partial<OperationRow> | undefined> {
  const glance = await glanceAt(client, operationId).catch(unlessMissing);
  if (glance && !glance.deleted) return undefined;
  const status = glance && (await getBulkStatus(client, operationId));
  return status
    ? { state: status.state, closed_at: status.updated_at, progress: progressOf(status) }
    : { state: 'cancelled', closed_at: new Date().toISOString() };
}

/** The operations that ended since then, in this order. */
async function listEnded(client: Client, task_queue: string, since: number): Promise<OperationRow[]> {
  const closed_after = new Date(since).toISOString();
  const rows = await listBulkOperations(client, { task_queue, closed_after, limit: MAX_ENDED });
  return rows.sort((one, other) => closedAt(one) - closedAt(other));
}

const closedAt = ({ closed_at = '' }: OperationRow) => Date.parse(closed_at);

/** Adds the change that a row of a list shows, if it shows one. */
function note({ known, seen, since }: Channel, row: OperationRow): void {
  const { operation_id, progress, reminded_at } = row;
  const before = known.get(operation_id);
  if ((row.state ?? row.closed_at) === undefined || isOlder(row, before?.row)) return;
  const now = JSON.stringify([stateOf(row), progress, reminded_at]);
  if (before?.now === now) return void (before.row = row);
  const reminder = before !== undefined && before.row.reminded_at !== reminded_at;
  const change = seenIn(row, idAt(since), reminder);
  known.set(operation_id, { row, now, seen: change });
  seen.push(change);
}

/** A row whose history could not be read says what its memo says. What remains never grows. */
function isOlder(row: OperationRow, known: OperationRow | undefined): boolean {
  if (!known || row.created_at > known.created_at) return false;
  // A refused operation that was started again is listed twice.
  if (row.created_at < known.created_at) return true;
  if (row.closed_at !== undefined) return false;
  const [now, before] = [row.progress?.['remaining'], known.progress?.['remaining']];
  return now !== undefined && before !== undefined && now > before;
}

/** An operation that was ended from outside keeps its last state in lists; its status says that it is cancelled. */
function stateOf({ state = 'preparing', closed_at }: OperationRow): BulkState {
  return closed_at !== undefined && !isClosed(state) ? 'cancelled' : state;
}

function seenIn(row: OperationRow, event_id: string, reminder = false): SeenEvent {
  const { operation_id, progress, session_id, closed_at } = row;
  return {
    event: {
      event_id,
      operation_id,
      state: stateOf(row),
      at: closed_at ?? new Date().toISOString(),
      ...(progress && { progress }),
      ...(reminder && { reminder }),
    },
    session_id,
  };
}

const tooMany = (what: string) =>
  new BatchgateError(
    'RATE_LIMITED',
    `${what} on this server, which is as many as it takes.`,
    'Try again later.',
  );

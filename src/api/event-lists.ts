import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  getBulkStatus,
  glanceAt,
  listBulkOperations,
  progressOf,
  unlessMissing,
  type OperationRow,
} from '../client';
import type { BulkState } from '../contract/operation';
import { isClosed } from '../core/bulk/transitions';
import { forget, idAt, LAG_MS, touched, wakeAll, type Channel, type SeenEvent } from './event-channel';

/** The interval at which lists are read for readers of all operations. Milliseconds. */
const LIST_EVERY_MS = 1_000;
/** The number of changes of all operations kept for a reader that reconnects. */
const REMEMBERED = 1_000;
/** The maximum length of a list. The latest ends come first. */
const MAX_ENDED = 20_000;

/** Reads the lists of operations into a channel while it has readers. */
export async function fillFromLists(client: Client, task_queue: string, channel: Channel): Promise<void> {
  const { signal } = channel.stop;
  do {
    const live = await listBulkOperations(client, { task_queue, live: true, limit: 1_000 });
    const ended = await listEnded(client, task_queue, channel.since);
    // Readers have received these changes. The changes of the new lists must remain until readers have received them.
    forget(channel, channel.seen.length - REMEMBERED);
    [...live, ...ended].forEach((row) => note(channel, row));
    await noteDeleted(client, channel, [...live, ...ended]);
    const listed = new Set(ended.map(({ operation_id }) => operation_id));
    for (const [id, { row }] of channel.known)
      if (row.closed_at !== undefined && !listed.has(id)) channel.known.delete(id);
    // The times are from the clock of the Temporal server, which may differ from this server's.
    channel.since = Math.max(channel.since, ...ended.map((row) => closedAt(row) - LAG_MS));
    channel.caughtUp = true;
    wakeAll(channel);
    await pause(LIST_EVERY_MS, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted && (channel.readers > 0 || Date.now() < channel.wantedUntil));
}

/** The number of operations missing from lists that one round checks. Lists may lag or be truncated. */
const MAX_LOOKS = 20;

/** Checks missing live operations, because an operation deleted in Temporal leaves the lists without an end. */
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

/** The end of an operation that was deleted in Temporal, as a list shows ends; undefined if it was not deleted. */
async function endIfDeleted(client: Client, operationId: string): Promise<Partial<OperationRow> | undefined> {
  const glance = await glanceAt(client, operationId).catch(unlessMissing);
  if (glance && !glance.deleted) return undefined;
  const status = glance && (await getBulkStatus(client, operationId));
  return status
    ? { state: status.state, closed_at: status.updated_at, progress: progressOf(status) }
    : { state: 'cancelled', closed_at: new Date().toISOString() };
}

/** Returns the operations that ended after this time, earliest first. */
export async function listEnded(client: Client, task_queue: string, since: number): Promise<OperationRow[]> {
  const closed_after = new Date(since).toISOString();
  const rows = await listBulkOperations(client, { task_queue, closed_after, limit: MAX_ENDED });
  return rows.sort((one, other) => closedAt(one) - closedAt(other));
}

export const closedAt = ({ closed_at = '' }: OperationRow) => Date.parse(closed_at);

/** Adds the change that a row of a list shows, if any. */
export function note({ known, seen, since }: Channel, row: OperationRow): void {
  const { operation_id, progress, reminded_at, escalated, approvals } = row;
  const before = known.get(operation_id);
  if ((row.state ?? row.closed_at) === undefined || isOlder(row, before?.row)) return;
  const now = JSON.stringify([stateOf(row), progress, reminded_at, escalated]);
  if (before?.now === now) {
    const hasRevisions = [row, before.row].every(({ revision }) => revision !== undefined);
    if (hasRevisions && row.revision !== before.row.revision)
      seen.push({ event: touched(operation_id), session_id: row.session_id });
    before.row = row;
    return;
  }
  const reminder = before !== undefined && before.row.reminded_at !== reminded_at;
  // The escalation of an operation that is new here may concern an earlier question.
  const isEscalated = before
    ? before.row.escalated?.at !== escalated?.at
    : escalated?.to.every((name) => approvals?.from.includes(name));
  const change = seenIn(row, idAt(since), { reminder, ...(isEscalated && { escalated }) });
  known.set(operation_id, { row, now, seen: change });
  seen.push(change);
}

/**
 * A row whose history could not be read has the values of its memo, which may be older than those of the history before.
 * Then more items remain in the memo. They also do when a confirmation that left items out was taken back; such a change
 * is reported when the history can be read again.
 */
function isOlder(row: OperationRow, previous: OperationRow | undefined): boolean {
  if (!previous || row.created_at > previous.created_at) return false;
  // A refused operation that was started again is listed twice.
  if (row.created_at < previous.created_at) return true;
  if (row.closed_at !== undefined || row.revision !== undefined) return false;
  if (previous.revision === undefined) return false;
  const [now, before] = [row.progress?.['remaining'], previous.progress?.['remaining']];
  return now !== undefined && before !== undefined && now > before;
}

/** An operation that was ended in Temporal keeps its last state in lists, while its status is `cancelled`. */
function stateOf({ state = 'preparing', closed_at }: OperationRow): BulkState {
  return closed_at !== undefined && !isClosed(state) ? 'cancelled' : state;
}

export function seenIn(
  row: OperationRow,
  event_id: string,
  { reminder, escalated }: { reminder?: boolean } & Pick<OperationRow, 'escalated'> = {},
): SeenEvent {
  const { operation_id, progress, session_id, closed_at } = row;
  return {
    event: {
      event_id,
      operation_id,
      state: stateOf(row),
      at: closed_at ?? new Date().toISOString(),
      ...(progress && { progress }),
      ...(reminder && { reminder }),
      ...(escalated && { escalated_to: escalated.to }),
    },
    session_id,
  };
}

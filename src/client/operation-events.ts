import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import type { OperationEvent } from '../contract/operation';
import { isClosed } from '../core/bulk/transitions';
import { isMissing, isTimeUp, toBatchgateError, unlessMissing } from './failures';
import {
  createRecordReader,
  mergedChange,
  progressOf,
  standingAfter,
  timeOf,
  type History,
  type HistoryEvent,
  type Standing,
} from './operation-records';
import { describeOperation, getBulkStatus } from './status';
import { abortable } from './operation-watch';

/** The timeout of one long poll. The server may answer earlier, even without a change. Milliseconds. */
const HELD_MS = 60_000;

export interface WatchOptions {
  /** Yields only the changes after this one. */
  after?: OperationEvent;
  /** The first run of the chain, if it is known. */
  run_id?: string;
  /** The timeout of one long poll. Milliseconds. */
  held_ms?: number;
  /** Called after `caught_up` for activity that is not a change here, such as an extension or a refused decision. */
  touched?: () => void;
}

/**
 * Yields the changes of an operation's state and progress from its history: past changes, then `caught_up`, then each
 * new change, until the operation has ended (also from outside) or `signal` is aborted. Every reader gets the same ids.
 */
export async function* watchOperation(
  client: Client,
  operationId: string,
  signal: AbortSignal,
  { after, run_id, held_ms, touched }: WatchOptions = {},
): AsyncGenerator<OperationEvent | 'caught_up'> {
  if (after && isAddedEnd(after)) return;
  const now = await describeOperation(client, operationId).catch(unlessMissing);
  if (!now) {
    if (!(after && isClosed(after.state))) yield* endOf(client, operationId, run_id, after);
    return;
  }
  let { runId: latest } = now;
  let last = after;
  const follower = createFollower(client, operationId, after);
  const from = after && placeOf(after);
  let caughtUp = false;
  let skipped = from?.number ?? 0;
  let runId = from?.run_id ?? run_id ?? (await firstRun(client, operationId, latest));
  for (let next: string | undefined = runId; next !== undefined && !signal.aborted;) {
    runId = next;
    next = undefined;
    const changesIn = follower(runId, skipped);
    skipped = 0;
    for await (const events of historyOf(client, operationId, runId, signal, held_ms)) {
      next = next ?? continuedAs(events);
      const changes = await changesIn(events);
      for (const change of changes) yield (last = change);
      if (caughtUp && changes.length === 0 && events.some(isTaskEnd)) touched?.();
      if (runId === latest && !caughtUp) yield 'caught_up';
      caughtUp ||= runId === latest;
    }
    const reset = next === undefined && !signal.aborted && (await resetAs(client, operationId, runId));
    if (reset) {
      next = latest = reset.run_id;
      skipped = reset.copied;
    }
  }
  if (signal.aborted || (last && isClosed(last.state))) return;
  const there = await describeOperation(client, operationId).catch(unlessMissing);
  if (!last || !there || there.runId === runId) {
    yield* endOf(client, operationId, run_id, last);
    return;
  }
  const { created_at } = await getBulkStatus(client, operationId);
  // It was deleted, and another operation has its id now. Otherwise, only its earlier runs are gone.
  if (created_at > last.at) yield goneAfter(last, runId);
  else
    yield* watchOperation(client, operationId, signal, {
      ...(held_ms !== undefined && { held_ms }),
      ...(touched && { touched }),
    });
}

/** Whether the event completes a workflow task. */
const isTaskEnd = ({ workflowTaskCompletedEventAttributes: ended }: HistoryEvent): boolean => Boolean(ended);

/** Yields the last change of an operation that was terminated or deleted, and wrote none. The ledger has the counts. */
async function* endOf(
  client: Client,
  operation_id: string,
  runId = operation_id,
  last?: OperationEvent,
): AsyncGenerator<OperationEvent> {
  const status = await getBulkStatus(client, operation_id).catch((error: unknown) => {
    if (!last) throw error;
    return unlessMissing(error);
  });
  if (!status) {
    if (last) yield goneAfter(last, runId);
    return;
  }
  if (!isClosed(status.state)) return;
  const isDeleted = !(await describeOperation(client, operation_id).catch(unlessMissing));
  yield {
    event_id: `${runId}${ADDED_END}`,
    operation_id,
    state: status.state,
    at: status.updated_at,
    progress: progressOf(status),
    ...(isDeleted && { deleted: true as const }),
  };
}

/** Returns the last event of an operation that no longer exists. */
function goneAfter(
  { gate: _, reminder: __, escalated_to: ___, ...last }: OperationEvent,
  runId: string,
): OperationEvent {
  const event_id = `${runId}${ADDED_END}`;
  return { ...last, event_id, state: 'cancelled', at: new Date().toISOString(), deleted: true };
}

const ADDED_END = '.end';
const isAddedEnd = ({ event_id }: OperationEvent) => event_id.endsWith(ADDED_END);

/** temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW */
const RESET_WORKFLOW = 20;

/**
 * Returns the run that replaces a reset run and begins with a copy of its events; undefined if the operation has ended
 * with this run, or was deleted.
 */
async function resetAs(
  client: Client,
  operationId: string,
  runId: string,
): Promise<{ run_id: string; copied: number } | undefined> {
  const now = await describeOperation(client, operationId).catch(unlessMissing);
  if (!now || now.runId === runId) return undefined;
  const first = await firstRun(client, operationId, runId).catch(() => undefined);
  if (now.raw.workflowExecutionInfo?.firstRunId !== first) return undefined;
  const { history } = await read(client, operationId, now.runId, {});
  const copied = (history?.events ?? [])
    .filter(({ workflowTaskFailedEventAttributes: failed }) => Number(failed?.cause) === RESET_WORKFLOW)
    .map(({ eventId }) => Number(eventId));
  return { run_id: now.runId, copied: copied.at(-1) ?? 0 };
}

/** Yields an id for each change of any workflow, the first at once, until it has ended or `signal` is aborted. */
export async function* watchChanges(
  client: Client,
  workflowId: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let next: string | undefined = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (next !== undefined && !signal.aborted) {
    const runId: string = next;
    next = undefined;
    for await (const events of historyOf(client, workflowId, runId, signal)) {
      next = next ?? continuedAs(events);
      const last = events.at(-1);
      if (last) yield `${runId}.${String(last.eventId)}`;
    }
  }
}

/** Returns the place of a change in the history, from its id. */
function placeOf({ event_id }: OperationEvent): { run_id: string; number: number } {
  const [run_id = '', number] = event_id.split('.');
  return { run_id, number: Number(number) };
}

async function firstRun(client: Client, operationId: string, latest: string): Promise<string> {
  const { history } = await read(client, operationId, latest, { maximumPageSize: 1 }).catch(
    (error: unknown) => {
      // The operation is being deleted: its latest run has no history either.
      if (isMissing(error)) return { history: undefined };
      throw error;
    },
  );
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId || latest;
}

async function* historyOf(
  client: Client,
  operationId: string,
  runId: string,
  signal: AbortSignal,
  heldMs = HELD_MS,
): AsyncGenerator<HistoryEvent[]> {
  let nextPageToken: Uint8Array | undefined;
  do {
    let answer: History;
    try {
      const options = { waitNewEvent: true, ...(nextPageToken && { nextPageToken }) };
      answer = await abortable(client, signal, () => read(client, operationId, runId, options, heldMs));
    } catch (error) {
      if (signal.aborted) return;
      if (isTimeUp(error)) continue;
      // It was deleted meanwhile, so nothing more can come.
      if (isMissing(error)) return;
      throw toBatchgateError(error);
    }
    yield answer.history?.events ?? [];
    nextPageToken = answer.nextPageToken ?? undefined;
  } while (nextPageToken !== undefined && nextPageToken.length > 0 && !signal.aborted);
}

function read(
  client: Client,
  workflowId: string,
  runId: string,
  more: { maximumPageSize?: number; waitNewEvent?: boolean; nextPageToken?: Uint8Array },
  heldMs = HELD_MS,
): Promise<History> {
  const { namespace } = client.options;
  return client.withDeadline(Date.now() + heldMs, () =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId, runId },
      ...more,
    }),
  );
}

const continuedAs = (events: HistoryEvent[]): string | undefined =>
  events
    .map(({ workflowExecutionContinuedAsNewEventAttributes: attributes }) => attributes?.newExecutionRunId)
    .find((id) => id !== undefined && id !== null && id !== '') ?? undefined;

/** Collects the changes in the pages of each run, in order. The events of one task are in one page, and one change. */
function createFollower(client: Client, operation_id: string, after: OperationEvent | undefined) {
  let standing: Standing = after ? standingAfter(after, { task: '' }) : {};
  return (runId: string, skipped: number) => {
    const recordIn = createRecordReader(client, operation_id);
    return async (events: HistoryEvent[]): Promise<OperationEvent[]> => {
      const changes: { task: string; event: OperationEvent }[] = [];
      for (const event of events) {
        const record = await recordIn(event);
        if (!record || Number(event.eventId) <= skipped) continue;
        const before = standing;
        standing = standingAfter(before, record);
        // The question may be the one that the memo already reported.
        if (record.answer && isDeepStrictEqual(standing, before)) continue;
        const { state = 'preparing', ...progress } = standing;
        const change = {
          event_id: `${runId}.${String(event.eventId)}`,
          ...{ operation_id, state, at: timeOf(event), ...progress },
          ...(record.reminder && { reminder: true as const }),
          ...(record.escalated_to && { escalated_to: record.escalated_to }),
          ...(record.sent_back && { sent_back: record.sent_back }),
        };
        const earlier = changes.at(-1)?.task === record.task ? changes.pop()?.event : undefined;
        changes.push({ task: record.task, event: mergedChange(earlier, change) });
      }
      return changes.map(({ event }) => event);
    };
  };
}

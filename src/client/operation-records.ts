import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, tsToMs } from '@temporalio/common';
import { decodeArrayFromPayloads, decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { approvalsSchema, type Approvals } from '../contract/approvals';
import { SEARCH_ATTRIBUTES, SIGNALS } from '../contract/messages';
import {
  bulkStateSchema,
  bulkTurnSchema,
  type BulkState,
  type BulkTurn,
  type OperationEvent,
  type SentBack,
} from '../contract/operation';
import { call } from './calls';
import { failedForNow } from './readable';
import type { Arrivals, ArrivalsInput } from '../contract/activities';

export type History = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;
export type HistoryEvent = NonNullable<NonNullable<History['history']>['events']>[number];

/** The state of an operation at the point to which its history was read. */
export type Standing = Pick<OperationEvent, 'progress' | 'gate'> & {
  state?: BulkState;
  /** The latest event of its run. */
  revision?: string;
};

/** The same for a row of a list. */
export type Listed = Standing & { approvals?: Approvals };

/** The content of one event. `gate` belongs to `progress`: progress without a gate means that none is open. */
export interface HistoryRecord extends Standing {
  /** The workflow task that wrote it. */
  task: string;
  /** Set for the answer of an update, which may repeat an earlier record. */
  answer?: true;
  reminder?: true;
  escalated_to?: string[];
  sent_back?: SentBack;
  approvals?: Approvals;
}

/** The page sizes for reading from the end. The first page has a record, unless many messages changed nothing. */
const PAGES = [16, 256, 1_000];
/** The timeout for one row of a list. Milliseconds. */
const LOOK_MS = 2_000;

/**
 * Reads the events of a run, in order. A batch leaves one record: the answer of the update that confirmed it if the
 * next question follows, else the memo. An update may also answer for the past: a repeated decision gets its first
 * outcome. So an answer is a record only if the task that wrote it also made it. That task alone is sufficient
 * evidence, wherever a reader begins.
 */
export function createRecordReader(
  client: Client,
  operationId: string,
): (event: HistoryEvent) => Promise<HistoryRecord | undefined> {
  let started: string | undefined;
  let task: { id: string; at?: string | undefined } = { id: '' };
  return async (event) => {
    if (event.workflowTaskStartedEventAttributes) started = timeOf(event);
    if (event.workflowTaskCompletedEventAttributes) task = { id: String(event.eventId), at: started };
    const state = stateIn(event);
    if (state !== undefined) return { task: task.id, state };
    const memo = await memoIn(client, event);
    if (memo) {
      const { progress, gate, reminded_at, sent_back, escalated } = memo;
      const approvals = approvalsSchema.safeParse(memo.approvals).data;
      return {
        task: task.id,
        ...(progress && { progress, ...(gate && { gate }) }),
        ...(reminded_at !== undefined && { reminder: true }),
        ...(escalated && { escalated_to: escalated.to }),
        ...(sent_back && { sent_back }),
        ...(approvals && { approvals }),
      };
    }
    const turn = await turnIn(client, event);
    if (turn?.operation_id !== operationId || turn.updated_at !== task.at) return undefined;
    if (turn.state !== 'awaiting_confirmation' && turn.recorded === undefined) return undefined;
    const { approvals } = turn;
    return { task: task.id, answer: true, ...standingIn(turn), ...(approvals && { approvals }) };
  };
}

/** Returns the state after a record. A change of the state alone leaves the progress unchanged, and vice versa. */
export function standingAfter(before: Standing, { state, progress, gate }: HistoryRecord): Standing {
  const latest = progress ? { progress, gate } : before;
  return {
    state: state ?? before.state,
    ...(latest.progress && { progress: latest.progress }),
    ...(latest.gate && { gate: latest.gate }),
  };
}

/**
 * Returns a change with what an earlier one of the same task reported of the question that both are about: all
 * escalation steps, and the reminder.
 */
export function mergedChange(earlier: OperationEvent | undefined, change: OperationEvent): OperationEvent {
  if (!earlier?.gate || !isDeepStrictEqual(earlier.gate, change.gate)) return change;
  const escalated_to = [...new Set([...(earlier.escalated_to ?? []), ...(change.escalated_to ?? [])])];
  return {
    ...change,
    ...(earlier.reminder && { reminder: true as const }),
    ...(escalated_to.length > 0 && { escalated_to }),
  };
}

/**
 * Returns the state of a live operation, from the newest record in the history of its run. Needs no worker. `state` is
 * undefined if it last changed before that record.
 */
export async function newestStanding(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<Listed | undefined> {
  const { namespace } = client.options;
  const execution = { workflowId, runId };
  let events: HistoryEvent[] = [];
  let nextPageToken: Uint8Array | undefined;
  for (const maximumPageSize of PAGES) {
    const request = { namespace, execution, maximumPageSize, ...(nextPageToken && { nextPageToken }) };
    const answer = await call(
      client,
      () => client.workflowService.getWorkflowExecutionHistoryReverse(request),
      LOOK_MS,
    );
    events = [...(answer.history?.events ?? []).reverse(), ...events];
    const standing = await standingAt(client, workflowId, events);
    if (standing.progress) return { ...standing, revision: String(events.at(-1)?.eventId) };
    if (!answer.nextPageToken?.length) return undefined;
    nextPageToken = answer.nextPageToken;
  }
  return undefined;
}

async function standingAt(client: Client, operationId: string, events: HistoryEvent[]): Promise<Listed> {
  const recordIn = createRecordReader(client, operationId);
  let standing: Standing = {};
  let approvals: Approvals | undefined;
  for (const event of events) {
    const record = await recordIn(event);
    if (record) standing = standingAfter(standing, record);
    approvals = record?.approvals ?? approvals;
  }
  return { ...standing, ...(approvals && { approvals }) };
}

/** Returns the counts of a status in the form of the memo. */
export function progressOf(counts: Omit<BulkTurn, 'state'>): NonNullable<Standing['progress']> {
  const { total, processed, succeeded, failed, skipped, in_doubt, remaining } = counts;
  return { total, processed, succeeded, failed, skipped, in_doubt, remaining };
}

function standingIn({ state, next_batch, ...turn }: BulkTurn): Standing {
  return {
    state,
    progress: progressOf(turn),
    ...(next_batch && { gate: { batch: next_batch.number, attempt: next_batch.attempt } }),
  };
}

function stateIn({ upsertWorkflowSearchAttributesEventAttributes: attributes }: HistoryEvent) {
  const payload = attributes?.searchAttributes?.indexedFields?.[SEARCH_ATTRIBUTES.state];
  if (!payload) return undefined;
  const value: unknown = defaultPayloadConverter.fromPayload(payload);
  return bulkStateSchema.safeParse(Array.isArray(value) ? value[0] : value).data;
}

/** The memo that the workflow writes (workflows/shared/visibility.ts). */
interface Memo {
  progress?: Record<string, number>;
  gate?: OperationEvent['gate'] | null;
  reminded_at?: string;
  escalated?: { to: string[] };
  approvals?: unknown;
  sent_back?: SentBack;
}

async function memoIn(
  client: Client,
  { workflowPropertiesModifiedEventAttributes: attributes }: HistoryEvent,
): Promise<Memo | undefined> {
  const fields = attributes?.upsertedMemo?.fields;
  if (!fields?.['progress'] && !fields?.['reminded_at'] && !fields?.['escalated']) return undefined;
  return decodeMapFromPayloads(client.options.loadedDataConverter, fields);
}

/**
 * Returns the turn in the answer of an update; undefined for any other answer, and for one that cannot be decoded.
 * @throws the error of a codec that can be tried again, because a change would be lost.
 */
async function turnIn(
  client: Client,
  { workflowExecutionUpdateCompletedEventAttributes: attributes }: HistoryEvent,
): Promise<BulkTurn | undefined> {
  const payloads = attributes?.outcome?.success?.payloads;
  if (!payloads?.length) return undefined;
  try {
    const [answer] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads);
    return bulkTurnSchema.safeParse(answer).data;
  } catch (error) {
    if (failedForNow(error)) throw error;
    return undefined;
  }
}

/** Returns the time on the workflow's clock, which is the start of the task. */
export const timeOf = ({ eventTime }: HistoryEvent): string => new Date(tsToMs(eventTime)).toISOString();

/**
 * Returns when the messages of a workflow task reached the server. A worker may read them much later, and workflow code
 * has only that later time.
 */
export async function readArrivals(
  client: Client,
  { operation_id, run_id, task, signal: name = SIGNALS.continue }: ArrivalsInput,
): Promise<Arrivals> {
  const { events } = await client.workflow.getHandle(operation_id, run_id).fetchHistory();
  const before = (events ?? []).filter(({ eventId }) => Number(eventId) < task);
  const taskEnd = before.findLastIndex((event) => event.workflowTaskCompletedEventAttributes);
  const latest = before.slice(taskEnd + 1);
  const isSignal = ({ workflowExecutionSignaledEventAttributes: signal }: HistoryEvent) =>
    signal?.signalName === name;
  const scheduled = latest.find((event) => event.workflowTaskScheduledEventAttributes);
  return {
    signals: latest.filter(isSignal).map(({ eventTime }) => tsToMs(eventTime)),
    scheduled: scheduled ? tsToMs(scheduled.eventTime) : 0,
  };
}

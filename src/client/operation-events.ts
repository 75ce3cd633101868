import { isGrpcDeadlineError, type Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { decodeMapFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { SEARCH_ATTRIBUTES } from '../contract/messages';
import { bulkStateSchema, type BulkState, type OperationEvent } from '../contract/operation';
import { toBatchgateError } from './failures';
import { describeOperation } from './operations';
import { abortable } from './operation-watch';

/** How long one long poll may take; the server answers earlier, also where nothing happened. Milliseconds. */
const HELD_MS = 60_000;

export interface WatchOptions {
  /** Only what came after this change. */
  after?: OperationEvent;
  /** The first run of the chain, where it is known. */
  run_id?: string;
  /** How long one long poll may take. Milliseconds. */
  held_ms?: number;
}

type History = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;
type HistoryEvent = NonNullable<NonNullable<History['history']>['events']>[number];

/**
 * The changes of an operation's state and progress, as its history tells them: past changes first, then each as it
 * happens, with `caught_up` between them, until the operation has ended or `signal` is aborted. Every reader sees the
 * same ids.
 */
export async function* watchOperation(
  client: Client,
  operationId: string,
  signal: AbortSignal,
  { after, run_id, held_ms }: WatchOptions = {},
): AsyncGenerator<OperationEvent | 'caught_up'> {
  const { runId: latest } = await describeOperation(client, operationId);
  const facts: Facts = { ...after, operation_id: operationId };
  const from = after && placeOf(after);
  let caughtUp = false;
  let runId = from?.run_id ?? run_id ?? (await firstRun(client, operationId, latest));
  for (let next: string | undefined = runId; next !== undefined && !signal.aborted;) {
    runId = next;
    next = undefined;
    for await (const events of historyOf(client, operationId, runId, signal, held_ms)) {
      next = next ?? continuedAs(events);
      const skipped = runId === from?.run_id ? from.number : 0;
      yield* await changesIn(
        client,
        runId,
        events.filter(({ eventId }) => Number(eventId) > skipped),
        facts,
      );
      if (runId === latest && !caughtUp) yield 'caught_up';
      caughtUp ||= runId === latest;
    }
  }
}

/**
 * An id for each time that something happened to a workflow of any kind, the first at once, until it has ended or
 * `signal` is aborted.
 */
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

/** What is known so far: a change of progress alone leaves the state as it was. */
type Facts = Pick<OperationEvent, 'operation_id' | 'progress' | 'gate'> & { state?: BulkState };

/** Where in the history a change is, by its id. */
function placeOf({ event_id }: OperationEvent): { run_id: string; number: number } {
  const [run_id = '', number] = event_id.split('.');
  return { run_id, number: Number(number) };
}

async function firstRun(client: Client, operationId: string, latest: string): Promise<string> {
  const { history } = await read(client, operationId, latest, { maximumPageSize: 1 });
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
      const asked = { waitNewEvent: true, ...(nextPageToken && { nextPageToken }) };
      answer = await abortable(client, signal, () => read(client, operationId, runId, asked, heldMs));
    } catch (error) {
      if (signal.aborted) return;
      if (isGrpcDeadlineError(error)) continue;
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

/** State and progress are written by one workflow task where both change: that is one change. */
async function changesIn(
  client: Client,
  runId: string,
  events: HistoryEvent[],
  facts: Facts,
): Promise<OperationEvent[]> {
  const changes: { task: string; event: OperationEvent }[] = [];
  for (const event of events) {
    const task = taskOf(event);
    if (task === undefined) continue;
    const state = stateIn(event);
    const memo = await memoIn(client, event);
    if (state === undefined && memo === undefined) continue;
    if (state !== undefined) facts.state = state;
    if (memo?.progress) Object.assign(facts, { progress: memo.progress, gate: memo.gate ?? undefined });
    const change = {
      event_id: `${runId}.${String(event.eventId)}`,
      operation_id: facts.operation_id,
      state: facts.state ?? 'preparing',
      at: timeOf(event),
      ...(facts.progress && { progress: facts.progress }),
      ...(facts.gate && { gate: facts.gate }),
      ...(memo?.reminded_at !== undefined && { reminder: true as const }),
    };
    if (changes.at(-1)?.task === task) changes.pop();
    changes.push({ task, event: change });
  }
  return changes.map(({ event }) => event);
}

const taskOf = (event: HistoryEvent): string | undefined =>
  (
    event.upsertWorkflowSearchAttributesEventAttributes ?? event.workflowPropertiesModifiedEventAttributes
  )?.workflowTaskCompletedEventId?.toString();

function stateIn({ upsertWorkflowSearchAttributesEventAttributes: attributes }: HistoryEvent) {
  const payload = attributes?.searchAttributes?.indexedFields?.[SEARCH_ATTRIBUTES.state];
  if (!payload) return undefined;
  const value: unknown = defaultPayloadConverter.fromPayload(payload);
  return bulkStateSchema.safeParse(Array.isArray(value) ? value[0] : value).data;
}

/** What the workflow writes into its memo (workflows/shared/visibility.ts). */
interface Memo {
  progress?: Record<string, number>;
  gate?: OperationEvent['gate'] | null;
  reminded_at?: string;
}

async function memoIn(
  client: Client,
  { workflowPropertiesModifiedEventAttributes: attributes }: HistoryEvent,
): Promise<Memo | undefined> {
  const fields = attributes?.upsertedMemo?.fields;
  if (!fields?.['progress'] && !fields?.['reminded_at']) return undefined;
  return decodeMapFromPayloads(client.options.loadedDataConverter, fields);
}

const timeOf = ({ eventTime }: HistoryEvent): string =>
  new Date(Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6).toISOString();

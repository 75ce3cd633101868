import type { Client } from '@temporalio/client';
import type { LedgerItem, LedgerRecord, OperationTerms } from '../contract/ledger-record';
import { BatchgateError } from '../contract/errors';
import type { BulkItem } from '../contract/items';
import { WORKFLOW_TYPES } from '../contract/messages';
import type { BulkOperationInput, BulkStatus } from '../contract/operation';
import { readLedger } from './ledger';
import { doubtNote } from '../core/bulk/doubts';
import { editorsOf } from '../core/bulk/edited';
import { isClosed } from '../core/bulk/transitions';
import { call, describeWorkflow } from './calls';
import { unlessMissing } from './failures';
import { foundNoPlace } from './start-once';
import { startBulkOperation, type StartOptions } from './operations';
import { locateOperation, getBulkStatus } from './status';

/**
 * Starts an operation over exactly the retryable items of an ended operation: retryable failures, and items that had
 * changed since the preview. It is linked by `metadata.retry_of`. A repeated request returns the live retry. After its
 * end, the request starts the next one, over the items that are still left.
 * @throws BatchgateError `INVALID_INPUT` when the operation has not ended, or has no such items.
 */
export async function retryFailedItems(
  client: Client,
  operationId: string,
  asks: Asking = {},
): Promise<BulkStatus> {
  const { id, live, last, settled } = await nextRetry(client, operationId);
  if (live) return live;
  return follow(client, operationId, {
    ...{ id, last, link: 'retry_of', asks },
    wants: (item) => mayBeRetried(item) && !settled.has(item.id),
    none: 'has no failed item that may be tried again',
  });
}

/** Starts an operation over the items that an ended (often expired) operation never ran, with `metadata.rest_of`. */
export async function startRemainingItems(
  client: Client,
  operationId: string,
  asks: Asking = {},
): Promise<BulkStatus> {
  // An existing follow-up needs no ledger.
  const { id, there } = await restOf(client, operationId);
  if (there) return there;
  return follow(client, operationId, {
    ...{ id, link: REST_LINK, asks },
    wants: ({ state }) => state === 'planned',
    none: 'has no item left to run',
  });
}

const REST = 'rest';
const REST_LINK = 'rest_of';
/** Returns the possible ids of the operation over the remaining items: the second is used if the first was taken. */
export const restIdsOf = (operationId: string): string[] =>
  [1, 2].map((number) => followUpId(operationId, REST, number));

/** The requester of a follow-up, and the reason. Without a reason, a person keeps the requester of the operation. */
export type Asking = Pick<BulkOperationInput, 'reason' | 'requested_by' | 'requested_subject' | 'by_agent'> &
  Pick<StartOptions, 'via' | 'wait_ms' | 'accepts_unready'>;

interface FollowUp {
  id: string;
  asks?: Asking;
  link: string;
  wants: (item: LedgerItem) => boolean;
  none: string;
  /** The last follow-up that has ended. It is the answer if nothing is left. */
  last?: BulkStatus | undefined;
}

async function follow(
  client: Client,
  operationId: string,
  { id, link, wants, none, last, asks: { via, wait_ms, accepts_unready, ...asks } = {} }: FollowUp,
): Promise<BulkStatus> {
  const there = await locateOperation(client, operationId);
  if (there.running) await awaitEnd(client, operationId);
  const record = await readLedger(client, there);
  if (link === REST_LINK && record.status?.sent_back) throw sentBack(operationId);
  const items = record.items
    .filter(wants)
    .map(({ id, display_name, raw_data }) => ({ id, display_name, raw_data }));
  if (items.length === 0 && last) return last;
  const doubts = doubtNote(operationId, record.items);
  if (items.length === 0) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The operation ${operationId} ${none}.`,
      doubts === '' ? 'There is nothing to do.' : doubts,
    );
  }
  const started = await startBulkOperation(
    client,
    {
      ...sameRequest(record, items),
      ...requesterAfter(record, asks),
      metadata: { ...record.metadata, [link]: operationId },
    },
    {
      operation_id: id,
      task_queue: there.taskQueue,
      via,
      accepts_unready,
      ...(wait_ms !== undefined && { wait_ms }),
    },
  ).catch((error: unknown) => startedByOthers(client, id, error));
  return doubts === '' ? started : { ...started, message: `${started.message}\n${doubts}` };
}

/** The follow-up that another person asked for at the same time, where each would have been its requester. */
async function startedByOthers(client: Client, id: string, error: unknown): Promise<BulkStatus> {
  const there =
    error instanceof BatchgateError && error.code === 'IDEMPOTENCY_CONFLICT'
      ? await followUpIfThere(client, id)
      : undefined;
  if (there === undefined || there === 'taken' || foundNoPlace(there.error)) throw error;
  return there;
}

/** The error for an operation that a person sent back: its remaining items are not wanted. */
const sentBack = (operationId: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `The operation ${operationId} was sent back with guidance, so the rest of it is not asked for again.`,
    `Read sent_back in its status, and start an operation that follows it, with revises ${JSON.stringify(operationId)}. Nothing was started.`,
  );

/**
 * Returns the fields of the requester that replace those of the operation: all of them for an agent or a new reason, so
 * that a reason never appears under another name, and the name where the operation has none.
 */
export function requesterAfter(
  { requested_by: before, terms }: Pick<LedgerRecord, 'requested_by' | 'terms'>,
  { reason, requested_by, requested_subject, by_agent }: Asking,
): Asking {
  if (reason !== undefined || by_agent) return { reason, requested_by, requested_subject, by_agent };
  const isNamed = before !== undefined || terms?.requested_subject !== undefined;
  return isNamed || requested_by === undefined ? {} : { requested_by, requested_subject };
}

const followUpId = (operationId: string, suffix: string, number: number) =>
  `${operationId}.${suffix}${number === 1 ? '' : `-${number}`}`;

/** Returns the same id to every caller, so that there is one follow-up. A refused one is replaced by the next. */
async function restOf(client: Client, operationId: string): Promise<{ id: string; there?: BulkStatus }> {
  for (let number = 1; ; number++) {
    const id = followUpId(operationId, REST, number);
    const there = await followUpIfThere(client, id);
    if (there === 'taken') continue;
    if (!there || foundNoPlace(there.error)) return { id };
    if (there.state !== 'rejected') return { id, there };
  }
}

interface NextRetry {
  id: string;
  live?: BulkStatus;
  last?: BulkStatus | undefined;
  /** The items that earlier retries have settled. */
  settled: ReadonlySet<string>;
}

/**
 * Returns the same id to every caller: that of the live retry, or of the next one if all have ended or were refused.
 */
async function nextRetry(client: Client, operationId: string): Promise<NextRetry> {
  const settled = new Set<string>();
  let last: BulkStatus | undefined;
  for (let number = 1; ; number++) {
    const id = followUpId(operationId, 'retry', number);
    const there = await followUpIfThere(client, id);
    if (there === 'taken') continue;
    if (!there || foundNoPlace(there.error)) return { id, last, settled };
    if (!isClosed(there.state)) return { id, live: there, settled };
    if (there.state === 'rejected') continue;
    last = there;
    const { items } = await readLedger(client, await locateOperation(client, id));
    for (const item of items) if (item.state !== 'planned' && !mayBeRetried(item)) settled.add(item.id);
  }
}

const mayBeRetried = ({ state, retryable }: LedgerItem): boolean =>
  (state === 'failed' || state === 'skipped') && retryable === true;

/** `taken`: a workflow of another kind has this id. It may have no worker that answers a query. */
export async function followUpIfThere(client: Client, id: string): Promise<BulkStatus | 'taken' | undefined> {
  const there = await describeWorkflow(client, id).catch(unlessMissing);
  if (there && there.type !== WORKFLOW_TYPES.bulkOperation) return 'taken';
  return getBulkStatus(client, id).catch(unlessMissing);
}

/** Waits for the end of the workflow. An operation answers its last decision a moment before. */
export async function awaitEnd(client: Client, operationId: string): Promise<void> {
  const { state } = await getBulkStatus(client, operationId);
  if (!isClosed(state)) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The operation ${operationId} has not ended.`,
      'Complete or cancel it first; its status says what it waits for.',
    );
  }
  await call(client, () => client.workflow.getHandle(operationId).result());
}

function sameRequest(record: LedgerRecord, items: BulkItem[]): BulkOperationInput {
  const { domain, action, change_params, session_id, requested_by, undoes, terms = {} } = record;
  const { contract, revises: _, policy: __, ...others } = terms;
  const editors = editorsOf(record);
  const same = { domain, action, session_id, requested_by, ...others, ...editors, ...askedSizes(record) };
  const done = record.items.filter(({ state }) => state === 'succeeded').length;
  return {
    ...same,
    // An undo gets all other data of the items from the operation that it undoes.
    ...(undoes === undefined
      ? { params: change_params ?? {}, items }
      : { undoes, items: items.map(({ id }) => ({ id })) }),
    ...(contract && { contract: contractOfRest(contract, done, items.length) }),
  };
}

/** Returns the sizes that a start requested. A policy may have limited them, and limits those of the follow-up too. */
export function askedSizes({
  batch_size,
  terms,
}: Pick<LedgerRecord, 'batch_size' | 'terms'>): Pick<BulkOperationInput, 'batch_size' | 'batch_sizes'> {
  const sizes = terms?.policy?.asked ?? { batch_size, batch_sizes: terms?.batch_sizes };
  return sizes.batch_sizes ? { batch_sizes: sizes.batch_sizes } : { batch_size: sizes.batch_size };
}

/** Returns the same contract for fewer items: without the total, and with completed items counted to the minimum. */
function contractOfRest(
  { expected_total: _, min_completed, ...same }: NonNullable<OperationTerms['contract']>,
  done: number,
  count: number,
): OperationTerms['contract'] {
  const missing = Math.min(count, Math.max(0, (min_completed ?? 0) - done));
  return { ...same, ...(missing > 0 && { min_completed: missing }) };
}

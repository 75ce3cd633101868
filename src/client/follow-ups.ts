import type { Client } from '@temporalio/client';
import type { LedgerItem, LedgerRecord, OperationTerms } from '../contract/ledger-record';
import { BatchgateError } from '../contract/errors';
import type { BulkItem } from '../contract/items';
import type { BulkOperationInput, BulkStatus } from '../contract/operation';
import { readLedger } from './ledger';
import { isClosed } from '../core/bulk/transitions';
import { call } from './calls';
import { unlessMissing } from './failures';
import { foundNoPlace } from './start-once';
import { describeOperation, getBulkStatus, startBulkOperation } from './operations';

/**
 * A new operation over exactly the items of an ended one that can be retried: retryable failures, and items that had
 * changed since the preview. It is linked by `metadata.retry_of`. A repeated request returns the existing one.
 * @throws BatchgateError `INVALID_INPUT` when the operation has not ended, or has no such items.
 */
export async function retryFailedItems(client: Client, operationId: string): Promise<BulkStatus> {
  return follow(client, operationId, {
    suffix: 'retry',
    link: 'retry_of',
    wants: ({ state, retryable }) => (state === 'failed' || state === 'skipped') && retryable === true,
    none: 'has no failed item that may be tried again',
  });
}

/** A new operation over the items that an ended one, such as an expired one, never ran, with `metadata.rest_of`. */
export async function startRemainingItems(client: Client, operationId: string): Promise<BulkStatus> {
  // An existing one needs no ledger.
  const id = await followUpId(client, operationId, REST);
  const there = await statusIfThere(client, id);
  if (there && there.state !== 'rejected') return there;
  return follow(client, operationId, {
    suffix: REST,
    link: 'rest_of',
    wants: ({ state }) => state === 'planned',
    none: 'has no item left to run',
  });
}

const REST = 'rest';
/** The id of the first operation over an operation's remaining items. */
export const restIdOf = (operationId: string): string => `${operationId}.${REST}`;

interface FollowUp {
  suffix: string;
  link: string;
  wants: (item: LedgerItem) => boolean;
  none: string;
}

async function follow(
  client: Client,
  operationId: string,
  { suffix, link, wants, none }: FollowUp,
): Promise<BulkStatus> {
  const description = await describeOperation(client, operationId);
  if (description.status.name === 'RUNNING') await awaitEnd(client, operationId);
  const record = await readLedger(client, description);
  const items = record.items
    .filter(wants)
    .map(({ id, display_name, raw_data }) => ({ id, display_name, raw_data }));
  if (items.length === 0) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The operation ${operationId} ${none}.`,
      'There is nothing to do.',
    );
  }
  return startBulkOperation(
    client,
    { ...sameRequest(record, items), metadata: { ...record.metadata, [link]: operationId } },
    { operation_id: await followUpId(client, operationId, suffix), task_queue: description.taskQueue },
  );
}

/** The same id for every caller, so that there is one follow-up; a refused one is replaced by the next. */
async function followUpId(client: Client, operationId: string, suffix: string): Promise<string> {
  for (let number = 1; ; number++) {
    const id = `${operationId}.${suffix}${number === 1 ? '' : `-${number}`}`;
    const there = await statusIfThere(client, id);
    if (there?.state !== 'rejected' || foundNoPlace(there.error)) return id;
  }
}

export const statusIfThere = (client: Client, operationId: string): Promise<BulkStatus | undefined> =>
  getBulkStatus(client, operationId).catch(unlessMissing);

/** An operation answers its last decision a moment before its workflow ends. */
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
  const { domain, action, change_params, batch_size, session_id, requested_by, undoes, terms = {} } = record;
  const { contract, ...others } = terms;
  const same = { domain, action, batch_size, session_id, requested_by, ...others };
  const done = record.items.filter(({ state }) => state === 'succeeded').length;
  return {
    ...same,
    // An undo takes everything else about them from the operation that it undoes.
    ...(undoes === undefined
      ? { params: change_params ?? {}, items }
      : { undoes, items: items.map(({ id }) => ({ id })) }),
    ...(contract && { contract: contractOfRest(contract, done, items.length) }),
  };
}

/** The same contract over fewer items: without the total, and items already done count towards the minimum. */
function contractOfRest(
  { expected_total: _, min_completed, ...same }: NonNullable<OperationTerms['contract']>,
  done: number,
  count: number,
): OperationTerms['contract'] {
  const missing = Math.min(count, Math.max(0, (min_completed ?? 0) - done));
  return { ...same, ...(missing > 0 && { min_completed: missing }) };
}

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import type { LedgerRecord } from '../contract/ledger-record';
import type { BulkStatus } from '../contract/operation';
import { stateOfEnd, withResolutions } from '../core/bulk/doubts';
import { stateFromLedger } from '../core/bulk/ledger-status';
import type { OperationState } from '../core/bulk/operation';
import { statusOf } from '../core/bulk/view';
import { unlessMissing } from './failures';
import { findInLedger, type Asked } from './ledger';
import { queueOf } from './calls';
import { findWorkers } from './waiting';

/** The wait for the ledger's record of an operation that Temporal does not have. Milliseconds. */
const LEDGER_MS = 5_000;

/**
 * Returns the answer of `work`, or that of the ledger if Temporal has no such operation, because it was deleted or its
 * retention is over. Without a record in the ledger, the error of `work` is thrown.
 */
export async function orDeleted<T>(
  client: Client,
  operationId: string,
  work: () => Promise<T>,
  answer: (record: LedgerRecord) => T,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    unlessMissing(error);
    const record = await deletedRecord(client, operationId);
    if (record) return answer(record);
    throw error;
  }
}

async function deletedRecord(client: Client, workflowId: string): Promise<LedgerRecord | null> {
  const taskQueue = queueOf(client);
  try {
    // Without a worker, a mistyped id would be answered only after the whole wait.
    if ((await findWorkers(client, taskQueue)) > 0)
      return await findInLedger(client, { workflowId, taskQueue }, LEDGER_MS);
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code !== 'TEMPORAL_UNAVAILABLE') throw error;
  }
  throw new BatchgateError(
    'NOT_FOUND',
    'No such operation is in Temporal, and no worker answers for the ledger.',
    'Take the id from `batchgate list`. If it was deleted in Temporal, run a worker, which has its ledger, and ask again.',
  );
}

const DELETED = 'it was deleted in Temporal';

export function statusOfDeleted(record: LedgerRecord): BulkStatus {
  return record.status ? withResolutions(record.status, record) : statusOf(stateOfDeleted(record));
}

export function stateOfDeleted(record: LedgerRecord): OperationState {
  return record.status ? stateOfEnd(record.status, record) : stateFromLedger(record, DELETED);
}

/** Locates an operation, even after its deletion, and the queue of the workers that have its ledger. */
export async function locate(
  client: Client,
  workflowId: string,
  described: () => Promise<WorkflowExecutionDescription>,
): Promise<Asked & { running: boolean }> {
  return orDeleted<Asked & { running: boolean }>(
    client,
    workflowId,
    async () => {
      const { taskQueue, status, raw } = await described();
      return { workflowId, taskQueue, raw, running: status.name === 'RUNNING' };
    },
    () => ({ workflowId, taskQueue: queueOf(client), running: false }),
  );
}

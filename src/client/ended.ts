import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { LedgerRecord } from '../contract/activities';
import { BatchgateError } from '../contract/errors';
import { WORKFLOW_TYPES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import { statusFromLedger } from '../core/ledger-status';
import { call } from './calls';

/** The last word of an operation that has ended: its result, or the ledger's where it was terminated. */
export async function endedStatus(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<BulkStatus> {
  const { workflowId, status, taskQueue } = description;
  if (status.name === 'COMPLETED') {
    return call(client, () => client.workflow.getHandle(workflowId).result() as Promise<BulkStatus>);
  }
  const record = await call(client, () =>
    client.workflow.execute<(input: { operation_id: string }) => Promise<LedgerRecord | null>>(
      WORKFLOW_TYPES.ledgerRead,
      {
        workflowId: `ledger-${randomUUID()}`,
        taskQueue,
        args: [{ operation_id: workflowId }],
        workflowExecutionTimeout: '1 minute',
      },
    ),
  );
  if (record) return statusFromLedger(record, `it was ${status.name.toLowerCase()} in Temporal`);
  throw new BatchgateError(
    'NOT_FOUND',
    `The operation was ${status.name.toLowerCase()}, and the ledger knows nothing of it.`,
    'Look at its history in the Temporal UI.',
  );
}

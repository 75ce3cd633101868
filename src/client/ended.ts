import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { BulkStatus } from '../contract/operation';
import { statusFromLedger } from '../core/ledger-status';
import { call } from './calls';
import { readLedger } from './ledger';

/** The last word of an operation that has ended: its result, or the ledger's where it was ended from outside. */
export async function endedStatus(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<BulkStatus> {
  const { workflowId, status } = description;
  if (status.name === 'COMPLETED') {
    return call(client, () => client.workflow.getHandle(workflowId).result() as Promise<BulkStatus>);
  }
  const record = await readLedger(client, description);
  return statusFromLedger(record, `it was ${status.name.toLowerCase()} in Temporal`);
}

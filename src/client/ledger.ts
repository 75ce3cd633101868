import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { LedgerReadInput, LedgerRecord } from '../contract/activities';
import { BatchgateError } from '../contract/errors';
import { WORKFLOW_TYPES } from '../contract/messages';
import { call } from './calls';

type LedgerRead = (input: LedgerReadInput) => Promise<LedgerRecord | null>;

/**
 * What the ledger holds of an operation, asked through Temporal: only workers open the store.
 * @throws BatchgateError `NOT_FOUND` when it holds nothing.
 */
export async function readLedger(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<LedgerRecord> {
  const record = await findInLedger(client, description);
  if (record) return record;
  throw new BatchgateError(
    'NOT_FOUND',
    `The ledger knows nothing of ${description.workflowId}.`,
    'Look at its history in the Temporal UI; its worker may use another store.',
  );
}

/** The same; null when it holds nothing. A long list of items comes in parts. */
export async function findInLedger(
  client: Client,
  { workflowId: operation_id, taskQueue }: WorkflowExecutionDescription,
): Promise<LedgerRecord | null> {
  const read = (from: number) =>
    call(client, () =>
      client.workflow.execute<LedgerRead>(WORKFLOW_TYPES.ledgerRead, {
        workflowId: `ledger-${randomUUID()}`,
        taskQueue,
        args: [{ operation_id, from }],
        workflowExecutionTimeout: '1 minute',
      }),
    );
  const record = await read(0);
  if (!record) return null;
  const { next: second, ...whole } = record;
  for (let next = second; next !== undefined;) {
    const part = await read(next);
    whole.items.push(...(part?.items ?? []));
    next = part?.next;
  }
  return whole;
}

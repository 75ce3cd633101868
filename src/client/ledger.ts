import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { LateResolution, LedgerReadInput } from '../contract/activities';
import type { LedgerRecord } from '../contract/ledger-record';
import { BatchgateError } from '../contract/errors';
import { WORKFLOW_TYPES, type ResolveRequest } from '../contract/messages';
import { runOnce } from './waiting';

/** The workflow of an operation, and the queue of the workers that keep its ledger. `raw`: unless it was deleted. */
export type Asked = Pick<WorkflowExecutionDescription, 'workflowId' | 'taskQueue'> &
  Partial<Pick<WorkflowExecutionDescription, 'raw'>>;

/**
 * Reads the ledger's record of an operation through Temporal, because only workers open the store.
 * @throws BatchgateError `NOT_FOUND` when it holds nothing.
 */
export async function readLedger(client: Client, description: Asked): Promise<LedgerRecord> {
  const record = await findInLedger(client, description);
  if (record) return record;
  throw noRecord(description.workflowId);
}

/**
 * Returns the ledger's record of an operation; null if there is none. A long list of items is read in parts. `withinMs`
 * is the timeout of each part.
 */
export async function findInLedger(
  client: Client,
  description: Asked,
  withinMs?: number,
): Promise<LedgerRecord | null> {
  let whole: LedgerRecord | null = null;
  for await (const { next: _, ...part } of ledgerParts(client, description, 0, withinMs)) {
    if (whole) {
      whole.items.push(...part.items);
      whole.answers.push(...part.answers);
    } else whole = part;
  }
  return whole;
}

/**
 * Yields the record in parts, each read on demand, with the items from a place on. Yields nothing if the ledger has no
 * record, or only that of an earlier use of the id: then this one has no plan yet, or ended before it.
 */
export async function* ledgerParts(
  client: Client,
  { workflowId: operation_id, taskQueue, raw }: Asked,
  first = 0,
  withinMs?: number,
): AsyncGenerator<LedgerRecord> {
  const run = raw?.workflowExecutionInfo?.firstRunId;
  for (let from: number | undefined = first; from !== undefined;) {
    const input: LedgerReadInput = { operation_id, from };
    const question = { type: WORKFLOW_TYPES.ledgerRead, id: 'ledger', taskQueue };
    const part = await runOnce<LedgerRecord | null>(client, { ...question, input }, withinMs);
    if (!part || (run && part.run_id !== undefined && part.run_id !== run)) return;
    yield part;
    from = part.next;
  }
}

/**
 * Records a person's resolution of an item of an operation that has ended.
 * @throws BatchgateError `INVALID_INPUT`, `NOT_FOUND`
 */
export function resolveInLedger(
  client: Client,
  { workflowId: operation_id, taskQueue }: Asked,
  request: ResolveRequest,
): Promise<void> {
  const input: LateResolution = { operation_id, request };
  return runOnce(client, { type: WORKFLOW_TYPES.lateResolution, id: 'resolution', taskQueue, input });
}

export const noRecord = (operationId: string) =>
  new BatchgateError(
    'NOT_FOUND',
    `The ledger has no record of ${operationId}.`,
    'Look at its history in the Temporal UI: it may have no plan, or its worker uses another store.',
  );

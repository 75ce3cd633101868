import type { Client } from '@temporalio/client';
import { getBulkStatus, getReport } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { Account } from './record';

/** The product's report on an operation that has ended. */
export async function accountOf(client: Client, id: string): Promise<Account> {
  const status = await getBulkStatus(client, id);
  const { state, confirmations, confirmations_truncated = false, error } = status;
  const rejected = state === 'rejected';
  const { rows, differences } = rejected ? { rows: [], differences: [] } : await getReport(client, id);
  // Without the history, the report comes from the ledger alone and compares nothing.
  if (!differences)
    throw new BatchgateError('TEMPORAL_UNAVAILABLE', 'No history to compare with.', 'Ask again.');
  return {
    ...{ state, confirmations, confirmations_truncated, rows },
    ...(error && { error: `${error.code}: ${error.message}` }),
    differences: differences.map((each) => each.id),
  };
}

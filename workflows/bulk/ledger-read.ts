import { proxyActivities } from '@temporalio/workflow';
import type { BulkActivities, LedgerRecord } from '../../src/contract/activities';

const { readLedger } = proxyActivities<Pick<BulkActivities, 'readLedger'>>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3 },
});

/** What the ledger knows of an operation whose own workflow cannot answer any more; null when it knows nothing. */
export async function ledgerRead(input: { operation_id: string }): Promise<LedgerRecord | null> {
  return readLedger(input);
}

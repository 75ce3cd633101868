import { proxyActivities } from '@temporalio/workflow';
import type { BulkActivities, LedgerReadInput } from '../../src/contract/activities';
import type { LedgerRecord } from '../../src/contract/ledger-record';

const { readLedger } = proxyActivities<Pick<BulkActivities, 'readLedger'>>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3 },
});

/** The ledger's record of an operation, with some of its items; null if it has none. */
export async function ledgerRead(input: LedgerReadInput): Promise<LedgerRecord | null> {
  return readLedger(input);
}

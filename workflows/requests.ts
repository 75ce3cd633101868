import { proxyActivities } from '@temporalio/workflow';
import type { AccessActivities, ApiKey, KeysRequest } from '../src/contract/access';
import type { AuditActivities, AuditPage, AuditRequest, EndRecord } from '../src/contract/audit';
import type { BulkActivities, LateResolution, LedgerReadInput } from '../src/contract/activities';
import type { ItemProof, ItemProofRequest } from '../src/contract/item-proof';
import type { LedgerRecord } from '../src/contract/ledger-record';
import type { Profile, ProfileActivities, ProfileRequest } from '../src/contract/profile';
import type { ScratchpadActivities, ScratchpadAnswer, ScratchpadRequest } from '../src/contract/scratchpad';
import type { StatsFilter, StatsRow } from '../src/contract/stats';
import type { SuggestionRequest } from '../src/contract/suggestions';
import { fromActivityFailure, toFailure } from './shared/failures';
import { touchSentinel } from './shared/visibility';

/** Workflows for single requests to a worker, because only workers can access the store and the tools. */
const startToCloseTimeout = '10s';
const retry = (...nonRetryableErrorTypes: string[]) => ({ maximumAttempts: 3, nonRetryableErrorTypes });

const { readLedger, stats } = proxyActivities<Pick<BulkActivities, 'readLedger' | 'stats'>>({
  startToCloseTimeout,
  retry: { maximumAttempts: 3 },
});
const { accessProfile } = proxyActivities<ProfileActivities>({
  startToCloseTimeout,
  retry: retry('INVALID_INPUT'),
});
type Lookups = AccessActivities & ScratchpadActivities & Pick<BulkActivities, 'resolveLate' | 'proveItem'>;
const activities = proxyActivities<Lookups>({
  startToCloseTimeout,
  retry: retry('INVALID_INPUT', 'NOT_FOUND'),
});
const { exportAudit } = proxyActivities<Pick<AuditActivities, 'exportAudit'>>({
  startToCloseTimeout: '30s',
  retry: retry('INVALID_INPUT', 'NOT_FOUND', 'NOT_CONFIGURED'),
});
/** Waits for a worker without a time limit. */
const { recordEnd } = proxyActivities<Pick<AuditActivities, 'recordEnd'>>({
  startToCloseTimeout,
  retry: { maximumInterval: '1 minute' },
});
/** A person who is typing waits for the answer, so a failure is final. */
const { suggest } = proxyActivities<Pick<BulkActivities, 'suggest'>>({
  startToCloseTimeout,
  retry: { maximumAttempts: 1 },
});

/**
 * Creates, lists or revokes keys of the HTTP API, or keeps a sign-in link. It gets only the hash of a key or a link.
 */
export async function accessKeys(request: KeysRequest): Promise<ApiKey[]> {
  return activities.accessKeys(request);
}

/** Returns the effective values of a profile, after the changes in the request. */
export async function profile(request: ProfileRequest = {}): Promise<Profile> {
  if (request.changes !== undefined) touchSentinel();
  return accessProfile(request);
}

/** Reads or changes the scratchpad of a session once. */
export async function scratchpad(request?: ScratchpadRequest): Promise<ScratchpadAnswer> {
  try {
    return await activities.accessScratchpad(request as ScratchpadRequest);
  } finally {
    // After the value is saved, so that a retry still has the parts. Hygiene deletes parts that are left over.
    if (request?.verb === 'join') await activities.dropUpload(request).catch(() => undefined);
  }
}

/** Returns the ledger's record of an operation, with some of its items; null if it has none. */
export async function ledgerRead(input: LedgerReadInput): Promise<LedgerRecord | null> {
  return readLedger(input);
}

/** Returns statistics of operations and their questions, by domain and action. */
export async function operationStats(filter: StatsFilter = {}): Promise<StatsRow[]> {
  return stats(filter);
}

/** Returns a proof of what was confirmed about one item. */
export async function itemProof(request: ItemProofRequest): Promise<ItemProof> {
  try {
    return await activities.proveItem(request);
  } catch (error) {
    throw toFailure(fromActivityFailure(error));
  }
}

/** Records a person's resolution of an item in doubt, after the end of its operation. */
export async function lateResolution(input: LateResolution): Promise<void> {
  try {
    await activities.resolveLate(input);
  } catch (error) {
    throw toFailure(fromActivityFailure(error));
  }
}

/** Returns the values that a parameter can have in its tool. */
export async function suggestions(request: SuggestionRequest): Promise<string[]> {
  return suggest(request);
}

/** Returns a page of an export of the audit record. */
export async function auditExport(request: AuditRequest = {}): Promise<AuditPage> {
  try {
    return await exportAudit(request);
  } catch (error) {
    throw toFailure(fromActivityFailure(error));
  }
}

/** Records that a job was ended from outside. */
export async function endRecord(input: EndRecord): Promise<void> {
  return recordEnd(input);
}

import { proxyActivities } from '@temporalio/workflow';
import type { AccessActivities, ApiKey, KeysRequest } from '../src/contract/access';

const activities = proxyActivities<AccessActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3, nonRetryableErrorTypes: ['INVALID_INPUT', 'NOT_FOUND'] },
});

/**
 * Creates, lists or revokes keys of the HTTP API, or keeps a sign-in link: only workers open the store. It sees only the
 * hash of a key or a link.
 */
export async function accessKeys(request: KeysRequest): Promise<ApiKey[]> {
  return activities.accessKeys(request);
}

import { proxyActivities } from '@temporalio/workflow';
import type { Profile, ProfileActivities, ProfileRequest } from '../src/contract/profile';
import { touchSentinel } from './shared/visibility';

const { accessProfile } = proxyActivities<ProfileActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3, nonRetryableErrorTypes: ['INVALID_INPUT'] },
});

/** The effective values of a profile, after the changes in the request: only workers open the store. */
export async function profile(request: ProfileRequest = {}): Promise<Profile> {
  if (request.changes !== undefined) touchSentinel();
  return accessProfile(request);
}

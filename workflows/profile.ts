import { proxyActivities } from '@temporalio/workflow';
import type { Profile, ProfileActivities, ProfileRequest } from '../src/contract/profile';

const { accessProfile } = proxyActivities<ProfileActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3, nonRetryableErrorTypes: ['INVALID_INPUT'] },
});

/** A profile's values in force, after the changes that the request holds: only workers open the store. */
export async function profile(request: ProfileRequest = {}): Promise<Profile> {
  return accessProfile(request);
}

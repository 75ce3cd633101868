import { proxyActivities } from '@temporalio/workflow';
import type { BulkActivities, LateResolution } from '../../src/contract/activities';
import { fromActivityFailure, toFailure } from '../shared/failures';

const { resolveLate } = proxyActivities<Pick<BulkActivities, 'resolveLate'>>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 3, nonRetryableErrorTypes: ['INVALID_INPUT', 'NOT_FOUND'] },
});

/** Records what became of an item in doubt, after the end of its operation. */
export async function lateResolution(input: LateResolution): Promise<void> {
  try {
    await resolveLate(input);
  } catch (error) {
    throw toFailure(fromActivityFailure(error));
  }
}

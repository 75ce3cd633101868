import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { BulkActivities } from '../../src/contract/activities';
import { ADMISSION_TRY_MS } from '../../src/contract/sentinel';
import { fromActivityFailure } from './failures';

type Admit = BulkActivities['admit'];

const { admit } = proxyActivities<{ admit: Admit }>({
  // An answer that comes later is refused by the server: a new sentinel relies on it (see SETTLE_MS).
  startToCloseTimeout: ADMISSION_TRY_MS,
  retry: {
    initialInterval: '250ms',
    maximumInterval: '2s',
    nonRetryableErrorTypes: ['INVALID_INPUT', 'NOT_CONFIGURED', 'UNAUTHORIZED', 'FORBIDDEN'],
  },
  summary: 'Admission',
});

/**
 * Asks the sentinel for a slot, for as long as no worker or no sentinel answers: a job is refused for a reason of its
 * own, and not for the time at which it was started.
 */
export async function askForPlace(input: Parameters<Admit>[0]): ReturnType<Admit> {
  try {
    return await admit(input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { admitted: false, error: fromActivityFailure(error) };
  }
}

import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { BulkActivities } from '../src/contract/activities';
import { ADMISSION_TRY_MS } from '../src/contract/sentinel';

type Admit = BulkActivities['admit'];

const { admit } = proxyActivities<{ admit: Admit }>({
  // An answer that comes later is refused by the server: a new sentinel relies on it (see SETTLE_MS).
  startToCloseTimeout: ADMISSION_TRY_MS,
  scheduleToCloseTimeout: '60s',
  retry: { initialInterval: '250ms', maximumInterval: '2s', nonRetryableErrorTypes: ['INVALID_INPUT'] },
  summary: 'Admission',
});

/** Asks the sentinel for a place among the active jobs. Where it does not answer, there is none. */
export async function askForPlace(input: Parameters<Admit>[0]): ReturnType<Admit> {
  try {
    return await admit(input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return {
      admitted: false,
      error: {
        code: 'TEMPORAL_UNAVAILABLE',
        message: 'The sentinel gave no place within a minute, because it or its worker did not answer.',
        hint: 'Look at the workflow `sentinel` and the log of the workers, then start it again; nothing was read or touched.',
      },
    };
  }
}

import { proxyActivities } from '@temporalio/workflow';
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

/** Asks the sentinel for a place among the active jobs. @throws the activity's failure. */
export const askForPlace: Admit = (input) => admit(input);

import type { BulkResult } from '../../../src/contract/items';
import { ProviderFailure } from '../shared/failure';
import { createResults } from '../shared/results';

export const results = createResults({
  provider: 'Google',
  item: 'event',
  hints: {
    signIn:
      'Sign in again with `batchgate login google --for calendar`, or renew BATCHGATE_GOOGLE_ACCESS_TOKEN.',
    grant:
      'Allow it with `batchgate login google --for calendar` (a service account needs the scopes ' +
      'calendar.events and calendar.calendarlist.readonly), enable the Google Calendar API in the project, ' +
      'and check what the account may do in this calendar.',
    tryLater: 'Check the connection and BATCHGATE_CALENDAR_BASE_URL, and try again in a minute.',
  },
});

/** The event has a newer version, which Google reports with 412. */
export const changedSinceFrozen = () =>
  new ProviderFailure('refused', 'The event changed since the preview', { status: 412 });

/** Google shows deleted events as cancelled for a while, and answers 410 to a second deletion. */
export const deletedAlready = () =>
  new ProviderFailure('refused', 'Event not found: it was deleted', { status: 410 });

export const isGone = ({ status }: ProviderFailure): boolean => status === 404 || status === 410;

export function failedResult(item_id: string, failure: ProviderFailure): BulkResult {
  if (failure.status === 410) {
    return { item_id, success: false, error: deletedAlready().message, retryable: false };
  }
  return results.failed(item_id, failure);
}

import type { BatchgateError } from '../../../src/contract/errors';
import type { BulkResult } from '../../../src/contract/items';
import * as provider from '../../../src/provider/failure';

const NOT_FOUND = 'Event not found';

/** The event is another version by now, as Google's 412 says. */
export const changedSincePlanned = () =>
  new provider.ProviderFailure('refused', 'The event changed since it was planned', { status: 412 });

/** Google still shows deleted events for a while, as cancelled ones; a second deletion gets 410. */
export const deletedAlready = () =>
  new provider.ProviderFailure('refused', `${NOT_FOUND}: it was deleted`, { status: 410 });

export const isGone = ({ status }: provider.ProviderFailure): boolean => status === 404 || status === 410;

export function failedResult(item_id: string, failure: provider.ProviderFailure): BulkResult {
  if (failure.status === 410) {
    return { item_id, success: false, error: deletedAlready().message, retryable: false };
  }
  // A new operation plans the event as it is now.
  if (failure.status === 412) {
    return { item_id, success: false, error: changedSincePlanned().message, retryable: true };
  }
  return provider.failedResult(item_id, failure, NOT_FOUND);
}

export function callError(error: unknown, what: string): BatchgateError {
  return provider.callError(error, what, {
    signIn:
      'Sign in again with `batchgate login google --for calendar`, or renew BATCHGATE_GOOGLE_ACCESS_TOKEN.',
    grant:
      'Allow it with `batchgate login google --for calendar` (a service account needs the scopes ' +
      'calendar.events and calendar.calendarlist.readonly), enable the Google Calendar API in the project, ' +
      'and check what the account may do in this calendar.',
    tryLater: 'Check the connection and BATCHGATE_CALENDAR_BASE_URL, and try again in a minute.',
  });
}

import * as provider from '../../../src/provider/failure';
import type { BulkResult } from '../../../src/contract/items';
import type { BatchgateError } from '../../../src/contract/errors';

export function failedResult(item_id: string, failure: provider.ProviderFailure): BulkResult {
  return provider.failedResult(item_id, failure, 'Email not found');
}

export function callError(error: unknown, what: string): BatchgateError {
  return provider.callError(error, what, {
    signIn: 'Sign in again with `batchgate login google`, or renew BATCHGATE_GOOGLE_ACCESS_TOKEN.',
    grant: 'Grant the scope gmail.modify to these credentials and enable the Gmail API in their project.',
    tryLater: 'Check the connection and BATCHGATE_GMAIL_BASE_URL, and try again in a minute.',
  });
}

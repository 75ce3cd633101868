import type { BatchCall, Reconciliation } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkResult } from '../../../src/contract/items';
import { capitalized } from '../../../src/core/shared/plain-text';
import { isGone, ProviderFailure } from './failure';

/** Returns the result of an item whose change was refused, never sent, or sent and never answered. */
function failedResult(item_id: string, failure: ProviderFailure, notFound: string): BulkResult {
  if (failure.kind === 'no_answer' || failure.kind === 'malformed') {
    return { item_id, success: false, error: failure.message, outcome_unknown: true };
  }
  const error = isGone(failure) ? notFound : failure.message;
  return { item_id, success: false, error, retryable: failure.retryable };
}

/** Reports the final result of one item without waiting for the others. */
export function reported(call: Pick<BatchCall, 'onResult'>, result: BulkResult): BulkResult {
  call.onResult?.(result);
  return result;
}

/** The hints for failures of a whole call. */
export interface CallHints {
  readonly signIn: string;
  /** For valid credentials that do not permit the call. */
  readonly grant: string;
  readonly tryLater: string;
}

/** Returns the error of a whole call: prepare, count, or the list. `what` begins the message. */
export function callError(error: unknown, what: string, hints: CallHints): BatchgateError {
  if (error instanceof BatchgateError) return error;
  if (!(error instanceof ProviderFailure)) throw error;
  if (error.cause instanceof BatchgateError) return error.cause;
  const message = `${what}: ${error.message}`;
  if (error.kind === 'credentials') return new BatchgateError('CREDENTIALS_INVALID', message, hints.signIn);
  if (error.kind === 'refused' && !error.retryable) {
    return error.status === 403 || error.refusesUs
      ? new BatchgateError('CREDENTIALS_INVALID', message, hints.grant)
      : new BatchgateError('INVALID_INPUT', message, 'Correct the parameters and start again.');
  }
  return new BatchgateError('ADAPTER_UNAVAILABLE', message, hints.tryLater);
}

interface Wording {
  /** The subject of "Gmail accepted the change". */
  readonly provider: string;
  /** The subject of "the email is as it was". */
  readonly item: string;
  readonly hints: CallHints;
}

/** Creates the results and errors that adapters share, in the words of one provider. */
export function createResults({ provider, item, hints }: Wording) {
  const notFound = `${capitalized(item)} not found`;
  const results = {
    notFound,

    failed: (item_id: string, failure: ProviderFailure): BulkResult =>
      failedResult(item_id, failure, notFound),

    callError: (error: unknown, what: string): BatchgateError => callError(error, what, hints),

    /** Runs a whole call, and converts an exception to the call's error. `what` begins the message. */
    async explained<T>(what: string, work: () => Promise<T>): Promise<T> {
      try {
        return await work();
      } catch (error) {
        throw results.callError(error, what);
      }
    },

    /** Returns the result of an item that was read after the provider had accepted its change. */
    accepted(item_id: string, reconciliation: Reconciliation): BulkResult {
      if (reconciliation === 'applied') return { item_id, success: true };
      return reconciliation === 'not_applied'
        ? {
            item_id,
            success: false,
            error: `${provider} accepted the change, but the ${item} is as it was`,
            retryable: true,
          }
        : { item_id, success: false, error: 'The outcome is unknown', outcome_unknown: true };
    },

    /** Returns the result of an item that was written and then could not be read. */
    notReadBack(item_id: string, failure: ProviderFailure): BulkResult {
      const summary = `${provider} accepted the change, but the ${item} could not be read back`;
      return { item_id, success: false, error: `${summary}: ${failure.message}`, outcome_unknown: true };
    },

    /** Reconciles an item after a crash. */
    async reconcile(readBack: () => Promise<Reconciliation>): Promise<Reconciliation> {
      try {
        return await readBack();
      } catch (error) {
        // A missing item does not have the change. Another try fails with "not found".
        if (error instanceof ProviderFailure && error.status === 404) return 'not_applied';
        if (error instanceof ProviderFailure && !error.retryable) return 'unknown';
        throw results.callError(error, `Failed to read the ${item} back`);
      }
    },
  };
  return results;
}

export type Results = ReturnType<typeof createResults>;

import { BatchgateError } from '../../../src/contract/errors';
import { refusesUs, sqlState } from '../../../src/postgres/databases/failure';
import { ProviderFailure, providerText } from '../shared/failure';
import type { CallHints } from '../shared/results';

const LOST = /^(?:08|57P0)/;
/** Temporary: the server's own rollbacks, resources, locks and cancelled statements. */
const TEMPORARY = /^(?:40|53|55P03|57014)/;
/** Answers to COMMIT that mean that nothing was committed. After any other answer, the outcome is unknown. */
export const ROLLED_BACK = /^(?:2|40(?!003)|42|44|55|57014|P0)/;
/** Errors whose detail names the conflicting row. The detail of other errors can contain a whole row. */
const NAMES_THE_OTHER_ROW = /^2350[35]/;

/** Converts an error of a transaction to a failure. `committing`: COMMIT was sent. */
export function sqlFailure(error: unknown, committing: boolean): ProviderFailure | BatchgateError {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof BatchgateError) return ofConnection(error);
  const state = sqlState(error);
  // Any other error is a failure of the connection.
  if (state === '' || (committing ? !ROLLED_BACK.test(state) : LOST.test(state))) {
    return committing
      ? new ProviderFailure('no_answer', 'The connection was lost while the change was being committed')
      : new ProviderFailure('not_sent', 'The connection was lost before anything was committed');
  }
  const { message, detail } = error as Error & { detail?: string };
  const text = detail !== undefined && NAMES_THE_OTHER_ROW.test(state) ? `${message}: ${detail}` : message;
  return new ProviderFailure('refused', providerText(text, []), {
    reason: state,
    retryable: TEMPORARY.test(state),
    refusesUs: refusesUs(state),
  });
}

function ofConnection(error: BatchgateError): ProviderFailure | BatchgateError {
  if (error.code === 'ADAPTER_UNAVAILABLE') return new ProviderFailure('not_sent', error.message);
  return error;
}

export const HINTS: CallHints = {
  signIn: 'Correct the user and the password in the address of this database.',
  grant: 'Grant the role of this database SELECT on the table, and INSERT, UPDATE or DELETE for the change.',
  tryLater: 'Check that the database is running and reachable, and try again.',
};

import { BatchgateError } from '../../../src/contract/errors';
import { isPrivate } from '../../../src/core/shared/plain-secrets';
import { refusesUs, sqlState } from '../../../src/postgres/databases/failure';
import { ProviderFailure, providerText } from '../shared/failure';
import type { CallHints } from '../shared/results';

const LOST = /^(?:08|57P0)/;
/** Temporary: the server's own rollbacks, resources, locks and cancelled statements. */
const TEMPORARY = /^(?:40|53|55P03|57014)/;
/** Answers to COMMIT that mean that nothing was committed. After any other answer, the outcome is unknown. */
export const ROLLED_BACK = /^(?:2|40(?!003)|42|44|55|57014|P0)/;
/** data_exception, integrity_constraint_violation (for a domain), datatype_mismatch, cannot_coerce. */
export const OF_A_VALUE = /^(?:22|23|42804|42846)/;
/** data_exception: the message quotes the value. */
export const QUOTES_VALUE = /^22/;
/** Errors whose detail names the conflicting row. The detail of other errors can contain a whole row. */
const NAMES_THE_OTHER_ROW = /^2350[35]/;
/** The columns in such a detail, in any language: Key (iban, name)=(DE89, Ana) already exists. */
const columnsIn = (detail: string): string =>
  detail.slice(detail.indexOf('(') + 1, Math.max(0, detail.indexOf(')=(')));

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
  const columns = columnsIn(detail ?? '');
  const isShown = detail !== undefined && NAMES_THE_OTHER_ROW.test(state) && !isPrivate(columns);
  const text = isShown ? `${message}: ${detail}` : message;
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

import { BatchgateError } from '../../../src/contract/errors';
import { ProviderFailure, providerText } from '../shared/failure';
import { createResults } from '../shared/results';

/** A driver's error for an answer of PostgreSQL; any other error is a connection failure. */
interface ServerError extends Error {
  readonly code: string;
  readonly severity: string;
  readonly detail?: string;
}

/** Classes and codes of https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOST = /^(?:08|57P0)/;
/** Temporary: the server's own rollbacks, resources, locks and cancelled statements. */
const TEMPORARY = /^(?:40|53|55P03|57014)/;
/** Answers to COMMIT that mean that nothing was committed; after any other one the outcome is unknown. */
export const ROLLED_BACK = /^(?:2|40(?!003)|42|44|55|57014|P0)/;
/** The detail names the conflicting row; that of other errors may contain a whole row. */
const NAMES_THE_OTHER_ROW = /^2350[35]/;

/** The failure that an error of a transaction means. `committing`: COMMIT was sent. */
export function sqlFailure(error: unknown, committing: boolean): ProviderFailure | BatchgateError {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof BatchgateError) return ofConnection(error);
  if (!isServerError(error) || (committing ? !ROLLED_BACK.test(error.code) : LOST.test(error.code))) {
    return committing
      ? new ProviderFailure('no_answer', 'The connection was lost while the change was being committed')
      : new ProviderFailure('not_sent', 'The connection was lost before anything was committed');
  }
  const { code, message, detail } = error;
  const told = detail !== undefined && NAMES_THE_OTHER_ROW.test(code) ? `${message}: ${detail}` : message;
  return new ProviderFailure('refused', providerText(told, []), {
    reason: code,
    retryable: TEMPORARY.test(code),
    refusesUs: code === '42501' || code.startsWith('28'),
  });
}

function ofConnection(error: BatchgateError): ProviderFailure | BatchgateError {
  if (error.code === 'ADAPTER_UNAVAILABLE') return new ProviderFailure('not_sent', error.message);
  return error;
}

const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';

/** The SQLSTATE of PostgreSQL's refusal. */
export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof ProviderFailure ? error.reason : undefined;

export const results = createResults({
  provider: 'The database',
  item: 'row',
  hints: {
    signIn: 'Correct the user and the password in the address of this database.',
    grant: 'Grant the role of this database SELECT on the table, and UPDATE or DELETE for the change.',
    tryLater: 'Check that the database is running and reachable, and try again.',
  },
});

import { BatchgateError } from '../../contract/errors';
import { redact } from '../../core/shared/redact';
import { connectionTrouble } from '../pool';

/**
 * Returns the SQLSTATE of an error of PostgreSQL, MariaDB or MySQL (whose driver has another field for it); empty for
 * any other error. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function sqlState(error: unknown): string {
  const { code, sqlState: state = code } = (error ?? {}) as { code?: unknown; sqlState?: unknown };
  return typeof state === 'string' && /^[0-9FHPX][0-9A-Z]{4}$/.test(state) ? state : '';
}

/** Returns the number of an error of MariaDB or MySQL; 0 for any other error. */
export function mysqlNumber(error: unknown): number {
  const { errno } = (error ?? {}) as { errno?: unknown };
  return sqlState(error) !== '' && typeof errno === 'number' ? errno : 0;
}

/** Returns the reason why there is no connection. Nothing was sent. */
export function connectFailure(name: string, error: unknown, secrets: readonly string[]): BatchgateError {
  const reason = redact(connectionTrouble(error), secrets);
  const state = sqlState(error);
  // ER_DBACCESS_DENIED_ERROR
  if (refusesUs(state) || mysqlNumber(error) === 1044 || reason.startsWith('SASL')) {
    return new BatchgateError(
      'CREDENTIALS_INVALID',
      `The database '${name}' refuses us: ${reason}`,
      `Correct the user and the password in the address of '${name}'.`,
    );
  }
  // invalid_catalog_name, ER_BAD_DB_ERROR
  if (state === '3D000' || mysqlNumber(error) === 1049) {
    return new BatchgateError(
      'NOT_CONFIGURED',
      `The database '${name}' does not exist on its server: ${reason}`,
      `Create the database, or correct the address of '${name}'.`,
    );
  }
  // The message of https://github.com/brianc/node-postgres, pg-pool.
  if (reason === 'timeout exceeded when trying to connect') {
    return new BatchgateError(
      'ADAPTER_UNAVAILABLE',
      `All connections to the database '${name}' are in use`,
      `Try again later, or run fewer operations on '${name}' at a time.`,
    );
  }
  return new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `The database '${name}' cannot be reached: ${reason}`,
    `Start it, or correct the address of '${name}' in batchgate.config.json; then try again.`,
  );
}

/** Returns true for the class invalid_authorization_specification, and for insufficient_privilege. */
export const refusesUs = (state: string): boolean => state.startsWith('28') || state === '42501';

export function unknownDatabase(name: string, names: readonly string[]): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `There is no database '${name}'.`,
    names.length > 0
      ? `Use one of: ${names.join(', ')}.`
      : `Add it under "databases" in the worker's batchgate.config.json, and restart the worker.`,
  );
}

export function tooLate(name: string): BatchgateError {
  return new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `The time for this call ran out before the database '${name}' had a free connection`,
    'Try again. If it fails again, check the load of the database.',
  );
}

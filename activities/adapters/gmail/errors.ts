import { BatchgateError } from '../../../src/contract/errors';
import type { BulkResult } from '../../../src/contract/items';

/**
 * - `refused`: Gmail answered with an error status.
 * - `credentials`: Gmail answered 401 twice, or there was no access token to send.
 * - `not_sent`: nothing reached Gmail.
 * - `no_answer`: the request was sent, and its answer never came.
 * - `malformed`: Gmail answered success, in a shape that is not the API's.
 */
type FailureKind = 'refused' | 'credentials' | 'not_sent' | 'no_answer' | 'malformed';

/** What became of one request that did not succeed. Its message is fit for people and holds no token. */
export class GmailFailure extends Error {
  override readonly name = 'GmailFailure';

  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly status?: number,
    readonly reason?: string,
  ) {
    super(message);
  }

  /** Gmail's limits and troubles pass by; see "Resolve errors" in the Gmail API's guides. */
  get retryable(): boolean {
    if (this.kind !== 'refused') return true;
    const status = this.status ?? 0;
    if (status === 408 || status === 429 || status >= 500) return true;
    return status === 403 && /^(userRate|rate|daily)LimitExceeded$/.test(this.reason ?? '');
  }

  /** It is us that Gmail refuses, whatever we ask: no email was looked at. */
  get refusesUs(): boolean {
    if (this.kind === 'credentials') return true;
    return this.status === 403 && NO_ACCESS.has(this.reason ?? '');
  }
}

/** The scope is missing, the API is off in the client's project, or the domain's administrator forbids it. */
const NO_ACCESS = new Set(['insufficientPermissions', 'accessNotConfigured', 'domainPolicy']);

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

interface ErrorParts {
  code?: unknown;
  syscall?: unknown;
  cause?: unknown;
  response?: { status?: unknown; data?: unknown };
}

/** Reads what the client library threw after it had handed a request to the network. */
export function toFailure(error: unknown, token: string): GmailFailure {
  const { response } = error as ErrorParts;
  if (typeof response?.status === 'number') return refusal(response.status, response.data, token);
  for (let cause = error as ErrorParts | undefined; cause; cause = cause.cause as ErrorParts | undefined) {
    if (cause.syscall === 'connect' || NEVER_CONNECTED.has(String(cause.code))) {
      return new GmailFailure('not_sent', 'Gmail could not be reached');
    }
  }
  return new GmailFailure('no_answer', 'Gmail did not answer, so nobody knows what became of it');
}

function refusal(status: number, data: unknown, token: string): GmailFailure {
  const error = (data as { error?: { message?: unknown; errors?: { reason?: unknown }[] } } | null)?.error;
  const told = typeof error?.message === 'string' ? error.message : '';
  const reason = Array.isArray(error?.errors) ? error.errors[0]?.reason : undefined;
  const text = told.replaceAll(token, '…').replace(/\s+/g, ' ').slice(0, 300);
  return new GmailFailure(
    status === 401 ? 'credentials' : 'refused',
    text === '' ? `Gmail answered ${status}` : `Gmail answered ${status}: ${text}`,
    status,
    typeof reason === 'string' ? reason : undefined,
  );
}

/** The result of an item whose change was refused, never sent, or sent and never answered. */
export function failedResult(item_id: string, failure: GmailFailure): BulkResult {
  if (failure.kind === 'no_answer') {
    return { item_id, success: false, error: failure.message, outcome_unknown: true };
  }
  const error = failure.status === 404 ? 'Email not found' : failure.message;
  return { item_id, success: false, error, retryable: failure.retryable };
}

/** The error of a whole call: prepare, count, or the list. `what` begins the message. */
export function callError(error: unknown, what: string): BatchgateError {
  if (error instanceof BatchgateError) return error;
  if (!(error instanceof GmailFailure)) throw error;
  const message = `${what}: ${error.message}`;
  if (error.kind === 'credentials') return new BatchgateError('CREDENTIALS_INVALID', message, SIGN_IN);
  if (error.kind === 'refused' && !error.retryable) {
    // Without a mailbox, as for a service account that stands in for nobody, any precondition fails.
    return error.status === 403 || error.reason === 'failedPrecondition'
      ? new BatchgateError('CREDENTIALS_INVALID', message, GRANT_SCOPE)
      : new BatchgateError('INVALID_INPUT', message, 'Correct the parameters and start again.');
  }
  return new BatchgateError('ADAPTER_UNAVAILABLE', message, TRY_LATER);
}

const SIGN_IN = 'Sign in again with `batchgate login google`, or renew BATCHGATE_GOOGLE_ACCESS_TOKEN.';
const GRANT_SCOPE =
  'Grant the scope gmail.modify to these credentials and enable the Gmail API in their project.';
const TRY_LATER = 'Check the connection and BATCHGATE_GMAIL_BASE_URL, and try again in a minute.';

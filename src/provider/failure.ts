import { shortened } from '../contract/text';
import { BatchgateError } from '../contract/errors';
import type { BulkResult } from '../contract/items';
import { redact } from '../core/redact';

/**
 * - `refused`: the provider answered with an error status.
 * - `credentials`: it refuses our credentials, or there were none to send.
 * - `not_sent`: nothing reached it.
 * - `no_answer`: the request was sent, and its answer never came, or a gateway stands for it that has none either.
 * - `malformed`: it answered success, in a shape that is not the API's.
 */
type FailureKind = 'refused' | 'credentials' | 'not_sent' | 'no_answer' | 'malformed';

interface FailureDetail {
  readonly status?: number;
  /** The provider's own word for it. */
  readonly reason?: string;
  /** Whether the same request may succeed later. Default: unless it was refused with a status that lasts. */
  readonly retryable?: boolean;
  /** It is us that the provider refuses, whatever we ask: nothing was looked at. Default: for `credentials`. */
  readonly refusesUs?: boolean;
}

/** What became of one request that did not succeed. Its message is fit for people and holds no secret. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly status?: number;
  readonly reason?: string;
  readonly retryable: boolean;
  readonly refusesUs: boolean;

  constructor(
    readonly kind: FailureKind,
    message: string,
    detail: FailureDetail = {},
  ) {
    super(message);
    this.status = detail.status;
    this.reason = detail.reason;
    this.retryable = detail.retryable ?? (kind !== 'refused' || passesBy(detail.status));
    this.refusesUs = detail.refusesUs ?? kind === 'credentials';
  }
}

/** Limits and troubles of a server pass by (RFC 9110, sections 15.5.9 and 15.6; RFC 6585, section 4). */
function passesBy(status = 0): boolean {
  return status === 408 || status === 429 || status >= 500;
}

const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What OpenSSL and Node say of a handshake that failed: https://nodejs.org/api/tls.html, "X509 certificate error codes". */
const NO_HANDSHAKE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_|(?:HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)$)/;

interface ErrorParts {
  code?: unknown;
  syscall?: unknown;
  cause?: unknown;
  /** One for each address of the host that was tried. */
  errors?: unknown;
}

function neverConnected(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, syscall, cause, errors } = error as ErrorParts;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(neverConnected);
  const name = String(code);
  return (
    syscall === 'connect' || NEVER_CONNECTED.has(name) || NO_HANDSHAKE.test(name) || neverConnected(cause)
  );
}

/** Reads what the network threw once a request was handed to it: either nothing was sent, or nobody knows. */
export function networkFailure(provider: string, error: unknown): ProviderFailure {
  if (neverConnected(error)) return unreachable(provider);
  return new ProviderFailure('no_answer', `${provider} did not answer, so nobody knows what became of it`);
}

export function unreachable(provider: string): ProviderFailure {
  return new ProviderFailure('not_sent', `${provider} could not be reached`);
}

/** What a gateway answers after whoever it asked broke off or kept silent: RFC 9110, sections 15.6.3 and 15.6.5. */
export const gatewayHasNone = (status: number): boolean => status === 502 || status === 504;

/** An answer that leaves open whether the request was carried out. */
export function inDoubt(provider: string, status: number): ProviderFailure {
  return new ProviderFailure(
    'no_answer',
    `${provider} answered ${status}, so nobody knows what became of it`,
    { status },
  );
}

export function outOfTime(): ProviderFailure {
  return new ProviderFailure('not_sent', 'The time for this call was over before it was sent');
}

/** An answer of success that is not the API's: the change may be there, so a write has to be read back. */
export function malformed(provider: string): ProviderFailure {
  return new ProviderFailure('malformed', `${provider}'s answer could not be read`);
}

/**
 * Words of a provider, as they may be shown: one line, of a sensible length, without the secrets that were sent.
 */
export function providerText(text: unknown, secrets: readonly string[]): string {
  if (typeof text !== 'string') return '';
  const line = redact(text, secrets).replace(/[\s\p{Cc}]+/gu, ' ');
  return shortened(line.trim(), 300);
}

/** The result of an item whose change was refused, never sent, or sent and never answered. */
export function failedResult(item_id: string, failure: ProviderFailure, notFound: string): BulkResult {
  if (failure.kind === 'no_answer' || failure.kind === 'malformed') {
    return { item_id, success: false, error: failure.message, outcome_unknown: true };
  }
  const error = failure.status === 404 ? notFound : failure.message;
  return { item_id, success: false, error, retryable: failure.retryable };
}

/** After the first write, credentials that ran out are one item's failure like any other. */
export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof BatchgateError) {
    // Where a token comes from may be out of reach, which says nothing of the credentials.
    const kind = error.code === 'ADAPTER_UNAVAILABLE' ? 'not_sent' : 'credentials';
    return new ProviderFailure(kind, error.message);
  }
  throw error;
}

/** What to do about the failure of a whole call. */
interface CallHints {
  readonly signIn: string;
  /** Our credentials are good, and may not do this. */
  readonly grant: string;
  readonly tryLater: string;
}

/** The error of a whole call: prepare, count, or the list. `what` begins the message. */
export function callError(error: unknown, what: string, hints: CallHints): BatchgateError {
  if (error instanceof BatchgateError) return error;
  if (!(error instanceof ProviderFailure)) throw error;
  const message = `${what}: ${error.message}`;
  if (error.kind === 'credentials') return new BatchgateError('CREDENTIALS_INVALID', message, hints.signIn);
  if (error.kind === 'refused' && !error.retryable) {
    return error.status === 403 || error.refusesUs
      ? new BatchgateError('CREDENTIALS_INVALID', message, hints.grant)
      : new BatchgateError('INVALID_INPUT', message, 'Correct the parameters and start again.');
  }
  return new BatchgateError('ADAPTER_UNAVAILABLE', message, hints.tryLater);
}

/** Runs a whole call, and makes what it throws that call's error. `what` begins the message. */
export function explaining(toError: (error: unknown, what: string) => BatchgateError) {
  return async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toError(error, what);
    }
  };
}

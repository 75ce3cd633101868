import { shortened } from '../../../src/contract/text';
import { BatchgateError } from '../../../src/contract/errors';
import { redact } from '../../../src/core/shared/redact';

/**
 * The failure of one request to a tool. The functions of a `Tool` throw it, and so does `jsonClient`. Its message is
 * written for users and contains no secret.
 *
 * @example
 * throw new ProviderFailure('refused', 'The library is closed', { status: 503 });
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly status?: number;
  readonly reason?: string;
  readonly retryable: boolean;
  readonly refusesUs: boolean;
  readonly until?: number;

  constructor(
    /**
     * - `refused`: the tool answered with an error status.
     * - `credentials`: the tool refuses our credentials, or there were none to send.
     * - `not_sent`: nothing reached the tool.
     * - `no_answer`: the request was sent, and the tool did not answer; a gateway may have answered instead.
     * - `malformed`: the tool answered with success, in a shape that does not match the API.
     */
    readonly kind: 'refused' | 'credentials' | 'not_sent' | 'no_answer' | 'malformed',
    message: string,
    detail: {
      readonly status?: number;
      /** The provider's own code for the failure. */
      readonly reason?: string;
      /** Whether the same request may succeed later. Default: true, unless it was refused with a permanent status. */
      readonly retryable?: boolean;
      /** Whether the provider refuses our credentials for every request. Default: true for `credentials`. */
      readonly refusesUs?: boolean;
      /** The time until which the provider refuses every request, in milliseconds since the epoch. */
      readonly until?: number;
      /** The error of the public surface that ends the whole call. */
      readonly cause?: BatchgateError;
    } = {},
  ) {
    super(message, detail.cause && { cause: detail.cause });
    this.status = detail.status;
    this.reason = detail.reason;
    this.until = detail.until;
    this.retryable = detail.retryable ?? (kind !== 'refused' || isTemporary(detail.status));
    this.refusesUs = detail.refusesUs ?? kind === 'credentials';
  }
}

/** Limits and server errors are temporary (RFC 9110, sections 15.5.9 and 15.6; RFC 6585, section 4). */
function isTemporary(status = 0): boolean {
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

/** Error codes of OpenSSL and Node for a failed handshake: https://nodejs.org/api/tls.html, "X509 certificate error codes". */
const NO_HANDSHAKE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_|(?:HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)$)/;

interface ErrorParts {
  code?: unknown;
  syscall?: unknown;
  cause?: unknown;
  /** One for each address of the host. */
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

/** Converts a network error to a failure: nothing was sent, or the outcome is unknown. */
export function networkFailure(provider: string, error: unknown): ProviderFailure {
  if (neverConnected(error)) return unreachable(provider);
  return new ProviderFailure('no_answer', `${provider} did not answer, so the outcome is unknown`);
}

export function unreachable(provider: string): ProviderFailure {
  return new ProviderFailure('not_sent', `${provider} could not be reached`);
}

/** Returns true if a gateway got no usable answer from the server behind it: RFC 9110, sections 15.6.3 and 15.6.5. */
export const gatewayHasNone = (status: number): boolean => status === 502 || status === 504;

/** Returns the failure for an answer that leaves open whether the request was executed. */
export function inDoubt(provider: string, status: number): ProviderFailure {
  return new ProviderFailure('no_answer', `${provider} answered ${status}, so the outcome is unknown`, {
    status,
  });
}

/** Returns the failure for an answer other than success. `reason`: the provider's reason, without secrets. */
export function refusal(
  provider: string,
  { status, headers }: { status: number; headers: Headers },
  reason: string,
  more: ConstructorParameters<typeof ProviderFailure>[2] = {},
): ProviderFailure {
  if (gatewayHasNone(status)) return inDoubt(provider, status);
  const message = `${provider} answered ${status}${reason === '' ? '' : `: ${reason}`}`;
  const until = status === 429 ? refusedUntil(headers) : undefined;
  return new ProviderFailure(status === 401 ? 'credentials' : 'refused', message, { status, until, ...more });
}

export function outOfTime(): ProviderFailure {
  return new ProviderFailure('not_sent', 'The time for this call ran out before it was sent');
}

/** Returns the error for a request that the tool cannot fulfil with these parameters. */
export const mistake = (message: string, hint: string): BatchgateError =>
  new BatchgateError('INVALID_INPUT', message, hint);

/** Returns the failure if the item has another version than the write expects. */
export const outdated = (): ProviderFailure =>
  new ProviderFailure('refused', 'It was changed in the meantime', { status: 412 });

export const isGone = ({ status }: ProviderFailure): boolean => status === 404 || status === 410;

/** Runs a read. Returns undefined if the tool answers that the item does not exist. */
export async function unlessGone<T>(readItem: () => Promise<T>): Promise<T | undefined> {
  try {
    return await readItem();
  } catch (error) {
    if (error instanceof ProviderFailure && isGone(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the failure for a success in a shape that does not match the API. The item must be read back after a write.
 */
export function malformed(provider: string): ProviderFailure {
  return new ProviderFailure('malformed', `${provider}'s answer could not be read`);
}

/** Returns the time until which a provider refuses every request, if its answer has one (RFC 9110, section 10.2.3). */
export function refusedUntil(headers: Headers): number | undefined {
  const after = headers.get('retry-after')?.trim() ?? '';
  if (after === '') return undefined;
  const until = /^\d+$/.test(after) ? Date.now() + Number(after) * 1_000 : Date.parse(after);
  return Number.isFinite(until) ? until : undefined;
}

/** Returns the text of a provider for display: one line of limited length, without the secrets that were sent. */
export function providerText(text: unknown, secrets: readonly string[]): string {
  if (typeof text !== 'string') return '';
  const line = redact(text, secrets).replace(/[\s\p{Cc}]+/gu, ' ');
  return shortened(line.trim(), 300);
}

/** Converts an error to a failure of one item. After the first write, this includes expired credentials. */
export function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof BatchgateError) {
    // An unreachable token endpoint proves nothing about the credentials.
    const kind = error.code === 'ADAPTER_UNAVAILABLE' ? 'not_sent' : 'credentials';
    return new ProviderFailure(kind, error.message, { cause: error });
  }
  throw error;
}

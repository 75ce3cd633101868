import type { gmail_v1 } from '@googleapis/gmail';
import { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import { unlessAborted } from '../../../src/core/shared/promises';
import type { Allowance } from '../shared/allowance';
import {
  malformed,
  outOfTime,
  ProviderFailure,
  networkFailure,
  providerText,
  refusal,
  refusedUntil,
} from '../shared/failure';
import { withLimits } from '../shared/limits';

/** The address of a Google service and its credentials. */
export interface GoogleOptions {
  /** Another server with the same API. */
  readonly rootUrl?: string;
  /** The name of that server, if its address can change. Default: its address. */
  readonly place?: string;
  /** Called before every request. `refused`: the token that Google refused with 401. */
  readonly accessToken: (refused?: string) => Promise<string>;
  /** In the quota units of the service. Default: the limit that Google publishes, for this adapter alone. */
  readonly allowance?: Allowance;
}

/** Returns the place where an adapter makes its changes. */
export const placeOf = ({ place, rootUrl = 'Google' }: GoogleOptions): string => place ?? rootUrl;

export type GoogleAccount = GoogleOptions & Required<Pick<GoogleOptions, 'allowance'>>;

/** The request options of Google's client libraries. */
type RequestOptions = Omit<gmail_v1.Options, 'version'>;
type Request = (options: RequestOptions) => Promise<{ data: unknown }>;

/**
 * Sends one request, which costs `units` of the service's quota, and parses the answer with a schema.
 * @throws ProviderFailure
 */
export type AskGoogle = <S extends z.ZodType>(
  schema: S,
  units: number,
  request: Request,
  headers?: Readonly<Record<string, string>>,
) => Promise<z.output<S>>;

/** Returns the first `limit` elements of a list, from as many pages as needed. */
export async function fromPages<T>(
  page: (next: { pageToken?: string }) => Promise<{ items: T[]; nextPageToken?: string }>,
  limit = Infinity,
): Promise<T[]> {
  const all: T[] = [];
  let next: { pageToken?: string } | undefined = {};
  while (next !== undefined && all.length < limit) {
    const { items, nextPageToken } = await page(next);
    all.push(...items);
    next = nextPageToken === undefined ? undefined : { pageToken: nextPageToken };
  }
  return all.slice(0, limit);
}

/** Sends requests within the limits of one call. It does not retry, except once after a 401 with another token. */
export function googleTransport(service: string, options: GoogleAccount, limits: CallLimits): AskGoogle {
  const { accessToken, allowance } = options;
  return async (schema, units, request, headers) => {
    /** `refused`: a token that Google has refused. */
    const send = async (refused?: string) => {
      await allowance.take(units, limits);
      return withLimits(limits.deadline, limits.signal, async (within) => {
        const token = await tokenFor(service, accessToken, refused, within.signal);
        const authorized = { ...headers, authorization: `Bearer ${token}` };
        try {
          return { data: await sendOnce(service, request, authorized, token, within) };
        } catch (error) {
          if (refused === undefined && error instanceof ProviderFailure && error.status === 401)
            return { refused: token };
          throw error;
        }
      });
    };
    // Google does not execute a request with a refused token, so a second request repeats no change.
    const first = await send();
    const { data } = 'refused' in first ? await send(first.refused) : first;
    const answer = schema.safeParse(data);
    if (answer.success) return answer.data;
    throw malformed(service);
  };
}

async function sendOnce(
  service: string,
  request: Request,
  headers: Record<string, string>,
  token: string,
  { signal, deadline }: CallLimits,
): Promise<unknown> {
  let sent = false;
  try {
    const pending = request({
      headers,
      signal,
      // The client library retries by default, and its own timeout option ignores an aborted signal.
      retry: false,
      // The last step before the network. A late request fails here, and was certainly not sent.
      adapter: (prepared, defaultAdapter) => {
        if (signal.aborted || Date.now() >= deadline) throw outOfTime();
        sent = true;
        return defaultAdapter(prepared);
      },
      fetchImplementation: fetch,
    });
    return (await unlessAborted(signal, pending)).data;
  } catch (error) {
    throw sent ? googleFailure(service, error, token) : outOfTime();
  }
}

async function tokenFor(
  service: string,
  accessToken: GoogleOptions['accessToken'],
  refused: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (signal.aborted) throw outOfTime();
  try {
    return await unlessAborted(signal, accessToken(refused), outOfTime);
  } catch (error) {
    if (error instanceof ProviderFailure || error instanceof BatchgateError) throw error;
    throw new ProviderFailure('credentials', `There is no access token for ${service}`);
  }
}

/** The scope is missing, the API is disabled in the project, or the administrator of the domain forbids it. */
const NO_ACCESS = new Set([
  ...['insufficientPermissions', 'accessNotConfigured', 'domainPolicy'],
  ...['ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'SERVICE_DISABLED'],
]);
/** Limits that Google reports with 403 (see "Resolve errors" in the guides of the Gmail and Calendar APIs). */
const LIMIT =
  /^(userRate|rate|daily|quota)(LimitExceeded|Exceeded)$|^(RATE_LIMIT_EXCEEDED|RESOURCE_EXHAUSTED)$/;
/** The quotas of Gmail and Calendar are per minute. Wait this long if the refusal contains no time. */
const MINUTE_MS = 60_000;
/** Matches `User-rate limit exceeded. Retry after 2026-11-26T12:00:00.000Z`. */
const RETRY_AFTER = /\bretry after (\d{4}-\d\d-\d\dT[\d:.]+Z)/i;

interface Refusal {
  response?: { status?: unknown; data?: unknown; headers?: unknown };
}

/** `retryDelay`, of google.rpc.RetryInfo: `30s`. */
const reasons = z
  .array(z.object({ reason: z.string(), retryDelay: z.string() }).partial().catch({}))
  .optional()
  .catch(undefined);
const text = z.string().optional().catch(undefined);
/** Newer refusals have `status` and `details` instead of `errors`. */
const errorBody = z.object({
  error: z.object({ message: text, status: text, errors: reasons, details: reasons }),
});

/** Converts an error of Google's client library, thrown after it passed the request to the network. */
function googleFailure(service: string, error: unknown, token: string): ProviderFailure {
  const { response } = error as Refusal;
  if (typeof response?.status !== 'number') return networkFailure(service, error);
  const { status, data } = response;
  const headers = response.headers instanceof Headers ? response.headers : new Headers();
  const { message, status: name, errors = [], details = [] } = errorBody.safeParse(data).data?.error ?? {};
  const reason = [...errors, ...details].find((detail) => detail.reason)?.reason ?? name;
  const words = providerText(message, [token]);
  const isForbidden = status === 403;
  const isLimit = status === 429 || (isForbidden && [reason, name].some((word) => LIMIT.test(word ?? '')));
  return refusal(service, { status, headers }, words, {
    reason,
    ...(isLimit && { retryable: true, until: untilWhen(words, headers, details) }),
    // A service account without a user has no mailbox, so every precondition fails.
    ...(((isForbidden && NO_ACCESS.has(reason ?? '')) || reason === 'failedPrecondition') && {
      refusesUs: true,
    }),
  });
}

/**
 * Returns the time until which Google refuses every request, from the message, a header or the details of its answer.
 */
function untilWhen(message: string, headers: Headers, details: readonly { retryDelay?: string }[]): number {
  const after = Date.parse(RETRY_AFTER.exec(message)?.[1] ?? '');
  if (!Number.isNaN(after)) return after;
  const delay = Number.parseFloat(details.find((detail) => detail.retryDelay)?.retryDelay ?? '');
  return refusedUntil(headers) ?? Date.now() + (Number.isNaN(delay) ? MINUTE_MS : delay * 1_000);
}

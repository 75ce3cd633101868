import type { gmail_v1 } from '@googleapis/gmail';
import type { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { Allowance } from '../../../src/provider/allowance';
import {
  malformed,
  outOfTime,
  ProviderFailure,
  gatewayHasNone,
  inDoubt,
  networkFailure,
  providerText,
} from '../../../src/provider/failure';
import { withLimits } from '../../../src/provider/limits';

/** Where one of Google's services is and how to get in. */
export interface GoogleOptions {
  /** Another server with the same API. */
  readonly rootUrl?: string;
  /** Asked before every request. `refused`: Google answered 401 to this token, so another one is wanted. */
  readonly accessToken: (refused?: string) => Promise<string>;
  /** In the service's own quota units; without one, the limit that Google publishes, for this adapter alone. */
  readonly allowance?: Allowance;
}

export type GoogleAccount = GoogleOptions & Required<Pick<GoogleOptions, 'allowance'>>;

/** What every method of Google's client libraries takes beside its parameters. */
type RequestOptions = Omit<gmail_v1.Options, 'version'>;
type Request = (options: RequestOptions) => Promise<{ data: unknown }>;

/**
 * Sends one request, which costs `units` of the service's quota, and reads its answer through a schema.
 * @throws ProviderFailure
 */
export type AskGoogle = <S extends z.ZodType>(
  schema: S,
  units: number,
  request: Request,
  headers?: Readonly<Record<string, string>>,
) => Promise<z.output<S>>;

/** How to ask within the limits of one call. Never retries; after a 401 it sends once more with another token. */
export function googleTransport(service: string, options: GoogleAccount, limits: CallLimits): AskGoogle {
  const { accessToken, allowance } = options;
  return async (schema, units, request, headers) => {
    const data = await withLimits(limits.deadline, limits.signal, async ({ signal, deadline }) => {
      const send = async (token: string) => {
        await allowance.take(units, { signal, deadline });
        return sendOnce(service, request, { ...headers, authorization: `Bearer ${token}` }, token, {
          signal,
          deadline,
        });
      };
      const token = await tokenFor(service, accessToken, undefined, signal);
      try {
        return await send(token);
      } catch (error) {
        // Google does nothing for a token that it refuses, so that sending it once more repeats no change.
        if (!(error instanceof ProviderFailure && error.status === 401)) throw error;
        return await send(await tokenFor(service, accessToken, token, signal));
      }
    });
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
    const answer = await request({
      headers,
      signal,
      // The client library retries unless told not to, and its own timeout option forgets an aborted signal.
      retry: false,
      // The last step before the network: a request that comes too late ends here, known not to be sent.
      adapter: (prepared, defaultAdapter) => {
        if (signal.aborted || Date.now() >= deadline) throw outOfTime();
        sent = true;
        return defaultAdapter(prepared);
      },
      fetchImplementation: fetch,
    });
    return answer.data;
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
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(outOfTime()), { once: true });
  });
  try {
    return await Promise.race([accessToken(refused), aborted]);
  } catch (error) {
    if (error instanceof ProviderFailure || error instanceof BatchgateError) throw error;
    throw new ProviderFailure('credentials', `There is no access token for ${service}`);
  }
}

/** The scope is missing, the API is off in the client's project, or the domain's administrator forbids it. */
const NO_ACCESS = new Set(['insufficientPermissions', 'accessNotConfigured', 'domainPolicy']);
/** Limits that Google says with 403 (see "Resolve errors" in the guides of the Gmail and Calendar APIs). */
const LIMIT = /^(userRate|rate|daily|quota)(LimitExceeded|Exceeded)$/;

interface Refusal {
  response?: { status?: unknown; data?: unknown };
}

/** Reads what Google's client library threw after it had handed a request to the network. */
function googleFailure(service: string, error: unknown, token: string): ProviderFailure {
  const { response } = error as Refusal;
  return typeof response?.status === 'number'
    ? refusal(service, response.status, response.data, token)
    : networkFailure(service, error);
}

interface ErrorBody {
  error?: { message?: unknown; errors?: { reason?: unknown }[] };
}

function refusal(service: string, status: number, data: unknown, token: string): ProviderFailure {
  if (gatewayHasNone(status)) return inDoubt(service, status);
  const error = (data as ErrorBody | null)?.error;
  const first: unknown = Array.isArray(error?.errors) ? error.errors[0]?.reason : undefined;
  const reason = typeof first === 'string' ? first : undefined;
  const told = providerText(error?.message, [token]);
  const answered = `${service} answered ${status}`;
  const forbidden = status === 403 ? (reason ?? '') : '';
  return new ProviderFailure(
    status === 401 ? 'credentials' : 'refused',
    told === '' ? answered : `${answered}: ${told}`,
    {
      status,
      reason,
      ...(LIMIT.test(forbidden) && { retryable: true }),
      // Without a mailbox, as for a service account that stands in for nobody, any precondition fails.
      ...((NO_ACCESS.has(forbidden) || reason === 'failedPrecondition') && { refusesUs: true }),
    },
  );
}

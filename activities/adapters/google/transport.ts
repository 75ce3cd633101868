import type { gmail_v1 } from '@googleapis/gmail';
import type { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import { withLimits } from '../../../src/provider/limits';
import type { Allowance } from '../../../src/provider/allowance';
import { malformed, outOfTime, ProviderFailure } from '../../../src/provider/failure';
import { googleFailure } from './failure';

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

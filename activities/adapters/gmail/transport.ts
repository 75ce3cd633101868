import type { gmail_v1 } from '@googleapis/gmail';
import type { z } from 'zod';
import type { CallLimits } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import { withLimits } from '../../limits';
import { GmailFailure, toFailure } from './errors';

/** Where Gmail is and how to get in. `refused`: Gmail answered 401 to this token, so another one is wanted. */
export interface GmailOptions {
  readonly rootUrl?: string;
  readonly accessToken: (refused?: string) => Promise<string>;
}

type RequestOptions = Omit<gmail_v1.Options, 'version'>;
type Request = (options: RequestOptions) => Promise<{ data: unknown }>;

/** Sends one request and reads its answer through a schema. Throws `GmailFailure`. */
export type Ask = <S extends z.ZodType>(schema: S, request: Request) => Promise<z.output<S>>;

/** How to ask within the limits of one call. Never retries; after a 401 it sends once more with another token. */
export function gmailTransport({ accessToken }: GmailOptions, limits: CallLimits): Ask {
  return async (schema, request) => {
    const data = await withLimits(limits.deadline, limits.signal, async ({ signal }) => {
      const token = await tokenFor(accessToken, undefined, signal);
      try {
        return await sendOnce(request, token, signal, limits);
      } catch (error) {
        // Gmail does nothing for a token that it refuses, so that sending it once more repeats no change.
        if (!(error instanceof GmailFailure && error.status === 401)) throw error;
        return await sendOnce(request, await tokenFor(accessToken, token, signal), signal, limits);
      }
    });
    const answer = schema.safeParse(data);
    if (answer.success) return answer.data;
    throw new GmailFailure('malformed', "Gmail's answer could not be read");
  };
}

async function sendOnce(
  request: Request,
  token: string,
  signal: AbortSignal,
  limits: CallLimits,
): Promise<unknown> {
  let sent = false;
  try {
    const answer = await request({
      headers: { authorization: `Bearer ${token}` },
      signal,
      // The client library retries unless told not to, and its own timeout option forgets an aborted signal.
      retry: false,
      // The last step before the network: a request that comes too late ends here, known not to be sent.
      adapter: (prepared, defaultAdapter) => {
        if (signal.aborted || Date.now() >= limits.deadline) throw outOfTime();
        sent = true;
        return defaultAdapter(prepared);
      },
      fetchImplementation: fetch,
    });
    return answer.data;
  } catch (error) {
    throw sent ? toFailure(error, token) : outOfTime();
  }
}

const outOfTime = () => new GmailFailure('not_sent', 'The time for this call was over before it was sent');

async function tokenFor(
  accessToken: GmailOptions['accessToken'],
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
    if (error instanceof GmailFailure || error instanceof BatchgateError) throw error;
    throw new GmailFailure('credentials', 'There is no access token for Gmail');
  }
}

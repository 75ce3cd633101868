import { z } from 'zod';
import type { Config } from '../../../src/host/config';
import { BatchgateError } from '../../../src/contract/errors';
import { withoutTrailing } from '../../../src/contract/text';
import {
  TRELLO_BASE_URL,
  trelloCredentialsSchema,
  trelloAuthorization,
  type TrelloCredentials,
} from './protocol';
import { trelloLoginStore } from './access';

/** Trello's choices for the lifetime of a token. */
export const EXPIRATIONS = ['1hour', '1day', '30days', 'never'] as const;
export type Expiration = (typeof EXPIRATIONS)[number];

/** The result of a login, without its secrets. */
export interface TrelloLoginResult {
  provider: 'trello';
  username: string;
  file: string;
}

/**
 * Returns the page on which a user grants access, and which then shows the token to copy. No redirect is used, because
 * Trello redirects only to the allowed origins of the key, including the port.
 */
export function authorizePage(config: Config, key: string, expiration: Expiration): string {
  const page = new URL(`${withoutTrailing(config.trelloBaseUrl ?? 'https://trello.com', '/')}/1/authorize`);
  const params = { response_type: 'token', scope: 'read,write', expiration, name: 'batchgate', key };
  for (const [name, value] of Object.entries(params)) page.searchParams.set(name, value);
  return page.href;
}

/**
 * Stores key and token in the data folder after Trello has named their user.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Trello refuses them.
 */
export async function loginTrello(config: Config, key: string, token: string): Promise<TrelloLoginResult> {
  const credentials = trelloCredentialsSchema.safeParse({ key, token });
  if (!credentials.success) {
    throw new BatchgateError(
      'CREDENTIALS_INVALID',
      token === ''
        ? 'No token was given; nothing was stored.'
        : 'This is not a key and a token; nothing was stored.',
      'Run `batchgate login trello` again, and paste the token, without spaces, from the page that it names.',
    );
  }
  const { username } = await whoAmI(baseUrlOf(config), credentials.data);
  const store = trelloLoginStore(config.dataDir);
  await store.exclusively(() => store.write({ ...credentials.data, username }));
  return { provider: 'trello', username, file: store.path };
}

/** Revokes the stored token, and removes it. */
export async function forgetTrello(config: Config): Promise<{ provider: 'trello'; revoked: boolean }> {
  const store = trelloLoginStore(config.dataDir);
  const revoked = await store.forget((login) => revokeToken(baseUrlOf(config), login));
  return { provider: 'trello', revoked };
}

const baseUrlOf = ({ trelloBaseUrl }: Config): string =>
  withoutTrailing(trelloBaseUrl ?? TRELLO_BASE_URL, '/');

const REQUEST_MS = 10_000;
const memberSchema = z.object({ username: z.string().min(1) });

/**
 * Returns the member that key and token belong to.
 * @throws BatchgateError `CREDENTIALS_INVALID` if Trello refuses them, `ADAPTER_UNAVAILABLE` if it does not answer.
 */
async function whoAmI(baseUrl: string, credentials: TrelloCredentials): Promise<{ username: string }> {
  const answer = await ask('GET', `${baseUrl}/1/members/me?fields=username`, credentials);
  if (isRefusal(answer)) {
    throw new BatchgateError(
      'CREDENTIALS_INVALID',
      `Trello does not accept this key and token (it answered ${answer.status}); nothing was stored.`,
      'Run `batchgate login trello` again, and copy the whole token from the page of this key.',
    );
  }
  const member = memberSchema.safeParse(answer.status === 200 ? answer.body : undefined);
  if (member.success) return member.data;
  throw unavailable(`Trello answered ${answer.status} and did not say who you are; nothing was stored.`);
}

/** Revokes a token. An expired token counts as revoked. */
async function revokeToken(baseUrl: string, credentials: TrelloCredentials): Promise<void> {
  // This is the only request that must contain the token in its address.
  const { token } = credentials;
  const answer = await ask('DELETE', `${baseUrl}/1/tokens/${encodeURIComponent(token)}/`, credentials);
  if (answer.status === 200 || answer.status === 404 || isRefusal(answer)) return;
  throw unavailable(`Trello answered ${answer.status} and did not revoke the token; the login is kept.`);
}

interface Answer {
  status: number;
  body: unknown;
}

/** Trello answers 400 for a malformed key or token, and 401 for an invalid one. */
const isRefusal = ({ status }: Answer): boolean => status === 400 || status === 401;

async function ask(method: string, url: string, credentials: TrelloCredentials): Promise<Answer> {
  let text: string;
  let status: number;
  try {
    const answer = await fetch(url, {
      method,
      headers: { authorization: trelloAuthorization(credentials), accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    status = answer.status;
    text = await answer.text();
  } catch {
    // The network error is dropped, because it can contain the address.
    throw unavailable('Trello could not be reached.');
  }
  try {
    return { status, body: JSON.parse(text) as unknown };
  } catch {
    return { status, body: undefined };
  }
}

const unavailable = (message: string) =>
  new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    message,
    'Check the connection and BATCHGATE_TRELLO_BASE_URL, and try again in a minute.',
  );

import { randomBytes } from 'node:crypto';
import { BatchgateError } from '../../../src/contract/errors';
import type { Config } from '../../../src/host/config';
import type { LoginStore } from '../shared/login-store';
import { openLoopback } from '../shared/loopback';
import { loginStore } from './describe';
import { googleEndpoints, mergeTokens, scopesOf, type StoredLogin, type TokenAnswer } from './protocol';
import { authorization, revokeLogin, type GoogleClient } from './requests';
import { GOOGLE_SERVICES, googleServices, missingScopes, scopesFor, type GoogleService } from './services';
import { z } from 'zod';
import { readKeyFile } from './service-account';

const WAIT_MS = 300_000;

/** The result of a login, without its secrets. */
export interface LoginResult {
  provider: 'google';
  scopes: string[];
  login_expires_at?: string;
  file: string;
}

/**
 * Logs in for `services` through a page in a browser on this machine, and stores the login in the data folder. It also
 * requests the services of the stored login again, so that the new login covers them whether or not Google adds them.
 * `show` receives the address of that page.
 * @throws BatchgateError `CREDENTIALS_INVALID` if the person or Google refuses, or the page is not opened.
 */
export async function loginGoogle(
  config: Config,
  client: GoogleClient,
  services: readonly GoogleService[],
  show: (url: string) => void | Promise<void>,
): Promise<LoginResult> {
  const loopback = await openLoopback();
  try {
    const state = randomBytes(32).toString('base64url');
    const { redirectUri } = loopback;
    const endpoints = googleEndpoints(config.googleAuthBaseUrl);
    const store = loginStore(config.dataDir);
    const requested = await withEarlier(store, services);
    const consent = await authorization(client, endpoints, {
      redirectUri,
      state,
      scopes: scopesFor(requested),
    });
    await show(consent.url);
    return await loopback.receive(WAIT_MS, async (query) => {
      const login = loginOf(await consent.exchange(codeOf(query, state)), client, requested, Date.now());
      await store.exclusively(() => store.write(login));
      const { scopes, login_expires_at } = login;
      return { provider: 'google', scopes, login_expires_at, file: store.path };
    });
  } finally {
    loopback.close();
  }
}

async function withEarlier(
  store: LoginStore<StoredLogin>,
  services: readonly GoogleService[],
): Promise<GoogleService[]> {
  const { scopes = [] } = (await store.readAnyway()) ?? {};
  return googleServices.filter(
    (service) => services.includes(service) || missingScopes(service, scopes).length === 0,
  );
}

/** Revokes the stored login, and removes it. */
export async function forgetGoogle(config: Config): Promise<{ provider: 'google'; revoked: boolean }> {
  const endpoints = googleEndpoints(config.googleAuthBaseUrl);
  const revoked = await loginStore(config.dataDir).forget(({ refresh_token }) =>
    revokeLogin(refresh_token, endpoints),
  );
  return { provider: 'google', revoked };
}

/** Returns the code of the redirect, if it belongs to this login. */
function codeOf(query: URLSearchParams, state: string): string {
  if (query.get('state') !== state) {
    throw new BatchgateError(
      'CREDENTIALS_INVALID',
      'The redirect does not belong to this login (its state differs); nothing was stored.',
      'Run `batchgate login google` again, and use only the address that it prints.',
    );
  }
  const code = query.get('code');
  if (code !== null && !query.has('error')) return code;
  const error = query.get('error') ?? 'no code';
  throw new BatchgateError(
    'CREDENTIALS_INVALID',
    `Google did not grant the login: ${error.replace(/[^\w.-]+/g, ' ').slice(0, 100)}`,
    error === 'access_denied'
      ? 'Run it again and allow the access. While the app is in testing, the account must be one of its test users.'
      : 'Run it again. If it fails again, check the OAuth client; docs/gmail.md explains how to create one.',
  );
}

function loginOf(
  answer: TokenAnswer,
  client: GoogleClient,
  services: readonly GoogleService[],
  now: number,
): StoredLogin {
  const scopes = scopesOf(answer);
  const missing = services.flatMap((service) => missingScopes(service, scopes));
  if (missing.length > 0) {
    const boxes = services.map((service) => GOOGLE_SERVICES[service].box);
    throw new BatchgateError(
      'CREDENTIALS_INVALID',
      `Google granted ${scopes.length === 0 ? 'no scope' : scopes.join(' ')}, but not ${missing.join(' ')}; nothing was stored.`,
      `Run it again, and keep these boxes ticked: ${boxes.join('; ')}.`,
    );
  }
  const { refresh_token } = answer;
  if (refresh_token == null) {
    throw new BatchgateError(
      'CREDENTIALS_INVALID',
      'Google sent no refresh token, so the login would expire within an hour; nothing was stored.',
      'Remove the access at https://myaccount.google.com/connections and run it again.',
    );
  }
  return mergeTokens({ ...client, refresh_token, scopes }, answer, now);
}

const GUIDE = 'docs/gmail.md explains how to create one.';

const clientFileSchema = z.object({
  installed: z.object(
    { client_id: z.string().min(1), client_secret: z.string().min(1).optional() },
    'the client is not of the type "Desktop app"',
  ),
});

/**
 * Returns the OAuth client from the file, if given, or else from the configuration.
 * @throws BatchgateError `NOT_CONFIGURED` when there is none.
 */
export async function googleClient(config: Config, file?: string): Promise<GoogleClient> {
  if (file !== undefined) {
    const hint = `Give the JSON file of a client of the type "Desktop app". ${GUIDE}`;
    return (await readKeyFile(file, clientFileSchema, { what: 'an OAuth client', hint })).installed;
  }
  const { googleClientId: client_id, googleClientSecret: client_secret } = config;
  if (client_id !== undefined) return { client_id, client_secret };
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'Logging in to Google needs an OAuth client, and none is configured.',
    `Set BATCHGATE_GOOGLE_CLIENT_ID and BATCHGATE_GOOGLE_CLIENT_SECRET, or give its JSON file with --client. ${GUIDE}`,
  );
}

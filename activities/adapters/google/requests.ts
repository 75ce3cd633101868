import type * as GoogleAuth from 'google-auth-library';
import { z } from 'zod';
import { BatchgateError } from '../../../src/contract/errors';
import { optional } from '../../../src/host/optional';
import { providerText } from '../shared/failure';
import { tokenAnswerSchema, type GoogleEndpoints, type StoredLogin, type TokenAnswer } from './protocol';
import type { ServiceAccount } from './service-account';

const googleAuth = () => optional<typeof GoogleAuth>('google-auth-library');

/** A refresh must end well within the time of one call to a tool. */
const REQUEST_MS = 10_000;

/** The OAuth client of this program. */
export interface GoogleClient {
  client_id: string;
  client_secret?: string;
}

/** One authorization: its page, and the exchange of the code that the page returns. */
export interface Authorization {
  readonly url: string;
  exchange(code: string): Promise<TokenAnswer>;
}

/** Authorization code with PKCE (S256), including a refresh token. */
export async function authorization(
  client: GoogleClient,
  endpoints: GoogleEndpoints,
  { redirectUri, state, scopes }: { redirectUri: string; state: string; scopes: string[] },
): Promise<Authorization> {
  const oauth = oauthClient(client, endpoints, redirectUri);
  const { codeVerifier, codeChallenge } = await oauth.generateCodeVerifierAsync();
  const url = oauth.generateAuthUrl({
    scope: scopes,
    state,
    access_type: 'offline',
    // Without this, Google sends a refresh token only the first time.
    prompt: 'consent',
    include_granted_scopes: true,
    code_challenge: codeChallenge,
    code_challenge_method: googleAuth().CodeChallengeMethod.S256,
  });
  return {
    url,
    exchange: (code) =>
      askTokens(() => oauth.getToken({ code, codeVerifier }).then(({ tokens }) => tokens), {
        what: 'Google did not accept the login',
        hint: 'Run `batchgate login google` again. If it fails again, check the client id and secret.',
        secrets: [code, codeVerifier, client.client_secret],
      }),
  };
}

/** @throws BatchgateError `CREDENTIALS_INVALID` when the login was revoked or has expired. */
export function refreshTokens(login: StoredLogin, endpoints: GoogleEndpoints): Promise<TokenAnswer> {
  const oauth = oauthClient(login, endpoints);
  oauth.setCredentials({ refresh_token: login.refresh_token });
  let answer: unknown;
  // Emitted before the library replaces a new refresh token with the old one.
  oauth.once('tokens', (tokens: object) => (answer = { ...tokens }));
  return askTokens(() => oauth.refreshAccessToken().then(() => answer), {
    what: 'Google refuses the stored login, which was revoked or has expired',
    hint: 'Log in again with `batchgate login google`. The login of an app in testing expires after 7 days.',
    secrets: [login.refresh_token, login.client_secret],
  });
}

/** Requests a token for the user that the service account acts for. */
export function serviceAccountTokens(
  account: ServiceAccount,
  subject: string,
  scopes: readonly string[],
  endpoints: GoogleEndpoints,
): Promise<TokenAnswer> {
  const { JWT } = googleAuth();
  const jwt = new JWT({
    email: account.client_email,
    key: account.private_key,
    keyId: account.private_key_id,
    subject,
    scopes: [...scopes],
    // The library ignores its options and uses Google's own endpoint.
    additionalClaims: { aud: endpoints.token },
    transporter: transporter(endpoints.token),
    useAuthRequestParameters: false,
  });
  return askTokens(() => jwt.authorize(), {
    what: `Google gives the service account no token for ${subject}`,
    hint: `Allow its client id ${scopes.join(' and ')} by domain-wide delegation, and check BATCHGATE_GOOGLE_SUBJECT.`,
    secrets: [account.private_key],
  });
}

/** Revokes a login. An expired login counts as revoked. */
export async function revokeLogin(refreshToken: string, endpoints: GoogleEndpoints): Promise<void> {
  try {
    // The token is sent in the body, because addresses are written to logs.
    await transporter().request({
      url: endpoints.revoke,
      method: 'POST',
      data: new URLSearchParams({ token: refreshToken }),
    });
  } catch (error) {
    const failure = oauthFailure(error, {
      what: 'Google did not revoke the login',
      hint: '',
      secrets: [refreshToken],
    });
    if (/invalid_token/.test(failure.message)) return;
    throw new BatchgateError(
      failure.code,
      failure.message,
      'Try again, or remove the access at https://myaccount.google.com/connections and delete the file.',
    );
  }
}

function oauthClient(
  client: GoogleClient,
  endpoints: GoogleEndpoints,
  redirectUri?: string,
): GoogleAuth.OAuth2Client {
  const { OAuth2Client } = googleAuth();
  return new OAuth2Client({
    clientId: client.client_id,
    clientSecret: client.client_secret,
    redirectUri,
    endpoints: { oauth2AuthBaseUrl: endpoints.authorize, oauth2TokenUrl: endpoints.token },
    transporter: transporter(),
    // These parameters write tokens to the log when the library's logging variable is set.
    useAuthRequestParameters: false,
  });
}

/** Sends once, with a timeout. `url` replaces that of the request. */
function transporter(url?: string): GoogleAuth.gaxios.Gaxios {
  const { gaxios } = googleAuth();
  const client = new gaxios.Gaxios({
    fetchImplementation: (input: string | URL | Request, init?: RequestInit) =>
      fetch(input, { ...init, redirect: 'error', signal: AbortSignal.timeout(REQUEST_MS) }),
  });
  client.interceptors.request.add({
    // A code is accepted only once, so a retry would hide the first error.
    resolved: (config) =>
      Promise.resolve({
        ...config,
        retry: false,
        retryConfig: undefined,
        ...(url !== undefined && { url: new URL(url) }),
      }),
  });
  return client;
}

async function askTokens(
  ask: () => Promise<unknown>,
  context: Parameters<typeof oauthFailure>[1],
): Promise<TokenAnswer> {
  let answer: unknown;
  try {
    answer = await ask();
  } catch (error) {
    throw oauthFailure(error, context);
  }
  const parsed = tokenAnswerSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new BatchgateError(
    'CREDENTIALS_INVALID',
    `${context.what}: its answer contains no token`,
    context.hint,
  );
}

const answerSchema = z.object({
  status: z.number(),
  data: z.object({ error: z.string(), error_description: z.string().optional() }).optional().catch(undefined),
});

/**
 * Returns the error of a request to Google's OAuth endpoints. The client library's own error contains the whole request
 * with its secrets, so only Google's text is kept, without `secrets`.
 */
function oauthFailure(
  error: unknown,
  { what, hint, secrets }: { what: string; hint: string; secrets: (string | undefined)[] },
): BatchgateError {
  if (error instanceof BatchgateError) return error;
  const answer = answerSchema.safeParse((error as { response?: unknown } | null)?.response);
  if (!answer.success) return unreachable(`${what}: Google could not be reached.`);
  const { status, data } = answer.data;
  if (status >= 500 || status === 429) return unreachable(`${what}: Google answered ${status}.`);
  const reasons = [data?.error ?? `Google answered ${status}`, data?.error_description].filter(Boolean);
  const secretTexts = secrets.filter((secret) => secret !== undefined);
  return new BatchgateError(
    'CREDENTIALS_INVALID',
    `${what}: ${providerText(reasons.join(', '), secretTexts)}`,
    hint,
  );
}

const unreachable = (message: string) =>
  new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    message,
    'Check the connection and BATCHGATE_GOOGLE_AUTH_BASE_URL, and try again in a minute.',
  );

import type { Config } from '../../../src/host/config';
import { BatchgateError } from '../../../src/contract/errors';
import { oneAtATime } from '../../../src/core/shared/promises';
import { goneLogin, googleSource, loginStore, requiredSubject, type GoogleSource } from './describe';
import { accessTokenOf, googleEndpoints, isUsable, mergeTokens, type AccessToken } from './protocol';
import { refreshTokens, serviceAccountTokens } from './requests';
import { readServiceAccount } from './service-account';
import { GOOGLE_SERVICES, logInFor, missingScopes, type GoogleService } from './services';

/** Returns an access token other than `refused`, which the service answered with 401. */
export type AccessTokens = (refused?: string) => Promise<string>;

/**
 * Access tokens for one service from the configured credentials, which are read each time, so that a new login takes
 * effect at once. The function throws BatchgateError `CREDENTIALS_INVALID` or `NOT_CONFIGURED` if there is no token,
 * and `ADAPTER_UNAVAILABLE` if Google does not answer.
 */
export function googleAccess(config: Config, service: GoogleService): AccessTokens {
  const tokens: Record<GoogleSource, AccessTokens> = {
    token: (refused) => variableToken(config, service, refused),
    service_account: serviceAccountAccess(config, service),
    login: loginAccess(config, service),
    none: () => Promise.reject(notConfigured(service)),
  };
  return async (refused) => tokens[await googleSource(config)](refused);
}

function variableToken(
  { googleAccessToken: token }: Config,
  service: GoogleService,
  refused?: string,
): Promise<string> {
  if (token !== undefined && token !== refused) return Promise.resolve(token);
  return Promise.reject(
    new BatchgateError(
      'CREDENTIALS_INVALID',
      'Google refuses the access token of BATCHGATE_GOOGLE_ACCESS_TOKEN.',
      `Such a token is valid for an hour: renew it, or unset it. ${logInFor(service)}`,
    ),
  );
}

/** Requests the scopes of this service only. Google refuses the request if the domain forbids one of its scopes. */
function serviceAccountAccess(config: Config, service: GoogleService): AccessTokens {
  const { scopes } = GOOGLE_SERVICES[service];
  const endpoints = googleEndpoints(config.googleAuthBaseUrl);
  const inTurn = oneAtATime();
  let current: AccessToken | undefined;
  return (refused) =>
    inTurn(async () => {
      if (current === undefined || !isUsable(current, refused, Date.now())) {
        const subject = requiredSubject(config);
        const account = await readServiceAccount(config.googleServiceAccountFile!);
        const answer = await serviceAccountTokens(account, subject, scopes, endpoints);
        current = accessTokenOf(answer, Date.now());
      }
      return current.access_token;
    });
}

function loginAccess(config: Config, service: GoogleService): AccessTokens {
  const endpoints = googleEndpoints(config.googleAuthBaseUrl);
  const store = loginStore(config.dataDir);
  // Concurrent requests with the same expiring token share one renewal.
  const inTurn = oneAtATime();
  const storedLogin = async () => {
    const login = await store.read();
    if (login === undefined) throw goneLogin(store.path, service);
    const missing = missingScopes(service, login.scopes);
    if (missing.length > 0) throw notAllowed(service, missing);
    return login;
  };
  // Read again under the lock: another request, worker or login may have renewed the token.
  const renewed = (refused?: string) =>
    store.exclusively(async () => {
      const login = await storedLogin();
      if (isUsable(login, refused, Date.now())) return login.access_token;
      const next = mergeTokens(login, await refreshTokens(login, endpoints), Date.now());
      await store.write(next);
      return next.access_token;
    });
  return async (refused) => {
    const login = await storedLogin();
    return isUsable(login, refused, Date.now()) ? login.access_token : inTurn(() => renewed(refused));
  };
}

const notAllowed = (service: GoogleService, missing: readonly string[]) =>
  new BatchgateError(
    'CREDENTIALS_INVALID',
    `The stored login is not allowed to use ${GOOGLE_SERVICES[service].name}: it lacks ${missing.join(' and ')}.`,
    `${logInFor(service)} Earlier grants remain.`,
  );

const notConfigured = (service: GoogleService) =>
  new BatchgateError(
    'NOT_CONFIGURED',
    `No account for ${GOOGLE_SERVICES[service].name} is configured.`,
    `${logInFor(service)} Or set BATCHGATE_GOOGLE_ACCESS_TOKEN to an access token with ${GOOGLE_SERVICES[service].scopes.join(' and ')}.`,
  );

import { access } from 'node:fs/promises';
import type { Config } from '../../../src/host/config';
import { BatchgateError } from '../../../src/contract/errors';
import { hasLocalGoogle } from '../../../src/host/local-google/record';
import { storedLoginSchema, type StoredLogin } from './protocol';
import { readServiceAccount } from './service-account';
import { GOOGLE_SERVICES, googleServices, logInFor, missingScopes, type GoogleService } from './services';
import { openLoginStore, type LoginStore } from '../shared/login-store';

export const loginStore = (dataDir: string): LoginStore<StoredLogin> =>
  openLoginStore(dataDir, 'google', storedLoginSchema);

export type GoogleSource = 'token' | 'service_account' | 'login' | 'none';

interface GoogleCredentials {
  source: GoogleSource;
  /** Whether the credentials can be used for the service, as far as can be checked locally. */
  ok: boolean;
  /** The credentials are valid for another Google service. */
  elsewhere?: true;
  /** The credentials, their scopes and their expiry, without secrets. */
  detail: string;
  /** The next step for the user. */
  remedy?: string;
}

/** Returns the source in use, in this order: the token variable, the service account, the stored login, none. */
export async function googleSource(config: Config): Promise<GoogleSource> {
  if (config.googleAccessToken !== undefined) return 'token';
  if (config.googleServiceAccountFile !== undefined) return 'service_account';
  const stored = await access(loginStore(config.dataDir).path).then(
    () => true,
    // An inaccessible file still counts as a login: otherwise another mailbox could be used.
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
  return stored ? 'login' : 'none';
}

/** Returns true if the local substitute of the service is in use. */
export async function isLocal(config: Config, service: GoogleService): Promise<boolean> {
  if (GOOGLE_SERVICES[service].baseUrl(config) !== undefined || !hasLocalGoogle()) return false;
  return (await googleSource(config)) === 'none';
}

/** Describes the credentials in use for a service, and their problems, without a request to Google. */
export async function describeGoogleCredentials(
  config: Config,
  service: GoogleService,
): Promise<GoogleCredentials> {
  const source = await googleSource(config);
  try {
    return { source, ...(await DESCRIPTIONS[source](config, service)) };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return { source, ok: false, detail: error.message, remedy: error.hint };
  }
}

type Description = Omit<GoogleCredentials, 'source'>;

const DESCRIPTIONS: Record<GoogleSource, (config: Config, service: GoogleService) => Promise<Description>> = {
  token: () =>
    Promise.resolve({
      ok: true,
      detail: 'the access token of BATCHGATE_GOOGLE_ACCESS_TOKEN, which batchgate cannot renew',
    }),
  service_account: async (config, service) => {
    const { client_email } = await readServiceAccount(config.googleServiceAccountFile!);
    const scopes = GOOGLE_SERVICES[service].scopes.join(' ');
    const detail = `the service account ${client_email} for ${requiredSubject(config)}, scope ${scopes}`;
    return { ok: true, detail };
  },
  login: async (config, service) => {
    const store = loginStore(config.dataDir);
    const login = await store.read();
    if (login === undefined) throw goneLogin(store.path, service);
    return describeLogin(login, service, store.path, Date.now());
  },
  none: (config, service) => {
    const baseUrl = GOOGLE_SERVICES[service].baseUrl(config);
    const ok = baseUrl === undefined && hasLocalGoogle();
    const substitute = ok
      ? `; the local ${LOCAL[service]} is used instead, and nothing real is touched`
      : baseUrl === undefined
        ? `, and only a clone of batchgate has the local ${LOCAL[service]} to use instead`
        : ` for ${baseUrl}`;
    return Promise.resolve({
      ok,
      detail: `no Google account is configured${substitute}`,
      remedy: logInFor(service),
    });
  },
};

const LOCAL = { gmail: 'mailbox', calendar: 'calendar' } as const;

function describeLogin(login: StoredLogin, service: GoogleService, path: string, now: number): Description {
  const end = login.login_expires_at;
  const endText = end === undefined ? '' : `, the login itself until ${end}`;
  const detail = `the login in ${path}, scopes ${login.scopes.join(' ')}, access token until ${login.expires_at} and renewed when needed${endText}`;
  const remedy = logInFor(service);
  const isExpired = end !== undefined && Date.parse(end) <= now;
  const missing = missingScopes(service, login.scopes);
  if (missing.length > 0) {
    const others = googleServices.filter((other) => missingScopes(other, login.scopes).length === 0);
    const elsewhere = !isExpired && others.length > 0;
    const permission = `${remedy} Allow ${missing.join(' and ')}.`;
    return { ok: false, detail, remedy: permission, ...(elsewhere && { elsewhere }) };
  }
  return isExpired ? { ok: false, detail, remedy } : { ok: true, detail };
}

/**
 * Returns the user that the service account acts for: it has no mailbox of its own.
 * @throws BatchgateError `NOT_CONFIGURED`.
 */
export function requiredSubject({ googleSubject }: Config): string {
  if (googleSubject !== undefined) return googleSubject;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'A service account is configured, but not the user that it acts for.',
    'Set BATCHGATE_GOOGLE_SUBJECT to the address of that user.',
  );
}

export const goneLogin = (path: string, service: GoogleService) =>
  new BatchgateError('CREDENTIALS_INVALID', `The stored login in ${path} is gone.`, logInFor(service));

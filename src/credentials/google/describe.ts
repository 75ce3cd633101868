import { access } from 'node:fs/promises';
import type { Config } from '../../config';
import { BatchgateError } from '../../contract/errors';
import { hasLocalGoogle } from '../../local-google/record';
import type { StoredLogin } from './protocol';
import { readServiceAccount } from './service-account';
import { GOOGLE_SERVICES, googleServices, logInFor, missingScopes, type GoogleService } from './services';
import { loginStore } from './store';

export type GoogleSource = 'token' | 'service_account' | 'login' | 'none';

interface GoogleCredentials {
  source: GoogleSource;
  /** Whether it can be used for the service, as far as can be seen without asking Google. */
  ok: boolean;
  /** It is for another of Google's services, and good for that. */
  elsewhere?: true;
  /** Which it is, for what, and until when. Holds no secret. */
  detail: string;
  /** What to do about it. */
  remedy?: string;
}

/** The one place of the order: the token variable, the service account, the stored login, none. */
export async function googleSource(config: Config): Promise<GoogleSource> {
  if (config.googleAccessToken !== undefined) return 'token';
  if (config.googleServiceAccountFile !== undefined) return 'service_account';
  const stored = await access(loginStore(config.dataDir).path).then(
    () => true,
    // A file that is there and cannot be reached is no reason to take another mailbox.
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
  return stored ? 'login' : 'none';
}

/** Whether a local counterpart takes the service's place. */
export async function isLocal(config: Config, service: GoogleService): Promise<boolean> {
  if (GOOGLE_SERVICES[service].baseUrl(config) !== undefined || !hasLocalGoogle()) return false;
  return (await googleSource(config)) === 'none';
}

/** Says which credentials for a service are in use, and what is wrong with them. Asks nothing of Google. */
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
      detail: 'the access token of BATCHGATE_GOOGLE_ACCESS_TOKEN, which cannot be renewed from here',
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
    const instead = ok
      ? `; the local ${LOCAL[service]} takes its place, and nothing real is touched`
      : baseUrl === undefined
        ? `, and only a clone of batchgate has the local ${LOCAL[service]} that takes its place`
        : ` for ${baseUrl}`;
    return Promise.resolve({
      ok,
      detail: `no Google account is configured${instead}`,
      remedy: logInFor(service),
    });
  },
};

const LOCAL = { gmail: 'mailbox', calendar: 'calendar' } as const;

function describeLogin(login: StoredLogin, service: GoogleService, path: string, now: number): Description {
  const end = login.login_expires_at;
  const ends = end === undefined ? '' : `, itself until ${end}`;
  const detail = `the login in ${path}, scopes ${login.scopes.join(' ')}, access token until ${login.expires_at} and renewed when needed${ends}`;
  const remedy = logInFor(service);
  const over = end !== undefined && Date.parse(end) <= now;
  const missing = missingScopes(service, login.scopes);
  if (missing.length > 0) {
    const others = googleServices.filter((other) => missingScopes(other, login.scopes).length === 0);
    const elsewhere = !over && others.length > 0;
    const allowed = `${remedy} Allow ${missing.join(' and ')}.`;
    return { ok: false, detail, remedy: allowed, ...(elsewhere && { elsewhere }) };
  }
  return over ? { ok: false, detail, remedy } : { ok: true, detail };
}

/**
 * A service account has no mailbox of its own, and its calendars are nobody's.
 * @throws BatchgateError `NOT_CONFIGURED`.
 */
export function requiredSubject({ googleSubject }: Config): string {
  if (googleSubject !== undefined) return googleSubject;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'A service account is configured, and not for which user it is to work.',
    'Set BATCHGATE_GOOGLE_SUBJECT to the address of that user.',
  );
}

export const goneLogin = (path: string, service: GoogleService) =>
  new BatchgateError('CREDENTIALS_INVALID', `The stored login in ${path} is gone.`, logInFor(service));

import { access } from 'node:fs/promises';
import type { Config } from '../../config';
import { BatchgateError } from '../../contract/errors';
import { coversGmail, GMAIL_SCOPE, type StoredLogin } from './protocol';
import { readServiceAccount } from './service-account';
import { loginStore } from './store';

export type GoogleSource = 'token' | 'service_account' | 'login' | 'none';

interface GoogleCredentials {
  source: GoogleSource;
  /** Whether it can be used, as far as can be seen without asking Google. */
  ok: boolean;
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

/** Says which credentials for Google are in use, and what is wrong with them. Asks nothing of Google. */
export async function describeGoogleCredentials(config: Config): Promise<GoogleCredentials> {
  const source = await googleSource(config);
  try {
    return { source, ...(await DESCRIPTIONS[source](config)) };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return { source, ok: false, detail: error.message, remedy: error.hint };
  }
}

type Description = Omit<GoogleCredentials, 'source'>;

const DESCRIPTIONS: Record<GoogleSource, (config: Config) => Promise<Description>> = {
  token: () =>
    Promise.resolve({
      ok: true,
      detail: 'the access token of BATCHGATE_GOOGLE_ACCESS_TOKEN, which cannot be renewed from here',
    }),
  service_account: async (config) => {
    const { client_email } = await readServiceAccount(config.googleServiceAccountFile!);
    const detail = `the service account ${client_email} for ${requiredSubject(config)}, scope ${GMAIL_SCOPE}`;
    return { ok: true, detail };
  },
  login: async (config) => {
    const store = loginStore(config.dataDir);
    const login = await store.read();
    if (login === undefined) throw goneLogin(store.path);
    return describeLogin(login, store.path, Date.now());
  },
  none: (config) =>
    Promise.resolve({
      ok: config.gmailBaseUrl === undefined,
      detail:
        config.gmailBaseUrl === undefined
          ? 'no Google account is configured; the local mailbox takes its place, and nothing real is touched'
          : `no Google account is configured for ${config.gmailBaseUrl}`,
      remedy: LOG_IN,
    }),
};

function describeLogin(login: StoredLogin, path: string, now: number): Description {
  const end = login.login_expires_at;
  const ends = end === undefined ? '' : `, itself until ${end}`;
  const detail = `the login in ${path}, scopes ${login.scopes.join(' ')}, access token until ${login.expires_at} and renewed when needed${ends}`;
  if (!coversGmail(login.scopes)) return { ok: false, detail, remedy: `${LOG_IN} Allow ${GMAIL_SCOPE}.` };
  if (end !== undefined && Date.parse(end) <= now) return { ok: false, detail, remedy: LOG_IN };
  return { ok: true, detail };
}

/**
 * Gmail gives a service account no mailbox of its own.
 * @throws BatchgateError `NOT_CONFIGURED`.
 */
export function requiredSubject({ googleSubject }: Config): string {
  if (googleSubject !== undefined) return googleSubject;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'A service account is configured, and not whose mailbox it is to work on.',
    'Set BATCHGATE_GOOGLE_SUBJECT to the address of that user.',
  );
}

export const goneLogin = (path: string) =>
  new BatchgateError('CREDENTIALS_INVALID', `The stored login in ${path} is gone.`, LOG_IN);

export const LOG_IN = 'Log in with `batchgate login google`.';

import { BatchgateError } from '../../../src/contract/errors';
import type { Config } from '../../../src/host/config';

/** A server, and who logs in there. */
export interface ImapAccount {
  /** `imaps://HOST[:PORT]`, or `imap://` for STARTTLS, and on this machine without it. */
  readonly url: string;
  readonly user: string;
  readonly secret: { readonly pass: string } | { readonly accessToken: string };
}

const SET_ALL =
  'Set BATCHGATE_IMAP_URL, BATCHGATE_IMAP_USER, and BATCHGATE_IMAP_PASSWORD or BATCHGATE_IMAP_ACCESS_TOKEN (docs/imap.md).';

/** @throws BatchgateError `NOT_CONFIGURED`. */
export const imapAccount = (config: Config) => (): ImapAccount => {
  const { imapUrl: url, imapUser: user, imapPassword: pass, imapAccessToken: accessToken } = config;
  const given = [url, user, pass ?? accessToken];
  if (url !== undefined && user !== undefined) {
    if (accessToken !== undefined) return { url, user, secret: { accessToken } };
    if (pass !== undefined) return { url, user, secret: { pass } };
  }
  const nothing = given.every((value) => value === undefined);
  const message = nothing ? 'No mail server is configured.' : 'The mail server is configured only in part.';
  throw new BatchgateError('NOT_CONFIGURED', message, SET_ALL);
};

/** Describes the configured server, and its problems. It connects to nothing, and contains no secret. */
export function describeImap(config: Config): { ok: boolean; detail: string; remedy?: string } {
  try {
    const { url, user, secret } = imapAccount(config)();
    const by = 'pass' in secret ? 'the password' : 'the access token';
    return { ok: true, detail: `${user} at ${url}, by ${by} of the environment` };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    const isUnused = config.imapUrl === undefined && config.imapUser === undefined;
    return { ok: isUnused, detail: error.message, remedy: error.hint };
  }
}

import type { Config } from '../../../src/host/config';
import { BatchgateError } from '../../../src/contract/errors';

/** A configured server, with the user and the secret for it. */
export interface ServerAccount {
  readonly url: string;
  readonly user: string;
  readonly secret: { readonly pass: string } | { readonly accessToken: string };
}

const SERVERS = { imap: 'mail server', caldav: 'calendar server' };
type Adapter = keyof typeof SERVERS;

const configuredIn = (config: Config, adapter: Adapter) => ({
  ...{ url: config[`${adapter}Url`], user: config[`${adapter}User`] },
  ...{ pass: config[`${adapter}Password`], accessToken: config[`${adapter}AccessToken`] },
});

/** Returns the account of a server. @throws BatchgateError `NOT_CONFIGURED`. */
export function serverAccount(config: Config, adapter: Adapter): ServerAccount {
  const kind = SERVERS[adapter];
  const { url, user, pass, accessToken } = configuredIn(config, adapter);
  if (url !== undefined && user !== undefined) {
    if (accessToken !== undefined) return { url, user, secret: { accessToken } };
    if (pass !== undefined) return { url, user, secret: { pass } };
  }
  const isNothing = [url, user, pass ?? accessToken].every((value) => value === undefined);
  const prefix = `BATCHGATE_${adapter.toUpperCase()}_`;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    isNothing ? `No ${kind} is configured.` : `The ${kind} is configured only in part.`,
    `Set ${prefix}URL, ${prefix}USER, and ${prefix}PASSWORD or ${prefix}ACCESS_TOKEN (docs/${adapter}.md).`,
  );
}

/** Describes the configured server and its problems, without secrets and without a connection. */
export function describeServer(
  config: Config,
  adapter: Adapter,
): { ok: boolean; detail: string; remedy?: string } {
  try {
    const { url, user, secret } = serverAccount(config, adapter);
    const secretName = 'pass' in secret ? 'the password' : 'the access token';
    return { ok: true, detail: `${user} at ${url}, by ${secretName} of the environment` };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    const { url, user } = configuredIn(config, adapter);
    const isUnused = url === undefined && user === undefined;
    return { ok: isUnused, detail: error.message, remedy: error.hint };
  }
}

/** Returns the place where an adapter makes its changes. */
export const placeAt = ({ url, user }: ServerAccount): string => `${user} at ${url}`;

import { BatchgateError } from '../../../src/contract/errors';

/** A server of a configuration, and who logs in there. */
export interface ServerAccount {
  readonly url: string;
  readonly user: string;
  readonly secret: { readonly pass: string } | { readonly accessToken: string };
}

/** What the configuration may have of it. */
type Configured = Record<'url' | 'user' | 'pass' | 'accessToken', string | undefined>;

/**
 * The account of a server. `kind`: as in "No mail server is configured"; `adapter`: names its variables and its page.
 * @throws BatchgateError `NOT_CONFIGURED`.
 */
export function serverAccount(kind: string, adapter: string, configured: Configured): ServerAccount {
  const { url, user, pass, accessToken } = configured;
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

/** Describes the configured server, and its problems. It connects to nothing, and contains no secret. */
export function describeServer(
  configured: Configured,
  account: () => ServerAccount,
): { ok: boolean; detail: string; remedy?: string } {
  try {
    const { url, user, secret } = account();
    const by = 'pass' in secret ? 'the password' : 'the access token';
    return { ok: true, detail: `${user} at ${url}, by ${by} of the environment` };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    const isUnused = configured.url === undefined && configured.user === undefined;
    return { ok: isUnused, detail: error.message, remedy: error.hint };
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify';

/** The names of this server's cookies, and their `Secure` attribute. */
export interface Cookies {
  session: string;
  /** Identifies a sign-in at the identity provider, so that another site cannot complete its own sign-in here. */
  attempt: string;
  /** The page that a person requested before signing in. */
  returnTo: string;
  secure: boolean;
}

/**
 * A browser sends a cookie to every port of a host, and every port can set it. The prefix `__Host-` restricts a cookie
 * to this host over HTTPS. On loopback, each data folder has its own cookie names, so that two servers do not sign out
 * each other's people.
 */
export function createCookies(secure: boolean, folder?: string): Cookies {
  const name = (what: string) => {
    if (secure) return `__Host-batchgate_${what}`;
    return folder === undefined ? `batchgate_${what}` : `batchgate_${what}_${folder}`;
  };
  return { session: name('session'), attempt: name('sign_in'), returnTo: name('return_to'), secure };
}

export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

export function setCookie(
  reply: FastifyReply,
  name: string,
  value: string,
  { maxAge, secure, sameSite = 'Strict' }: { maxAge: number; secure: boolean; sameSite?: 'Strict' | 'Lax' },
): void {
  const attributes = ['Path=/', 'HttpOnly', `SameSite=${sameSite}`, `Max-Age=${maxAge}`];
  void reply.header(
    'set-cookie',
    [`${name}=${value}`, ...attributes, ...(secure ? ['Secure'] : [])].join('; '),
  );
}

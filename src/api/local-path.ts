import type { FastifyReply, FastifyRequest } from 'fastify';
import { upTo } from '../contract/text';
import { cookieOf, setCookie, type Cookies } from './cookies';

/** The characters of a path and a query: RFC 3986, sections 3.3 and 3.4. */
const PATH = /^\/[\w/.~%?=:@+,;&!$'()*-]*$/;
const HERE = 'http://here.invalid';

/** Whether a browser that reads this address on a page of this server stays on it. */
export const isLocal = (url: string): boolean =>
  URL.canParse(url, HERE) && new URL(url, HERE).origin === HERE;

/** An address that a browser reads as a path of this server, whatever it contains. */
export const localPath = upTo(2_000).refine(
  (path) => PATH.test(path) && isLocal(path),
  'must be a path on this server',
);

/** The lifetime of the cookie with the page that a person requested before signing in. Seconds. */
const REMEMBERED_S = 3_600;

/** Stores the page that a person requested without being signed in. */
export function rememberPage(reply: FastifyReply, { returnTo, secure }: Cookies, url: string): void {
  const path = localPath.safeParse(url);
  if (!path.success) return;
  const options = { maxAge: REMEMBERED_S, secure, sameSite: 'Lax' as const };
  setCookie(reply, returnTo, encodeURIComponent(path.data), options);
}

/** Returns the page that a person requested before signing in, once, or else the inbox. */
export function takePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { returnTo, secure }: Cookies,
): string {
  const cookie = cookieOf(request, returnTo);
  if (cookie === undefined) return '/';
  setCookie(reply, returnTo, '', { maxAge: 0, secure, sameSite: 'Lax' });
  const path = localPath.safeParse(decoded(cookie));
  return path.success ? path.data : '/';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

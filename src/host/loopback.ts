import type { IncomingHttpHeaders } from 'node:http';

const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether a request to a port of this machine comes from a program or from a page of that port. A page of another site
 * can send requests here too, and can have its own host name point here; both show in headers that a page cannot set.
 */
export function isOwnRequest(headers: IncomingHttpHeaders): boolean {
  const { host = '', origin } = headers;
  if (!NAMES.includes(host.toLowerCase().replace(/:\d+$/, ''))) return false;
  if (origin !== undefined) return origin === `http://${host.toLowerCase()}`;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Whether a person follows a link to a page, in a tab of its own. Such a request may come from any site. */
export function isNavigation(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination, origin } = headers;
  return method === 'GET' && mode === 'navigate' && destination === 'document' && origin === undefined;
}

import type { FastifyRequest } from 'fastify';
import { BatchgateError } from '../contract/errors';

/**
 * Refuses requests to a host name other than this server's, because another site may point its own name at this server.
 * Also refuses requests from the page of another site.
 */
export function createAddressCheck(
  baseUrl: string | undefined,
  portOf: () => number,
): (request: FastifyRequest) => void {
  const own = () => {
    const local = ['127.0.0.1', 'localhost', '[::1]'].map((name) => new URL(`http://${name}:${portOf()}`));
    return [...local, ...(baseUrl === undefined ? [] : [new URL(baseUrl)])];
  };
  return ({ headers: { host, origin } }) => {
    const urls = own();
    if (!urls.some((url) => url.host === host?.toLowerCase())) throw foreign('host', host);
    if (origin !== undefined && !urls.some((url) => url.origin === origin)) throw foreign('origin', origin);
  };
}

const foreign = (what: string, value = 'none') =>
  new BatchgateError(
    'FORBIDDEN',
    `Requests with the ${what} ${value.slice(0, 200)} are refused.`,
    'Use the address that batchgate printed, or set `http.base_url` in batchgate.config.json to the public one.',
  );

import { once } from 'node:events';
import {
  createServer,
  request as ask,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { isNavigation, isOwnRequest } from '../loopback';

const HOST = '127.0.0.1';
/** The headers that concern one connection and are not forwarded. */
const OF_A_CONNECTION = ['connection', 'keep-alive', 'upgrade', 'proxy-connection', 'te', 'trailer'];

export interface UiDoor {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the Temporal UI at a port of this machine, and refuses requests from pages of other sites, which the UI itself
 * would execute. `uiUrl` is the UI's own address, at a port that browsers do not open.
 */
export async function openUiDoor(uiUrl: string, port: number): Promise<UiDoor> {
  const target = new URL(uiUrl);
  const server = createServer((request, response) => {
    if (isAllowed(request)) pass(request, response, target);
    else refuse(response);
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function isAllowed({ method, headers }: IncomingMessage): boolean {
  if (isOwnRequest(headers)) return true;
  // A link to the UI, for example on a page of ours at another port.
  const { 'sec-fetch-site': _, ...others } = headers;
  return isNavigation(method, headers) && isOwnRequest(others);
}

function pass(request: IncomingMessage, response: ServerResponse, { hostname, port }: URL): void {
  const { method, url: path, headers } = request;
  const forwarded = { ...withoutConnection(headers), connection: 'close' };
  const upstream = ask({ hostname, port, method, path, headers: forwarded }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers));
    answer.pipe(response);
  });
  upstream.once('error', () => {
    if (response.headersSent) response.destroy();
    else send(response, 502, 'The Temporal UI does not answer. `npx batchgate up` starts its server again.');
  });
  response.once('close', () => upstream.destroy());
  request.pipe(upstream);
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_A_CONNECTION.includes(name)));
}

const refuse = (response: ServerResponse) =>
  send(
    response,
    403,
    'This request comes from another site, or names another host. Open the UI at its own address.',
  );

function send(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    .end(`${text}\n`);
}

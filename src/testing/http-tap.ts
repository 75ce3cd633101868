import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SeenRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  body: string;
  authorization: string;
}

export interface TapAnswer {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
}

/** `reset` breaks the connection, `silence` never answers. */
export type TapVerdict = TapAnswer | 'reset' | 'silence';
export type TapRule = (
  request: SeenRequest,
  forward: () => Promise<TapAnswer>,
) => TapVerdict | Promise<TapVerdict>;

export type HttpTap = Awaited<ReturnType<typeof startHttpTap>>;

/** Hop-by-hop headers (RFC 9110, section 7.6.1), and those that fetch sets itself. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host']);

/**
 * An HTTP proxy in front of a real server. It records each request, and `rule` decides what happens to it; without a
 * rule every request is forwarded.
 */
export async function startHttpTap(upstream: string) {
  let open = new Set<IncomingMessage>();
  const tap = {
    requests: [] as SeenRequest[],
    rule: undefined as TapRule | undefined,
    /** The maximum of concurrent requests. */
    most: 0,
    url: '',
    /** Requests as `METHOD last-part-of-the-path`. */
    get calls() {
      return tap.requests.map(({ method, path }) => `${method} ${path.slice(path.lastIndexOf('/') + 1)}`);
    },
    /** Starts over; running requests do not count. */
    forget() {
      tap.requests = [];
      tap.most = 0;
      open = new Set();
    },
    reset() {
      tap.forget();
      tap.rule = undefined;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    void (async () => {
      const meanwhile = open.add(request);
      tap.most = Math.max(tap.most, open.size);
      const url = new URL(request.url ?? '/', upstream);
      const seen: SeenRequest = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        body: await text(request),
        authorization: request.headers.authorization ?? '',
      };
      tap.requests.push(seen);
      const sent = Object.entries(request.headersDistinct).filter(([name]) => !HOP_BY_HOP.has(name));
      const forward = () =>
        forwardTo(
          url,
          seen,
          sent.map(([name, values]) => [name, values?.join(', ') ?? '']),
        );
      const verdict = await (tap.rule ?? ((_request, pass) => pass()))(seen, forward);
      if (verdict === 'silence') response.once('close', () => meanwhile.delete(request));
      else meanwhile.delete(request);
      if (verdict === 'reset') request.socket.destroy();
      else if (verdict !== 'silence') {
        const { status, headers, body } = verdict;
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      }
    })().catch(unlessGone(request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  tap.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return tap;
}

/** The server may be shutting down too, after the client has disconnected. */
const unlessGone = (request: IncomingMessage) => (error: unknown) => {
  if (!request.socket.destroyed) throw error;
};

async function forwardTo(
  url: URL,
  { method, body }: SeenRequest,
  headers: [string, string][],
): Promise<TapAnswer> {
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    body: body === '' ? undefined : body,
  });
  const kept = [...answer.headers].filter(([name]) => !HOP_BY_HOP.has(name) && name !== 'content-encoding');
  return { status: answer.status, body: await answer.text(), headers: Object.fromEntries(kept) };
}

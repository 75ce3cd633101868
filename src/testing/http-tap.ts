import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that a tap received. `path` is without the query, and the names of `headers` are in lower case. */
export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  headers: Readonly<Record<string, string>>;
  /** The `authorization` header, or an empty string. */
  authorization: string;
}

export type TapRule = NonNullable<HttpTap['rule']>;
export type TapAnswer = Awaited<ReturnType<Parameters<TapRule>[1]>>;
export type HttpTap = Awaited<ReturnType<typeof startHttpTap>>;

/** Hop-by-hop headers (RFC 9110, section 7.6.1), and those that fetch sets itself. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host']);

/**
 * Starts an HTTP proxy at `url`, in front of a real server. It records each request, and `rule` decides the response:
 * an answer, `reset` (the connection breaks) or `silence`. Without a rule every request is forwarded.
 *
 * @example
 * const tap = await startHttpTap(server.url);
 * tap.rule = (request, forward) => (request.method === 'GET' ? forward() : 'reset');
 */
// eslint-disable-next-line max-lines-per-function -- a third of it are the members, which its users read here
export async function startHttpTap(upstream: string): Promise<{
  requests: SeenRequest[];
  rule:
    | ((
        request: SeenRequest,
        /** Forwards the request to the real server, and returns its answer. */
        forward: () => Promise<{ status: number; body: string; headers?: Readonly<Record<string, string>> }>,
      ) =>
        | { status: number; body: string; headers?: Readonly<Record<string, string>> }
        | 'reset'
        | 'silence'
        | Promise<
            { status: number; body: string; headers?: Readonly<Record<string, string>> } | 'reset' | 'silence'
          >)
    | undefined;
  /** The maximum number of concurrent requests. */
  most: number;
  url: string;
  /** Requests as `METHOD last-part-of-the-path`. */
  readonly calls: string[];
  /** Clears the records. Requests that are still running are no longer counted. */
  forget(): void;
  /** Clears the records and the rule. */
  reset(): void;
  close(): Promise<void>;
}> {
  let open = new Set<IncomingMessage>();
  const tap: HttpTap = {
    requests: [],
    rule: undefined,
    most: 0,
    url: '',
    get calls() {
      return tap.requests.map(({ method, path }) => `${method} ${path.slice(path.lastIndexOf('/') + 1)}`);
    },
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
      const inFlight = open.add(request);
      tap.most = Math.max(tap.most, open.size);
      const url = new URL(request.url ?? '/', upstream);
      const record: SeenRequest = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        body: await text(request),
        headers: headersOf(request),
        authorization: request.headers.authorization ?? '',
      };
      tap.requests.push(record);
      const forward = () => forwardTo(url, record);
      const verdict = await (tap.rule ?? ((_request, pass) => pass()))(record, forward);
      if (verdict === 'silence') response.once('close', () => inFlight.delete(request));
      else inFlight.delete(request);
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

/** Ignores an error after the client has disconnected, when the server may be shutting down too. */
const unlessGone = (request: IncomingMessage) => (error: unknown) => {
  if (!request.socket.destroyed) throw error;
};

const headersOf = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(', ') ?? '']),
  );

async function forwardTo(url: URL, { method, body, headers }: SeenRequest): Promise<TapAnswer> {
  const answer = await fetch(url, {
    method,
    headers: Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)),
    redirect: 'manual',
    body: body === '' ? undefined : body,
  });
  const fields = [...answer.headers].filter(([name]) => !HOP_BY_HOP.has(name) && name !== 'content-encoding');
  return { status: answer.status, body: await answer.text(), headers: Object.fromEntries(fields) };
}

import { createServer } from 'node:http';
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
interface Answer {
  status: number;
  body: string;
}
/** `reset` breaks the connection, `silence` never answers. */
type Fault = Answer | 'reset' | 'silence';
export type Rule = (request: SeenRequest, forward: () => Promise<Answer>) => Fault | Promise<Fault>;

export const apiError = (code: number, reason: string, message = reason): Answer => ({
  status: code,
  body: JSON.stringify({ error: { code, message, errors: [{ reason, message }] } }),
});

/** An HTTP front before a real server: it notes each request, and `rule` decides what becomes of it. */
export async function startFaultProxy(upstream: string) {
  const proxy = {
    requests: [] as SeenRequest[],
    rule: undefined as Rule | undefined,
    most: 0,
    url: '',
    /** Requests as `METHOD last-part-of-the-path`. */
    get calls() {
      return proxy.requests.map(({ method, path }) => `${method} ${path.slice(path.lastIndexOf('/') + 1)}`);
    },
    reset() {
      proxy.requests = [];
      proxy.rule = undefined;
      proxy.most = 0;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  let open = 0;
  const server = createServer((request, response) => {
    void (async () => {
      open += 1;
      proxy.most = Math.max(proxy.most, open);
      const url = new URL(request.url ?? '/', upstream);
      const seen: SeenRequest = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        body: await text(request),
        authorization: request.headers.authorization ?? '',
      };
      proxy.requests.push(seen);
      const forward = async (): Promise<Answer> => {
        const answer = await fetch(url, {
          method: seen.method,
          headers: {
            authorization: seen.authorization,
            'content-type': request.headers['content-type'] ?? 'application/json',
          },
          ...(seen.body === '' ? {} : { body: seen.body }),
        });
        return { status: answer.status, body: await answer.text() };
      };
      const fault = await (proxy.rule ?? ((_request, pass) => pass()))(seen, forward);
      open -= 1;
      if (fault === 'reset') request.socket.destroy();
      else if (fault !== 'silence') {
        response.writeHead(fault.status, { 'content-type': 'application/json' }).end(fault.body);
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

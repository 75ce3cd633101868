import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createHttpAdapter } from '../../activities/adapters/http';
import type { BatchCall, BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem } from '../../src/contract/items';
import { unlimited } from '../../activities/adapters/shared/allowance';
import type { ConfigFile } from '../../src/host/config-file';
import { createSecrets } from '../../src/host/secrets';

export interface Received {
  method: string;
  /** The path as sent, with its query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}
type Answer = (request: Received, response: ServerResponse) => void | Promise<void>;

/** A server that records the requests it receives; `answer` responds to them. */
export async function startServer() {
  const ok: Answer = (_request, response) => void response.writeHead(204).end();
  const state = {
    received: [] as Received[],
    answer: ok,
    host: '',
    get url() {
      return `http://${state.host}`;
    },
    reset() {
      state.received = [];
      state.answer = ok;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url: path = '', headers } = request;
      const received = { method, path, headers, body: await text(request) };
      state.received.push(received);
      await state.answer(received, response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  state.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

export const SECRET = 'tok-Very/Secret+1';

const SECRETS: ConfigFile['secrets'] = {
  token: { env: 'TOKEN' },
  absent: { env: 'ABSENT' },
  torn: { env: 'TORN' },
};

export const httpAdapter = (allowed_hosts: string[], secrets = SECRETS): BulkAdapter =>
  createHttpAdapter({
    allowance: unlimited,
    allowed_hosts,
    concurrency: 5,
    secrets: createSecrets({ secrets, folder: '/' }, { TOKEN: `${SECRET}\n`, TORN: 'a\nb' }),
  });

export const call = (ms = 30_000, signal: AbortSignal = new AbortController().signal): BatchCall => ({
  operation_id: 'bulk-http',
  run_id: 'run-1',
  signal,
  deadline: Date.now() + ms,
});

export const prepare = (adapter: BulkAdapter, params: Record<string, unknown>) =>
  adapter.prepare({ action: 'request', params, explicit_items: true }, call());

export async function sendAll(
  adapter: BulkAdapter,
  params: Record<string, unknown>,
  items: BulkItem[],
  limits = call(),
) {
  return adapter.executeBatch(items, await prepare(adapter, params), limits);
}

export { failure } from '../helpers/failure';

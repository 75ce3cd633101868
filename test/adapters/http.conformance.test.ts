import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createHttpAdapter } from '../../activities/adapters/http';
import { unlimited } from '../../activities/adapters/shared/allowance';
import { conformanceRunner } from '../helpers/conformance-cases';
import { createSecrets } from '../../src/host/secrets';
import { describeConformance, httpCalls, type ConformanceWorld } from '../../src/testing/conformance';
import { startHttpTap, type SeenRequest } from '../../src/testing/http-tap';

const SECRET = 'http-secret-of-sam';

/** A server that stores the state of 40 things; a request shows or sets the state of one. */
async function startThings() {
  const things = new Map(Array.from({ length: 40 }, (_, at) => [`thing-${at}`, 'new']));
  const server = createServer((request, response) => {
    void (async () => {
      const id = decodeURIComponent(request.url?.split('/')[2] ?? '');
      const body = await text(request);
      if (!things.has(id)) response.writeHead(404).end('there is no such thing');
      else if (request.method === 'GET') response.end(JSON.stringify({ id, state: things.get(id) }));
      else {
        things.set(id, (JSON.parse(body) as { state: string }).state);
        response.writeHead(204).end();
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return { things, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const callOf = ({ method, path }: SeenRequest) => ({
  kind: method === 'GET' ? ('read' as const) : ('write' as const),
  item_id: path.split('/')[2],
});

async function openWorld(more: { read?: true } = {}): Promise<ConformanceWorld> {
  const { things, server, url } = await startThings();
  const tap = await startHttpTap(url);
  const items = [...things.keys()].map((id) => ({ id, display_name: id, raw_data: { to: 'done' } }));
  const params = {
    method: 'PUT',
    url: `${tap.url}/things/{{id}}`,
    headers: { Authorization: { secret: 'token', prefix: 'Bearer ' } },
    body: { state: '{{.to}}' },
    ...(more.read && { read: { url: `${tap.url}/things/{{id}}`, select: 'body.state' } }),
  };
  const refusal = (status: number, words: string) => ({ status, body: words });
  return {
    ...httpCalls(tap, callOf, {
      limited: () => refusal(429, 'slow down'),
      broken: () => refusal(503, 'in trouble'),
      missing: () => refusal(404, 'no such thing'),
      refused: ({ authorization }) => refusal(401, `who is ${authorization}?`),
    }),
    adapter: () =>
      createHttpAdapter({
        allowance: unlimited,
        allowed_hosts: [new URL(tap.url).host],
        concurrency: 5,
        secrets: createSecrets({ secrets: { token: { env: 'TOKEN' } }, folder: '/' }, { TOKEN: SECRET }),
      }),
    requests: [{ action: 'request', params, items }],
    matching: () => Promise.resolve([...things.keys()]),
    isChanged: (id) => Promise.resolve(things.get(id) === 'done'),
    state: () => Promise.resolve([...things]),
    disturb: (id) => Promise.resolve(void things.set(id, 'stopped')),
    overwrite: (id) => Promise.resolve(things.set(id, 'stopped').has(id)),
    remove: (id) => Promise.resolve(void things.delete(id)),
    missing: { id: 'thing-404', display_name: 'Gone', raw_data: { to: 'done' } },
    secrets: [SECRET],
    async close() {
      await tap.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const NOTHING_TO_READ = 'nothing general says what a request did';
const NO_SEARCH = 'it has no search: its items are named';
const ITEMS_ONLY = {
  'resolves-names': 'it has no names',
  'counts-exactly': NO_SEARCH,
  'pages-by-size-and-offset': NO_SEARCH,
  'plans-a-changing-search': NO_SEARCH,
  'reads-loudly': NO_SEARCH,
};

describeConformance(
  'http',
  {
    open: () => openWorld(),
    exempt: {
      ...ITEMS_ONLY,
      'undoes-what-it-did': 'this request declares no undo',
      'respects-changes-after-it': 'this request declares no undo',
      'respects-other-changes': NOTHING_TO_READ,
      'reconciles-after-a-crash': NOTHING_TO_READ,
      'admits-lost-answers': NOTHING_TO_READ,
      'reports-troubles': NOTHING_TO_READ,
      'distrusts-malformed-answers': 'what an answer says is nowhere defined: its status alone decides',
    },
  },
  conformanceRunner,
);

describeConformance(
  'http with read',
  { open: () => openWorld({ read: true }), exempt: ITEMS_ONLY },
  conformanceRunner,
);

import { createHttpRequestTool } from '../../activities/tools/http-request';
import { unlimited } from '../../activities/adapters/shared/allowance';
import { createSecrets } from '../../src/host/secrets';
import type { Store } from '../../src/postgres/store/open';
import { SECRET, startServer } from '../adapters/http-setup';
import { gatewayTo, type GatewayTest } from '../helpers/tools';
import { openTestStore } from '../helpers/store';

let store: Store;
let server: Awaited<ReturnType<typeof startServer>>;
let gateway: GatewayTest;
beforeAll(async () => {
  store = await openTestStore();
  server = await startServer();
  const secrets = createSecrets({ secrets: { token: { env: 'TOKEN' } }, folder: '/' }, { TOKEN: SECRET });
  gateway = gatewayTo(store, [
    createHttpRequestTool({ allowed_hosts: [server.host], allowance: unlimited, secrets }),
  ]);
});
afterAll(async () => {
  await server.close();
  await store.close();
});
beforeEach(() => server.reset());

const json = { 'content-type': 'application/json; charset=utf-8' };
/** A person started the macro; an assistant may only read. */
const decided = { caller: 'macro' } as const;
const authorized = { Authorization: { secret: 'token', prefix: 'Bearer ' } };

it('sends a request with its secret and data of the scratchpad, and returns status and body', async () => {
  server.answer = ({ body }, response) => void response.writeHead(201, json).end(`{"got": ${body}}`);
  await store.scratchpad.save('S', 'card', { name: 'n'.repeat(600), limit: 9_000 });
  const answer = await gateway.call(
    {
      ...{ method: 'POST', url: `${server.url}/cards?all=1`, headers: authorized },
      ...{ body: 'ref:card', idempotency_header: 'Idempotency-Key' },
    },
    decided,
  );
  const card = { name: 'n'.repeat(600), limit: 9_000 };
  expect(answer).toEqual({ status: 201, content_type: json['content-type'], body: { got: card } });
  expect(server.received).toEqual([
    expect.objectContaining({
      ...{ method: 'POST', path: '/cards?all=1', body: JSON.stringify(card) },
      headers: expect.objectContaining({ authorization: `Bearer ${SECRET}`, 'idempotency-key': 'key' }),
    }),
  ]);
});

it('shows no secret, whatever the server’s answer contains', async () => {
  server.answer = ({ headers }, response) =>
    void response.writeHead(200).end(`you sent ${headers.authorization}`);
  const request = { method: 'GET', url: server.url, headers: authorized };
  expect(await gateway.call(request)).toEqual({ status: 200, body: 'you sent Bearer …' });
  server.answer = ({ headers }, response) => void response.writeHead(403).end(`no, ${headers.authorization}`);
  const { body } = await gateway.refused(request);
  expect(body.message).toBe(`[TOOL ERROR] http_request: GET ${server.host} answered 403: no, Bearer ….`);
  expect(JSON.stringify(body)).not.toContain(SECRET);
});

it('is an execution failure for an unexpected status, and follows no redirect', async () => {
  server.answer = (_, response) =>
    void response.writeHead(302, { location: 'http://elsewhere.example/' }).end();
  const error = await gateway.refused({ method: 'GET', url: server.url });
  expect(error.hint).toBe('[HINT]: Check if parameters are correct or try an alternative tool.');
  expect(await gateway.call({ method: 'GET', url: server.url, success_status: [302] })).toMatchObject({
    status: 302,
  });
  expect(server.received).toHaveLength(2);
});

it('reports the effect of a request whose answer never came as unknown', async () => {
  server.answer = (_, response) => void response.socket?.destroy();
  const error = await gateway.refused({ method: 'POST', url: server.url, body: { a: 1 } }, decided);
  expect(error.details).toMatchObject({ outcome_unknown: true });
  expect(server.received).toHaveLength(1);
});

it.each([
  [
    'a host that is not allowed',
    { method: 'GET', url: 'https://elsewhere.example/' },
    /INVALID_INPUT: Requests to \S+ are not allowed/,
  ],
  [
    'a secret in the open',
    { method: 'GET', headers: { Authorization: 'Bearer x' } },
    /headers: contains a secret in plain text/,
  ],
  [
    'a secret that is not configured',
    { method: 'GET', headers: { 'X-A': { secret: 'nope' } } },
    /NOT_CONFIGURED: .*'nope'/,
  ],
  ['a body of a GET', { method: 'GET', body: {} }, /a GET or HEAD has no body/],
])('refuses %s, and sends nothing', async (_, request, message) => {
  expect((await gateway.refused({ url: server.url, ...request })).message).toMatch(message);
  expect(server.received).toEqual([]);
});

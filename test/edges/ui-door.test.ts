import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { openUiDoor, type UiDoor } from '../../src/host/temporal/ui-door';

/** Stands for the Temporal UI: it executes whatever it gets. */
let ui: Server;
let door: UiDoor;
const executed: string[] = [];

beforeAll(async () => {
  ui = createServer((asked, response) => {
    void text(asked).then((body) => {
      executed.push(`${asked.method} ${asked.url} ${body}`);
      response
        .writeHead(200, { 'set-cookie': ['one=1', 'two=2'], 'x-frame-options': 'SAMEORIGIN' })
        .end('done');
    });
  }).listen(0, '127.0.0.1');
  await once(ui, 'listening');
  door = await openUiDoor(`http://127.0.0.1:${(ui.address() as AddressInfo).port}`, 0);
});
afterAll(async () => {
  await door?.close();
  ui?.close();
});
beforeEach(() => void executed.splice(0));

/** Uses `request`, because `fetch` sets the Host header itself. */
async function ask(method: string, headers: Record<string, string>, body = '') {
  const asked = request(`${door.url}/api/v1/namespaces?a=1`, { method, headers });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
}

const own = () => new URL(door.url).host;
const port = () => new URL(door.url).port;

it('passes on what a program and its own pages send, with its answer', async () => {
  const plain = await ask('GET', {});
  expect(plain).toMatchObject({ status: 200, text: 'done', headers: { 'set-cookie': ['one=1', 'two=2'] } });
  for (const host of [own(), `localhost:${port()}`, `[::1]:${port()}`]) {
    const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect((await ask('POST', headers, '{"a":1}')).status).toBe(200);
  }
  expect(executed).toEqual([
    'GET /api/v1/namespaces?a=1 ',
    ...Array(3).fill('POST /api/v1/namespaces?a=1 {"a":1}'),
  ]);
});

it('lets a person follow a link from another site, in a tab', async () => {
  const followed = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  expect((await ask('GET', followed)).status).toBe(200);
  for (const other of [
    { ...followed, 'sec-fetch-dest': 'iframe' },
    { ...followed, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    { ...followed, host: 'evil.example' },
    { ...followed, origin: 'null' },
  ])
    expect([other, (await ask('GET', other)).status]).toEqual([other, 403]);
  expect((await ask('POST', followed)).status).toBe(403);
  expect(executed).toHaveLength(1);
});

it('refuses other names and other sites, and executes nothing for them', async () => {
  for (const headers of [
    { host: 'evil.example' },
    { host: `evil.example:${port()}` },
    { host: `127.0.0.1.evil.example:${port()}` },
    { host: `localhost.:${port()}` },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `https://${own()}` },
    { origin: 'http://127.0.0.1:1' },
    { host: `rebound.example:${port()}`, origin: `http://rebound.example:${port()}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect([method, headers, (await ask(method, headers as never)).status]).toEqual([method, headers, 403]);
  expect(executed).toEqual([]);
});

it('says so while the UI does not answer', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port: free } = closed.address() as AddressInfo;
  closed.close();
  const other = await openUiDoor(`http://127.0.0.1:${free}`, 0);
  const answer = await fetch(other.url);
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('does not answer')]);
  await other.close();
});

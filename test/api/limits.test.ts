import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { PERMISSIONS } from '../../src/commands/permissions';
import { useLink } from '../helpers/sign-in';

const BASE = 'https://batchgate.example.com';
let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(10).adapter] });
  http = await startHttpApi(harness, { baseUrl: BASE, host: '0.0.0.0', requestsPerMinute: 25 });
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

it('refuses a body with a number that would change, over MCP too, and says to write it as text', async () => {
  const authorization = `Bearer ${await http.key('agent')}`;
  const send = (path: string, body: string) =>
    fetch(`${http.url}${path}`, {
      method: 'POST',
      body,
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
  for (const n of ['9007199254740993', '1e400', '-1e400', '0.1000000000000000055']) {
    const params = `{"group":"all","deep":[{"n":${n}}]}`;
    const start = `{"domain":"fake","action":"mark","params":${params}}`;
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_bulk_operation","arguments":${start}}}`;
    for (const [path, body] of [
      ['/v1/operations', start],
      ['/mcp', call],
    ] as const) {
      const answer = await send(path, body);
      expect([path, answer.status, await answer.json()]).toEqual([
        path,
        400,
        expect.objectContaining({ code: 'INVALID_INPUT', hint: `Write it as text: "${n}".` }),
      ]);
    }
  }
});

it('refuses a form token of as many characters and more bytes, like any other', async () => {
  const link = await http.api.signInLink({ name: 'Ada', role: 'admin' });
  const signedIn = await useLink(link.replace(BASE, http.url));
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { body } = await http.ask('GET', '/v1/me', { key: '', headers: { cookie } });
  const headers = { cookie, origin: http.url, 'x-batchgate-form-token': 'é'.repeat(body.form_token.length) };
  const refused = await http.ask('POST', '/v1/touch', { key: '', headers });
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
});

/** Uses `request`, because `fetch` sets the Host header itself. */
const statusFor = (url: string, headers: Record<string, string>, method = 'GET') =>
  new Promise<[number | undefined, string[]]>((resolve, reject) => {
    request(url, { headers, method }, (answer) => {
      answer.resume();
      resolve([answer.statusCode, answer.headers['set-cookie'] ?? []]);
    })
      .once('error', reject)
      .end();
  });

describe('behind a proxy', () => {
  it('answers under the public address and its own, and under no other', async () => {
    const authorization = `Bearer ${await http.key('viewer')}`;
    const me = async (headers: Record<string, string>) =>
      (await statusFor(`${http.url}/v1/me`, { authorization, ...headers }))[0];
    expect(await me({ host: 'batchgate.example.com' })).toBe(200);
    expect(await me({ host: 'batchgate.example.com', origin: BASE })).toBe(200);
    for (const host of ['batchgate.example.com.evil.example', 'evil.example', 'batchgate.example.com:1'])
      expect([host, await me({ host })]).toEqual([host, 403]);
    expect(await me({ host: 'batchgate.example.com', origin: 'http://batchgate.example.com' })).toBe(403);
    expect(await me({ host: 'batchgate.example.com', origin: 'null' })).toBe(403);
  });

  it('signs in at the public address, with a cookie for https only', async () => {
    const link = await http.api.signInLink({ name: 'Ada', role: 'viewer' });
    expect(link).toMatch(/^https:\/\/batchgate\.example\.com\/sign-in\?token=/);
    const host = 'batchgate.example.com';
    const [status, [cookie]] = await statusFor(link.replace(BASE, http.url), { host }, 'POST');
    expect(status).toBe(303);
    expect(cookie).toMatch(
      /^__Host-batchgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/,
    );
  });

  it('listens at the configured address, so that a proxy in another container reaches it', async () => {
    // Another loopback address, where a server on 127.0.0.1 does not answer.
    const elsewhere = http.url.replace('127.0.0.1', '127.0.0.2');
    expect((await statusFor(`${elsewhere}/livez`, {}))[0]).toBe(200);
    expect((await statusFor(`${elsewhere}/v1/me`, {}))[0]).toBe(403);
    const local = await startHttpApi(harness);
    await expect(fetch(`${local.url.replace('127.0.0.1', '127.0.0.2')}/livez`)).rejects.toThrow();
    await local.close();
  });
});

it('refuses a body that is too large, and accepts no body where it is optional', async () => {
  const large = await http.ask('POST', '/v1/operations', { body: { domain: 'x'.repeat(2_000_000) } });
  expect([large.status, large.body.code]).toEqual([413, 'INVALID_INPUT']);
  const { operation_id } = await harness.start({});
  const headers = { 'content-type': 'application/json' };
  const path = `/v1/operations/${operation_id}`;
  const none = await http.ask('POST', `${path}/extend`, { headers });
  expect([none.status, none.body.code]).toEqual([400, 'INVALID_INPUT']);
  const cancelled = await http.ask('POST', `${path}/cancel`, { headers });
  expect([cancelled.status, cancelled.body.state]).toEqual([200, 'cancelled']);
});

it.each([
  ['/v1/macros', '{"macro":"tidy","args":{"deep":DEEP}}'],
  ['/v1/macros/macro-1/answer', '{"answer":DEEP}'],
  ['/v1/operations', '{"domain":"fake","action":"mark","params":DEEP}'],
])('refuses values that are nested too deep before anything walks them: %s', async (path, body) => {
  const levels = 20_000;
  const response = await fetch(`${http.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await http.key('admin')}`,
      'content-type': 'application/json',
      'idempotency-key': 'deep',
    },
    body: body.replace('DEEP', `${'['.repeat(levels)}${']'.repeat(levels)}`),
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'INVALID_INPUT', hint: expect.stringContaining('flatter') }),
  ]);
});

it.each(['/v1/operations/%ZZ', `/v1/operations/${'a'.repeat(4_000)}`])(
  'says how to mend the address %.20s',
  async (path) => {
    const { status, body } = await http.ask('GET', path);
    expect([status, body.code, body.hint]).toEqual([400, 'INVALID_INPUT', expect.stringContaining('Encode')]);
  },
);

it.each([
  ['a header that is not valid', 'Transfer-Encoding: },"}m8@]', 400],
  ['headers that are too large', `X: ${'x'.repeat(20_000)}`, 431],
])('refuses %s as it refuses everything else, and closes the connection', async (_, header, status) => {
  const socket = connect(Number(new URL(http.url).port), '127.0.0.1');
  socket.write(`POST /v1/operations HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toContain(`HTTP/1.1 ${status} `);
  expect(head).toContain('Content-Type: application/problem+json');
  expect(JSON.parse(body)).toMatchObject({
    status,
    code: 'INVALID_INPUT',
    hint: expect.any(String) as string,
  });
});

it('refuses a caller that sends too many requests, and no others', async () => {
  const [eager, calm] = [await http.key('viewer'), await http.key('viewer')];
  for (let count = 1; count <= 25; count++)
    expect((await http.ask('GET', '/v1/me', { key: eager })).status).toBe(200);
  const refused = await http.ask('GET', '/v1/me', { key: eager });
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await http.ask('GET', '/v1/me', { key: calm })).status).toBe(200);
});

it('shows every route on a page that loads nothing and runs nothing', async () => {
  const { status, headers, body: page } = await http.ask('GET', '/docs');
  expect(status).toBe(200);
  for (const route of Object.keys(PERMISSIONS).filter((one) => one.includes(' /v1/')))
    expect(page).toContain(`<code>${route}</code>`);
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(page).not.toMatch(/<script|<link|<img|<iframe| src=| style=|@import|url\(|href="(?!#|\/openapi)/i);
});

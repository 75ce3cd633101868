import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Client, Connection } from '@temporalio/client';
import type { FastifyRequest } from 'fastify';
import { requestingSubject } from '../../src/api/approver';
import { speaksFor, type ApiContext } from '../../src/api/context';
import { decidedBy } from '../../src/api/read-since';
import { startApi, type ApiOptions, type RunningApi } from '../../src/api/server';
import { ROLES, type Role } from '../../src/contract/access';
import { PERMISSIONS } from '../../src/commands/permissions';
import { accessInMemory } from '../helpers/access-in-memory';
import { useLink } from '../helpers/sign-in';

/** What the doors refuse before they ask Temporal, which is not there. Nothing is tried again later. */
const connection = Connection.lazy({ address: '127.0.0.1:1', interceptors: [] });
const client = new Client({ connection });
const access = accessInMemory();
const apis: RunningApi[] = [];
let url = '';

async function serve(options: Partial<ApiOptions> = {}): Promise<string> {
  const api = await startApi({
    ...{ client, taskQueue: 'none', access, port: 0, onFailure: () => undefined },
    describeTools: () => Promise.resolve([]),
    describeAdapters: () => Promise.resolve([]),
    refusedParams: () => Promise.resolve([]),
    mcp: { confirm: 'link', describeAdapters: () => Promise.resolve([]) },
    ...options,
  });
  apis.push(api);
  return `http://127.0.0.1:${api.port}`;
}

beforeAll(async () => void (url = await serve()));
afterAll(async () => {
  await Promise.all(apis.map((api) => api.close()));
  await connection.close();
});

let made = 0;
async function keyOf(role: Role, session_prefix?: string): Promise<string> {
  const secret = `secret-${role}-${made++}`;
  const hash = createHash('sha256').update(secret).digest('hex');
  await access.createKey({ name: `the ${role}`, role, hash, ...(session_prefix && { session_prefix }) });
  return secret;
}

interface Answer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Uses `request`, because `fetch` sets Host and Origin itself. */
async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
  at = url,
): Promise<Answer> {
  const json = body && { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(`${at}${path}`, { method, headers: { ...json, ...headers } }, (answer) => {
      const { statusCode: status, headers: answered } = answer;
      void text(answer).then((read) => resolve({ status, headers: answered, body: read }), reject);
    });
    asked.once('error', reject).end(body && JSON.stringify(body));
  });
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
/** Several sets of headers. */
const sets = (...all: Record<string, string>[]) => all;
const codeOf = ({ status, body }: Answer) => [status, (JSON.parse(body) as { code?: string }).code];
const FORBIDDEN = [403, 'FORBIDDEN'];

/** Signs a person in, and returns the headers that our own page would send. */
async function person(role: Role = 'admin', at = apis[0]) {
  const answer = await useLink((await at?.signInLink({ name: 'Grace', role })) ?? '');
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const me = JSON.parse((await send('GET', '/v1/me', { cookie })).body) as { form_token: string };
  return { cookie, origin: url, 'x-batchgate-form-token': me.form_token };
}

describe('the role of a key', () => {
  const rows = Object.entries(PERMISSIONS).filter(([, { page }]) => !page);

  it.each(ROLES)('lets the %s make no request that the table does not give it', async (role) => {
    const key = bearer(await keyOf(role));
    for (const [route] of rows.filter(([, { roles }]) => !roles.includes(role))) {
      const [method = '', path = ''] = route.split(' ');
      const answer = await send(method, path.replace(/\{\w+\}/g, 'any'), key);
      expect([route, ...codeOf(answer)]).toEqual([route, ...FORBIDDEN]);
    }
  });

  it('opens no page, whatever the role', async () => {
    for (const role of ROLES)
      for (const path of ['/', '/start', '/task-runs/any', '/operations/any'])
        expect([role, path, ...codeOf(await send('GET', path, bearer(await keyOf(role))))]).toEqual([
          role,
          path,
          ...FORBIDDEN,
        ]);
  });

  it('gives an agent no macro but those of the operator, and an approver no assistant', async () => {
    const agent = bearer(await keyOf('agent'));
    for (const macro of [{ macro: { name: 'own', steps: [] } }, { macro: 'named', database: 'another' }])
      expect(codeOf(await send('POST', '/v1/macros', agent, macro))).toEqual(FORBIDDEN);
    const said = { text: 'hello', assistant: true };
    for (const key of [await keyOf('approver'), await keyOf('operator', 'crm:')])
      expect(codeOf(await send('POST', '/v1/sessions/crm:1/messages', bearer(key), said))).toEqual(FORBIDDEN);
  });
});

describe('the session prefix of a key', () => {
  it('hides other sessions, and lets nothing start in them', async () => {
    const key = bearer(await keyOf('operator', 'crm:'));
    const steps = [{ type: 'set', variable: 'a', value: 1 }];
    const start = { domain: 'fake', action: 'mark', params: { group: 'all' } };
    for (const session_id of ['other', undefined, 'not-crm:1']) {
      expect(codeOf(await send('POST', '/v1/operations', key, { ...start, session_id }))).toEqual(FORBIDDEN);
      expect(codeOf(await send('POST', '/v1/task-runs', key, { goal: 'read', session_id }))).toEqual(
        FORBIDDEN,
      );
    }
    const other = await send('POST', '/v1/sessions/other/messages', key, { text: 'yes' });
    expect(codeOf(other)).toEqual([404, 'NOT_FOUND']);
    const macro = { macro: { name: 'm', steps }, session_id: 'crm:1' };
    expect(codeOf(await send('POST', '/v1/macros', key, macro))).toEqual(FORBIDDEN);
  });
});

describe('a request', () => {
  it('needs a key or a session that there is', async () => {
    const { cookie, ...rest } = await person();
    for (const headers of sets({}, bearer('made-up'), { cookie: 'batchgate_session=made-up' }))
      expect(codeOf(await send('GET', '/v1/me', headers))).toEqual([401, 'UNAUTHORIZED']);
    expect((await send('GET', '/v1/me', { cookie })).status).toBe(200);
    expect((await send('POST', '/v1/sign-out', { cookie, ...rest })).status).toBe(204);
    expect((await send('GET', '/v1/me', { cookie })).status).toBe(401);
  });

  it('is refused under a foreign host name and from a foreign page, open routes too', async () => {
    const key = bearer(await keyOf('viewer'));
    const port = new URL(url).port;
    for (const path of ['/v1/me', '/sign-in?token=any', '/gates/any'])
      for (const foreign of sets(
        { host: 'evil.example' },
        { host: `evil.example:${port}` },
        { host: `127.0.0.1.evil.example:${port}` },
        { origin: 'https://evil.example' },
        { origin: `http://127.0.0.1:${Number(port) + 1}` },
        { origin: 'null' },
      )) {
        const answer = await send('GET', path, { ...key, ...foreign });
        expect([path, foreign, answer.status]).toEqual([path, foreign, 403]);
        expect(answer.body).toContain('are refused');
      }
    expect((await send('GET', '/v1/me', { ...key, host: `localhost:${port}`, origin: url })).status).toBe(
      200,
    );
  });

  it('with a cookie changes something only from a page of ours', async () => {
    const whole = await person();
    const { cookie, origin } = whole;
    const token = { 'x-batchgate-form-token': whole['x-batchgate-form-token'] };
    const wrong = { 'x-batchgate-form-token': 'a'.repeat(64) };
    for (const sent of sets(
      { cookie },
      { cookie, origin },
      { cookie, ...token },
      { cookie, origin, ...wrong },
    )) {
      expect(codeOf(await send('POST', '/v1/sign-out', sent))).toEqual(FORBIDDEN);
      expect(codeOf(await send('PATCH', '/v1/profiles/default', sent, {}))).toEqual(FORBIDDEN);
    }
    expect((await send('POST', '/v1/sign-out', whole)).status).toBe(204);
  });

  it('with a body that nothing could walk is refused before anything walks it', async () => {
    const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown;
    const key = bearer(await keyOf('admin'));
    const answer = await send('POST', '/v1/operations', key, { domain: 'fake', params: { deep } });
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('The body is nested deeper')]);
  });

  it('is one of a limited number of its sender', async () => {
    const at = await serve({ requestsPerMinute: 2 });
    const [eager, calm] = [bearer(await keyOf('viewer')), bearer(await keyOf('viewer'))];
    const statuses = [];
    for (const headers of [eager, eager, eager, calm])
      statuses.push((await send('GET', '/v1/me', headers, undefined, at)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});

describe('an answer', () => {
  it('is not kept, and a page of ours runs in no frame and with no script of others', async () => {
    const { headers } = await send('GET', '/v1/me', bearer(await keyOf('viewer')));
    expect(headers).toMatchObject({
      ...{ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' },
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    const page = await send('GET', '/sign-in?token=any', { accept: 'text/html' });
    const policy = String(page.headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        ...["default-src 'none'", "script-src 'self'", "form-action 'self'", "base-uri 'none'"],
        "frame-ancestors 'none'",
      ]),
    );
  });

  it('sets a cookie that no script reads and no other site sends, over https for this host alone', async () => {
    const link = (await apis[0]?.signInLink({ name: 'Ada', role: 'viewer' })) ?? '';
    const cookie = (await useLink(link)).headers.get('set-cookie');
    expect(cookie).toMatch(/^batchgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect((await useLink(link)).status).toBe(401);
    const at = await serve({ baseUrl: 'https://gate.example' });
    const path = new URL((await apis.at(-1)?.signInLink({ name: 'Ada', role: 'viewer' })) ?? '');
    expect(path.origin).toBe('https://gate.example');
    const secure = await send(
      'POST',
      `${path.pathname}${path.search}`,
      { host: 'gate.example' },
      undefined,
      at,
    );
    expect(String(secure.headers['set-cookie'])).toMatch(
      /^__Host-batchgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/,
    );
  });
});

describe('a sign-in through an identity provider', () => {
  const openId = {
    ...{
      issuer: 'http://127.0.0.1:1',
      client_id: 'batchgate',
      clientSecret: () => Promise.resolve('secret'),
    },
    ...{ scope: 'openid', name_claim: 'name', session_hours: 1, roles: [] },
  };

  it('ends on no page of another site, and in no browser that did not begin it', async () => {
    const at = await serve({ openId });
    for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil', '/<b>', 'x'])
      expect([
        path,
        ...codeOf(
          await send('GET', `/sign-in/oidc?return_to=${encodeURIComponent(path)}`, {}, undefined, at),
        ),
      ]).toEqual([path, 400, 'INVALID_INPUT']);
    const followed = { accept: 'text/html', 'sec-fetch-site': 'cross-site' };
    for (const path of ['//evil.example/login', '//evil.example']) {
      const answer = await send('GET', path, followed, undefined, at);
      expect([path, answer.status, String(answer.body).includes('url=//evil')]).toEqual([path, 401, false]);
    }
    const long = await send('GET', `/?q=${'a'.repeat(2_001)}`, { accept: 'text/html' }, undefined, at);
    expect(long.body).toContain('return_to=%2F"');
    for (const headers of sets({}, { cookie: 'batchgate_sign_in=made-up' }))
      expect(
        codeOf(await send('GET', '/sign-in/oidc/callback?code=a&state=b', { ...headers }, undefined, at)),
      ).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('the name in a record', () => {
  const from = (kind: 'person' | 'key', role: Role) =>
    ({ url: '/v1/operations', principal: { kind, id: 'id', name: 'own', role } }) as FastifyRequest;
  const vouch = () => 'signed';

  it('is that of the person or the agent itself; only a backend speaks for its people', () => {
    expect(speaksFor(from('person', 'admin'), 'Alice')).toBe('own');
    expect(speaksFor(from('key', 'agent'), 'Alice')).toBe('own');
    expect(speaksFor(from('key', 'operator'), 'Alice')).toBe('Alice');
    expect(speaksFor(from('key', 'operator'), undefined)).toBe('own');
  });

  it('comes with the subject of that person, which only a backend names for its people', () => {
    const context = { provider: { issuer: 'https://idp' } };
    const subject = (kind: 'person' | 'key', role: Role, own?: string) =>
      requestingSubject(context, { kind, role, ...(own !== undefined && { subject: own }) }, 'https://idp|x');
    expect(subject('person', 'admin', '1')).toBe('https://idp|1');
    expect(subject('person', 'approver')).toBeUndefined();
    expect(subject('key', 'agent')).toBeUndefined();
    expect(subject('key', 'operator')).toBe('https://idp|x');
  });

  it('is vouched for as a session only if the person signed in', () => {
    const context = { vouch } as unknown as ApiContext;
    const vouched = (kind: 'person' | 'key', role: Role, by?: string) =>
      decidedBy(context, from(kind, role), by).options.approver;
    expect(vouched('person', 'approver')).toMatchObject({ by: 'own', assurance: 'session' });
    expect(vouched('key', 'admin', 'Alice')).toMatchObject({ by: 'Alice', assurance: 'asserted' });
  });
});

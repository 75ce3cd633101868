import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import { describeAdapter } from '../../src/core/bulk/registry';
import { connected } from '../helpers/mcp';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { Browser, startIdentityProvider } from '../helpers/identity-provider';
import { useLink } from '../helpers/sign-in';

let harness: Harness;
let http: HttpApi;
let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
const tool = countingTool(8);
const mark = { domain: 'fake', action: 'mark', params: { group: 'all' }, reason: 'They are all read.' };
/** The address of the host to which the sign-in redirects its person. */
const CALLBACK = 'http://127.0.0.1:9/callback';
const told = { onprogress: () => undefined };
const open: (() => Promise<void>)[] = [];

beforeAll(async () => {
  provider = await startIdentityProvider();
  harness = await startHarness({ adapters: [tool.adapter] });
  const describeAdapters = () => Promise.resolve([describeAdapter(tool.adapter)]);
  http = await startHttpApi(harness, {
    mcp: {
      confirm: 'link',
      describeAdapters,
      waits: { silent: 20, told: 60_000, started: 60_000, progress: 100, suggestions: 5_000 },
    },
    openId: {
      ...{ issuer: provider.issuer, client_id: 'batchgate', clientSecret: () => Promise.resolve('secret') },
      ...{ scope: 'openid', name_claim: 'name', session_hours: 1 },
      ...{ audience: 'https://batchgate.example', clients: ['phone'] },
      roles: [{ role: 'admin', claim: 'groups', value: 'staff' }],
    },
  });
  await provider.configure({
    clients: [
      {
        ...{ client_id: 'agent-host', token_endpoint_auth_method: 'none', redirect_uris: [CALLBACK] },
        ...{ grant_types: ['authorization_code'], response_types: ['code'] },
      },
    ],
    people: { ada: { name: 'Ada', groups: ['staff'] } },
  });
});
afterAll(async () => {
  await Promise.all(open.map((close) => close()));
  await http?.close();
  await harness?.close();
  provider?.close();
});

async function connect(
  token: string,
  mode: 'auto' | 'legacy' = 'auto',
  more: StreamableHTTPClientTransportOptions = {},
) {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${http.url}/mcp`), { requestInit, ...more });
  const client = new Client({ name: 'remote agent', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  const agent = connected(client);
  open.push(() => agent.close());
  return agent;
}

/** Signs a person in by the printed link, and returns a function that sends requests as that person. */
async function signedIn(name: string) {
  const { headers } = await useLink(await http.api.signInLink({ name, role: 'approver' }));
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const { body: me } = await http.ask('GET', '/v1/me', { key: '', headers: { cookie } });
  const whole = { cookie, origin: http.url, 'x-batchgate-form-token': me.form_token };
  return (path: string, body: object) => http.ask('POST', path, { key: '', headers: whole, body });
}

it.each(['auto', 'legacy'] as const)(
  "an agent with a key (%s) gets the outcome of a signed-in person's decision",
  async (mode) => {
    const agent = await connect(await http.key('agent'), mode);
    const { data } = await agent.call('start_bulk_operation', { ...mark, batch_size: 10 });
    expect(data.approval_url).toBe(`${http.url}/operations/${data.operation_id}`);
    const { operation_id, next_batch } = data;
    const asked = agent.call('continue_bulk_operation', { operation_id, batch: 1 }, told);
    const decide = await signedIn('Grace');
    const exclude = [{ id: 'item-002' }];
    await decide(`/v1/operations/${operation_id}/continue`, { batch: 1, digest: next_batch.digest, exclude });
    const answer = await asked;
    expect(answer.data).toMatchObject({
      decision: 'confirmed',
      state: 'completed',
      succeeded: 7,
      skipped: 1,
    });
    expect(answer.data.confirmations).toMatchObject([{ by: 'Grace', assurance: 'session' }]);
    const { data: report } = await agent.call('get_bulk_report', { operation_id });
    expect(report.rows[0]).toMatchObject({ outcome: 'succeeded', confirmed_by: 'Grace' });
  },
);

it('separates the agents of two keys, even with the same session prefix', async () => {
  const [ada, bob] = [
    await connect(await http.key('agent', 'team')),
    await connect(await http.key('agent', 'team')),
  ];
  const { data } = await ada.call('start_bulk_operation', mark);
  expect(data.session_id).toMatch(/^teammcp\./);
  const { operation_id } = data;
  for (const name of ['get_bulk_status', 'cancel_bulk_operation', 'get_bulk_report'])
    expect((await bob.call(name, { operation_id })).data.error.code).toBe('NOT_FOUND');
  const stolen = await bob.call('start_bulk_operation', {
    ...mark,
    session_id: data.session_id.slice(0, 90),
  });
  expect(stolen.data.session_id).not.toBe(data.session_id);
  expect(
    (await bob.call('list_bulk_operations', {})).data.items.map((row: any) => row.operation_id),
  ).not.toContain(operation_id);
  await ada.call('cancel_bulk_operation', { operation_id });
  await bob.call('cancel_bulk_operation', { operation_id: stolen.data.operation_id });
});

it('starts no macro for a key with a session prefix, because its steps would reach further', async () => {
  const confined = await connect(await http.key('agent', 'team'));
  const { data } = await confined.call('run_macro', { macro: 'tidy' });
  expect(data.error).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('begin with team'),
  });
});

it('accepts no key of another role, because its model would decide', async () => {
  for (const role of ['viewer', 'operator', 'approver', 'admin'] as const) {
    const { status, body } = await http.ask('POST', '/mcp', { key: await http.key(role), body: {} });
    expect([role, status, body.code]).toEqual([role, 403, 'FORBIDDEN']);
  }
});

describe.each(['auto', 'legacy'] as const)('a call that waits for a person (%s)', (mode) => {
  const waitingCall = async (more: StreamableHTTPClientTransportOptions = {}, options: object = {}) => {
    const key = await http.key('agent');
    const agent = await connect(key, mode, more);
    const { data } = await agent.call('start_bulk_operation', { ...mark, batch_size: 5 });
    const waiting = gateway();
    const asked = { operation_id: data.operation_id, batch: 1 };
    const ended = agent
      .call('continue_bulk_operation', asked, { onprogress: waiting.open, ...options })
      .then(({ data: answer }) => answer.decision as string, String);
    await waiting.opened;
    return { key, asked, digest: data.next_batch.digest as string, ended };
  };

  it('loses its connection and cancels nothing; repeated, it gets the outcome, and the batch ran once', async () => {
    const line = new AbortController();
    const cut = (input: string | URL, init?: RequestInit) =>
      fetch(input, { ...init, signal: AbortSignal.any([line.signal, ...[init?.signal ?? []].flat()]) });
    const { key, asked, digest } = await waitingCall({ fetch: cut });
    line.abort();
    const again = await connect(key, mode);
    const answer = again.call('continue_bulk_operation', asked, told);
    const decide = await signedIn('Grace');
    await decide(`/v1/operations/${asked.operation_id}/continue`, { batch: 1, digest });
    expect((await answer).data).toMatchObject({
      decision: 'confirmed',
      processed: 5,
      next_batch: { number: 2 },
    });
    expect((await harness.status(asked.operation_id)).confirmations).toHaveLength(1);
    const { data } = await again.call('cancel_bulk_operation', { operation_id: asked.operation_id });
    expect(data).toMatchObject({ state: 'cancelled', processed: 5 });
  });

  it('is cancelled by its host, which looks like a lost connection and cancels nothing', async () => {
    const stop = new AbortController();
    const { key, asked, ended } = await waitingCall({}, { signal: stop.signal });
    stop.abort('the person pressed stop');
    await ended;
    const again = await connect(key, mode);
    const waits = await again.call('continue_bulk_operation', asked);
    expect(waits.data).toMatchObject({ decision: 'waiting', processed: 0 });
    const { data } = await again.call('cancel_bulk_operation', { operation_id: asked.operation_id });
    expect(data).toMatchObject({ state: 'cancelled', processed: 0 });
  });
});

describe('changes', () => {
  it('are reported to the agent that subscribed, and only for its own operations', async () => {
    const [ada, bob] = [await connect(await http.key('agent')), await connect(await http.key('agent'))];
    const started = await Promise.all([ada, bob].map((one) => one.call('start_bulk_operation', mark)));
    const [mine, theirs] = started.map(({ data }) => data.operation_id as string);
    const uris = [mine, theirs].map((id) => `batchgate://operations/${id}`);
    const heard = new Set<string>();
    const over = gateway();
    ada.client.setNotificationHandler('notifications/resources/updated', async ({ params: { uri } }) => {
      heard.add(uri);
      const { contents } = await ada.client.readResource({ uri });
      if (JSON.stringify(contents).includes('cancelled')) over.open();
    });
    const listening = await ada.client.listen({ resourceSubscriptions: uris });
    await bob.call('cancel_bulk_operation', { operation_id: theirs });
    await ada.call('cancel_bulk_operation', { operation_id: mine });
    await over.opened;
    expect([...heard]).toEqual([uris[0]]);
    await listening.close();
  });

  it('are not offered to clients of 2025, because their requests have no open connection', async () => {
    const old = await connect(await http.key('agent'), 'legacy');
    expect(old.client.getServerCapabilities()?.resources?.subscribe).toBeUndefined();
    await expect(old.client.subscribeResource({ uri: 'batchgate://inbox' })).rejects.toThrow();
  });
});

describe('as an OAuth resource server', () => {
  const post = (token?: string, path = '/mcp') =>
    fetch(`${http.url}${path}`, {
      method: path === '/mcp' ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(path === '/mcp' && { body: '{}' }),
    });
  const claims = (aud: string, more: object = {}) => ({
    aud,
    sub: 'ada',
    name: 'Ada',
    groups: ['staff'],
    ...more,
  });

  it('says where to get tokens', async () => {
    const refused = await post();
    expect(refused.status).toBe(401);
    const [, url = ''] =
      /^Bearer resource_metadata="([^"]+)"$/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const metadata = await (await fetch(url)).json();
    expect(metadata).toEqual({
      resource: `${http.url}/mcp`,
      resource_name: 'batchgate',
      authorization_servers: [provider.issuer],
      bearer_methods_supported: ['header'],
    });
  });

  it('lets a host that knows only its address find the provider, sign its person in, and call', async () => {
    const [url, browser] = [new URL(`${http.url}/mcp`), new Browser()];
    const kept: { sent?: URL; verifier: string; tokens?: never; found?: never } = { verifier: '' };
    const authProvider: OAuthClientProvider = {
      redirectUrl: CALLBACK,
      clientMetadata: { redirect_uris: [CALLBACK], scope: 'openid profile groups' },
      clientInformation: () => ({ client_id: 'agent-host' }),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void (kept.tokens = tokens as never),
      redirectToAuthorization: (sent) => void (kept.sent = sent),
      saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
      codeVerifier: () => kept.verifier,
      saveDiscoveryState: (found) => void (kept.found = found as never),
      discoveryState: () => kept.found,
    };
    const first = new StreamableHTTPClientTransport(url, { authProvider });
    await expect(new Client({ name: 'host', version: '1' }).connect(first)).rejects.toThrow();
    expect(kept.sent?.searchParams.get('resource')).toBe(url.href);
    const back = new URL(await browser.signIn(kept.sent?.href ?? '', 'ada', CALLBACK));
    await first.finishAuth(back.searchParams);
    const host = await connect('', 'auto', { authProvider, requestInit: {} });
    const { data } = await host.call('start_bulk_operation', { ...mark, session_id: 'signed-in' });
    expect((await harness.status(data.operation_id)).confirmations).toEqual([]);
    expect(
      (await host.call('cancel_bulk_operation', { operation_id: data.operation_id })).data.confirmations,
    ).toMatchObject([{ by: 'Ada', decision: 'cancel' }]);
  });

  it("accepts the provider's tokens for this address, and no others", async () => {
    const good = await provider.token(claims(`${http.url}/mcp`));
    const agent = await connect(good);
    const { data } = await agent.call('start_bulk_operation', { ...mark, session_id: 'token' });
    expect(data).toMatchObject({ state: 'awaiting_confirmation' });
    await agent.call('cancel_bulk_operation', { operation_id: data.operation_id });
    // A token for an agent is not valid as its person's token, and vice versa.
    expect((await post(good, '/v1/me')).status).toBe(401);
    const person = await provider.token(claims('https://batchgate.example', { azp: 'phone' }));
    expect((await post(person, '/v1/me')).status).toBe(200);
    const late = { exp: Date.now() / 1_000 - 60 };
    const bad = [
      person,
      await provider.token(claims(`${http.url}/mcp`), 'somebody else'),
      await provider.token(claims(`${http.url}/mcp`, late)),
      await provider.token(claims('https://other.example/mcp')),
      await provider.token(claims(`${http.url}/mcp`, { iss: 'https://evil.example' })),
    ];
    for (const token of bad) expect((await post(token)).status).toBe(401);
    expect((await post(await provider.token(claims(`${http.url}/mcp`, { groups: [] })))).status).toBe(403);
  });
});

it('serves nothing to pages of other sites', async () => {
  const headers = { authorization: `Bearer ${await http.key('agent')}`, origin: 'https://evil.example' };
  const { status } = await fetch(`${http.url}/mcp`, { method: 'POST', headers });
  expect(status).toBe(403);
});

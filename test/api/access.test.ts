import { PERMISSIONS } from '../../src/commands/permissions';
import { ROLES, type Role } from '../../src/contract/access';
import { handleMessage, startTaskRun, startMacro } from '../../src/client';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

let harness: Harness;
let http: HttpApi;
const tool = countingTool(25);

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

describe('without a session or a key', () => {
  it('only health answers', async () => {
    const routes = Object.keys(PERMISSIONS).map((route) => route.replace(/\{\w+\}/g, 'any').split(' '));
    for (const [method = '', path = ''] of [...routes, ['GET', '/'], ['GET', '/v1/nothing']]) {
      const { status, body } = await http.ask(method, path, { key: '' });
      expect([method, path, status, body.code]).toEqual([method, path, 401, 'UNAUTHORIZED']);
    }
    expect((await http.ask('GET', '/livez', { key: '' })).status).toBe(200);
  });

  it('refuses keys that are unknown, expired or revoked', async () => {
    expect((await http.ask('GET', '/v1/me', { key: 'made-up' })).status).toBe(401);
    const { access } = harness.store;
    const hash = 'a'.repeat(64);
    const expires_at = new Date(Date.now() - 1_000).toISOString();
    await access.createKey({ name: 'old', role: 'admin', hash, expires_at });
    expect(await access.findKey(hash)).toBeUndefined();
    const key = await http.key('viewer');
    expect((await http.ask('GET', '/v1/me', { key })).body).toEqual({
      kind: 'key',
      name: 'the viewer',
      role: 'viewer',
    });
    const latest = (await access.listKeys()).at(-1);
    await access.revokeKey(latest?.key_id ?? '');
    expect((await http.ask('GET', '/v1/me', { key })).status).toBe(401);
  });
});

describe('requests under another name or from another site', () => {
  it('are refused, except for health', async () => {
    const { request } = await import('node:http');
    const statusFor = (path: string, headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        request(`${http.url}${path}`, { headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .once('error', reject)
          .end();
      });
    const authorization = `Bearer ${await http.key('admin')}`;
    expect(await statusFor('/v1/me', { authorization })).toBe(200);
    expect(await statusFor('/v1/me', { authorization, host: 'evil.example' })).toBe(403);
    expect(await statusFor('/sign-in?token=any', { host: 'evil.example' })).toBe(403);
    expect(await statusFor('/v1/me', { authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await statusFor('/livez', { host: 'probe.example' })).toBe(200);
  });
});

describe('an agent', () => {
  it('starts, reads and asks, and none of its messages decides anything', async () => {
    const key = await http.key('agent');
    const body = { domain: 'fake', action: 'mark', params: { group: 'all' }, session_id: 'agent' };
    const { body: status } = await http.ask('POST', '/v1/operations', { key, body });
    expect(status.state).toBe('awaiting_confirmation');
    for (const text of ['continue', 'yes', 'ja', 'CONTINUE!', 'cancel', 'yes, do it', 'Say continue']) {
      const { body: turn } = await http.ask('POST', '/v1/sessions/agent/messages', { key, body: { text } });
      if (turn.intent !== 'unknown') expect(turn.error.code).toBe('FORBIDDEN');
    }
    const asked = await http.ask('POST', '/v1/sessions/agent/messages', {
      key,
      body: { text: 'how many are left?' },
    });
    expect(asked.body.handled).toBe(true);
    expect(await harness.status(status.operation_id)).toMatchObject({
      state: 'awaiting_confirmation',
      processed: 0,
    });
    // The answer of a person who was shown the question is still accepted.
    const person = { task_queue: harness.taskQueue, seen: { digest: status.next_batch.digest } };
    const turn = await handleMessage(harness.client, 'agent', 'continue', person);
    expect(turn.status?.processed).toBe(10);
    await harness.client.workflow.getHandle(status.operation_id).cancel();
  });

  it('runs macros of the operator by name, and none of its own', async () => {
    const key = await http.key('agent');
    const run = (body: object) => http.ask('POST', '/v1/macros', { key, body });
    const steps = [{ type: 'set', variable: 'a', value: 1 }];
    for (const own of [
      { macro: { name: 'own', steps } },
      { macro: 'theirs', macros: { theirs: { name: 'theirs', steps } } },
      { macro: 'theirs', database: 'another' },
    ])
      expect((await run(own)).body).toMatchObject({
        code: 'FORBIDDEN',
        hint: expect.stringContaining('name'),
      });
    expect((await run({ macro: 'theirs' })).body).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('asks in its own name', async () => {
    const key = await http.key('agent');
    const asked = { domain: 'fake', action: 'mark', params: { group: 'all' }, session_id: 'in-its-name' };
    const body = { ...asked, requested_by: 'Alice (CFO)' };
    const { body: started } = await http.ask('POST', '/v1/operations', { key, body });
    const { body: me } = await http.ask('GET', '/v1/me', { key });
    expect(started.requested_by).toBe(me.name);
    await harness.client.workflow.getHandle(started.operation_id).cancel();
  });
});

describe('an approver', () => {
  it('decides by messages, and starts nothing by them', async () => {
    const key = await http.key('approver');
    let seen: object = {};
    const say = async (text: string) =>
      (await http.ask('POST', '/v1/sessions/approved/messages', { key, body: { text, ...seen } })).body;
    const { operation_id, next_batch } = await harness.start({ session_id: 'approved' });
    seen = { seen: { digest: next_batch?.digest ?? '' } };
    expect((await say('continue')).status).toMatchObject({ operation_id, processed: 10 });
    await say('cancel');
    await harness.client.workflow.getHandle(operation_id).result();
    for (const text of ['undo it', 'retry the failed ones'])
      await caughtUp(async () =>
        expect(await say(text)).toMatchObject({ handled: true, error: { code: 'FORBIDDEN' } }),
      );
    const { body: list } = await http.ask('GET', '/v1/operations?session_id=approved', { key });
    expect(list.items).toHaveLength(1);
  });
});

describe('the table of permissions', () => {
  /** Pages are for people; pages.test.ts covers them. */
  const API = Object.entries(PERMISSIONS).filter(([, { page }]) => !page);
  const PAGES = Object.entries(PERMISSIONS).filter(([, { page }]) => page);
  /** Bodies that pass the schema, and change nothing that later cells depend on. */
  const BODIES: Readonly<Record<string, unknown>> = {
    'POST /v1/operations': { domain: 'fax', action: 'mark', params: {}, session_id: 'own' },
    'POST /v1/previews': { domain: 'fax', action: 'mark', params: {}, session_id: 'own' },
    'POST /v1/operations/{operation_id}/continue': { digest: 'stale' },
    'POST /v1/operations/{operation_id}/extend': { seconds: 9_000 },
    'POST /v1/operations/{operation_id}/resolve': { item_id: 'none', outcome: 'failed', reason: 'seen' },
    'POST /v1/operations/{operation_id}/links': { name: 'Ada' },
    'POST /v1/sessions/{session_id}/messages': { text: 'what a nice day' },
    'POST /v1/task-runs': { goal: '', session_id: 'own' },
    'POST /v1/task-runs/{task_run_id}/record': { completed: ['a'] },
    'POST /v1/macros': { macro: 'no such macro', session_id: 'own' },
    'POST /v1/macros/{run_id}/answer': { answer: 'yes' },
    'PATCH /v1/profiles/{profile}': {},
  };
  const streams = (route: string) => route.endsWith('/events');
  /** MCP answers in its own protocol, so only the status is read. */
  const foreign = (route: string) => route.endsWith(' /mcp');
  const jobs: Record<'own' | 'foreign', Record<string, string>> = { own: {}, foreign: {} };
  const keys = new Map<Role, string>();
  const wideKeys = new Map<Role, string>();

  beforeAll(async () => {
    for (const role of ROLES) {
      keys.set(role, await http.key(role, 'own'));
      wideKeys.set(role, await http.key(role));
    }
    const { client, taskQueue: task_queue } = harness;
    for (const [whose, session_id] of [
      ['own', 'own'],
      ['foreign', 'foreign'],
    ] as const) {
      const { operation_id } = await harness.start({ session_id });
      const task = { goal: 'read', contract: { expected_total: 5 } };
      const run = await startTaskRun(client, { ...task, session_id: `${session_id}-task` }, { task_queue });
      const steps = [{ type: 'set' as const, variable: 'greeting', value: 'hello' }];
      const macro = { name: 'greet', steps };
      const { run_id } = await startMacro(
        client,
        { macro, session_id: `${session_id}-macro` },
        { task_queue },
      );
      jobs[whose] = { operation_id, task_run_id: run.task_run_id, run_id, session_id, profile: 'default' };
    }
  });

  // These operations were started by somebody else than the agent.
  const isOthers = (route: string, own_only: boolean | undefined, role: string) =>
    own_only === true && role === 'agent' && route.includes('{operation_id}');
  const cells = API.flatMap(([route, { roles, beyond_sessions, own_only }]) =>
    ROLES.map((role) => ({
      ...{ route, role, beyond_sessions },
      allowed: roles.includes(role) && !isOthers(route, own_only, role),
    })),
  );

  it.each(cells)(
    '$role, $route: allowed $allowed, and another session is not found',
    async ({ route, role, allowed, beyond_sessions }) => {
      const [method = '', template = ''] = route.split(' ');
      // Other cells need the jobs, so requests that end something are sent only where they are refused.
      const ends = /\/(cancel|sign-out)$/.test(template) && allowed;
      const key = (beyond_sessions ? wideKeys : keys).get(role);
      const send = async (whose: 'own' | 'foreign') => {
        const path = template.replace(/\{(\w+)\}/g, (_, name: string) => jobs[whose][name] ?? '');
        if (streams(route) && allowed && whose === 'own') return statusOfStream(path, key ?? '');
        if (foreign(route) && allowed) return statusOfStream(path, key ?? '', method);
        const body = method === 'GET' ? undefined : BODIES[route];
        return (await http.ask(method, path, { key, body })).status;
      };
      if (!ends) {
        const status = await send('own');
        if (allowed) expect([401, 403]).not.toContain(status);
        else expect(status).toBe(403);
        expect(status).toBeLessThan(500);
      }
      const names = /\{(operation_id|task_run_id|run_id|session_id)\}/.test(template);
      if (names) expect(await send('foreign')).toBe(404);
    },
  );

  async function statusOfStream(path: string, key: string, method = 'GET'): Promise<number> {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await fetch(`${http.url}${path}`, { method, headers, signal: stop.signal });
    stop.abort();
    return status;
  }

  it('limits lists and starts to the sessions of a key', async () => {
    const key = keys.get('operator');
    const rows = (await http.ask('GET', '/v1/operations', { key })).body.items;
    expect(rows.every((row: any) => row.session_id.startsWith('own'))).toBe(true);
    const body = { domain: 'fake', action: 'mark', params: { group: 'all' }, session_id: 'foreign-2' };
    for (const asked of [body, { ...body, session_id: undefined }])
      expect((await http.ask('POST', '/v1/operations', { key, body: asked })).body.code).toBe('FORBIDDEN');
    const { operation_id: undoes } = jobs.foreign;
    const undo = { domain: 'fake', action: 'mark', undoes, session_id: 'own-2' };
    expect((await http.ask('POST', '/v1/operations', { key, body: undo })).status).toBe(404);
    const macro = { name: 'greet', steps: [] };
    const escaping = await http.ask('POST', '/v1/macros', { key, body: { macro, session_id: 'own-2' } });
    expect(escaping.status).toBe(403);
  });

  it('gives no page to a key, whatever its role', async () => {
    for (const [route] of PAGES) {
      const [method = '', template = ''] = route.split(' ');
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => jobs.own[name] ?? 'none');
      const { status, body } = await http.ask(method, path);
      expect([route, status, body.code]).toEqual([route, 403, 'FORBIDDEN']);
    }
  });

  it('lets no agent decide', () => {
    const decisions = Object.entries(PERMISSIONS)
      .filter(([route]) => /\/(continue|complete|resolve|extend|cancel|answer)$/.test(route))
      // What it may do as over MCP: agent-rights.test.ts.
      .filter(([, { page, own_only }]) => page || !own_only);
    expect(decisions.length).toBeGreaterThan(6);
    for (const [, { roles }] of decisions) {
      expect(roles).not.toContain('agent');
      expect(roles).not.toContain('viewer');
    }
  });
});

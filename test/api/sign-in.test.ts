import { createHash } from 'node:crypto';
import type { Role } from '../../src/contract/access';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { useLink } from '../helpers/sign-in';
import { signedUpdates } from '../helpers/signed-updates';

let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(25).adapter] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

/** Signs in by a link, and returns the cookie as a browser would send it. */
async function signIn(name = 'Grace', role: Role = 'admin') {
  const link = await http.api.signInLink({ name, role });
  const answer = await useLink(link);
  const cookie = answer.headers.get('set-cookie') ?? '';
  return { link, answer, cookie, headers: { cookie: cookie.split(';')[0] ?? '' } };
}

describe('a person who signs in by the printed link', () => {
  it('gets a cookie that scripts and other sites cannot use, once', async () => {
    const { link, answer, cookie, headers } = await signIn();
    expect(answer.status).toBe(303);
    expect(cookie).toMatch(/^batchgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect((await useLink(link)).status).toBe(401);
    const me = await http.ask('GET', '/v1/me', { key: '', headers });
    expect(me.body).toMatchObject({ kind: 'person', name: 'Grace', role: 'admin' });
  });

  it('is signed in by the button alone, not by a program that opens the link before', async () => {
    const link = await http.api.signInLink({ name: 'Grace', role: 'approver' });
    for (const method of ['HEAD', 'GET', 'GET', 'HEAD', 'OPTIONS']) {
      const opened = await fetch(link, { method });
      expect(opened.headers.get('set-cookie')).toBeNull();
      if (method !== 'GET') continue;
      expect(opened.status).toBe(200);
      expect((await opened.text()).match(/<button/g)).toHaveLength(1);
    }
    const foreign = { method: 'POST', headers: { origin: 'https://evil.example' } };
    expect((await fetch(link, foreign)).status).toBe(403);
    const answers = await Promise.all([useLink(link), useLink(link), useLink(link)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401]);
  });

  it('reads what to do on a page, if the link is used, expired or unknown', async () => {
    const used = await http.api.signInLink({ name: 'Grace', role: 'admin' });
    await useLink(used);
    const hash = createHash('sha256').update('old').digest('hex');
    const expires_at = new Date(Date.now() - 1_000).toISOString();
    await harness.store.access.keepLink({ name: 'Grace', role: 'admin', hash, expires_at });
    for (const link of [
      used,
      `${http.url}/sign-in?token=old`,
      `${http.url}/sign-in?token=`,
      `${http.url}/sign-in`,
    ])
      for (const answer of [await fetch(link), await useLink(link)]) {
        expect([answer.status, answer.headers.get('content-type')]).toEqual([
          401,
          'text/html; charset=utf-8',
        ]);
        expect(await answer.text()).toContain('npx batchgate link');
      }
  });

  it('changes nothing without the form token and the origin, and ends the session when signing out', async () => {
    const { headers } = await signIn();
    const { body: me } = await http.ask('GET', '/v1/me', { key: '', headers });
    const token = { 'x-batchgate-form-token': me.form_token };
    for (const without of [headers, { ...headers, ...token }, { ...headers, origin: http.url }]) {
      const refused = await http.ask('POST', '/v1/touch', { key: '', headers: without });
      expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    }
    const whole = { ...headers, ...token, origin: http.url };
    expect((await http.ask('POST', '/v1/touch', { key: '', headers: whole })).status).toBe(200);
    expect((await http.ask('POST', '/v1/sign-out', { key: '', headers: whole })).status).toBe(204);
    expect((await http.ask('GET', '/v1/me', { key: '', headers })).status).toBe(401);
  });

  it('decides with the assurance of the session, which no other client can claim', async () => {
    const { headers } = await signIn('Grace');
    const { body: me } = await http.ask('GET', '/v1/me', { key: '', headers });
    const whole = { ...headers, 'x-batchgate-form-token': me.form_token, origin: http.url };
    const status = await harness.start({});
    const path = `/v1/operations/${status.operation_id}`;
    const body = { batch: 1, by: 'somebody else', decision_id: 'first' };
    expect((await http.ask('POST', `${path}/continue`, { key: '', headers: whole, body })).status).toBe(200);
    const handle = harness.client.workflow.getHandle(status.operation_id);
    const [signed] = await signedUpdates(harness, status.operation_id);
    const proof = signed?.request.proof;
    expect(proof).toMatch(/^[0-9a-f]{128}$/);
    // A proof is valid only for its own decision, and a made-up proof is never valid.
    await handle.executeUpdate('continue', {
      args: [{ batch: 2, by: 'Grace', decision_id: 'second', proof }],
    });
    const made = { batch: 3, by: 'Grace', decision_id: 'third', proof: 'ab'.repeat(64) };
    await handle.executeUpdate('continue', { args: [made] });
    const { confirmations } = await harness.status(status.operation_id);
    expect(confirmations.map(({ by, assurance }) => [by, assurance])).toEqual([
      ['Grace', 'session'],
      ['Grace', 'asserted'],
      ['Grace', 'asserted'],
    ]);
    const claimed = await http.ask('POST', `${path}/continue`, { body: { proof } });
    expect([claimed.status, claimed.body.code]).toEqual([400, 'INVALID_INPUT']);
  });
});

import { createDeliveries } from '../../src/api/deliveries';
import { hashOf } from '../../src/api/principal';
import { Batchgate } from '../../src/batchgate';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { manyItems, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { leftoverOf } from '../helpers/page-text';
import { useLink } from '../helpers/sign-in';

/** What the record answers of each question, at the doors of HTTP: by whom, where, and after how long. */
let harness: Harness;
let http: HttpApi;
let cookie: string;

beforeAll(async () => {
  const tool = (toolName: string) =>
    createFakeAdapter({
      toolName,
      items: () => manyItems(6),
      apply: () => Promise.resolve(),
      marks: new Map(),
    });
  harness = await startHarness({ adapters: [tool('fake'), tool('other')] });
  http = await startHttpApi(harness);
  const signedIn = await useLink(await http.api.signInLink({ name: 'Ada', role: 'admin' }));
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const start = (more: object = {}) =>
  harness.start({ params: { group: 'all', mark: 'Later' }, batch_size: 5, ...more });
const TIME = expect.stringMatching(/^\d{4}-.*Z$/) as string;
const READ_MS = 5_000;

const page = async (path: string) =>
  (await fetch(`${http.url}${path}`, { headers: { cookie, accept: 'text/html' } })).text();

/** Sends the form of the open question as somebody does who has read it for five seconds. */
async function confirmOnPage(id: string, verb = 'continue') {
  const reader = `person-${hashOf(cookie.split('=')[1] ?? '').slice(0, 16)}`;
  const { next_batch: gate } = await harness.status(id);
  const digest = gate?.digest ?? '';
  const deliveries = await createDeliveries(harness.store.access);
  const body = new URLSearchParams([
    ...Object.entries({ batch: String(gate?.number), attempt: String(gate?.attempt), digest, shown: digest }),
    ...Object.entries({ shown_at: deliveries.stamp(reader, digest, Date.now() - READ_MS) }),
    ...Object.entries({ decision_id: `press-${digest.slice(0, 8)}-${verb}`, form_token: await formToken() }),
    ...(gate?.items ?? []).map((_, at) => ['keep', String(at)] as [string, string]),
  ]);
  const headers = { cookie, origin: http.url, accept: 'text/html' };
  const asked = { method: 'POST', redirect: 'manual', headers, body } as const;
  return fetch(`${http.url}/operations/${id}/${verb}`, asked);
}

async function formToken(): Promise<string> {
  const { body } = await http.ask('GET', '/v1/me', { key: '', headers: { cookie } });
  return body.form_token as string;
}

const settled = async (id: string, processed: number) => {
  while ((await harness.status(id)).processed < processed) await new Promise(setImmediate);
};

it('knows when a question was asked, shown on a page and answered there', async () => {
  const { operation_id: id } = await start();
  expect((await harness.status(id)).unanswered).toEqual({ batch: 1, attempt: 1, asked_at: TIME });
  expect((await confirmOnPage(id)).status).toBe(303);
  await settled(id, 5);
  const { confirmations } = await harness.status(id);
  expect(confirmations).toMatchObject([{ by: 'Ada', door: 'page', asked_at: TIME, shown_at: TIME }]);
  const { body: report } = await http.done('GET', `/v1/operations/${id}/report`);
  expect(report.questions).toEqual([
    expect.objectContaining({
      ...{ batch: 1, decision: 'continue', by: 'Ada', door: 'page', assurance: 'session' },
      ...{ asked_at: TIME, shown_at: TIME, decided_at: TIME },
      ...{ waited_seconds: expect.any(Number), read_seconds: expect.any(Number) },
    }),
    { batch: 2, attempt: 1, asked_at: TIME, open: true, waited_seconds: expect.any(Number) },
  ]);
  expect(report.rows[0]).toMatchObject({
    confirmed_in: 'page',
    asked_at: TIME,
    read_seconds: expect.any(Number),
  });
  expect(report.rows[5]).not.toHaveProperty('asked_at');
  expect(report.groups).toMatchObject([
    { outcome: 'pending', count: 1, items: ['item-006'] },
    { outcome: 'succeeded', count: 5 },
  ]);
  const shown = await page(`/operations/${id}`);
  expect(shown.replace(/\s+/g, ' ')).toMatch(
    /on a page\)\s*\. <span class="hint" ?>Asked at .* it waited .*\. It was shown for /,
  );
  expect(leftoverOf(shown)).toBeUndefined();
  expect((await confirmOnPage(id, 'cancel')).status).toBe(303);
  expect((await harness.status(id)).confirmations.at(-1)).toMatchObject({
    ...{ decision: 'cancel', door: 'page', asked_at: TIME, shown_at: TIME },
  });
});

it('does not know when a backend showed a question to its person, and says so', async () => {
  const { operation_id: id } = await start();
  const path = `/v1/operations/${id}`;
  await http.done('GET', path);
  await http.done('POST', `${path}/cancel`, { body: { by: 'Grace', reason: 'not now' } });
  const { body: report } = await http.done('GET', `${path}/report`);
  expect(report.questions).toEqual([
    {
      ...{ batch: 1, attempt: 1, digest: expect.any(String), asked_at: TIME, decided_at: TIME },
      ...{ decision: 'cancel', by: 'Grace', via: 'update', door: 'http', assurance: 'asserted' },
      ...{ note: 'not now', waited_seconds: expect.any(Number) },
    },
  ]);
  const { body: md } = await http.done('GET', `${path}/report?format=md`);
  expect(md).toMatch(
    /\| batch 1 \| .* \| not known \| not known \| .* \| cancel \| Grace \| http \| not now \|/,
  );
  expect(await page(`/operations/${id}`)).toContain('How long it was read is not known');
});

it('takes no word of a caller for where a decision was made', async () => {
  const { operation_id: id } = await start();
  const through = { door: 'page', shown_ago_ms: 60_000 };
  const told = await http.ask('POST', `/v1/operations/${id}/cancel`, { body: { through } });
  expect([told.status, told.body.code]).toEqual([400, 'INVALID_INPUT']);
  await http.done('POST', `/v1/operations/${id}/cancel`);
});

it('keeps the question that nobody answered, and how long it waited', async () => {
  const { operation_id: id } = await start({ idle_timeout_seconds: 1 });
  await harness.client.workflow.getHandle(id).result();
  const { body: report } = await http.done('GET', `/v1/operations/${id}/report`);
  expect(report.questions).toEqual([
    { batch: 1, attempt: 1, asked_at: TIME, waited_seconds: expect.any(Number) },
  ]);
  expect(report.questions[0].waited_seconds).toBeGreaterThanOrEqual(1);
  expect((await page(`/operations/${id}`)).replace(/\s+/g, ' ')).toMatch(
    /expired after \d+ seconds? without an answer/,
  );
});

it('counts operations and questions by domain and action, in JSON, on a page and as metrics', async () => {
  const { operation_id: id } = await start({ domain: 'other', session_id: 'crm:1' });
  expect((await confirmOnPage(id)).status).toBe(303);
  await settled(id, 5);
  await http.done('POST', `/v1/operations/${id}/cancel`);
  await harness.client.workflow.getHandle(id).result();
  const expected = {
    ...{ domain: 'other', action: 'mark', operations: 1, cancelled: 1, live: 0 },
    ...{ questions: 2, answered: 2, read: 1, items: 6, succeeded: 5, failed: 0, left_out: 0 },
    ...{ median_seconds_to_decide: expect.any(Number), p90_seconds_to_decide: expect.any(Number) },
  };
  const { body } = await http.done('GET', '/v1/stats?domain=other&since=1d');
  expect(body).toMatchObject({ items: [expected], since: TIME });
  const batchgate = new Batchgate({ client: harness.client, taskQueue: harness.taskQueue });
  expect(await batchgate.stats({ domain: 'other' })).toMatchObject([expected]);
  await expect(batchgate.stats({ since: 'yesterday' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const none = await http.done('GET', '/v1/stats?domain=other&until=2026-01-01');
  expect(none.body.items).toEqual([]);
  const wrong = await http.ask('GET', '/v1/stats?since=yesterday');
  expect([wrong.status, wrong.body.code]).toEqual([400, 'INVALID_INPUT']);
  expect(wrong.body.detail).toContain('7d');
  // A key with a prefix counts what it may see.
  const within = await http.key('viewer', 'crm:');
  expect((await http.done('GET', '/v1/stats', { key: within })).body.items).toMatchObject([expected]);
  const elsewhere = await http.key('viewer', 'shop:');
  expect((await http.done('GET', '/v1/stats', { key: elsewhere })).body.items).toEqual([]);
  expect((await http.ask('GET', '/metrics', { key: within })).status).toBe(403);
  const { body: metrics } = await http.done('GET', '/metrics', { key: await http.key('viewer') });
  expect(metrics).toContain('batchgate_operations{domain="other",action="mark",state="cancelled"} 1');
  expect(metrics).toContain('batchgate_operation_items{domain="other",action="mark",outcome="succeeded"} 5');
  expect(metrics).toContain('batchgate_questions{domain="other",action="mark",answer="answered"} 2');
  expect(metrics).toMatch(
    /batchgate_question_decide_seconds\{domain="other",action="mark",quantile="0.9"\} \d/,
  );
  const seen = await page('/stats?since=all');
  expect(seen).toContain('Mark · Other');
  expect(seen.replace(/\s+/g, ' ')).toContain('1 operation: 1 cancelled.');
  expect(leftoverOf(seen)).toBeUndefined();
  expect(await page('/')).toContain('href="/stats"');
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeliveries, type Deliveries } from '../../src/api/deliveries';
import { linkReader } from '../../src/api/pages/gate';
import { handleMessage, reviseBulkOperation } from '../../src/client';
import { SETTLE_MS } from '../../src/core/approval/selection';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { runBatchgate } from '../helpers/command-line';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { hurriedly } from '../helpers/hurry';
import { leftoverOf } from '../helpers/page-text';
import { visitorOf } from '../helpers/sign-in';
import { lookAgain } from '../helpers/look-again';

/** A requester's reason, and a question that is sent back, over HTTP, on the page, in conversation and on the command line. */
let harness: Harness;
let http: HttpApi;
let deliveries: Deliveries;
let folder: string;
const tool = countingTool(12);
const NOTE = 'Use the label “Archive” instead.';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-revise-'));
  harness = await startHarness({ adapters: [tool.adapter] });
  http = await startHttpApi(harness);
  deliveries = await createDeliveries(harness.store.access);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => {
  expect(tool.touched.size).toBe(0);
  expect(http.failures.splice(0)).toEqual([]);
});

const start = (more: Partial<BulkOperationInput> = {}) => harness.start({ batch_size: 5, ...more });
const path = (id: string, verb = '') => `/v1/operations/${id}${verb === '' ? '' : `/${verb}`}`;
const gateOf = ({ next_batch: gate }: Pick<BulkStatus, 'next_batch'>) => ({
  ...{ batch: gate?.number, attempt: gate?.attempt, digest: gate?.digest },
});

describe('over HTTP', () => {
  it('takes a reason from a backend, which may name its person, and says that an agent is one', async () => {
    const asked = { domain: 'fake', action: 'mark', params: { group: 'all' }, reason: 'They are old.' };
    const backend = await http.done('POST', '/v1/operations', { body: { ...asked, requested_by: 'Ana' } });
    expect(backend.body).toMatchObject({ reason: 'They are old.', requested_by: 'Ana' });
    expect(backend.body.by_agent).toBeUndefined();
    const key = await http.key('agent');
    const agents = await http.done('POST', '/v1/operations', {
      key,
      body: { ...asked, requested_by: 'Ana' },
    });
    expect(agents.body).toMatchObject({ reason: 'They are old.', requested_by: 'the agent', by_agent: true });
    const long = await http.ask('POST', '/v1/operations', { body: { ...asked, reason: 'x'.repeat(501) } });
    expect(long).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
    const { body: report } = await http.done('GET', path(backend.body.operation_id, 'report'));
    expect(report).toMatchObject({ reason: 'They are old.', requested_by: 'Ana' });
  });

  it('sends back the question that its caller was shown, once, and answers a repetition', async () => {
    const started = await start();
    const { operation_id: id } = started;
    const unseen = await http.ask('POST', path(id, 'revise'), { body: { note: NOTE } });
    expect(unseen).toMatchObject({ status: 409, body: { code: 'QUESTION_NOT_SEEN' } });
    const empty = await http.ask('POST', path(id, 'revise'), { body: { ...gateOf(started) } });
    expect(empty).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
    const stale = await http.ask('POST', path(id, 'revise'), {
      body: { note: NOTE, digest: 'f'.repeat(64) },
    });
    expect(stale).toMatchObject({ status: 409, body: { code: 'STALE_CONFIRMATION' } });
    const asked = {
      body: { note: NOTE, by: 'Ana', ...gateOf(started) },
      headers: { 'idempotency-key': 'one' },
    };
    const { body } = await http.done('POST', path(id, 'revise'), asked);
    expect(body).toMatchObject({ state: 'cancelled', sent_back: { note: NOTE, by: 'Ana' } });
    expect((await http.done('POST', path(id, 'revise'), asked)).body).toEqual(body);
    const closed = await http.ask('POST', path(id, 'continue'), { body: gateOf(started) });
    expect(closed).toMatchObject({ status: 409, body: { code: 'OPERATION_CLOSED' } });
    const { body: report } = await http.done('GET', path(id, 'report'));
    expect(report).toMatchObject({ sent_back: { note: NOTE } });
  });

  it('takes no guidance from an agent or a viewer, and nothing of other sessions', async () => {
    const started = await start({ session_id: 'theirs-1' });
    const { operation_id } = started;
    const body = { note: NOTE, ...gateOf(started) };
    for (const role of ['agent', 'viewer'] as const)
      expect(
        await http.ask('POST', path(operation_id, 'revise'), { key: await http.key(role), body }),
      ).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const key = await http.key('operator', 'ours-');
    expect((await http.ask('POST', path(operation_id, 'revise'), { key, body })).status).toBe(404);
    await reviseBulkOperation(harness.client, operation_id, body);
    const asked = { domain: 'fake', action: 'mark', params: { group: 'all' }, revises: operation_id };
    const hidden = await http.ask('POST', '/v1/operations', {
      key,
      body: { ...asked, session_id: 'ours-1' },
    });
    expect(hidden).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const { body: next } = await http.done('POST', '/v1/operations', { body: asked });
    expect(next).toMatchObject({ revises: operation_id, revision: { number: 1 } });
  });
});

describe('on the page', () => {
  const shownFields = (page: string, form: string) => {
    const [whole = ''] = new RegExp(`<form id="${form}-[0-9a-f]{12}"[\\s\\S]*?</form>`).exec(page) ?? [];
    return Object.fromEntries(
      [...whole.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    );
  };

  it('shows the reason as the words of the requester, and nothing of one where there is none', async () => {
    const ada = await visitorOf(http);
    const reason = '<b>ok</b> \u202Etxt';
    const { operation_id } = await start({ reason, requested_by: 'Ana' });
    const { page } = await ada.visit(`/operations/${operation_id}`);
    expect(page).toMatch(
      /class="requester"[\s\S]*?The requester “Ana” says: “&lt;b&gt;ok&lt;\/b&gt; ‹U\+202E›txt”/,
    );
    expect(leftoverOf(page)).toBeUndefined();
    const without = await ada.visit(`/operations/${(await start()).operation_id}`);
    expect(without.page).not.toContain('class="requester"');
  });

  it('sends a question back without scripts, and keeps the words of a form that was refused', async () => {
    const ada = await visitorOf(http);
    const { operation_id, fields, early } = await hurriedly(async () => {
      const { operation_id } = await start();
      const since = Date.now();
      const { page } = await ada.visit(`/operations/${operation_id}`);
      const fields = shownFields(page, 'revise');
      expect(page).toContain('<summary>Send back…</summary>');
      const early = await ada.send(`/operations/${operation_id}/revise`, { ...fields, note: NOTE });
      return { took: Date.now() - since, answer: { operation_id, fields, early } };
    });
    const shown = Date.now();
    expect(early.status).toBe(409);
    expect(early.page).toMatch(/<textarea[\s\S]*?Use the label “Archive” instead\.<\/textarea/);
    expect(early.page).toMatch(/<details class="revise" id="revise" open/);
    const empty = await ada.send(`/operations/${operation_id}/revise`, { ...fields, note: ' ' });
    expect(empty.status).toBe(400);
    while (Date.now() < shown + SETTLE_MS) await lookAgain();
    const sent = await ada.send(`/operations/${operation_id}/revise`, { ...fields, note: NOTE });
    expect(sent.status).toBe(303);
    expect(await harness.status(operation_id)).toMatchObject({
      ...{ state: 'cancelled', processed: 0 },
      sent_back: { note: NOTE, by: 'Ada', assurance: 'session' },
    });
    const { page: after } = await ada.visit(`/operations/${operation_id}`);
    expect(after).toContain('was sent back with guidance');
    expect(after).toContain('Sent back');
    expect(leftoverOf(after)).toBeUndefined();
  });

  it('has one field for the question beside each form', async () => {
    const { page } = await (await visitorOf(http)).visit(`/operations/${(await start()).operation_id}`);
    const forms = [...page.matchAll(/<form[\s\S]*?<\/form>/g)].map(([form]) => form);
    const names = (form: string) =>
      [...form.matchAll(/<input type="hidden" name="(\w+)"/g)].map(([, name]) => name);
    expect(page.match(/name="shown_at"/g)).toHaveLength(1);
    for (const form of forms) expect(new Set(names(form)).size).toBe(names(form).length);
    for (const verb of ['cancel', 'revise', 'complete', 'extend']) {
      const form = forms.find((one) => one.includes(`/${verb}"`)) ?? '';
      expect(names(form).filter((name) => ['question', 'digest', 'shown_at'].includes(name ?? ''))).toEqual([
        'question',
      ]);
    }
  });

  it('shows viewers no way to send it back', async () => {
    const { operation_id } = await start();
    const { page } = await (await visitorOf(http, 'viewer')).visit(`/operations/${operation_id}`);
    expect(page).not.toContain('Send back…');
  });

  it('sends the question of a link back, and no other', async () => {
    const started = await start();
    const { operation_id, next_batch } = started;
    const { body } = await http.done('POST', path(operation_id, 'links'), { body: { name: 'Cleo' } });
    const digest = next_batch?.digest ?? '';
    const shown_at = deliveries.stamp(linkReader({ digest }), digest, Date.now() - SETTLE_MS);
    const fields = {
      batch: '1',
      attempt: '1',
      digest: 'f'.repeat(64),
      shown_at,
      note: NOTE,
      decision_id: 'one',
    };
    const answer = await fetch(`${body.url as string}/revise`, {
      ...{ method: 'POST', redirect: 'manual' },
      body: new URLSearchParams(fields),
    });
    expect(answer.status).toBe(303);
    expect(await harness.status(operation_id)).toMatchObject({ sent_back: { note: NOTE, by: 'Cleo' } });
  });
});

describe('in conversation', () => {
  const say = (session: string, text: string, more: object = {}) =>
    handleMessage(harness.client, session, text, { task_queue: harness.taskQueue, ...more });

  it('sends the question back that the person saw, once, and asks for the guidance if there is none', async () => {
    const started = await start({ session_id: 'talk' });
    const seen = gateOf(started) as { digest: string };
    const asked = await say('talk', 'Send it back', { seen, message_id: 'm-1' });
    expect(asked.reply).toContain("Say 'send it back: …'");
    const yes = await say('talk', 'yes', { seen, message_id: 'm-2' });
    expect(yes).toMatchObject({ intent: 'unknown' });
    const turn = await say('talk', `No, send it back: ${NOTE}`, { seen, message_id: 'm-3', by: 'Ana' });
    expect(turn).toMatchObject({
      handled: true,
      intent: 'revise',
      status: { sent_back: { note: NOTE, by: 'Ana' } },
    });
    expect(turn.reply).toContain('was sent back with guidance');
    const again = await say('talk', `No, send it back: ${NOTE}`, { seen, message_id: 'm-3', by: 'Ana' });
    expect(again).toMatchObject({ intent: 'revise', status: { sent_back: { note: NOTE } } });
    expect(again.error).toBeUndefined();
  });

  it('takes none from somebody who may not decide, or about another question', async () => {
    const { operation_id } = await start({ session_id: 'talk-2' });
    const text = `send it back: ${NOTE}`;
    expect(await say('talk-2', text, { may_decide: false })).toMatchObject({ error: { code: 'FORBIDDEN' } });
    const seen = { batch: 1, attempt: 1, digest: 'f'.repeat(64) };
    expect(await say('talk-2', text, { seen, message_id: 'x' })).toMatchObject({
      error: { code: 'STALE_CONFIRMATION' },
    });
    expect(await harness.status(operation_id)).toMatchObject({ state: 'awaiting_confirmation' });
  });
});

describe('on the command line', () => {
  const run = (...args: string[]) =>
    runBatchgate(args, {
      dataDir: folder,
      env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
    });
  const asked = ['start', '--domain', 'fake', '--action', 'mark', '--params', '{"group":"all"}'];

  it('gives a reason, sends back what was printed, and starts a revision', async () => {
    const started = await run(...asked, '--reason', 'They are old.', '--id', 'bulk-cli-1');
    expect(started.stdout).toContain('The requester says: “They are old.”');
    const sent = await run('revise', 'bulk-cli-1', '--note', NOTE, '--by', 'Ana');
    expect(sent).toMatchObject({ code: 0 });
    expect(sent.stdout).toContain('was sent back with guidance');
    const rest = await run('resume', 'bulk-cli-1', '--json');
    expect([rest.code, JSON.parse(rest.stdout).error]).toEqual([
      1,
      expect.objectContaining({
        code: 'INVALID_INPUT',
        hint: expect.stringContaining('revises "bulk-cli-1"'),
      }),
    ]);
    expect((await run('status', 'bulk-cli-1.rest')).code).toBe(1);
    const next = await run(...asked, '--revises', 'bulk-cli-1', '--json');
    expect(JSON.parse(next.stdout)).toMatchObject({ revises: 'bulk-cli-1', revision: { number: 1 } });
    const refused = await run(...asked, '--revises', (JSON.parse(next.stdout) as BulkStatus).operation_id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('was not sent back');
  });

  it('sends back nothing that it has not printed', async () => {
    const { operation_id } = await start();
    const unseen = await run('revise', operation_id, '--note', NOTE);
    expect(unseen.code).toBe(1);
    expect(unseen.stderr).toContain('QUESTION_NOT_SEEN');
    expect((await run('revise', operation_id)).code).toBe(2);
    expect(await harness.status(operation_id)).toMatchObject({ state: 'awaiting_confirmation' });
  });
});

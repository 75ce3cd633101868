import { sign } from 'node:crypto';
import { createDeliveries, type Deliveries } from '../../src/api/deliveries';
import { createGateLinks } from '../../src/api/gate-links';
import { linkReader } from '../../src/api/pages/gate';
import { signingKey } from '../../src/api/principal';
import { getMacroTurn, handleMessage, startMacro, startTaskRun } from '../../src/client';
import { SETTLE_MS } from '../../src/core/approval/selection';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { confirmOpen } from '../helpers/confirm';
import { countingTool, manyItems, startHarness, type Harness } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

/** What the doors refuse once they have asked Temporal: links, forms, messages, jobs of others, repeated keys. */
let harness: Harness;
let http: HttpApi;
let deliveries: Deliveries;
const tool = countingTool(12, { marks: new Map() });
const doubtful = createFakeAdapter({
  ...{ toolName: 'doubtful', items: () => manyItems(5) },
  apply: ({ id }) =>
    Promise.resolve(
      id === 'item-002'
        ? { item_id: id, success: false, error: 'No answer', outcome_unknown: true }
        : undefined,
    ),
});

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter, doubtful] });
  http = await startHttpApi(harness);
  deliveries = await createDeliveries(harness.store.access);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const start = (session_id?: string, more: object = {}) =>
  harness.start({ batch_size: 5, session_id, ...more });
const stop = (id: string) => http.ask('POST', `/v1/operations/${id}/cancel`);
const codeOf = ({ status, body }: { status: number; body: any }) => [status, body.code];
const NOT_FOUND = [404, 'NOT_FOUND'];
const FORBIDDEN = [403, 'FORBIDDEN'];

describe('a link to a question', () => {
  const linkTo = async (id: string, key?: string): Promise<string> => {
    const asking = { body: { name: 'Cleo' }, ...(key !== undefined && { key }) };
    return (await http.ask('POST', `/v1/operations/${id}/links`, asking)).body.url as string;
  };
  const page = async (url: string) => (await fetch(url)).text();
  const post = (url: string, verb: string, fields: Record<string, string | string[]>) => {
    const body = new URLSearchParams(
      Object.entries(fields).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, value]),
      ),
    );
    return fetch(`${url}/${verb}`, { method: 'POST', redirect: 'manual', body });
  };
  /** The stamp of a page that showed the question so long ago. */
  const shownAgo = ({ digest }: { digest: string }, ms: number) =>
    deliveries.stamp(linkReader({ digest }), digest, Date.now() - ms);
  const form = (gate: any, more: Record<string, string | string[]> = {}) => ({
    ...{ batch: String(gate.number), attempt: String(gate.attempt), digest: gate.digest, shown: gate.digest },
    ...{ decision_id: 'clicked', shown_at: shownAgo(gate, SETTLE_MS), keep: ['0', '1', '2', '3', '4'] },
    ...more,
  });

  it('answers its own question, not another one by the fields of a form, and then cancels nothing', async () => {
    const { operation_id, next_batch } = await start();
    const url = await linkTo(operation_id);
    expect((await post(url, 'continue', form(next_batch))).status).toBe(303);
    await confirmed(operation_id, 5);
    const { next_batch: second } = await harness.status(operation_id);
    expect(second?.number).toBe(2);
    const forged = form(second, {
      decision_id: 'forged',
      // As if this link's page had shown that question.
      shown_at: deliveries.stamp(
        linkReader(next_batch as { digest: string }),
        second?.digest ?? '',
        Date.now() - SETTLE_MS,
      ),
    });
    const answers = [await post(url, 'continue', forged), await post(url, 'cancel', { reason: 'why not' })];
    expect(answers.map(({ status }) => status)).toEqual([409, 409]);
    const shown = await page(url);
    expect(shown).toContain('The question of this link is answered');
    expect(shown).not.toMatch(/item-006|Item 6/);
    expect(await harness.status(operation_id)).toMatchObject({
      state: 'awaiting_confirmation',
      processed: 5,
    });
    await stop(operation_id);
  });

  it('takes no form with other ticks than it showed', async () => {
    const { operation_id, next_batch } = await start();
    const answer = await post(await linkTo(operation_id), 'continue', form(next_batch, { keep: ['0', '1'] }));
    expect(answer.status).toBe(409);
    expect(await harness.status(operation_id)).toMatchObject({ processed: 0 });
    await stop(operation_id);
  });

  it('takes no form of a question that was not on the page for two seconds, and says so', async () => {
    const [{ operation_id, next_batch }, other] = [await start(), await start()];
    const url = await linkTo(operation_id);
    const gate = next_batch as { digest: string };
    const aged = String(Date.now() - 60_000);
    const stamps = {
      // Enough time for a busy machine to send it.
      early: deliveries.stamp(linkReader(gate), gate.digest, Date.now() + 60_000),
      none: '',
      bare: aged,
      altered: shownAgo(gate, 0).replace(/^\d+/, aged),
      'of another question': shownAgo(other.next_batch as { digest: string }, 60_000),
      'of another reader': deliveries.stamp('link other', gate.digest, Date.now() - 60_000),
    };
    for (const [kind, shown_at] of Object.entries(stamps)) {
      const answer = await post(url, 'continue', form(next_batch, { shown_at }));
      expect([kind, answer.status, await answer.text()]).toEqual([
        ...[kind, 409, expect.stringContaining('QUESTION_NOT_SEEN')],
      ]);
    }
    expect(await harness.status(operation_id)).toMatchObject({ processed: 0, confirmations: [] });
    // The refusals did not use the decision up.
    expect((await post(url, 'continue', form(next_batch))).status).toBe(303);
    for (const id of [operation_id, other.operation_id]) await stop(id);
  });

  it('ends with the key that made it', async () => {
    const key = await http.key('approver');
    const maker = (await harness.store.access.listKeys()).at(-1);
    const { operation_id, next_batch } = await start();
    const url = await linkTo(operation_id, key);
    expect((await fetch(url)).status).toBe(200);
    await harness.store.access.revokeKey(maker?.key_id ?? '');
    expect((await fetch(url)).status).toBe(403);
    expect((await post(url, 'continue', form(next_batch))).status).toBe(403);
    expect(await harness.status(operation_id)).toMatchObject({ processed: 0 });
    await stop(operation_id);
  });

  it('opens nothing after its time, or if anything of it was made up or signed as something else', async () => {
    const { access } = harness.store;
    const [links, { operation_id }] = [await createGateLinks({ access }), await start()];
    const url = await linkTo(operation_id);
    const token = url.split('/').at(-1) ?? '';
    const { approver: _, ...link } = await links.read(token);
    const [body = '', signature = ''] = token.split('.');
    const changed = Buffer.from(JSON.stringify({ ...link, name: 'Mallory' })).toString('base64url');
    const elsewhere = sign(null, Buffer.from(changed), await signingKey(access)).toString('base64url');
    const late = links.create({ ...link, expires_at: new Date(Date.now() - 1).toISOString() });
    const made = [late, `${changed}.${signature}`, `${changed}.${elsewhere}`, `${body}.`, body, 'a.b'];
    for (const other of made)
      expect([other, (await fetch(url.replace(token, other))).status]).toEqual([other, 403]);
    expect((await fetch(url)).status).toBe(200);
    await stop(operation_id);
  });

  async function confirmed(id: string, processed: number): Promise<void> {
    while ((await harness.status(id)).processed < processed);
  }
});

describe('a message', () => {
  const say = async (session: string, role: 'agent' | 'approver', text: string, more: object = {}) => {
    const body = { text, ...more };
    return (await http.ask('POST', `/v1/sessions/${session}/messages`, { key: await http.key(role), body }))
      .body;
  };

  it('of an agent answers no question of a macro; one of a person does', async () => {
    const { client, taskQueue: task_queue } = harness;
    const steps = [
      { type: 'ask' as const, of: 'person' as const, prompt: 'Which list?', output_variable: 'list' },
    ];
    const macro = { name: 'asks', steps };
    const { run_id } = await startMacro(client, { macro, session_id: 'macro-asks' }, { task_queue });
    const asks = async () => {
      for (;;) {
        const turn = await getMacroTurn(client, run_id);
        if (turn.state === 'awaiting_answer') return turn;
      }
    };
    const asked = await asks();
    for (const text of ['Home', 'yes', 'continue']) await say('macro-asks', 'agent', text);
    expect((await asks()).questions).toEqual(asked.questions);
    expect(await say('macro-asks', 'approver', 'Home')).toMatchObject({ handled: true });
    expect(await client.workflow.getHandle(run_id).result()).toMatchObject({ variables: { list: 'Home' } });
  });

  it('of an agent decides nothing about a batch or an item in doubt', async () => {
    const { operation_id, next_batch } = await start('undecided');
    const seen = { digest: next_batch?.digest };
    for (const text of ['continue', 'cancel'])
      expect(await say('undecided', 'agent', text, { seen })).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(await harness.status(operation_id)).toMatchObject({
      processed: 0,
      state: 'awaiting_confirmation',
    });
    await stop(operation_id);
    const { operation_id: id } = await start('doubt', { domain: 'doubtful' });
    await confirmOpen(harness.client, id);
    for (const text of ['it worked', 'item-002 was done', 'it failed']) await say('doubt', 'agent', text);
    expect(await harness.status(id)).toMatchObject({ state: 'awaiting_resolution', in_doubt: 1 });
    await say('doubt', 'approver', 'it worked');
    expect((await harness.status(id)).in_doubt).toBe(0);
  });

  it('of an approver starts nothing that follows an ended operation', async () => {
    const { operation_id } = await start('ended');
    await confirmOpen(harness.client, operation_id);
    await stop(operation_id);
    await caughtUp(async () =>
      expect(await say('ended', 'approver', 'undo it')).toMatchObject({ error: { code: 'FORBIDDEN' } }),
    );
    expect((await http.ask('GET', '/v1/operations?session_id=ended')).body.items).toHaveLength(1);
  });

  it('cancels no other operation than the one that its sender was shown', async () => {
    const first = await start('foreign');
    await stop(first.operation_id);
    const { operation_id } = await start('foreign');
    const seen = { batch: 1, attempt: 1, digest: first.next_batch?.digest ?? '' };
    const { client, taskQueue: task_queue } = harness;
    const turn = await handleMessage(client, 'foreign', 'cancel the operation', { task_queue, seen });
    expect(turn.error?.code).toBe('STALE_CONFIRMATION');
    expect((await harness.status(operation_id)).state).toBe('awaiting_confirmation');
    await stop(operation_id);
  });
});

describe('the job of somebody else', () => {
  it('is not found by a key with another session prefix, by its id or as what an undo takes back', async () => {
    const key = await http.key('operator', 'own:');
    const { operation_id } = await start('foreign:1');
    for (const path of ['', '/items', '/report'])
      expect(codeOf(await http.ask('GET', `/v1/operations/${operation_id}${path}`, { key }))).toEqual(
        NOT_FOUND,
      );
    expect(codeOf(await http.ask('POST', `/v1/operations/${operation_id}/cancel`, { key }))).toEqual(
      NOT_FOUND,
    );
    const undo = { domain: 'fake', action: 'mark', undoes: operation_id, session_id: 'own:1' };
    expect(codeOf(await http.ask('POST', '/v1/operations', { key, body: undo }))).toEqual(NOT_FOUND);
    await stop(operation_id);
  });

  it('is not ended by an agent', async () => {
    const { client, taskQueue: task_queue } = harness;
    const key = await http.key('agent');
    const { operation_id } = await start('of-a-person');
    expect(codeOf(await http.ask('POST', `/v1/operations/${operation_id}/cancel`, { key }))).toEqual(
      FORBIDDEN,
    );
    await stop(operation_id);
    const terms = { goal: 'read', contract: { expected_total: 1 }, session_id: 'of-a-person' };
    const { task_run_id } = await startTaskRun(client, terms, { task_queue });
    const forced = { force: true, reason: 'the agent says so' };
    for (const [verb, body] of [
      ['complete', forced],
      ['cancel', undefined],
    ] as const)
      expect(codeOf(await http.ask('POST', `/v1/task-runs/${task_run_id}/${verb}`, { key, body }))).toEqual(
        FORBIDDEN,
      );
    await http.ask('POST', `/v1/task-runs/${task_run_id}/cancel`);
  });
});

describe('a confirmation over HTTP', () => {
  it('that names nothing is for the question that its sender was shown, and for no other', async () => {
    const { operation_id } = await start();
    const path = `/v1/operations/${operation_id}`;
    const other = await http.key('operator');
    expect(codeOf(await http.ask('POST', `${path}/continue`, { key: other, body: {} }))).toEqual([
      409,
      'QUESTION_NOT_SEEN',
    ]);
    expect(await harness.status(operation_id)).toMatchObject({ processed: 0 });
    await stop(operation_id);
  });

  it('under an Idempotency-Key is its sender’s own, and always the same request', async () => {
    const { operation_id, next_batch } = await start();
    const path = `/v1/operations/${operation_id}/continue`;
    const headers = { 'idempotency-key': 'key-1' };
    const gate = (of: any) => ({ batch: of.number, attempt: of.attempt, digest: of.digest });
    const first = await http.ask('POST', path, { headers, body: gate(next_batch) });
    expect(first.body.processed).toBe(5);
    const changed = await http.ask('POST', path, { headers, body: gate(first.body.next_batch) });
    expect(codeOf(changed)).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    const other = { headers, key: await http.key('operator'), body: gate(first.body.next_batch) };
    expect((await http.ask('POST', path, other)).body.processed).toBe(10);
    await stop(operation_id);
  });
});

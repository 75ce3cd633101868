import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { manyItems, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

let harness: Harness;
let http: HttpApi;
const adapter = createFakeAdapter({
  ...{ toolName: 'marked', marks: new Map(), items: () => manyItems(25) },
  apply: () => Promise.resolve(),
});

beforeAll(async () => {
  harness = await startHarness({ adapters: [adapter] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const input = { domain: 'marked', action: 'mark', params: { group: 'all', mark: 'done' } };
const start = async (more: object = {}) =>
  (await http.ask('POST', '/v1/operations', { body: { ...input, ...more } })).body;
const gate = ({ next_batch: { number, attempt, digest } }: any) => ({ batch: number, attempt, digest });

/** Sends requests under one Idempotency-Key. */
const under = (key: string) => (path: string, body?: unknown) =>
  http.ask('POST', path, { body, headers: { 'idempotency-key': key } });
const CONFLICT = [409, 'IDEMPOTENCY_CONFLICT'];

it('gives the same answer to the same request, and refuses another one', async () => {
  const send = under('order-1');
  const first = await send('/v1/operations', input);
  await http.ask('POST', `/v1/operations/${first.body.operation_id}/cancel`);
  const again = await send('/v1/operations', input);
  expect([again.status, again.body]).toEqual([201, first.body]);
  const other = await send('/v1/operations', { ...input, batch_size: 5 });
  expect([other.status, other.body.code]).toEqual(CONFLICT);
  const foreign = await http.ask('POST', '/v1/operations', {
    body: input,
    headers: { 'idempotency-key': 'order-1' },
    key: await http.key('admin'),
  });
  expect(foreign.body.operation_id).not.toBe(first.body.operation_id);
});

it('keeps the longest keys of two senders apart', async () => {
  const key = 'k'.repeat(150);
  const { operation_id, ...begun } = await start();
  const path = `/v1/operations/${operation_id}/continue`;
  const headers = { 'idempotency-key': key };
  const first = await http.ask('POST', path, { body: gate(begun), headers });
  expect(first.body.processed).toBe(10);
  const other = { headers, key: await http.key('admin') };
  const next = await http.ask('POST', path, { ...other, body: gate(first.body) });
  expect([next.status, next.body.processed]).toEqual([200, 20]);
});

it('decides once', async () => {
  const { operation_id, ...begun } = await start();
  const path = `/v1/operations/${operation_id}`;
  const send = under('decision-1');
  const body = gate(begun);
  const first = await send(`${path}/continue`, body);
  const again = await send(`${path}/continue`, body);
  expect([first.body.processed, again.status, again.body.processed]).toEqual([10, 200, 10]);
  for (const [verb, said] of [
    ['continue', { ...body, batch: 2 }],
    ['cancel', { reason: 'enough' }],
    ['extend', { seconds: 90_000 }],
  ] as const) {
    const other = await send(`${path}/${verb}`, said);
    expect([verb, other.status, other.body.code]).toEqual([verb, ...CONFLICT]);
  }
  expect((await harness.status(operation_id)).processed).toBe(10);
  await http.ask('POST', `${path}/cancel`);
});

it('runs copies that arrive together once: each extension would have its own deadline', async () => {
  const { operation_id } = await start();
  const path = `/v1/operations/${operation_id}`;
  const extend = () => under('extend-1')(`${path}/extend`, { seconds: 90_000 });
  const copies = await Promise.all([extend(), extend(), extend()]);
  expect(copies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { body: status } = await http.ask('GET', path);
  for (const copy of [...copies, await extend()])
    expect(copy.body.next_batch.deadline).toBe(status.next_batch.deadline);
  await http.ask('POST', `${path}/cancel`);
});

it('hears a message once', async () => {
  const { operation_id } = await start({ session_id: 'heard' });
  await http.ask('GET', `/v1/operations/${operation_id}`);
  const say = (text: string) => under('message-1')('/v1/sessions/heard/messages', { text });
  for (let times = 1; times <= 2; times++)
    expect((await say('continue')).body).toMatchObject({ handled: true, status: { processed: 10 } });
  const { status, body } = await say('cancel');
  expect([status, body.code]).toEqual(CONFLICT);
  expect(await harness.status(operation_id)).toMatchObject({ state: 'awaiting_confirmation', processed: 10 });
  await http.ask('POST', `/v1/operations/${operation_id}/cancel`);
});

it('starts each follow-up once', async () => {
  const { operation_id, ...begun } = await start();
  const path = `/v1/operations/${operation_id}`;
  await http.ask('POST', `${path}/continue`, { body: gate(begun) });
  await http.ask('POST', `${path}/cancel`);
  for (const verb of ['undo', 'resume']) {
    const send = under(`${verb}-1`);
    const first = await send(`${path}/${verb}`);
    const again = await send(`${path}/${verb}`);
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    const other = await send(`${path}/${verb === 'undo' ? 'resume' : 'undo'}`);
    expect([verb, other.status, other.body.code]).toEqual([verb, ...CONFLICT]);
    await http.ask('POST', `/v1/operations/${first.body.operation_id}/cancel`);
  }
});

it('takes the answer to a macro, and a record of a task run, once', async () => {
  const question = { type: 'ask', of: 'person', prompt: 'Which list?', output_variable: 'list' };
  const { body: run } = await http.ask('POST', '/v1/macros', {
    body: { macro: { name: 'asks', steps: [question] } },
  });
  const answer = (text: string) => under('answer-1')(`/v1/macros/${run.run_id}/answer`, { answer: text });
  const first = await answer('Home');
  await harness.client.workflow.getHandle(run.run_id).result();
  const again = await answer('Home');
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect((await answer('Work')).body.code).toBe('IDEMPOTENCY_CONFLICT');
  const { body: task } = await http.ask('POST', '/v1/task-runs', {
    body: { goal: 'read', contract: { expected_total: 2 } },
  });
  const record = (item: string) =>
    under('record-1')(`/v1/task-runs/${task.task_run_id}/record`, { completed: [item] });
  const recorded = await record('a');
  expect((await record('a')).body).toEqual(recorded.body);
  expect((await record('b')).body.code).toBe('IDEMPOTENCY_CONFLICT');
});

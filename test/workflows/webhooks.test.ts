import { createTargets, type WebhookTarget } from '../../activities/webhooks/targets';
import {
  cancelBulkOperation,
  continueBulkOperation,
  listDeliveries,
  resolveItem,
  retryDeliveries,
  testWebhook,
} from '../../src/client';
import type { WebhookMessage } from '../../src/contract/webhooks';
import { codeOf, countingTool, startHarness, type Harness } from '../helpers/harness';
import { hookTo, SECRET, startSink, type WebhookSink } from '../helpers/webhook-sink';
import { caughtUp, lookAgain } from '../helpers/look-again';

let sink: WebhookSink;
let slow: WebhookSink;
let fickle: WebhookSink;
let targets: WebhookTarget[];
let harness: Harness;
/** An operation that waits for its reminder while the other tests run. */
let forgotten: string;
const trouble = { throwAt: '', doubt: '' };
const { adapter } = countingTool(7, {
  apply: ({ id }) => {
    if (trouble.throwAt === id) throw new Error('the tool is away');
    return Promise.resolve({
      item_id: id,
      success: trouble.doubt !== id,
      error: 'no answer',
      outcome_unknown: trouble.doubt === id,
    });
  },
  onCall: (method) => {
    if (method === 'executeBatch' && trouble.throwAt !== '') {
      trouble.throwAt = '';
      throw new Error('the tool is away');
    }
  },
  readBack: ({ id }) => Promise.resolve(id === trouble.doubt ? 'unknown' : 'not_applied'),
});

beforeAll(async () => {
  [sink, slow, fickle] = [await startSink(), await startSink(), await startSink()];
  const webhooks = [
    hookTo(sink.url, { name: 'chat' }),
    hookTo(`${slow.url}/of/a/secret/place`, { name: 'slow', events: ['completed'] }),
    hookTo(fickle.url, { name: 'fickle' }),
  ];
  targets = await createTargets({ webhooks, folder: '.' }, { HOOK_SECRET: SECRET });
  harness = await startHarness({
    adapters: [adapter],
    settings: { call_timeout_ms: 3_000 },
    webhooks: { targets, baseUrl: () => Promise.resolve('https://gate.example.com/') },
  });
  forgotten = (await harness.start({ idle_timeout_seconds: 12, batch_size: 5 })).operation_id;
});
beforeEach(() => {
  Object.assign(trouble, { throwAt: '', doubt: '' });
});
afterAll(async () => {
  await harness?.close();
  await sink?.close();
  await slow?.close();
  await fickle?.close();
});

const told = (id: string, by = sink): WebhookMessage[] => by.told(id);
const typesOf = (id: string) => told(id).map(({ type }) => type);
const untilTold = (id: string, count: number, by = sink) => by.until(() => told(id, by).length >= count);

it('reports each question and the end, in order, with what a person needs to decide', async () => {
  const { operation_id } = await harness.start({ session_id: 'hooked', batch_size: 5 }, 'hooked/1');
  for (const batch of [1, 2]) {
    await untilTold(operation_id, batch);
    await continueBulkOperation(harness.client, operation_id, { batch });
  }
  await untilTold(operation_id, 3);
  expect(typesOf(operation_id)).toEqual(['awaiting_confirmation', 'awaiting_confirmation', 'completed']);
  const [first, second, last] = told(operation_id);
  expect(first?.data).toMatchObject({
    current: true,
    session_id: 'hooked',
    message: expect.stringContaining("Say 'continue' to start"),
    next_batch: {
      number: 1,
      attempt: 1,
      digest: expect.any(String),
      change: { summary: expect.any(String) },
    },
    url: 'https://gate.example.com/operations/hooked%2F1',
  });
  expect(first?.data.next_batch?.items).toHaveLength(5);
  expect(second?.data.next_batch).toMatchObject({
    number: 2,
    items: [{ id: 'item-006' }, { id: 'item-007' }],
  });
  expect(last?.data).toMatchObject({ state: 'completed', succeeded: 7, current: true });
});

it('reports a failed batch, items in doubt, and each way to end', async () => {
  trouble.throwAt = 'item-001';
  const failing = await harness.start({ batch_size: 7 });
  await continueBulkOperation(harness.client, failing.operation_id, { batch: 1 });
  await untilTold(failing.operation_id, 2);
  trouble.doubt = 'item-002';
  await continueBulkOperation(harness.client, failing.operation_id, { batch: 1, attempt: 2 });
  await untilTold(failing.operation_id, 3);
  await resolveItem(harness.client, failing.operation_id, {
    item_id: 'item-002',
    outcome: 'succeeded',
    reason: 'looked',
  });
  await untilTold(failing.operation_id, 4);
  expect(typesOf(failing.operation_id)).toEqual([
    'awaiting_confirmation',
    'batch_failed',
    'awaiting_resolution',
    'completed',
  ]);
  const cancelled = await harness.start({});
  await cancelBulkOperation(harness.client, cancelled.operation_id);
  const expired = await harness.start({ idle_timeout_seconds: 1 });
  const terminated = await harness.start({});
  await harness.client.workflow.getHandle(terminated.operation_id).terminate();
  const ends = [cancelled, expired, terminated].map(({ operation_id }) => operation_id);
  await Promise.all(
    ends.map((id) => sink.until(() => ['cancelled', 'expired'].includes(typesOf(id).at(-1) ?? ''))),
  );
  expect(ends.map((id) => typesOf(id).at(-1))).toEqual(['cancelled', 'expired', 'cancelled']);
});

it('never delays an operation for a receiver that does not answer, and delivers everything later under the same ids', async () => {
  const first = await harness.start({ batch_size: 7 });
  slow.answers.set(first.operation_id, [0, 500, 302]);
  await continueBulkOperation(harness.client, first.operation_id, { batch: 1 });
  const ofFirst = () =>
    slow.received.filter(({ message }) => message.data.operation_id === first.operation_id);
  await slow.until(() => ofFirst().length >= 1);
  // Neither the operation, nor the other receiver, nor other operations wait for that answer.
  await untilTold(first.operation_id, 2);
  expect((await harness.status(first.operation_id)).state).toBe('completed');
  const other = await harness.start({ batch_size: 7 });
  await continueBulkOperation(harness.client, other.operation_id, { batch: 1 });
  await untilTold(other.operation_id, 1, slow);
  // A person can retry without waiting for the next try.
  const filter = { operation_id: first.operation_id, target: 'slow' };
  const list = () => listDeliveries(harness.client, filter, harness.taskQueue);
  await caughtUp(async () =>
    expect(await list()).toMatchObject([{ type: 'completed', state: 'waiting', attempts: 1 }]),
  );
  expect(await retryDeliveries(harness.client, filter, harness.taskQueue)).toBe(1);
  await slow.until(() => ofFirst().length >= 4);
  expect(new Set(ofFirst().map(({ id }) => id)).size).toBe(1);
  expect(new Set(ofFirst().map(({ path }) => path))).toEqual(new Set(['/hook/of/a/secret/place']));
});

it('reminds once of a question when half of its time has passed', async () => {
  await untilTold(forgotten, 3);
  expect(typesOf(forgotten)).toEqual(['awaiting_confirmation', 'reminder', 'expired']);
  const [asked, reminder] = told(forgotten);
  expect(Date.parse(reminder?.timestamp ?? '') - Date.parse(asked?.timestamp ?? '')).toBeGreaterThan(5_500);
  expect(reminder?.data).toMatchObject({
    state: 'awaiting_confirmation',
    current: true,
    next_batch: asked?.data.next_batch,
    message: asked?.data.message,
    expires_at: asked?.data.expires_at,
  });
});

it('continues after its worker was down', async () => {
  const { operation_id } = await harness.start({ batch_size: 5 });
  await untilTold(operation_id, 1);
  await harness.stopWorker();
  const handle = harness.client.workflow.getHandle(operation_id);
  await handle.signal('continue', { batch: 1 });
  await handle.signal('continue', { batch: 2 });
  await harness.restartWorker();
  await untilTold(operation_id, 2);
  await continueBulkOperation(harness.client, operation_id, { batch: 2 });
  await untilTold(operation_id, 3);
  expect(typesOf(operation_id)).toEqual(['awaiting_confirmation', 'awaiting_confirmation', 'completed']);
});

it('keeps the address and the secret of a receiver out of every history, list and error', async () => {
  slow.answers.set('', [503]);
  expect(await codeOf(testWebhook(harness.client, 'slow', harness.taskQueue))).toBe('TOOL_FAILED');
  await testWebhook(harness.client, 'chat', harness.taskQueue);
  expect(sink.received.at(-1)?.message.type).toBe('test');
  const rows = await listDeliveries(harness.client, {}, harness.taskQueue);
  const texts = [JSON.stringify(rows)];
  const query = `TaskQueue = '${harness.taskQueue}'`;
  for await (const { workflowId, runId } of harness.client.workflow.list({ query })) {
    const history = await harness.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const decoded = JSON.stringify(history, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    texts.push(decoded);
  }
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.join('\n')).toContain('answered 503');
  expect(texts.filter((text) => text.includes('secret/place') || text.includes(SECRET.slice(6)))).toEqual([]);
});

/** The messages of one operation to the fickle receiver, as lists show them. */
const fickleRows = (operation_id: string) =>
  listDeliveries(harness.client, { operation_id, target: 'fickle' }, harness.taskQueue);
const retryFickle = (operation_id: string) =>
  retryDeliveries(harness.client, { operation_id, target: 'fickle' }, harness.taskQueue);

it('says of a message whose question was answered meanwhile that it asks nothing', async () => {
  const id = 'answered-meanwhile';
  fickle.answers.set(id, Array<number>(100).fill(500));
  await harness.start({ batch_size: 7 }, id);
  await fickle.until(() => told(id, fickle).length >= 1);
  await continueBulkOperation(harness.client, id, { batch: 1 });
  // Only now, so that no earlier try delivers it.
  fickle.answers.delete(id);
  await retryFickle(id);
  const ofQuestion = () =>
    fickle.received.filter(
      ({ message }) => message.data.operation_id === id && message.type === 'awaiting_confirmation',
    );
  const answered = () => ofQuestion().find(({ message }) => message.data.current === false);
  await fickle.until(() => answered() !== undefined);
  const [first, second] = [ofQuestion()[0], answered()];
  expect(first?.message.data).toMatchObject({ current: true, next_batch: { number: 1 } });
  expect(second?.id).toBe(first?.id);
  expect(second?.message.data).toMatchObject({
    current: false,
    message: expect.stringContaining('was answered'),
  });
  expect(second?.message.data.next_batch).toBeUndefined();
});

it('sends nothing more to a receiver that answers 410, says so, and goes on where a person retries', async () => {
  const [gone, other] = ['gone-1', 'gone-2'];
  fickle.answers.set(gone, [410]);
  await harness.start({ batch_size: 7 }, gone);
  await fickle.until(() => told(gone, fickle).length >= 1);
  await harness.start({ batch_size: 7 }, other);
  await untilTold(other, 1);
  for (const id of [gone, other]) while ((await fickleRows(id))[0]?.state !== 'failed') await lookAgain();
  expect(await fickleRows(gone)).toMatchObject([{ error: expect.stringContaining('answered 410') }]);
  await continueBulkOperation(harness.client, gone, { batch: 1 });
  await untilTold(gone, 2);
  expect(fickle.received.filter(({ message }) => message.data.operation_id === gone)).toHaveLength(1);
  expect(told(other, fickle)).toEqual([]);
  await retryFickle(gone);
  await fickle.until(() => told(gone, fickle).length >= 2);
  expect(told(gone, fickle).map(({ type }) => type)).toEqual(['awaiting_confirmation', 'completed']);
});

it('reports that an operation was deleted, and follows it no longer', async () => {
  const { operation_id } = await harness.start({ batch_size: 7 });
  await untilTold(operation_id, 1);
  const { namespace } = harness.client.options;
  const workflowExecution = { workflowId: operation_id };
  await harness.client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
  await untilTold(operation_id, 2);
  expect(typesOf(operation_id)).toEqual(['awaiting_confirmation', 'cancelled']);
});

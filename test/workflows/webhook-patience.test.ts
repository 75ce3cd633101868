import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createTargets } from '../../activities/webhooks/targets';
import { tellCheckpoint } from '../../src/client/webhooks';
import { QUERIES, SIGNALS, WORKFLOW_TYPES } from '../../src/contract/messages';
import type { DeliveriesAnswer, DeliveryInput, WebhookNotice } from '../../src/contract/webhooks';
import { startHarness, type Harness } from '../helpers/harness';
import { startTimeSkipping } from '../helpers/time-skipping';
import { hookTo, SECRET, startSink, type WebhookSink } from '../helpers/webhook-sink';

const HOUR = 3_600_000;

let env: TestWorkflowEnvironment;
let harness: Harness;
let sink: WebhookSink;

beforeAll(async () => {
  [env, sink] = [await startTimeSkipping(), await startSink()];
  const targets = await createTargets({ webhooks: [hookTo(sink.url)], folder: '.' }, { HOOK_SECRET: SECRET });
  harness = await startHarness({
    adapters: [],
    webhooks: { targets },
    connect: { client: env.client, connection: env.nativeConnection },
  });
});
afterAll(async () => {
  await harness?.close();
  await env?.teardown();
  await sink?.close();
});

const noticeOf = (id: string): WebhookNotice => ({
  id: `msg_${id}`,
  message: { type: 'completed', timestamp: new Date(0).toISOString(), data: { operation_id: id } },
});

const deliver = (workflowId: string, input: DeliveryInput) =>
  env.client.workflow.start(WORKFLOW_TYPES.webhookDelivery, {
    workflowId,
    taskQueue: harness.taskQueue,
    args: [input],
  });

it('tries a message for three days, hourly at the end, then gives it up and sends the next one', async () => {
  sink.answers.set('dead', Array<number>(1_000).fill(500));
  const began = await env.currentTimeMs();
  const handle = await deliver('dead', { target: 'chat', notices: [noticeOf('dead'), noticeOf('next')] });
  const { deliveries, failed } = (await handle.result()) as DeliveriesAnswer;
  const host = new URL(sink.url).host;
  expect(deliveries).toMatchObject([
    { id: 'msg_dead', state: 'failed', error: `${host} answered 500` },
    { id: 'msg_next', state: 'delivered' },
  ]);
  expect(failed).toEqual([noticeOf('dead')]);
  const passed = (await env.currentTimeMs()) - began;
  expect(passed).toBeGreaterThan(70 * HOUR);
  expect(passed).toBeLessThan(73 * HOUR);
  // The wait doubles for twelve tries, which takes a little over an hour. Then there is one try per hour.
  const tries = sink.received.filter(({ id }) => id === 'msg_dead').length;
  expect(tries).toBeGreaterThan(75);
  expect(tries).toBeLessThan(90);
});

it('retries at once on request, and then for three more days', async () => {
  sink.answers.set('away', Array<number>(1_000).fill(500));
  const handle = await deliver('away', { target: 'chat', notices: [noticeOf('away')] });
  await env.sleep(60 * HOUR);
  const before = sink.received.filter(({ id }) => id === 'msg_away').length;
  await handle.signal(SIGNALS.retry);
  await env.sleep(60 * HOUR);
  expect(await handle.query<DeliveriesAnswer>(QUERIES.deliveries)).toMatchObject({
    deliveries: [{ id: 'msg_away', state: 'waiting' }],
  });
  expect(sink.received.filter(({ id }) => id === 'msg_away').length).toBeGreaterThan(before + 60);
  sink.answers.delete('away');
  expect(await handle.result()).toMatchObject({ deliveries: [{ id: 'msg_away', state: 'delivered' }] });
});

it.each([429, 503])('waits as long as the receiver asks for with %s', async (status) => {
  sink.answers.set('busy', [status]);
  sink.retryAfter = String((5 * HOUR) / 1_000);
  const began = await env.currentTimeMs();
  const handle = await deliver(`busy-${status}`, { target: 'chat', notices: [noticeOf('busy')] });
  expect(await handle.result()).toMatchObject({ deliveries: [{ state: 'delivered' }] });
  expect((await env.currentTimeMs()) - began).toBeGreaterThanOrEqual(5 * HOUR);
});

it.each([400, 404, 422])(
  'gives up a message that is refused with %s, and sends the next one',
  async (status) => {
    sink.answers.set('wrong', [status]);
    const notices = [noticeOf('wrong'), noticeOf('right')];
    const handle = await deliver(`wrong-${status}`, { target: 'chat', notices });
    expect(await handle.result()).toMatchObject({
      deliveries: [
        { id: 'msg_wrong', state: 'failed', error: expect.stringContaining(`answered ${status}`) },
        { id: 'msg_right', state: 'delivered' },
      ],
      failed: [{ id: 'msg_wrong' }],
    });
  },
);

it('sends no checkpoint to a receiver that wants no more messages, until it accepts one that was requested', async () => {
  sink.answers.set('gone', [410]);
  const answerOf = (handle: WorkflowHandle) => handle.result() as Promise<DeliveriesAnswer>;
  const told = async (seq: number) => {
    const checkpoint = { seq, hash: `${seq}`.repeat(64), at: new Date(0).toISOString() };
    const signed = { ...checkpoint, public_key: 'key', signature: 'signature' };
    await tellCheckpoint(env.client, 'chat', signed, harness.taskQueue);
    return answerOf(env.client.workflow.getHandle(`webhook-audit-${seq}-chat`));
  };
  const requested = async (id: string) =>
    answerOf(await deliver(id, { target: 'chat', notices: [noticeOf('gone')] }));
  const refused = { state: 'failed', error: expect.stringContaining('answered 410') };
  expect(await requested('gone')).toMatchObject({ deliveries: [refused] });
  expect(await told(1)).toMatchObject({ deliveries: [refused] });
  expect(sink.received.filter(({ message }) => message.type === 'audit_checkpoint')).toEqual([]);
  expect(await requested('back')).toMatchObject({ deliveries: [{ state: 'delivered' }] });
  expect(await told(2)).toMatchObject({ deliveries: [{ state: 'delivered' }] });
});

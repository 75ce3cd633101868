import { createTargets, type WebhookTarget } from '../../activities/webhooks/targets';
import {
  cancelDeliveries,
  continueBulkOperation,
  listDeliveries,
  missingReceivers,
  moveDeliveries,
  retryDeliveries,
} from '../../src/client';
import type { DeliveryRow } from '../../src/contract/webhooks';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { caughtUp, lookAgain } from '../helpers/look-again';
import { hookTo, SECRET, startSink, type WebhookSink } from '../helpers/webhook-sink';

/** Receivers that are missing in the settings of a worker that starts. */
let sink: WebhookSink;
let chat: WebhookTarget[];
let harness: Harness;

const targetsFor = (...names: string[]) =>
  createTargets(
    { webhooks: names.map((name) => hookTo(sink.url, { name })), folder: '.' },
    { HOOK_SECRET: SECRET },
  );

beforeAll(async () => {
  sink = await startSink();
  chat = await targetsFor('chat');
  harness = await startHarness({
    adapters: [countingTool(7).adapter],
    webhooks: { targets: await targetsFor('leaving') },
  });
});
beforeEach(() => harness.restartWorker());
afterAll(async () => {
  await harness?.close();
  await sink?.close();
});

const rowsOf = (operation_id: string) =>
  listDeliveries(harness.client, { operation_id, target: 'leaving' }, harness.taskQueue);

const retry = (operation_id: string) =>
  retryDeliveries(harness.client, { operation_id, target: 'leaving' }, harness.taskQueue);

/** The deliveries to the receiver, as soon as they pass the test. */
async function rowsWhen(id: string, test: (rows: DeliveryRow[]) => boolean): Promise<DeliveryRow[]> {
  for (;;) {
    const rows = await rowsOf(id);
    if (test(rows)) return rows;
    await lookAgain();
  }
}

/**
 * Waits until the worker has noted that these messages arrived. A worker that stops between the arrival and its note
 * leaves the message to the next worker, which sends it again.
 */
const untilNoted = (id: string, count: number) =>
  rowsWhen(id, (rows) => rows.filter(({ state }) => state === 'delivered').length >= count);

async function startTold(id: string): Promise<string> {
  await harness.start({ batch_size: 7 }, id);
  await untilNoted(id, 1);
  return id;
}

it('keeps the messages of a receiver that is missing after a restart, and names the reason', async () => {
  const id = await startTold('missing');
  await harness.restartWorker(undefined, { targets: chat });
  await continueBulkOperation(harness.client, id, { batch: 1 });
  const rows = await rowsWhen(id, (rows) => rows[1]?.error !== undefined);
  expect(rows).toMatchObject([
    { type: 'awaiting_confirmation', state: 'delivered' },
    { type: 'completed', state: 'waiting', error: expect.stringContaining("no webhook 'leaving'") },
  ]);
  await harness.restartWorker();
  await retry(id);
  await untilNoted(id, 2);
  expect(sink.told(id).map(({ type }) => type)).toEqual(['awaiting_confirmation', 'completed']);
});

it('keeps a message that arrived while its worker stopped, and sends it again under its id', async () => {
  const id = 'unnoted';
  sink.answers.set(id, [0]);
  await harness.start({ batch_size: 7 }, id);
  await sink.until(() => sink.told(id).length >= 1);
  await harness.restartWorker(undefined, { targets: chat });
  await continueBulkOperation(harness.client, id, { batch: 1 });
  const rows = await rowsWhen(id, (rows) => rows.length === 2 && rows[0]?.error !== undefined);
  expect(rows).toMatchObject([
    {
      type: 'awaiting_confirmation',
      state: 'waiting',
      error: expect.stringContaining("no webhook 'leaving'"),
    },
    { type: 'completed', state: 'waiting' },
  ]);
  await harness.restartWorker();
  await retry(id);
  await untilNoted(id, 2);
  const mine = sink.received.filter(({ message }) => message.data.operation_id === id);
  expect(mine.map(({ message }) => message.type)).toEqual([
    'awaiting_confirmation',
    'awaiting_confirmation',
    'completed',
  ]);
  expect(mine[1]?.id).toBe(mine[0]?.id);
});

it('moves what waits for a receiver that is missing to another one, or gives it up', async () => {
  const { client, taskQueue } = harness;
  const [moved, dropped] = [await startTold('renamed-1'), await startTold('renamed-2')];
  await harness.restartWorker(undefined, { targets: [...chat, ...(await targetsFor('renamed'))] });
  for (const id of [moved, dropped]) await continueBulkOperation(client, id, { batch: 1 });
  for (const id of [moved, dropped]) await rowsWhen(id, (rows) => rows[1]?.state === 'waiting');
  const missing = await missingReceivers(client, ['chat', 'renamed'], taskQueue);
  expect([...missing.keys()]).toEqual(['leaving']);
  const target = 'leaving';
  expect(await cancelDeliveries(client, { operation_id: dropped, target }, taskQueue)).toBe(1);
  expect((await rowsOf(dropped))[1]).toMatchObject({ state: 'failed', error: 'a person gave it up' });
  expect(await moveDeliveries(client, { target, to: 'renamed' }, taskQueue)).toBe(1);
  await sink.until(() => sink.told(moved).length >= 2);
  expect(sink.told(moved).map(({ type }) => type)).toEqual(['awaiting_confirmation', 'completed']);
  expect(sink.told(dropped)).toHaveLength(1);
  await caughtUp(async () =>
    expect((await missingReceivers(client, ['chat', 'renamed'], taskQueue)).size).toBe(0),
  );
});

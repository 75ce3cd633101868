import { Client, Connection } from '@temporalio/client';
import { createEventHub } from '../../src/api/event-hub';
import {
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  glanceAt,
} from '../../src/client';
import type { SeenEvent } from '../../src/api/event-channel';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi } from '../helpers/http-api';
import { visitorOf } from '../helpers/sign-in';
import { watched } from '../helpers/watched-connection';
import { confirmOpen } from '../helpers/confirm';
import { lookAgain } from '../helpers/look-again';

let harness: Harness;
let connection: Connection;
beforeAll(async () => {
  harness = await startHarness({
    adapters: [countingTool(25).adapter],
    policies: [{ name: 'two', when: 'session == "approved"', require: { approvals: 2 } }],
  });
  connection = await Connection.connect({ address: testServer().address });
});
afterAll(async () => {
  await connection?.close();
  await harness?.close();
});

it('sends no older progress of an operation while its history cannot be read', async () => {
  let unreadable = false;
  const refusing = watched(connection, (method) => {
    if (unreadable && method === 'getWorkflowExecutionHistoryReverse') throw new Error('refused');
  });
  const leave = new AbortController();
  const hub = createEventHub(new Client({ connection: refusing }), harness.taskQueue);
  const events = hub.ofAll(undefined, leave.signal)[Symbol.asyncIterator]();
  const processed: unknown[] = [];
  const until = async (isLast: (event: SeenEvent['event']) => boolean) => {
    for (;;) {
      const { value } = (await events.next()) as IteratorYieldResult<SeenEvent>;
      if ('operation_id' in value.event && value.event.operation_id === first)
        processed.push(value.event.progress?.['processed']);
      if (isLast(value.event)) return;
    }
  };
  const start = async (session_id: string) => (await harness.start({ session_id })).operation_id;
  const first = await start('first');
  await confirmOpen(harness.client, first);
  await until(() => processed.at(-1) === 10);
  unreadable = true;
  // Each list is complete before the next one is read, so the third operation follows all that the second came with.
  for (const session of ['second', 'third']) {
    const other = await start(session);
    await until((event) => 'operation_id' in event && event.operation_id === other);
  }
  expect(processed.at(-1)).toBe(10);
  leave.abort();
});

it('tells a page of all that an operation does, also of what changes neither its state nor its counts', async () => {
  const { client, taskQueue } = harness;
  const { operation_id: id } = await harness.start({ session_id: 'followed' });
  const { revision } = await glanceAt(client, id);
  const leave = new AbortController();
  const hub = createEventHub(client, taskQueue);
  const page = hub.ofOperationSince(id, revision, leave.signal)[Symbol.asyncIterator]();
  const events = hub.ofOperation(id, undefined, leave.signal)[Symbol.asyncIterator]();
  // What comes before the stream has caught up shows in the revision. The later ones do not.
  for (const seconds of [60, 120, 180]) {
    await extendBulkOperation(client, id, { seconds, by: 'Ada' });
    expect(await page.next()).toMatchObject({ done: false });
  }
  await completeBulkOperation(client, id, { by: 'Ada' });
  expect(await page.next()).toMatchObject({ done: false });
  const early = continueBulkOperation(client, id, { batch: 7, by: 'Ada' });
  await expect(early).rejects.toMatchObject({ code: 'STALE_CONFIRMATION' });
  expect(await page.next()).toMatchObject({ done: false });
  await confirmOpen(client, id);
  // A reader of events gets changes only.
  for (let processed: unknown; processed !== 10;) {
    const { value } = (await events.next()) as IteratorYieldResult<SeenEvent>;
    expect(value.event).toMatchObject({ operation_id: id, state: expect.any(String) });
    if ('progress' in value.event) processed = value.event.progress?.['processed'];
  }
  leave.abort();
});

it('shows a later deadline in a list at once, and tells the pages that show the list', async () => {
  const { client, taskQueue } = harness;
  const http = await startHttpApi(harness);
  const ada = await visitorOf(http);
  const { operation_id: id } = await harness.start({ session_id: 'longer' });
  const deadline = async () => /data-until="([^"]+)"/.exec((await ada.visit('/?session=longer')).page)?.[1];
  // The list lags behind the start.
  while ((await deadline()) === undefined) await lookAgain();
  const leave = new AbortController();
  const hub = createEventHub(client, taskQueue);
  const page = hub.ofAllSince(await hub.markOfAll(), leave.signal)[Symbol.asyncIterator]();
  const events = hub.ofAll(undefined, leave.signal)[Symbol.asyncIterator]();
  const { expires_at } = await extendBulkOperation(client, id, { seconds: 7_200, by: 'Ada' });
  expect(await deadline()).toBe(expires_at);
  for (let told: unknown; told !== 'longer';) {
    const { value } = (await page.next()) as IteratorYieldResult<Partial<SeenEvent>>;
    told = value.session_id;
  }
  // A reader of events gets changes only.
  await confirmOpen(client, id);
  for (let processed: unknown; processed !== 10;) {
    const { value } = (await events.next()) as IteratorYieldResult<SeenEvent>;
    expect(value.event).toMatchObject({ operation_id: expect.any(String), state: expect.any(String) });
    if (value.session_id === 'longer' && 'progress' in value.event)
      processed = value.event.progress?.['processed'];
  }
  leave.abort();
  await http.close();
});

it('tells the pages that show a list of an approval that alone runs nothing', async () => {
  const { client, taskQueue } = harness;
  const http = await startHttpApi(harness);
  const ada = await visitorOf(http);
  const { operation_id: id } = await harness.start({ session_id: 'approved' });
  const leave = new AbortController();
  const hub = createEventHub(client, taskQueue);
  const followed = hub.ofAllSince(await hub.markOfAll(), leave.signal)[Symbol.asyncIterator]();
  const untilTold = async () => {
    for (let told: unknown; told !== 'approved';)
      told = ((await followed.next()) as IteratorYieldResult<Partial<SeenEvent>>).value.session_id;
  };
  const shown = async () => (await ada.visit('/?session=approved')).page;
  while (!(await shown()).includes('0 of 2')) await untilTold();
  await confirmOpen(client, id, { by: 'Bert' });
  while (!(await shown()).includes('1 of 2: Bert')) await untilTold();
  leave.abort();
  await http.close();
});

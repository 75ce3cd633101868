import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { continueBulkOperation, getBulkStatus, startBulkOperation } from '../../src/client';
import type { BulkOperationInput, BulkStatus, BulkTurn } from '../../src/contract/operation';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { openTestStore } from '../helpers/store';

/** What clients do that know nothing of our code, or of each other. */
const SLOW_ITEM_MS = 500;
let begun = gateway();
let slow = false;
const tool = countingTool(20, {
  apply: async (item) => {
    begun.open();
    if (slow) await pause(SLOW_ITEM_MS);
    tool.touched.set(item.id, (tool.touched.get(item.id) ?? 0) + 1);
    return undefined;
  },
});

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
});
afterAll(() => harness.close());
beforeEach(() => {
  tool.touched.clear();
  slow = false;
  begun = gateway();
});

const handle = (id: string) => harness.client.workflow.getHandle(id);
const signalled = async (id: string, count: number): Promise<BulkStatus> => {
  for (;;) {
    const status = await getBulkStatus(harness.client, id);
    if (status.confirmations.length >= count && status.state !== 'running_batch') return status;
  }
};

it("Temporal's own cancel in the middle of a batch counts what was done, and answers who waits", async () => {
  slow = true;
  const { operation_id: id } = await harness.start({ batch_size: 20 });
  const waiting = handle(id).executeUpdate<BulkTurn, [object]>('continue', { args: [{ batch: 1 }] });
  await begun.opened;
  await handle(id).cancel();
  await handle(id).signal('continue', { batch: 1, attempt: 1 });
  const turn = await waiting;
  expect(turn.state).toBe('cancelled');
  // Ten seconds of items are left when the cancel is sent; it is heard within a few of them.
  expect(turn.processed).toBeLessThan(10);
  expect(tool.touched.size).toBe(turn.processed);
  expect(await handle(id).result()).toMatchObject({ state: 'cancelled', processed: turn.processed });
  expect((await handle(id).describe()).status.name).toBe('COMPLETED');
});

it('a decision that was refused as early stays refused when it is delivered again', async () => {
  slow = true;
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const running = handle(id).executeUpdate<BulkTurn, [object]>('continue', { args: [{ batch: 1 }] });
  await begun.opened;
  await handle(id).signal('continue', { decision_id: 'webhook-7' });
  await running;
  slow = false;
  await handle(id).signal('continue', { decision_id: 'webhook-7' });
  const status = await signalled(id, 3);
  expect(status.confirmations.map(({ outcome }) => outcome)).toEqual([
    'accepted',
    'NOT_AWAITING_CONFIRMATION',
    'NOT_AWAITING_CONFIRMATION',
  ]);
  expect(status.processed).toBe(5);
});

it('a second argument of the start is nobody’s state', async () => {
  const id = `plain-${randomUUID()}`;
  await harness.client.workflow.start('bulkOperation', {
    workflowId: id,
    taskQueue: harness.taskQueue,
    args: [{ domain: 'fake', action: 'mark', params: { group: 'all' } }, { state: 'completed' }],
  });
  expect(await handle(id).executeUpdate<BulkTurn, []>('ready')).toMatchObject({
    state: 'awaiting_confirmation',
    total: 20,
  });
});

it('a cancel before anything began prepares nothing', async () => {
  const calls: string[] = [];
  const watched = countingTool(5, { toolName: 'watched', onCall: (method) => calls.push(method) });
  const other = await startHarness({ adapters: [watched.adapter] });
  try {
    const id = `plain-${randomUUID()}`;
    await other.client.workflow.signalWithStart('bulkOperation', {
      workflowId: id,
      taskQueue: other.taskQueue,
      args: [{ domain: 'watched', action: 'mark', params: { group: 'all' } }],
      signal: 'cancel',
      signalArgs: [],
    });
    expect(await other.client.workflow.getHandle(id).result()).toMatchObject({
      state: 'cancelled',
      total: 0,
    });
    expect(calls).toEqual([]);
  } finally {
    await other.close();
  }
});

it('a worker over another ledger runs nothing until a person has been told and confirms again', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 10 });
  await continueBulkOperation(harness.client, id);
  const second = await openTestStore();
  try {
    await harness.restartWorker(second.ledger);
    const refused = await continueBulkOperation(harness.client, id);
    expect(refused).toMatchObject({
      state: 'batch_failed',
      processed: 10,
      error: { code: 'NOT_CONFIGURED', hint: expect.stringContaining('BATCHGATE_DATABASE_URL') as string },
    });
    expect(tool.touched.size).toBe(10);
    expect(await continueBulkOperation(harness.client, id)).toMatchObject({
      state: 'completed',
      succeeded: 20,
    });
    expect([...tool.touched.values()]).toEqual(Array(20).fill(1));
  } finally {
    await harness.restartWorker();
    await second.close();
  }
});

const request: BulkOperationInput = { domain: 'fake', action: 'mark', params: { group: 'all' } };

it('gives up a start that no worker takes up, names it, and loses nothing', async () => {
  const id = `kept-${randomUUID()}`;
  await harness.stopWorker();
  const start = startBulkOperation(harness.client, request, {
    ...{ operation_id: id, task_queue: harness.taskQueue, wait_ms: 1_500 },
  });
  await expect(start).rejects.toMatchObject({
    code: 'TEMPORAL_UNAVAILABLE',
    message: `${id} is not ready yet: it waits for a worker to take it up.`,
    hint: expect.stringContaining(`npx batchgate status ${id}`) as string,
  });
  await harness.restartWorker();
  expect(await harness.start({}, id)).toMatchObject({ operation_id: id, state: 'awaiting_confirmation' });
});

it('waits for a worker that comes back, and says what it waits for meanwhile', async () => {
  await harness.stopWorker();
  const back = gateway();
  const lines: string[] = [];
  const start = startBulkOperation(harness.client, request, {
    task_queue: harness.taskQueue,
    onWaiting(line) {
      lines.push(line);
      back.open();
    },
  });
  await back.opened;
  await harness.restartWorker();
  expect(await start).toMatchObject({ state: 'awaiting_confirmation' });
  expect(lines[0]).toMatch(/^bulk-.*: it waits for a worker to take it up\.$/);
});

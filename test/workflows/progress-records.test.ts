import { randomUUID } from 'node:crypto';
import { listBulkOperations, listJobs, watchOperation, type OperationRow } from '../../src/client';
import type { BulkTurn, OperationEvent } from '../../src/contract/operation';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';

/** What a batch writes to the history, and what lists and streams show of it. */
const held: { at?: string; reached: () => void; rest: Promise<void> } = {
  reached: () => undefined,
  rest: Promise.resolve(),
};
const few = countingTool(30, {
  apply: async ({ id }) => {
    if (id !== held.at) return;
    held.reached();
    await held.rest;
  },
});
let harness: Harness;
let handing: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [few.adapter] });
  handing = await startHarness({ adapters: [few.adapter], settings: { batches_per_run: 1 } });
});
afterAll(async () => {
  await harness?.close();
  await handing?.close();
});

const handle = (id: string) => harness.client.workflow.getHandle(id);
/** Sends each confirmation under its own update id, so that the workflow judges each. */
const byUpdate = (id: string, batch: number, decision_id: string = randomUUID()): Promise<BulkTurn> =>
  handle(id).executeUpdate('continue', { args: [{ batch, decision_id }], updateId: randomUUID() });

async function bySignal(id: string, batch: number): Promise<void> {
  await handle(id).signal('continue', { batch });
  await until(id, ({ progress }) => progress?.['processed'] === batch * 5);
}

/** Waits for the first event that satisfies a test. */
async function until(id: string, test: (event: OperationEvent) => boolean): Promise<OperationEvent> {
  for await (const event of watchOperation(harness.client, id, new AbortController().signal))
    if (event !== 'caught_up' && test(event)) return event;
  throw new Error('it ended before that');
}

/** All events so far. */
async function changesOf(id: string, after?: OperationEvent): Promise<OperationEvent[]> {
  const seen: OperationEvent[] = [];
  for await (const event of watchOperation(harness.client, id, new AbortController().signal, { after })) {
    if (event === 'caught_up') return seen;
    seen.push(event);
  }
  return seen;
}

/** The row of the operation. Lists lag briefly. */
async function rowOf(id: string, { taskQueue: task_queue, client }: Harness): Promise<OperationRow> {
  for (;;) {
    const rows = await listBulkOperations(client, { task_queue });
    const row = rows.find(({ operation_id }) => operation_id === id);
    if (row) return row;
  }
}

async function memosOf(id: string): Promise<number> {
  const { events } = await handle(id).fetchHistory();
  return (events ?? []).filter((event) => event.workflowPropertiesModifiedEventAttributes).length;
}

it('lists the progress of a batch that an update confirmed, which writes no memo, also without a worker', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const before = await memosOf(id);
  await byUpdate(id, 1);
  expect(await rowOf(id, harness)).toMatchObject({
    state: 'awaiting_confirmation',
    progress: { processed: 5 },
  });
  await byUpdate(id, 2, 'second');
  await byUpdate(id, 3);
  expect(await memosOf(id)).toBe(before);
  // A repeated decision gets its first answer again.
  expect((await byUpdate(id, 2, 'second')).processed).toBe(10);
  await harness.stopWorker();
  expect(await rowOf(id, harness)).toMatchObject({
    progress: { total: 30, processed: 15, succeeded: 15, failed: 0, skipped: 0, in_doubt: 0, remaining: 15 },
  });
  const { client, taskQueue: task_queue } = harness;
  const jobs = await listJobs(client, { task_queue });
  expect(jobs.find((job) => job.kind === 'bulk_operation' && job.operation_id === id)).toMatchObject({
    progress: { processed: 15 },
  });
  const unread = await listBulkOperations(client, { task_queue, progress: false });
  expect(unread.find(({ operation_id }) => operation_id === id)?.progress).toMatchObject({ processed: 0 });
  await handle(id).terminate('no longer wanted');
  expect(await rowOf(id, harness)).toMatchObject({ progress: { processed: 15 } });
  await harness.restartWorker();
});

it('lists the progress of a batch that a signal confirmed, after many messages that changed nothing', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await byUpdate(id, 1);
  const before = await memosOf(id);
  await bySignal(id, 2);
  expect(await memosOf(id)).toBe(before + 1);
  for (let at = 0; at < 20; at++) await handle(id).signal('continue', { batch: 9 });
  expect((await harness.status(id)).confirmations.filter(({ batch }) => batch === 9)).toHaveLength(20);
  await harness.stopWorker();
  expect(await rowOf(id, harness)).toMatchObject({ progress: { processed: 10, remaining: 20 } });
  await harness.restartWorker();
  await handle(id).executeUpdate('cancel');
});

it('lists the progress of an operation that continued as new, even if the first page of the list is skipped', async () => {
  const { operation_id: id } = await handing.start({ batch_size: 5 });
  const { runId } = await handle(id).describe();
  for (const batch of [1, 2, 3]) await byUpdate(id, batch);
  await handing.status(id);
  const last = await handle(id).describe();
  expect(last.runId).not.toBe(runId);
  await handing.stopWorker();
  expect(last.memo).toMatchObject({ progress: { processed: 15 }, gate: { batch: 4, attempt: 1 } });
  expect(await rowOf(id, handing)).toMatchObject({ progress: { processed: 15 } });
  const { client, taskQueue: task_queue } = handing;
  expect(await listBulkOperations(client, { task_queue, offset: 1 })).toEqual([]);
  await handing.restartWorker();
  await handle(id).executeUpdate('cancel');
  await handle(id).result();
  expect(await rowOf(id, handing)).toMatchObject({ progress: { processed: 15 } });
});

describe.each([
  ['one run', () => harness],
  ['a run for each batch', () => handing],
])('the changes of an operation in %s', (_, of) => {
  it('are the same for a reader from the start and from any change, whatever confirmed them and whatever is repeated', async () => {
    const { operation_id: id } = await of().start({ batch_size: 5 });
    await byUpdate(id, 1, 'first');
    await bySignal(id, 2);
    await byUpdate(id, 1, 'first');
    const { opened, open } = gateway();
    const { opened: reached, open: reach } = gateway();
    Object.assign(held, { at: 'item-011', rest: opened, reached: reach });
    const third = byUpdate(id, 3, 'third');
    await reached;
    expect((await byUpdate(id, 1, 'first')).next_batch?.number).toBe(2);
    open();
    await third;
    await byUpdate(id, 1, 'first');
    await handle(id).executeUpdate('extend', { args: [{ seconds: 60 }] });
    await byUpdate(id, 4);
    await byUpdate(id, 3, 'third');
    const live = await changesOf(id);
    await bySignal(id, 5);
    await byUpdate(id, 6);
    await handle(id).result();
    const all = await changesOf(id);
    expect(all.slice(0, live.length)).toEqual(live);
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(all.length);
    expect(all.map(({ state, progress, gate }) => [state, progress?.['processed'], gate?.batch])).toEqual([
      ['preparing', undefined, undefined],
      ['awaiting_confirmation', 0, 1],
      ['running_batch', 0, 1],
      ['awaiting_confirmation', 5, 2],
      ['awaiting_confirmation', 10, 3],
      ['awaiting_confirmation', 15, 4],
      ['awaiting_confirmation', 20, 5],
      ['awaiting_confirmation', 25, 6],
      ['completed', 30, undefined],
    ]);
    for (const [at, change] of all.entries()) expect(await changesOf(id, change)).toEqual(all.slice(at + 1));
  });
});

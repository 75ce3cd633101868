import { randomUUID } from 'node:crypto';
import { WorkflowContinuedAsNewError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import {
  getBulkStatus,
  getReport,
  retryFailedItems,
  startBulkOperation,
  startTaskRun,
} from '../../src/client';
import {
  bulkStatusSchema,
  type BulkOperationInput,
  type BulkStatus,
  type BulkTurn,
} from '../../src/contract/operation';
import { codeOf, countingTool, gateway, startHarness, stopHeard, type Harness } from '../helpers/harness';
import { openTestStore } from '../helpers/store';
import { confirmOpen } from '../helpers/confirm';
import { failure } from '../helpers/failure';

/** The behaviour of clients that do not know our code or each other. */
const atOnce = () => Promise.resolve();
let begun = gateway();
/** What an item waits for. */
let held: () => Promise<void> = atOnce;
const tool = countingTool(20, {
  apply: async (item) => {
    begun.open();
    await held();
    tool.touched.set(item.id, (tool.touched.get(item.id) ?? 0) + 1);
    return undefined;
  },
});

const request: BulkOperationInput = { domain: 'fake', action: 'mark', params: { group: 'all' } };

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
});
afterAll(() => harness.close());
beforeEach(() => {
  tool.touched.clear();
  held = atOnce;
  begun = gateway();
});

const handle = (id: string) => harness.client.workflow.getHandle(id);
const statusOnce = async (id: string, wanted: (status: BulkStatus) => boolean): Promise<BulkStatus> => {
  for (;;) {
    const status = await getBulkStatus(harness.client, id);
    if (wanted(status)) return status;
  }
};
const signalled = (id: string, count: number) =>
  statusOnce(id, ({ confirmations, state }) => confirmations.length >= count && state !== 'running_batch');

it("Temporal's own cancel in the middle of a batch counts what was done, and answers waiting callers", async () => {
  held = stopHeard;
  const { operation_id: id } = await harness.start({ batch_size: 20 });
  const waiting = handle(id).executeUpdate<BulkTurn, [object]>('continue', { args: [{ batch: 1 }] });
  await begun.opened;
  await handle(id).cancel();
  await handle(id).signal('continue', { batch: 1, attempt: 1 });
  const turn = await waiting;
  expect(turn.state).toBe('cancelled');
  expect(turn.processed).toBeLessThan(20);
  expect(tool.touched.size).toBe(turn.processed);
  expect(await handle(id).result()).toMatchObject({ state: 'cancelled', processed: turn.processed });
  expect((await handle(id).describe()).status.name).toBe('COMPLETED');
});

it('a decision that was refused as early stays refused if it is delivered again', async () => {
  const { opened, open } = gateway();
  held = () => opened;
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const running = handle(id).executeUpdate<BulkTurn, [object]>('continue', { args: [{ batch: 1 }] });
  await begun.opened;
  await handle(id).signal('continue', { decision_id: 'webhook-7' });
  await statusOnce(id, ({ confirmations }) => confirmations.length === 2);
  open();
  await running;
  await handle(id).signal('continue', { decision_id: 'webhook-7' });
  const status = await signalled(id, 3);
  expect(status.confirmations.map(({ outcome }) => outcome)).toEqual([
    'accepted',
    'NOT_AWAITING_CONFIRMATION',
    'NOT_AWAITING_CONFIRMATION',
  ]);
  expect(status.processed).toBe(5);
});

it('the second argument of a start is never used as a state', async () => {
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

it('the second argument of a cron schedule is never used as a state, in its later runs either', async () => {
  const { client, taskQueue } = harness;
  const forged = { state: 'completed', items: [], forged: true };
  const starts: Record<string, object> = {
    bulkOperation: { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 1 },
    macro: { macro: { name: 'main', steps: [] }, nonsense: true },
    taskRun: { nonsense: true },
  };
  for (const [type, input] of Object.entries(starts)) {
    const workflowId = `cron-${randomUUID()}`;
    const { firstExecutionRunId } = await client.workflow.start(type, {
      ...{ workflowId, taskQueue, args: [input, forged], cronSchedule: '@every 1s' },
    });
    const first = await cronRun(workflowId, firstExecutionRunId);
    const second = await cronRun(workflowId, first.next);
    expect(withoutTimes(second.result)).toEqual(withoutTimes(first.result));
    await client.workflow.getHandle(workflowId).terminate();
  }
});

/** Waits for the end of a run of a cron schedule. The start event of the next run contains its result. */
async function cronRun(workflowId: string, runId: string): Promise<{ next: string; result: unknown }> {
  const run = harness.client.workflow.getHandle(workflowId, runId, { followRuns: false });
  await run.result().catch((error: unknown) => expect(error).toBeInstanceOf(WorkflowContinuedAsNewError));
  const closed = (await run.fetchHistory()).events?.at(-1);
  const next =
    closed?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ??
    closed?.workflowExecutionCompletedEventAttributes?.newExecutionRunId;
  if (!next) throw new Error(`no run follows this one: ${JSON.stringify(closed)}`);
  const { events } = await harness.client.workflow.getHandle(workflowId, next).fetchHistory();
  const { lastCompletionResult } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  const [result] = lastCompletionResult?.payloads ?? [];
  if (!result) throw new Error(`no result: ${JSON.stringify(closed)}`);
  return { next, result: defaultPayloadConverter.fromPayload(result) };
}

/** A result without its times, which differ from run to run. */
const withoutTimes = (result: unknown): unknown =>
  JSON.parse(JSON.stringify(result, (key, value: unknown) => (key.endsWith('_at') ? undefined : value)));

it('an id of our own workflows is refused, by the client and by the workflow', async () => {
  const { client, taskQueue } = harness;
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  for (const reserved of [
    'sentinel-x',
    'macro-1',
    'ledger-1',
    'profile-1',
    'scratchpad-1',
    'webhook-1',
    'batchgate-hygiene',
  ]) {
    expect(await codeOf(harness.start({}, reserved))).toBe('INVALID_INPUT');
    const options = { task_queue: taskQueue, task_run_id: reserved };
    expect(await codeOf(startTaskRun(client, { goal: 'count' }, options))).toBe('INVALID_INPUT');
    for (const [type, argument] of Object.entries({ bulkOperation: input, taskRun: { goal: 'count' } })) {
      const workflowId = `${reserved}-${randomUUID()}`;
      const started = await client.workflow.start(type, { workflowId, taskQueue, args: [argument] });
      expect(await started.result()).toMatchObject({
        state: 'rejected',
        error: { code: 'INVALID_INPUT', message: expect.stringContaining('reserved') as string },
      });
    }
  }
  expect(await codeOf(harness.start({}, 'x'.repeat(151)))).toBe('INVALID_INPUT');
});

it('a confirmation that names items of 380 KB is refused, and the operation continues', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const exclude = Array.from({ length: 5 }, (_, at) => ({ id: `${at}${'x'.repeat(380_000)}` }));
  await handle(id).signal('continue', { exclude });
  await expect(
    handle(id).executeUpdate<BulkTurn, [object]>('continue', { args: [{ exclude }] }),
  ).rejects.toThrow();
  const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`field_${at}`, 1]));
  const refusal: unknown = await handle(id)
    .executeUpdate<BulkTurn, [object]>('continue', { args: [fields] })
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ cause: { type: 'INVALID_INPUT' } });
  expect((refusal as { cause: Error }).cause.message.length).toBeLessThan(1_000);
  const status = await signalled(id, 1);
  expect(status.confirmations.map(({ outcome }) => outcome)).toEqual(['INVALID_INPUT']);
  expect(await confirmOpen(harness.client, id)).toMatchObject({ processed: 5 });
});

it('a start with an impossible batch size is rejected, with a status of the published shape', async () => {
  const id = `plain-${randomUUID()}`;
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: -22_530 };
  const options = { workflowId: id, taskQueue: harness.taskQueue, args: [input] };
  const rejected: unknown = await harness.client.workflow.execute('bulkOperation', options);
  expect(rejected).toMatchObject({ state: 'rejected', error: { code: 'INVALID_INPUT' } });
  expect(bulkStatusSchema.parse(await getBulkStatus(harness.client, id))).toMatchObject({
    batch_size: -22_530,
  });
});

it('a second use of an id that is refused before its plan has no record, and leaves that of the first', async () => {
  const id = `plain-${randomUUID()}`;
  await harness.start({ batch_size: 20 }, id);
  await confirmOpen(harness.client, id);
  await handle(id).result();
  const first = await harness.store.ledger.read(id);
  const options = { workflowId: id, taskQueue: harness.taskQueue };
  const args = [{ ...request, batch_size: 21 }];
  expect(await harness.client.workflow.execute('bulkOperation', { ...options, args })).toMatchObject({
    state: 'rejected',
    error: { code: 'INVALID_INPUT' },
  });
  expect(await harness.store.ledger.read(id)).toEqual(first);
  const refused = await failure(getReport(harness.client, id));
  expect(refused).toMatchObject({
    code: 'NOT_FOUND',
    hint: expect.stringContaining('it may have no plan') as string,
  });
  expect(await codeOf(retryFailedItems(harness.client, id))).toBe('NOT_FOUND');
});

it('a contract that can never be completed is rejected before anything is read', async () => {
  const id = `plain-${randomUUID()}`;
  const contract = { expected_total: 2, min_completed: 3 };
  const rejected = await harness.client.workflow.execute('bulkOperation', {
    workflowId: id,
    taskQueue: harness.taskQueue,
    args: [{ domain: 'fake', action: 'mark', params: { group: 'all' }, contract }],
  });
  expect(rejected).toMatchObject({
    state: 'rejected',
    total: 0,
    error: {
      code: 'INVALID_INPUT',
      message: 'The contract can never be completed. min_completed is 3, and only 2 item(s) are expected.',
      hint: expect.stringContaining('a min_completed of 2 or less') as string,
    },
  });
});

it('a cancel before the start prepares nothing', async () => {
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

it('a worker with another ledger runs nothing, and says so until one with the plan is back', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 10 });
  await confirmOpen(harness.client, id);
  const second = await openTestStore();
  try {
    await harness.restartWorker(second.ledger);
    const refused = await confirmOpen(harness.client, id);
    expect(refused).toMatchObject({
      state: 'batch_failed',
      processed: 10,
      error: { code: 'NOT_CONFIGURED', hint: expect.stringContaining('BATCHGATE_DATABASE_URL') as string },
    });
    expect(await confirmOpen(harness.client, id)).toMatchObject({ state: 'batch_failed', in_doubt: 0 });
    expect(tool.touched.size).toBe(10);
  } finally {
    await harness.restartWorker();
    await second.close();
  }
  expect(await confirmOpen(harness.client, id)).toMatchObject({ state: 'completed', succeeded: 20 });
  expect([...tool.touched.values()]).toEqual(Array(20).fill(1));
});

it('gives up a start that no worker accepts, names it, and loses nothing', async () => {
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

it('waits for a worker that returns, and reports what it waits for in the meantime', async () => {
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

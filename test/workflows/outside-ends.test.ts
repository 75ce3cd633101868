import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  getBulkErrors,
  getBulkItems,
  getBulkProgress,
  getBulkStatus,
  getCompletionGuard,
  getJob,
  getReport,
  getSessionOf,
  openReport,
  resolveItem,
  resumeJobs,
  retryFailedItems,
  startBulkOperation,
  startRemainingItems,
  watchOperation,
} from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import { TASK_QUEUE } from '../../src/contract/messages';
import type { BulkStatus, OperationEvent } from '../../src/contract/operation';
import { runBatchgate } from '../helpers/command-line';
import {
  codeOf,
  countingTool,
  gateway,
  manyItems,
  startHarness,
  testServer,
  type Harness,
} from '../helpers/harness';

let held = gateway();
let begun = gateway();
let holding = true;
/** Items whose answer never comes. */
const lost = new Set<string>();
const touched = new Map<string, number>();
const { adapter, items } = countingTool(12, {
  sliceSize: 1,
  apply: async ({ id }) => {
    touched.set(id, (touched.get(id) ?? 0) + 1);
    if (lost.has(id))
      return { item_id: id, success: false, outcome_unknown: true, error: 'the answer never came' };
    if (!holding || id !== 'item-004') return undefined;
    begun.open();
    await held.opened;
    return undefined;
  },
  readBack: undefined,
});

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [adapter] });
});
afterAll(() => harness.close());
beforeEach(() => {
  [held, begun] = [gateway(), gateway()];
  lost.clear();
  touched.clear();
  holding = true;
});
afterEach(() => held.open());

const refusal = (work: Promise<unknown>): Promise<BatchgateError> =>
  work.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: unknown) => {
      if (error instanceof BatchgateError) return error;
      throw error;
    },
  );

const ENDS = {
  terminated: ({ client }: Harness, workflowId: string) =>
    client.workflow.getHandle(workflowId).terminate('enough'),
  deleted: async ({ client }: Harness, workflowId: string) => {
    const { namespace } = client.options;
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  },
};

it.each(['terminated', 'deleted'] as const)(
  'tells everybody who waits for a run that is %s how it ended, and which items are in doubt',
  async (how) => {
    const { operation_id } = await harness.start({ batch_size: 5 });
    const waiting = [
      refusal(continueBulkOperation(harness.client, operation_id, { batch: 1 })),
      begun.opened.then(() => refusal(cancelBulkOperation(harness.client, operation_id))),
    ];
    await begun.opened;
    const { confirmations } = await harness.status(operation_id);
    expect(confirmations.length).toBeGreaterThan(0);
    await ENDS[how](harness, operation_id);
    for (const { code, message, details } of await Promise.all(waiting)) {
      expect(code).toBe('OPERATION_CLOSED');
      expect(message).toContain(`${how} in Temporal`);
      expect(details).toMatchObject({
        status: { state: 'cancelled', succeeded: 3, in_doubt: 1, remaining: 8 },
        items_in_doubt: [{ item_id: 'item-004', display_name: 'Item 4' }],
      });
    }
  },
);

it('resolves items of a terminated operation from the ledger, once, and retries those that failed', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const waiting = refusal(continueBulkOperation(harness.client, id, { batch: 1 }));
  await begun.opened;
  await harness.client.workflow.getHandle(id).terminate();
  await waiting;
  const { message } = await harness.status(id);
  expect(message).toContain('1 item(s) are in doubt:\n- Item 4 (item-004)');
  expect((await refusal(retryFailedItems(harness.client, id))).hint).toContain('item-004');
  const looked = { item_id: 'item-004', outcome: 'failed', reason: 'not there', by: 'ana' } as const;
  expect(await resolveItem(harness.client, id, looked)).toMatchObject({
    ...{ state: 'cancelled', failed: 1, in_doubt: 0, processed: 4 },
    message: expect.not.stringContaining('in doubt'),
  });
  expect(await resolveItem(harness.client, id, looked)).toMatchObject({ failed: 1, in_doubt: 0 });
  expect(await codeOf(resolveItem(harness.client, id, { ...looked, outcome: 'succeeded' }))).toBe(
    'INVALID_INPUT',
  );
  expect(await codeOf(resolveItem(harness.client, id, { ...looked, item_id: 'item-001' }))).toBe(
    'INVALID_INPUT',
  );
  expect(await codeOf(resolveItem(harness.client, id, { ...looked, item_id: 'nothing' }))).toBe('NOT_FOUND');
  expect(await retryFailedItems(harness.client, id)).toMatchObject({ total: 1 });
});

it.each(['cancelled', 'expired', 'completed'] as const)(
  'resolves items of an operation that is %s, and shows it everywhere',
  async (how) => {
    holding = false;
    lost.add('item-001').add('item-002');
    const { operation_id: id } = await harness.start({
      ...{ batch_size: 5, session_id: `ends-${how}` },
      ...(how === 'expired' && { idle_timeout_seconds: 1 }),
    });
    await continueBulkOperation(harness.client, id, { batch: 1 });
    if (how === 'cancelled') await cancelBulkOperation(harness.client, id);
    if (how === 'completed')
      await completeBulkOperation(harness.client, id, { force: true, reason: 'enough' });
    await harness.client.workflow.getHandle(id).result();
    const before = await harness.status(id);
    expect(before).toMatchObject({ state: how, in_doubt: 2 });
    const rest = await startRemainingItems(harness.client, id);
    expect(rest.message).toContain(`2 item(s) of ${id} are in doubt: item-001, item-002.`);
    await cancelBulkOperation(harness.client, rest.operation_id);
    const resumed: string[] = [];
    const filter = {
      session_id: `ends-${how}`,
      task_queue: harness.taskQueue,
      expired_after: before.created_at,
    };
    const listed = async () => {
      resumed.length = 0;
      for await (const one of resumeJobs(harness.client, filter))
        if ('status' in one && one.status.in_doubt > 0) resumed.push(one.operation_id);
      return resumed.includes(id);
    };
    while (!(await listed()));
    await resolveItem(harness.client, id, {
      item_id: 'item-001',
      outcome: 'succeeded',
      reason: 'seen',
      by: 'ana',
    });
    const after = await resolveItem(harness.client, id, {
      item_id: 'item-002',
      outcome: 'failed',
      reason: 'absent',
    });
    expect(after).toMatchObject({ state: how, in_doubt: 0, succeeded: 4, failed: 1, processed: 5 });
    const status = await harness.status(id);
    expect(status.message.split('\n')[0]).toBe(
      how === 'completed'
        ? '✅ Completed by decision with 7 item(s) missing: enough.'
        : before.message.split('\n')[0]?.replace('3/12', '5/12'),
    );
    expect(status.confirmations.slice(-2)).toMatchObject([
      { decision: 'resolve', outcome: 'accepted', by: 'ana', note: 'item-001: succeeded, seen' },
      { decision: 'resolve', note: 'item-002: failed, absent' },
    ]);
    expect(status.errors).toMatchObject([{ item_id: 'item-002', error: 'absent', retryable: true }]);
    expect((await getBulkErrors(harness.client, id)).errors).toEqual(status.errors);
    const { items } = await getBulkItems(harness.client, id);
    expect(items.slice(0, 3).map(({ outcome }) => outcome)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect((await getReport(harness.client, id)).differences).toEqual([]);
    expect(await retryFailedItems(harness.client, id)).toMatchObject({ total: 1 });
    expect(await listed()).toBe(false);
  },
);

/** Runs the first of three batches. */
async function ranOne(input: { session_id?: string } = {}): Promise<string> {
  holding = false;
  lost.add('item-002');
  const { operation_id } = await harness.start({ batch_size: 5, ...input });
  await continueBulkOperation(harness.client, operation_id, { batch: 1 });
  return operation_id;
}

describe('an operation that was deleted in Temporal', () => {
  const counts = { state: 'cancelled', total: 12, succeeded: 4, in_doubt: 1, remaining: 7 };

  it('is answered for by its ledger at every reading function, and can be followed up', async () => {
    const id = await ranOne({ session_id: 'deleted' });
    const { client } = harness;
    const seen: OperationEvent[] = [];
    const watch = async () => {
      for await (const event of watchOperation(client, id, new AbortController().signal))
        if (event !== 'caught_up') seen.push(event);
    };
    const watching = watch();
    await ENDS.deleted(harness, id);
    await watching;
    expect(await getBulkStatus(client, id)).toMatchObject({
      ...counts,
      session_id: 'deleted',
      needs_confirmation: false,
      error: { code: 'OPERATION_CLOSED', message: expect.stringContaining('deleted in Temporal') },
      message: expect.stringContaining('4/12 items were processed'),
    });
    expect(await getJob(client, id)).toMatchObject({ kind: 'bulk_operation', status: counts });
    expect(await getSessionOf(client, id)).toBe('deleted');
    const { rows } = await getReport(client, id);
    expect(rows.map(({ outcome }) => outcome).filter((outcome) => outcome === 'succeeded')).toHaveLength(4);
    expect((await openReport(client, id)).columns).toContain('outcome');
    expect((await getBulkItems(client, id, { limit: 3, offset: 4 })).items).toMatchObject([
      { id: 'item-005', outcome: 'succeeded' },
      { id: 'item-006', outcome: 'pending' },
      { id: 'item-007', outcome: 'pending' },
    ]);
    expect(await getBulkErrors(client, id)).toMatchObject({ total: 1, errors: [{ item_id: 'item-002' }] });
    expect(await getCompletionGuard(client, id)).toMatchObject({ allowed: false });
    expect(await getBulkProgress(client, id)).toMatchObject({
      completed: ['item-001', 'item-003', 'item-004', 'item-005'],
    });
    expect(await codeOf(continueBulkOperation(client, id, { batch: 2 }))).toBe('OPERATION_CLOSED');
    // Who waited for it, and who comes later, is told of the end.
    expect(seen.at(-1)).toMatchObject({ state: 'cancelled', progress: { succeeded: 4, in_doubt: 1 } });
    await watch();
    expect(seen.slice(-2).map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    const rest = await startRemainingItems(client, id);
    expect(rest).toMatchObject({ total: 7, state: 'awaiting_confirmation' });
    await cancelBulkOperation(client, rest.operation_id);
    expect(await codeOf(getBulkStatus(client, 'bulk-none'))).toBe('NOT_FOUND');
    expect(await codeOf(getReport(client, 'bulk-none'))).toBe('NOT_FOUND');
  });

  it('keeps the answer of its end', async () => {
    const id = await ranOne();
    await cancelBulkOperation(harness.client, id, { reason: 'enough' });
    const before = await harness.status(id);
    await ENDS.deleted(harness, id);
    while (
      (await harness.client.workflow
        .getHandle(id)
        .describe()
        .catch(() => undefined)) !== undefined
    );
    expect(await harness.status(id)).toEqual(before);
  });

  it('is shown by the command line', async () => {
    const id = await ranOne();
    await ENDS.deleted(harness, id);
    const env = { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue };
    const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-deleted-'));
    const [status, report] = await Promise.all([
      runBatchgate(['status', id, '--json'], { dataDir, env }),
      runBatchgate(['report', id, '--format', 'csv'], { dataDir, env }),
    ]);
    expect(JSON.parse(status.stdout)).toMatchObject(counts);
    expect(report.stdout.match(/,succeeded,/g)).toHaveLength(4);
    await rm(dataDir, { recursive: true });
  });
});

it('resolves items of a deleted operation, on the queue that everybody uses', async () => {
  const own = await startHarness({ adapters: [adapter], store: harness.store, taskQueue: TASK_QUEUE });
  const { operation_id: id } = await startBulkOperation(own.client, {
    ...{ domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 5 },
  });
  const waiting = refusal(continueBulkOperation(own.client, id, { batch: 1 }));
  await begun.opened;
  await ENDS.deleted(own, id);
  expect((await waiting).details).toMatchObject({ items_in_doubt: [{ item_id: 'item-004' }] });
  const looked = { item_id: 'item-004', outcome: 'succeeded', reason: 'seen' } as const;
  expect(await resolveItem(own.client, id, looked)).toMatchObject({ succeeded: 4, in_doubt: 0 });
  expect(await codeOf(resolveItem(own.client, 'bulk-none', looked))).toBe('NOT_FOUND');
  held.open();
  await own.stopWorker();
});

it('starts the next retry once the one before it has ended, over what is still left', async () => {
  holding = false;
  lost.add('item-001').add('item-002');
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await continueBulkOperation(harness.client, id, { batch: 1 });
  for (const item_id of lost)
    await resolveItem(harness.client, id, { item_id, outcome: 'failed', reason: 'no' });
  lost.clear();
  await cancelBulkOperation(harness.client, id);
  const first = await retryFailedItems(harness.client, id);
  expect(first).toMatchObject({ total: 2 });
  expect((await retryFailedItems(harness.client, id)).operation_id).toBe(first.operation_id);
  await cancelBulkOperation(harness.client, first.operation_id);
  const second = await retryFailedItems(harness.client, id);
  expect(second).toMatchObject({ total: 2, state: 'awaiting_confirmation' });
  expect(second.operation_id).not.toBe(first.operation_id);
  expect(await continueBulkOperation(harness.client, second.operation_id, { batch: 1 })).toMatchObject({
    state: 'completed',
  });
  // Nothing is left, so a repeated request gets the last one.
  expect((await retryFailedItems(harness.client, id)).operation_id).toBe(second.operation_id);
});

/** `to`: the id of the event in which a workflow task was completed; by default the first one. */
async function reset(
  workflowId: string,
  to?: Awaited<ReturnType<typeof tasksOf>>[number],
  more: object = {},
): Promise<void> {
  const { namespace } = harness.client.options;
  const { runId } = await harness.client.workflow.getHandle(workflowId).describe();
  await harness.client.workflowService.resetWorkflowExecution({
    ...{ namespace, reason: 'a test', requestId: randomUUID() },
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: to ?? (await tasksOf(workflowId))[0],
    ...more,
  });
}

/** The ids of the events in which its workflow tasks were completed. */
async function tasksOf(workflowId: string) {
  const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? [])
    .filter(({ workflowTaskCompletedEventAttributes: done }) => done)
    .map(({ eventId }) => eventId);
}

/** temporal.api.enums.v1.ResetReapplyType.RESET_REAPPLY_TYPE_NONE */
const WITHOUT_MESSAGES = { resetReapplyType: 2 };

/** The status once a reset was taken notice of. */
async function afterReset(id: string): Promise<BulkStatus> {
  for (;;) {
    const status = await harness.status(id);
    if (status.reset) return status;
  }
}

const once = () => expect([...touched].filter(([, count]) => count > 1)).toEqual([]);

describe('an operation that is reset to a later task', () => {
  beforeEach(() => {
    holding = false;
    items.splice(0, items.length, ...manyItems(12));
  });

  it.each([
    ['with the messages that came since', {}],
    ['without them', WITHOUT_MESSAGES],
  ])('says what had run, asks only for the rest, and runs nothing twice, %s', async (_, how) => {
    lost.add('item-007');
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    const { next_batch: asked } = await continueBulkOperation(harness.client, id, { batch: 1 });
    const second = (await tasksOf(id)).at(-1);
    await continueBulkOperation(harness.client, id, { batch: 2 });
    await reset(id, second, how);
    const status = await afterReset(id);
    expect(status).toMatchObject({
      ...{ state: 'awaiting_confirmation', succeeded: 9, in_doubt: 1, remaining: 2 },
      next_batch: { number: 3, attempt: 2, items: [{ id: 'item-011' }, { id: 'item-012' }] },
    });
    expect(status.message).toContain(
      'was reset in Temporal. Its plan and its results so far are those that its ledger has, ' +
        '9 succeeded, 0 failed, 0 skipped, 1 in doubt; nothing runs twice.',
    );
    const report = await getReport(harness.client, id);
    expect(report).toMatchObject({ reset: true, differences: [] });
    expect(await codeOf(continueBulkOperation(harness.client, id, { batch: 2, digest: asked?.digest }))).toBe(
      'STALE_CONFIRMATION',
    );
    await resolveItem(harness.client, id, { item_id: 'item-007', outcome: 'failed', reason: 'absent' });
    expect(await continueBulkOperation(harness.client, id, { batch: 3, attempt: 2 })).toMatchObject({
      ...{ state: 'completed', succeeded: 11, failed: 1, reset: true },
    });
    once();
  });

  it('asks after a batch that had several attempts, without waiting for their fences', async () => {
    holding = true;
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    const [first] = (await tasksOf(id)).slice(-1);
    const failed = continueBulkOperation(harness.client, id, { batch: 1 });
    await begun.opened;
    const restarted = harness.restartWorker();
    held.open();
    await restarted;
    expect(await failed).toMatchObject({ state: 'batch_failed', next_batch: { number: 1, attempt: 2 } });
    await continueBulkOperation(harness.client, id, { batch: 1, attempt: 2 });
    await reset(id, first);
    expect(await afterReset(id)).toMatchObject({
      ...{ state: 'awaiting_confirmation', succeeded: 5, remaining: 7 },
      next_batch: { number: 2, attempt: 3 },
    });
    await cancelBulkOperation(harness.client, id);
    once();
  });

  it('stops the batch that runs, whose items are counted or in doubt', async () => {
    holding = true;
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    const waiting = refusal(continueBulkOperation(harness.client, id, { batch: 1 }));
    await begun.opened;
    await reset(id, (await tasksOf(id)).at(-1));
    expect((await waiting).code).toBe('OPERATION_CLOSED');
    expect(await afterReset(id)).toMatchObject({
      ...{ state: 'awaiting_confirmation', succeeded: 3, in_doubt: 1, remaining: 8 },
      next_batch: { number: 1, attempt: 2, items: [{ id: 'item-005' }] },
    });
    held.open();
    await cancelBulkOperation(harness.client, id);
    once();
  });

  it.each(['the first', 'a later'] as const)(
    'answers a cancellation that Temporal repeats after a reset to %s task with the true counts',
    async (which) => {
      const { operation_id: id } = await harness.start({ batch_size: 5 });
      for (const batch of [1, 2]) await continueBulkOperation(harness.client, id, { batch });
      const tasks = await tasksOf(id);
      await cancelBulkOperation(harness.client, id, { reason: 'enough' });
      await harness.client.workflow.getHandle(id).result();
      const { runId } = await harness.client.workflow.getHandle(id).describe();
      await reset(id, which === 'the first' ? tasks[0] : tasks[1]);
      const counts = { state: 'cancelled', processed: 10, total: 12, reset: true };
      expect(await harness.client.workflow.getHandle(id).result()).toMatchObject(counts);
      expect((await harness.client.workflow.getHandle(id).describe()).runId).not.toBe(runId);
      expect((await harness.status(id)).message).toContain('10/12 items were processed before');
      once();
    },
  );
});

describe('an operation that is reset to its first task', () => {
  it('keeps its plan and its results, says so, and asks only for what is left', async () => {
    holding = false;
    lost.add('item-002');
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    const turn = await continueBulkOperation(harness.client, id, { batch: 1 });
    const before = { ...turn.next_batch };
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of watchOperation(harness.client, id, new AbortController().signal))
        if (event !== 'caught_up')
          seen.push(`${event.state} ${event.gate?.batch ?? '-'}.${event.gate?.attempt ?? '-'}`);
    })();
    items.splice(0, items.length, ...manyItems(12).map((item) => ({ ...item, id: `other-${item.id}` })));
    await reset(id);
    const asked = await harness.start({ batch_size: 5 }, id);
    expect(asked).toMatchObject({ state: 'awaiting_confirmation', succeeded: 4, in_doubt: 1, remaining: 7 });
    expect(asked.message).toContain('reset in Temporal');
    expect(asked.next_batch).toMatchObject({ number: 2, attempt: 2, items: { length: 5 } });
    expect(asked.next_batch?.items[0]?.id).toBe('item-006');
    expect(asked.next_batch?.digest).not.toBe(before.digest);
    expect(await codeOf(continueBulkOperation(harness.client, id, { batch: 2, digest: before.digest }))).toBe(
      'STALE_CONFIRMATION',
    );
    for (const batch of [2, 3]) await continueBulkOperation(harness.client, id, { batch, attempt: 2 });
    await resolveItem(harness.client, id, { item_id: 'item-002', outcome: 'succeeded', reason: 'seen' });
    expect(await harness.client.workflow.getHandle(id).result()).toMatchObject({
      ...{ state: 'completed', succeeded: 12 },
    });
    expect([...touched].filter(([, count]) => count > 1)).toEqual([]);
    expect([...touched.keys()].filter((touchedId) => touchedId.startsWith('other'))).toEqual([]);
    await watching;
    for (const gate of ['1.1', '2.1', '2.2', '3.2'])
      expect(seen.filter((line) => line === `awaiting_confirmation ${gate}`)).toHaveLength(1);
    expect(seen.at(-1)).toBe('completed -.-');
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cancelBulkOperation,
  cancelJob,
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
import { TASK_QUEUE } from '../../src/contract/messages';
import type { OperationEvent } from '../../src/contract/operation';
import { runBatchgate } from '../helpers/command-line';
import { codeOf, startHarness, testServer, type Harness } from '../helpers/harness';
import {
  adapter,
  answerAtOnce,
  begun,
  harness,
  letGo,
  lost,
  refusal,
  useHeldTool,
} from './outside-ends.stage';
import { lookAgain } from '../helpers/look-again';

useHeldTool();

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

it('answers the cancellation of a deleted operation from the ledger', async () => {
  const { client } = harness;
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const cancelled = { kind: 'bulk_operation', status: { state: 'cancelled', remaining: 12 } };
  expect(await cancelJob(client, id, { by: 'ana' })).toMatchObject(cancelled);
  await client.workflow.getHandle(id).result();
  await ENDS.deleted(harness, id);
  expect(await cancelJob(client, id, { by: 'ana' })).toMatchObject(cancelled);
  expect(await codeOf(cancelJob(client, id, { by: 'ben' }))).toBe('OPERATION_CLOSED');
  expect(await codeOf(cancelJob(client, 'nothing'))).toBe('NOT_FOUND');
});

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
    answerAtOnce();
    lost.add('item-001').add('item-002');
    const { operation_id: id } = await harness.start({
      ...{ batch_size: 5, session_id: `ends-${how}` },
      // The batch has to be confirmed within it.
      ...(how === 'expired' && { idle_timeout_seconds: 10 }),
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
    while (!(await listed())) await lookAgain();
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
  answerAtOnce();
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
    const there = () =>
      harness.client.workflow
        .getHandle(id)
        .describe()
        .catch(() => undefined);
    while ((await there()) !== undefined) await lookAgain();
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
  letGo();
  await own.stopWorker();
});

it('starts the next retry once the one before it has ended, over what is still left', async () => {
  answerAtOnce();
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

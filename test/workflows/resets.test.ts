import { randomUUID } from 'node:crypto';
import {
  cancelBulkOperation,
  continueBulkOperation,
  getReport,
  resolveItem,
  watchOperation,
} from '../../src/client';
import type { BulkStatus } from '../../src/contract/operation';
import { codeOf, manyItems } from '../helpers/harness';
import {
  answerAtOnce,
  begun,
  harness,
  holdTheFourth,
  items,
  letGo,
  lost,
  refusal,
  refuseTheFourthCall,
  touched,
  useHeldTool,
} from './outside-ends.stage';

useHeldTool();

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
    answerAtOnce();
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
    refuseTheFourthCall();
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    const [first] = (await tasksOf(id)).slice(-1);
    expect(await continueBulkOperation(harness.client, id, { batch: 1 })).toMatchObject({
      ...{ state: 'batch_failed', next_batch: { number: 1, attempt: 2 } },
    });
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
    holdTheFourth();
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    const waiting = refusal(continueBulkOperation(harness.client, id, { batch: 1 }));
    await begun.opened;
    await reset(id, (await tasksOf(id)).at(-1));
    expect((await waiting).code).toBe('OPERATION_CLOSED');
    expect(await afterReset(id)).toMatchObject({
      ...{ state: 'awaiting_confirmation', succeeded: 3, in_doubt: 1, remaining: 8 },
      next_batch: { number: 1, attempt: 2, items: [{ id: 'item-005' }] },
    });
    letGo();
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
    answerAtOnce();
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
    once();
    expect([...touched.keys()].filter((touchedId) => touchedId.startsWith('other'))).toEqual([]);
    await watching;
    for (const gate of ['1.1', '2.1', '2.2', '3.2'])
      expect(seen.filter((line) => line === `awaiting_confirmation ${gate}`)).toHaveLength(1);
    expect(seen.at(-1)).toBe('completed -.-');
  });
});

import {
  cancelBulkOperation,
  completeTaskRun,
  continueBulkOperation,
  getReport,
  recordTaskRun,
  resolveItem,
  startTaskRun,
  watchOperation,
} from '../../src/client';
import { codeOf, manyItems } from '../helpers/harness';
import { afterReset, reset, tasksOf, WITHOUT_MESSAGES } from '../helpers/resets';
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
    const second = (await tasksOf(harness.client, id)).at(-1);
    await continueBulkOperation(harness.client, id, { batch: 2 });
    await reset(harness.client, id, second, how);
    const status = await afterReset(harness.client, id);
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

  it.each(['its first', 'its second'] as const)(
    'asks in the batches of a ramp that had started again, after a reset to %s question',
    async (which) => {
      lost.add('item-003');
      const { operation_id: id } = await harness.start({ batch_sizes: [1, 5] });
      const first = (await tasksOf(harness.client, id)).at(-1);
      await continueBulkOperation(harness.client, id, { batch: 1 });
      const second = (await tasksOf(harness.client, id)).at(-1);
      await continueBulkOperation(harness.client, id, { batch: 2 });
      expect(await continueBulkOperation(harness.client, id, { batch: 3 })).toMatchObject({
        ...{ batches_total: 4, next_batch: { number: 4 } },
      });
      await reset(harness.client, id, which === 'its first' ? first : second);
      const status = await afterReset(harness.client, id);
      expect(status).toMatchObject({ batches_total: 4, next_batch: { number: 4, attempt: 2 } });
      expect(status.next_batch?.items.map((item) => item.id)).toEqual(
        [8, 9, 10, 11, 12].map((at) => `item-${String(at).padStart(3, '0')}`),
      );
      await resolveItem(harness.client, id, { item_id: 'item-003', outcome: 'succeeded', reason: 'there' });
      expect(await continueBulkOperation(harness.client, id, { batch: 4, attempt: 2 })).toMatchObject({
        ...{ state: 'completed', succeeded: 12 },
      });
      once();
    },
  );

  it('asks after a batch that had several attempts, without waiting for their fences', async () => {
    refuseTheFourthCall();
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    const [first] = (await tasksOf(harness.client, id)).slice(-1);
    expect(await continueBulkOperation(harness.client, id, { batch: 1 })).toMatchObject({
      ...{ state: 'batch_failed', next_batch: { number: 1, attempt: 2 } },
    });
    await continueBulkOperation(harness.client, id, { batch: 1, attempt: 2 });
    await reset(harness.client, id, first);
    expect(await afterReset(harness.client, id)).toMatchObject({
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
    await reset(harness.client, id, (await tasksOf(harness.client, id)).at(-1));
    expect((await waiting).code).toBe('OPERATION_CLOSED');
    expect(await afterReset(harness.client, id)).toMatchObject({
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
      const tasks = await tasksOf(harness.client, id);
      await cancelBulkOperation(harness.client, id, { reason: 'enough' });
      await harness.client.workflow.getHandle(id).result();
      const { runId } = await harness.client.workflow.getHandle(id).describe();
      await reset(harness.client, id, which === 'the first' ? tasks[0] : tasks[1]);
      const counts = { state: 'cancelled', processed: 10, total: 12, reset: true };
      expect(await harness.client.workflow.getHandle(id).result()).toMatchObject(counts);
      expect((await harness.client.workflow.getHandle(id).describe()).runId).not.toBe(runId);
      expect((await harness.status(id)).message).toContain('10/12 items were processed before');
      once();
    },
  );
});

describe('an operation that had ended, and is reset', () => {
  beforeEach(() => {
    answerAtOnce();
    items.splice(0, items.length, ...manyItems(12));
  });

  /** Cancelled after one of three batches, or at its first question. */
  const ended = async (session_id: string, batches = 1) => {
    const { operation_id: id } = await harness.start({ batch_size: 5, session_id });
    if (batches > 0) await continueBulkOperation(harness.client, id, { batch: 1 });
    const tasks = await tasksOf(harness.client, id);
    await cancelBulkOperation(harness.client, id);
    await harness.client.workflow.getHandle(id).result();
    return { id, first: tasks[0], later: tasks.at(-1) };
  };

  it.each(['first', 'later'] as const)(
    'takes its slot and the lock of its session again, after a reset to the %s task',
    async (which) => {
      const session_id = `again-${which}`;
      const { id, ...tasks } = await ended(session_id);
      await reset(harness.client, id, tasks[which], WITHOUT_MESSAGES);
      const asked = { state: 'awaiting_confirmation', succeeded: 5, remaining: 7 };
      expect(await afterReset(harness.client, id)).toMatchObject(asked);
      const locked = await refusal(harness.start({ session_id }));
      expect([locked.code, locked.message]).toEqual(['SESSION_LOCKED', expect.stringContaining(id)]);
      expect(await harness.status(id)).toMatchObject(asked);
      await cancelBulkOperation(harness.client, id);
      once();
    },
  );

  it.each([
    ['first', 1],
    ['later', 1],
    ['later', 0],
  ] as const)(
    'ends again with what it had done if its session has another job, after a reset to the %s task and %d batches',
    async (which, batches) => {
      const session_id = `taken-${which}-${batches}`;
      const { id, ...tasks } = await ended(session_id, batches);
      const { operation_id: holder } = await harness.start({ session_id });
      await reset(harness.client, id, tasks[which], WITHOUT_MESSAGES);
      expect(await harness.client.workflow.getHandle(id).result()).toMatchObject({
        ...{ state: 'cancelled', processed: 5 * batches, total: 12 },
        ...(batches > 0 && { reset: true }),
        error: { code: 'SESSION_LOCKED', hint: expect.stringContaining(`batchgate resume ${id}`) },
        message: expect.stringContaining('has no slot to run again. The session'),
      });
      expect(await getReport(harness.client, id)).toMatchObject({ differences: [] });
      expect(await harness.status(holder)).toMatchObject({ state: 'awaiting_confirmation' });
      await cancelBulkOperation(harness.client, holder);
      once();
    },
  );
});

it('takes a slot again for a task run that had ended, or ends it with the reason', async () => {
  const task_queue = harness.taskQueue;
  const begin = async (session_id: string) => {
    const { task_run_id: id } = await startTaskRun(
      harness.client,
      { goal: 'Visit', session_id },
      { task_queue },
    );
    await recordTaskRun(harness.client, id, { completed: ['a'] });
    const tasks = await tasksOf(harness.client, id);
    await completeTaskRun(harness.client, id);
    await harness.client.workflow.getHandle(id).result();
    return { id, tasks };
  };
  const free = await begin('task-free');
  await reset(harness.client, free.id, free.tasks.at(-1), WITHOUT_MESSAGES);
  const recorded = await recordTaskRun(harness.client, free.id, { completed: ['b'] });
  expect(recorded).toMatchObject({ state: 'running' });
  expect(await codeOf(harness.start({ session_id: 'task-free' }))).toBe('SESSION_LOCKED');
  await completeTaskRun(harness.client, free.id);

  const taken = await begin('task-taken');
  const { operation_id: holder } = await harness.start({ session_id: 'task-taken' });
  await reset(harness.client, taken.id, taken.tasks.at(-1), WITHOUT_MESSAGES);
  expect(await harness.client.workflow.getHandle(taken.id).result()).toMatchObject({
    ...{ state: 'cancelled', error: { code: 'SESSION_LOCKED' } },
  });
  await cancelBulkOperation(harness.client, holder);
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
    await reset(harness.client, id);
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

import { randomUUID } from 'node:crypto';
import {
  cancelBulkOperation,
  continueBulkOperation,
  getBulkItems,
  getReport,
  retryFailedItems,
  undoBulkOperation,
} from '../../src/client';
import type { BulkTurn } from '../../src/contract/operation';
import { confirmOpen } from '../helpers/confirm';
import { codeOf, manyItems } from '../helpers/harness';
import { edit, failing, harness, marks, runAll, start, touched, useEditedTools } from './edits.stage';

useEditedTools();

describe('an edit after a batch', () => {
  const done = async () => {
    const asked = await start();
    failing.add('item-002');
    await continueBulkOperation(harness.client, asked.operation_id, {
      ...{ batch: 1, digest: asked.next_batch?.digest },
      exclude: [{ id: 'item-003' }],
    });
    return harness.status(asked.operation_id);
  };

  it('is about what is left: outcomes stay, and the total too', async () => {
    const asked = await done();
    marks.set('item-009', 'archive');
    const turn: BulkTurn = await edit(asked);
    expect(turn).toMatchObject({
      ...{ total: 12, succeeded: 3, failed: 1, skipped: 1, remaining: 7, already: 1 },
      next_batch: { number: 2, attempt: 2, change: { summary: 'Mark each item with “archive”.' } },
    });
    const end = await runAll(asked.operation_id);
    expect(end).toMatchObject({ state: 'completed', total: 12, succeeded: 10, failed: 1, skipped: 1 });
    expect(marks.get('item-001')).toBe('later');
    expect(marks.get('item-006')).toBe('archive');
    expect(marks.has('item-003')).toBe(false);
    const { items } = await getBulkItems(harness.client, asked.operation_id, {});
    expect(items.map(({ id }) => id)).toEqual(manyItems(12).map(({ id }) => id));
    const report = await getReport(harness.client, asked.operation_id);
    expect(report.differences).toEqual([]);
    failing.clear();
    const retried = await retryFailedItems(harness.client, asked.operation_id);
    expect(retried.next_batch?.items).toMatchObject([{ id: 'item-002', after: { mark: 'archive' } }]);
    await cancelBulkOperation(harness.client, retried.operation_id);
  });

  it('is undone item by item, by the change that ran for each, and so is that undo', async () => {
    marks.set('item-001', 'old').set('item-007', 'older');
    const asked = await start();
    await confirmOpen(harness.client, asked.operation_id);
    await edit(await harness.status(asked.operation_id));
    await confirmOpen(harness.client, asked.operation_id);
    await edit(await harness.status(asked.operation_id), { mark: 'third' });
    await runAll(asked.operation_id);
    expect([marks.get('item-001'), marks.get('item-007'), marks.get('item-012')]).toEqual([
      'later',
      'archive',
      'third',
    ]);
    const undo = await undoBulkOperation(harness.client, asked.operation_id);
    expect(undo).toMatchObject({ state: 'awaiting_confirmation', total: 12, skipped: 0 });
    expect(undo.summary).toBe(
      'Undo: Mark each item with “third”. Mark each item of the group “all” with “later”. Mark each item with “archive”.',
    );
    expect(undo.next_batch?.items.slice(0, 3)).toMatchObject([
      { id: 'item-012', before: { mark: 'third' }, after: { mark: null } },
      { id: 'item-011' },
      { id: 'item-010', before: { mark: 'archive' }, after: { mark: null } },
    ]);
    const before = new Map(marks);
    await runAll(undo.operation_id);
    expect([...marks]).toEqual([
      ['item-001', 'old'],
      ['item-007', 'older'],
    ]);
    const redo = await undoBulkOperation(harness.client, undo.operation_id);
    expect(redo).toMatchObject({ total: 12, skipped: 0 });
    expect(await codeOf(edit(redo))).toBe('INVALID_INPUT');
    await runAll(redo.operation_id);
    expect(new Map([...marks].sort())).toEqual(new Map([...before].sort()));
  });

  it('is undone alone if nothing else ran', async () => {
    const asked = await start();
    await edit(asked);
    await runAll(asked.operation_id);
    const undo = await undoBulkOperation(harness.client, asked.operation_id);
    expect(undo).toMatchObject({ total: 12, skipped: 0, summary: 'Undo: Mark each item with “archive”.' });
    await runAll(undo.operation_id);
    expect(marks.size).toBe(0);
  });

  it('holds over continue-as-new, and again', async () => {
    const asked = await start();
    for (const mark of ['b', 'c', 'd']) await edit(await harness.status(asked.operation_id), { mark });
    await confirmOpen(harness.client, asked.operation_id);
    await edit(await harness.status(asked.operation_id), { mark: 'e' });
    await confirmOpen(harness.client, asked.operation_id);
    const end = await edit(await harness.status(asked.operation_id), { mark: 'f' });
    expect(end.next_batch).toMatchObject({ number: 3, attempt: 2 });
    expect((await harness.status(asked.operation_id)).edits?.map(({ after }) => after.fields[0]?.to)).toEqual(
      [...['b', 'c', 'd', 'e', 'f']],
    );
    await runAll(asked.operation_id);
    expect(['item-001', 'item-006', 'item-011'].map((id) => marks.get(id))).toEqual(['d', 'e', 'f']);
  });
});

describe('an operation that is reset in Temporal', () => {
  /** The ids of the events in which its workflow tasks were completed. */
  async function tasksOf(workflowId: string) {
    const { events } = await harness.client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? [])
      .filter(({ workflowTaskCompletedEventAttributes: done }) => done)
      .map(({ eventId }) => eventId);
  }

  async function reset(workflowId: string, to: Awaited<ReturnType<typeof tasksOf>>[number] | undefined) {
    const { namespace } = harness.client.options;
    const { runId } = await harness.client.workflow.getHandle(workflowId).describe();
    await harness.client.workflowService.resetWorkflowExecution({
      ...{ namespace, reason: 'a test', requestId: randomUUID() },
      ...{ workflowExecution: { workflowId, runId }, workflowTaskFinishEventId: to ?? null },
    });
    for (;;) {
      const status = await harness.status(workflowId);
      if (status.reset && status.state !== 'preparing') return status;
    }
  }

  it.each([
    ['to a task before the edit', 'later'],
    ['to its first task', 'first'],
  ] as const)('%s asks the edited change, under an attempt that was not asked before', async (_, which) => {
    const asked = await start();
    const tasks = await tasksOf(asked.operation_id);
    const edited = await edit(asked);
    const now = await reset(asked.operation_id, which === 'first' ? tasks[0] : tasks.at(-1));
    expect(now).toMatchObject({
      ...{ state: 'awaiting_confirmation', total: 12, remaining: 12 },
      next_batch: { number: 1, attempt: 3, change: { summary: 'Mark each item with “archive”.' } },
    });
    expect(now.edits).toMatchObject([
      { by: 'ana', attempt: 1, after: { summary: edited.next_batch?.change.summary } },
    ]);
    for (const digest of [asked.next_batch?.digest, edited.next_batch?.digest])
      expect(await codeOf(continueBulkOperation(harness.client, asked.operation_id, { digest }))).toBe(
        'STALE_CONFIRMATION',
      );
    for (const attempt of [1, 2])
      expect(
        await codeOf(continueBulkOperation(harness.client, asked.operation_id, { batch: 1, attempt })),
      ).toBe('STALE_CONFIRMATION');
    expect(touched).toEqual([]);
    expect(await runAll(asked.operation_id)).toMatchObject({ state: 'completed', succeeded: 12 });
    expect(new Set(marks.values())).toEqual(new Set(['archive']));
    expect(touched).toHaveLength(12);
  });

  it('after a batch of the edited change has its outcomes, and is edited again', async () => {
    const asked = await start();
    const tasks = await tasksOf(asked.operation_id);
    await edit(asked);
    await confirmOpen(harness.client, asked.operation_id);
    const now = await reset(asked.operation_id, tasks.at(-1));
    expect(now).toMatchObject({ succeeded: 5, remaining: 7, next_batch: { number: 2, attempt: 3 } });
    const again = await edit(now, { mark: 'third' });
    expect(again.next_batch).toMatchObject({ number: 2, attempt: 4 });
    await runAll(asked.operation_id);
    expect(['item-001', 'item-006', 'item-011'].map((id) => marks.get(id))).toEqual([
      ...['archive', 'third', 'third'],
    ]);
    expect(touched).toHaveLength(12);
    const undo = await undoBulkOperation(harness.client, asked.operation_id);
    await runAll(undo.operation_id);
    expect(marks.size).toBe(0);
  });
});

import { randomUUID } from 'node:crypto';
import { cancelBulkOperation, continueBulkOperation, getReport } from '../../src/client';
import { codeOf, gateway } from '../helpers/harness';
import {
  edit,
  harness,
  marks,
  reading,
  refusal,
  runAll,
  start,
  touched,
  untilReads,
  useEditedTools,
} from './edits.stage';

useEditedTools();

describe('an edit at the first question', () => {
  it('plans all items anew, asks with another digest, and runs nothing', async () => {
    const asked = await start();
    const { next_batch: gate } = asked;
    const turn = await edit(asked, { mark: 'archive' }, { note: 'label it Archive instead' });
    expect(turn).toMatchObject({
      state: 'awaiting_confirmation',
      total: 12,
      remaining: 12,
      next_batch: {
        ...{ number: 1, attempt: 2 },
        change: { summary: 'Mark each item with “archive”.', fields: [{ name: 'mark', to: 'archive' }] },
      },
    });
    expect(turn.next_batch?.digest).not.toBe(gate?.digest);
    expect(touched).toEqual([]);
    const status = await harness.status(asked.operation_id);
    expect(status.next_batch?.items[0]).toEqual({
      ...{ id: 'item-001', display_name: 'Item 1' },
      ...{ before: { mark: null }, after: { mark: 'archive' } },
    });
    expect(status.edits).toEqual([
      {
        ...{
          batch: 1,
          attempt: 1,
          digest: gate?.digest,
          parameters: ['mark'],
          note: 'label it Archive instead',
        },
        ...{ by: 'ana', via: 'update', assurance: 'asserted', at: expect.any(String) as string },
        before: {
          summary: 'Mark each item of the group “all” with “later”.',
          fields: [{ name: 'mark', to: 'later' }],
        },
        after: { summary: 'Mark each item with “archive”.', fields: [{ name: 'mark', to: 'archive' }] },
      },
    ]);
    expect(status.confirmations).toMatchObject([
      { decision: 'edit', outcome: 'accepted', batch: 1, attempt: 1, digest: gate?.digest, by: 'ana' },
    ]);
    // The old question confirms nothing any more.
    const old = { batch: 1, attempt: 1, digest: gate?.digest };
    expect(await codeOf(continueBulkOperation(harness.client, asked.operation_id, old))).toBe(
      'STALE_CONFIRMATION',
    );
    expect(await codeOf(continueBulkOperation(harness.client, asked.operation_id, { batch: 1 }))).toBe(
      'STALE_CONFIRMATION',
    );
    expect(touched).toEqual([]);
    expect(await runAll(asked.operation_id)).toMatchObject({ state: 'completed', succeeded: 12 });
    expect(new Set(marks.values())).toEqual(new Set(['archive']));
    expect(touched).toHaveLength(12);
    const { differences, questions } = await getReport(harness.client, asked.operation_id);
    expect(differences).toEqual([]);
    expect(questions.map(({ attempt, decision, digest }) => [attempt, decision, digest])).toEqual([
      [1, 'edit', gate?.digest],
      [2, 'continue', turn.next_batch?.digest],
      ...[2, 3].map(() => [1, 'continue', expect.any(String) as string]),
    ]);
  });

  it('is answered once for one decision id, which confirms nothing, and refused for a question that is closed', async () => {
    const asked = await start();
    const decision_id = randomUUID();
    const first = await edit(asked, { mark: 'archive' }, { decision_id });
    const again = await edit(asked, { mark: 'archive' }, { decision_id });
    expect(again.next_batch).toEqual(first.next_batch);
    const confirmed = continueBulkOperation(harness.client, asked.operation_id, {
      batch: 1,
      attempt: 2,
      decision_id,
    });
    expect(await codeOf(confirmed)).toBe('IDEMPOTENCY_CONFLICT');
    expect(touched).toEqual([]);
    expect(await refusal(edit(asked, { mark: 'third' }))).toMatchObject({
      code: 'STALE_CONFIRMATION',
      message: 'This edit is not for the open question, which is batch 1, attempt 2.',
    });
    expect((await harness.status(asked.operation_id)).edits).toHaveLength(1);
    await cancelBulkOperation(harness.client, asked.operation_id);
    expect(await codeOf(edit(asked))).toBe('OPERATION_CLOSED');
  });

  it.each([
    [
      'a parameter that selects',
      { group: 'some' },
      'group selects the items, which an edit does not change.',
    ],
    ['an unknown parameter', { colour: 'red' }, 'mark has no parameter colour.'],
    ['what is asked already', { mark: 'later' }, 'The question asks exactly that already.'],
    ['a wrong value', { mark: 7 }, undefined],
  ])('refuses %s, and leaves the question as it was', async (_, change, message) => {
    const asked = await start();
    const error = await refusal(edit(asked, change));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', ...(message && { message }) });
    expect((error as { hint: string }).hint).not.toBe('');
    const status = await harness.status(asked.operation_id);
    expect(status.next_batch).toEqual(asked.next_batch);
    expect(status.expires_at).toBe(asked.expires_at);
    expect(status.edits).toBeUndefined();
    expect(status.confirmations).toMatchObject([{ decision: 'edit', outcome: 'INVALID_INPUT', by: 'ana' }]);
    await continueBulkOperation(harness.client, asked.operation_id, {
      batch: 1,
      digest: asked.next_batch?.digest,
    });
    expect(touched).toHaveLength(5);
    await cancelBulkOperation(harness.client, asked.operation_id);
  });

  it('refuses parameters that the operator has fixed, and items that cannot be read anew', async () => {
    const fixed = await start('fixed');
    expect(await refusal(edit(fixed))).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'The operator has fixed mark, so it cannot be edited.',
    });
    const other = await start('unread');
    expect(await refusal(edit(other))).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'The adapter unread cannot read planned items anew, so their change cannot be edited.',
    });
    for (const { operation_id } of [fixed, other]) await cancelBulkOperation(harness.client, operation_id);
  });

  it('leaves the question as it was if the tool is away', async () => {
    const asked = await start();
    reading.away = true;
    expect(await codeOf(edit(asked))).toBe('ADAPTER_UNAVAILABLE');
    reading.away = false;
    const now = await harness.status(asked.operation_id);
    expect(now.next_batch).toEqual(asked.next_batch);
    expect((await edit(asked)).next_batch).toMatchObject({ number: 1, attempt: 2 });
    await cancelBulkOperation(harness.client, asked.operation_id);
    expect(touched).toEqual([]);
  });
});

describe('while the rest is planned anew', () => {
  it('nothing is confirmed, and a cancellation ends the operation', async () => {
    const asked = await start();
    const hold = gateway();
    reading.held = hold.opened;
    reading.count = 0;
    const editing = refusal(edit(asked));
    await untilReads();
    const { operation_id: id, next_batch } = asked;
    expect(await harness.status(id)).toMatchObject({ state: 'preparing', needs_confirmation: false });
    expect(
      await refusal(continueBulkOperation(harness.client, id, { digest: next_batch?.digest })),
    ).toMatchObject({
      code: 'NOT_AWAITING_CONFIRMATION',
      message: 'Somebody edits the change, and the rest is being planned anew.',
    });
    const cancelling = cancelBulkOperation(harness.client, id);
    while ((await harness.status(id)).confirmations.every(({ outcome }) => outcome !== 'accepted'));
    hold.open();
    expect((await cancelling).state).toBe('cancelled');
    expect(await editing).toMatchObject({ code: 'OPERATION_CLOSED' });
    expect(touched).toEqual([]);
    const { questions } = await getReport(harness.client, id);
    expect(questions).toMatchObject([{ attempt: 1, decision: 'cancel', digest: next_batch?.digest }]);
  });

  it('a worker that is lost changes nothing: another one plans, and asks once', async () => {
    const asked = await start();
    const hold = gateway();
    reading.held = hold.opened;
    reading.count = 0;
    const editing = edit(asked);
    await untilReads();
    const stopping = harness.restartWorker();
    hold.open();
    await stopping;
    expect(await editing).toMatchObject({ next_batch: { number: 1, attempt: 2 } });
    expect(touched).toEqual([]);
    await runAll(asked.operation_id);
    expect([...marks.values()]).toEqual(Array.from({ length: 12 }, () => 'archive'));
    expect(touched).toHaveLength(12);
  });
});

import { randomUUID } from 'node:crypto';
import {
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkErrors,
  getBulkStatus,
  getCompletionGuard,
} from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkStatus } from '../../src/contract/operation';
import { codeOf, countingTool, gateway, startHarness, stopHeard, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

/** What the tool does to an item, by id. `refusal` is thrown for the whole batch before an item is touched. */
const behaviour = new Map<string, 'error' | 'until stopped'>();
let refusal: BatchgateError | undefined;
let heldBegun = gateway();

const tool = countingTool(20, {
  sliceSize: 1,
  onCall: (method) => {
    if (method === 'executeBatch' && refusal) throw refusal;
  },
  apply: async (item) => {
    const what = behaviour.get(item.id);
    if (what === 'until stopped') {
      heldBegun.open();
      await stopHeard();
    }
    if (what === 'error') throw new Error('no such thing');
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
  behaviour.clear();
  refusal = undefined;
  heldBegun = gateway();
});

const next = (id: string) => confirmOpen(harness.client, id);
const handle = (id: string) => harness.client.workflow.getHandle(id);

async function ended(id: string): Promise<BulkStatus> {
  return (await handle(id).result()) as BulkStatus;
}

describe('item errors', () => {
  it('are collected, do not stop the batch, and are reported at the end', async () => {
    behaviour.set('item-002', 'error').set('item-011', 'error');
    const { operation_id: id } = await harness.start({});
    const turn = await next(id);
    expect(turn).toMatchObject({ processed: 10, succeeded: 9, failed: 1, state: 'awaiting_confirmation' });
    const last = await next(id);
    expect(turn.message.split('\n').slice(1)).toEqual([
      '1 item(s) had errors.',
      '- Item 2 (item-002): no such thing',
    ]);
    expect(last.message).toBe(
      [
        '✅ Completed! Processed 20/20 items. 2 item(s) had errors.',
        '- Item 2 (item-002): no such thing',
        '- Item 11 (item-011): no such thing',
      ].join('\n'),
    );
    const { errors, total } = await getBulkErrors(harness.client, id);
    expect(total).toBe(2);
    expect(errors[0]).toEqual({
      item_id: 'item-002',
      display_name: 'Item 2',
      error: 'no such thing',
      retryable: false,
    });
  });

  it('beyond the threshold are reported before the usual question', async () => {
    for (const n of [1, 2, 3, 4, 5, 6]) behaviour.set(`item-00${n}`, 'error');
    const { operation_id: id } = await harness.start({ failure_threshold: 0.5 });
    const turn = await next(id);
    expect(turn.message.split('\n')[0]).toBe(
      "6 of 10 items failed so far. Processed 10 items (10/20 total). 10 items remaining. Say 'continue' to process the next batch, or 'cancel' to stop.",
    );
  });
});

describe('a batch that fails', () => {
  it('asks again under a new attempt, and a person runs the rest of it', async () => {
    const { operation_id: id } = await harness.start({});
    refusal = new BatchgateError('CREDENTIALS_INVALID', 'The tool refused our credentials.', 'Log in again.');
    const failed = await next(id);
    expect(failed).toMatchObject({
      state: 'batch_failed',
      needs_confirmation: true,
      message: 'An error occurred while processing this batch. Please try again or cancel.',
      error: {
        code: 'CREDENTIALS_INVALID',
        message: 'The tool refused our credentials.',
        hint: 'Log in again.',
      },
      next_batch: { number: 1, attempt: 2 },
      processed: 0,
    });
    expect(tool.touched.size).toBe(0);
    const late = continueBulkOperation(harness.client, id, { batch: 1, by: 'somebody else' });
    expect(await codeOf(late)).toBe('STALE_CONFIRMATION');
    refusal = undefined;
    const turn = await next(id);
    expect(turn).toMatchObject({
      state: 'awaiting_confirmation',
      processed: 10,
      last_batch: { number: 1, attempt: 2 },
    });
    expect(turn.error).toBeUndefined();
  });
});

describe('cancelling', () => {
  it('in the middle of a batch stops at an item boundary and counts what was done', async () => {
    for (let n = 3; n <= 20; n++) behaviour.set(`item-${String(n).padStart(3, '0')}`, 'until stopped');
    const { operation_id: id } = await harness.start({ batch_size: 20 });
    const running = next(id);
    await heldBegun.opened;
    const turn = await cancelBulkOperation(harness.client, id, { reason: 'enough' });
    const done = tool.touched.size;
    expect(done).toBeGreaterThanOrEqual(3);
    expect(done).toBeLessThan(20);
    expect(turn).toMatchObject({
      state: 'cancelled',
      processed: done,
      message: `Bulk mark on fake cancelled. ${done}/20 items were processed before cancellation.`,
    });
    expect(await running).toMatchObject({ state: 'cancelled', processed: done });
    expect(tool.touched.size).toBe(done);
  });

  it("by Temporal's own cancel ends as cancelled with a typed result", async () => {
    const { operation_id: id } = await harness.start({});
    await next(id);
    await handle(id).cancel();
    const result = await ended(id);
    expect(result).toMatchObject({ state: 'cancelled', processed: 10 });
    expect(result.confirmations.at(-1)).toMatchObject({ decision: 'cancel', via: 'temporal' });
    expect((await handle(id).describe()).status.name).toBe('COMPLETED');
  });

  it('by signal works without our code', async () => {
    const { operation_id: id } = await harness.start({});
    await handle(id).signal('continue', { batch: 1 });
    await handle(id).signal('cancel', { by: 'backend', reason: 'closing time' });
    expect(await ended(id)).toMatchObject({ state: 'cancelled' });
  });
});

describe('completing', () => {
  it('is refused while items are missing, and forced only with a reason', async () => {
    const { operation_id: id } = await harness.start({});
    await next(id);
    expect(await getCompletionGuard(harness.client, id)).toMatchObject({ allowed: false, missing_count: 10 });
    const refused = await completeBulkOperation(harness.client, id);
    expect(refused).toMatchObject({ allowed: false, missing_count: 10, hint: { level: 'warning' } });
    expect(refused.missing_items).toHaveLength(10);
    expect(await getBulkStatus(harness.client, id)).toMatchObject({ state: 'awaiting_confirmation' });
    expect(await codeOf(completeBulkOperation(harness.client, id, { force: true }))).toBe('INVALID_INPUT');
    const said = { force: true, reason: 'the rest is old', by: 'ana' };
    const { hint, suggested_next_action, ...facts } = await completeBulkOperation(harness.client, id, said);
    expect(facts).toMatchObject({ allowed: true, missing_count: 10 });
    expect([hint, suggested_next_action]).toEqual([undefined, undefined]);
    expect(await ended(id)).toMatchObject({
      state: 'completed',
      message: '✅ Completed by decision with 10 item(s) missing: the rest is old.',
      forced: { by: 'ana', reason: 'the rest is old' },
      guard: { allowed: true, missing_count: 10 },
    });
  });

  it('waits for a person if the contract forbids failed items', async () => {
    behaviour.set('item-002', 'error');
    const { operation_id: id } = await harness.start({ contract: { failed_policy: 'block' } });
    await next(id);
    const held = await next(id);
    expect(held).toMatchObject({ state: 'awaiting_confirmation', needs_confirmation: true, remaining: 0 });
    expect(held.next_batch).toBeUndefined();
    expect(await codeOf(next(id))).toBe('NOT_AWAITING_CONFIRMATION');
    await completeBulkOperation(harness.client, id, { force: true, reason: 'known' });
    expect(await ended(id)).toMatchObject({ state: 'completed' });
  });
});

describe('an ended operation', () => {
  it('answers from its result, and a terminated one from the ledger', async () => {
    const done = await harness.start({});
    await next(done.operation_id);
    await next(done.operation_id);
    await ended(done.operation_id);
    expect(await getBulkStatus(harness.client, done.operation_id)).toMatchObject({
      state: 'completed',
      succeeded: 20,
    });

    const killed = await harness.start({});
    await next(killed.operation_id);
    await handle(killed.operation_id).terminate('by an operator');
    expect(await getBulkStatus(harness.client, killed.operation_id)).toMatchObject({
      state: 'cancelled',
      succeeded: 10,
      remaining: 10,
      error: { code: 'OPERATION_CLOSED' },
    });
  });

  it('gives more time on request', async () => {
    const started = await harness.start({});
    const turn = await extendBulkOperation(harness.client, started.operation_id, {
      seconds: 3600,
      by: 'ana',
    });
    expect(Date.parse(turn.expires_at ?? '') - Date.parse(started.expires_at ?? '')).toBe(3_600_000);
  });
});

describe('a refused operation', () => {
  const code = (input: object) => codeOf(harness.start(input));

  it('names the mistake, and nothing was read or changed', async () => {
    expect(await code({ domain: 'nothing' })).toBe('UNKNOWN_ADAPTER');
    expect(await code({ action: 'explode' })).toBe('INVALID_INPUT');
    expect(await code({ params: {} })).toBe('INVALID_INPUT');
    expect(await code({ params: { group: 7 } })).toBe('INVALID_INPUT');
    expect(await code({ params: { group: 'all' }, items: [{ id: 'a' }] })).toBe('INVALID_INPUT');
    expect(await code({ params: undefined, items: [] })).toBe('INVALID_INPUT');
    expect(await code({ batch_size: 4 })).toBe('INVALID_INPUT');
    expect(await code({ batch_size: 21 })).toBe('INVALID_INPUT');
    expect(await code({ params: {}, items: [{ id: 'a', raw_data: { text: 'x'.repeat(3_000) } }] })).toBe(
      'INVALID_INPUT',
    );
    expect(
      await code({ params: {}, items: Array.from({ length: 201 }, (_, at) => ({ id: `i${at}` })) }),
    ).toBe('TOO_MANY_ITEMS');
    expect(tool.touched.size).toBe(0);
  });

  it('has a typed result for plain clients, and its workflow completes', async () => {
    const id = `plain-${randomUUID()}`;
    await harness.client.workflow.start('bulkOperation', {
      workflowId: id,
      taskQueue: harness.taskQueue,
      args: [{ domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 100 }],
    });
    expect(await ended(id)).toMatchObject({ state: 'rejected', error: { code: 'INVALID_INPUT' } });
    const nonsense = `plain-${randomUUID()}`;
    await harness.client.workflow.start('bulkOperation', {
      workflowId: nonsense,
      taskQueue: harness.taskQueue,
      args: [],
    });
    expect(await ended(nonsense)).toMatchObject({ state: 'rejected', error: { code: 'INVALID_INPUT' } });
  });

  it('counts an item that was named twice as one item', async () => {
    const started = await harness.start({ params: {}, items: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] });
    expect(started).toMatchObject({
      total: 2,
      message: expect.stringContaining('Ready to mark 2 items') as string,
    });
  });

  it('under an id that belongs to another request is a conflict, and the same request finds the existing one', async () => {
    const id = `same-${randomUUID()}`;
    const first = await harness.start({}, id);
    expect((await harness.start({}, id)).created_at).toBe(first.created_at);
    expect(await codeOf(harness.start({ batch_size: 5 }, id))).toBe('IDEMPOTENCY_CONFLICT');
  });
});

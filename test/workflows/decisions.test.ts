import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { continueBulkOperation, getBulkStatus } from '../../src/client';
import { BARE_AFTER_MS } from '../../src/core/bulk/gate';
import type { BulkStatus, BulkTurn } from '../../src/contract/operation';
import { unreplayableOf } from '../helpers/replayed';
import { codeOf, countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';
import { hurriedly } from '../helpers/hurry';
import { itInLongRun } from '../helpers/long-run';

const held = new Map<string, { opened: Promise<void>; open: () => void }>();
const begun: string[] = [];
const tool = countingTool(15);
const slow = countingTool(15, {
  toolName: 'slow',
  apply: async (item) => {
    begun.push(item.id);
    watchers.forEach((watch) => watch());
    await held.get(item.id)?.opened;
    slow.touched.set(item.id, (slow.touched.get(item.id) ?? 0) + 1);
  },
});
const watchers = new Set<() => void>();
const late = countingTool(15, { toolName: 'late' });
const prepare = late.adapter.prepare.bind(late.adapter);
late.adapter.prepare = async (...args) => {
  begun.push('prepare');
  watchers.forEach((watch) => watch());
  await held.get('prepare')?.opened;
  return prepare(...args);
};
let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    adapters: [tool.adapter, slow.adapter, late.adapter],
    settings: { batches_per_run: 1 },
  });
});
afterAll(() => harness.close());
beforeEach(() => {
  tool.touched.clear();
  slow.touched.clear();
  held.clear();
  begun.length = 0;
});

const handle = (id: string) => harness.client.workflow.getHandle(id);
const rawContinue = (id: string, request: object, updateId: string = randomUUID()) =>
  handle(id).executeUpdate<BulkTurn, [object]>('continue', { args: [request], updateId });

/** The failure type of an update that a plain Temporal client sent. */
async function failureOf(work: Promise<unknown>): Promise<string | null | undefined> {
  try {
    await work;
    return 'no error';
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)
      return error.cause.type;
    throw error;
  }
}

function until(test: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!test()) return;
      watchers.delete(look);
      resolve();
    };
    watchers.add(look);
    look();
  });
}

async function statusUntil(id: string, test: (status: BulkStatus) => boolean): Promise<BulkStatus> {
  for (;;) {
    const status = await getBulkStatus(harness.client, id);
    if (test(status)) return status;
  }
}

const gateOf = ({ next_batch: gate }: BulkStatus) => ({
  batch: gate?.number ?? 0,
  attempt: gate?.attempt ?? 0,
  digest: gate?.digest ?? '',
});

describe('a confirmation', () => {
  it('runs its batch once if the same decision is repeated, also after continue-as-new', async () => {
    const started = await harness.start({ batch_size: 5 });
    const decision = { ...gateOf(started), decision_id: 'decision-1' };
    const first = await continueBulkOperation(harness.client, started.operation_id, decision);
    const again = await continueBulkOperation(harness.client, started.operation_id, decision);
    const raw = await rawContinue(started.operation_id, decision);
    expect(first.processed).toBe(5);
    expect(again).toEqual(first);
    expect(raw).toEqual(first);
    expect(tool.touched.size).toBe(5);
  });

  it('is refused as stale if it names another batch, attempt or digest, and is recorded', async () => {
    const started = await harness.start({ batch_size: 5 });
    const id = started.operation_id;
    expect(await failureOf(rawContinue(id, { batch: 2 }))).toBe('STALE_CONFIRMATION');
    expect(await failureOf(rawContinue(id, { batch: 1, attempt: 2 }))).toBe('STALE_CONFIRMATION');
    expect(await failureOf(rawContinue(id, { digest: 'another' }))).toBe('STALE_CONFIRMATION');
    expect(tool.touched.size).toBe(0);
    const { confirmations } = await getBulkStatus(harness.client, id);
    expect(
      confirmations.map(({ batch, attempt, outcome, via }) => ({ batch, attempt, outcome, via })),
    ).toEqual([
      { batch: 2, attempt: 1, outcome: 'STALE_CONFIRMATION', via: 'update' },
      { batch: 1, attempt: 2, outcome: 'STALE_CONFIRMATION', via: 'update' },
      { batch: 1, attempt: 1, outcome: 'STALE_CONFIRMATION', via: 'update' },
    ]);
  });

  it('is refused as early while a batch runs, by update and by signal, named and bare, and nothing is queued', async () => {
    const started = await harness.start({ domain: 'slow', batch_size: 5 });
    const id = started.operation_id;
    held.set('item-001', gateway());
    const running = rawContinue(id, gateOf(started));
    await until(() => begun.length > 0);
    expect(await failureOf(rawContinue(id, {}))).toBe('NOT_AWAITING_CONFIRMATION');
    expect(await failureOf(rawContinue(id, { batch: 2 }))).toBe('NOT_AWAITING_CONFIRMATION');
    await handle(id).signal('continue', {});
    await handle(id).signal('continue', { batch: 2 });
    await statusUntil(id, ({ confirmations }) => confirmations.length === 5);
    held.get('item-001')?.open();
    const turn = await running;
    expect(turn).toMatchObject({ state: 'awaiting_confirmation', processed: 5 });
    const status = await getBulkStatus(harness.client, id);
    expect(status.confirmations.map(({ outcome }) => outcome)).toEqual([
      'accepted',
      ...Array<string>(4).fill('NOT_AWAITING_CONFIRMATION'),
    ]);
    expect(slow.touched.size).toBe(5);
  });

  it('that arrived before the first question is refused again after it, and stays on the record', async () => {
    held.set('prepare', gateway());
    const id = randomUUID();
    const started = harness.start({ domain: 'late', batch_size: 5 }, id);
    await until(() => begun.length > 0);
    const decision = { decision_id: 'too-early', by: 'ana' };
    await handle(id).signal('continue', decision);
    await statusUntil(id, ({ confirmations }) => confirmations.length === 1);
    held.get('prepare')?.open();
    expect((await started).confirmations).toMatchObject([
      { outcome: 'NOT_AWAITING_CONFIRMATION', via: 'signal', by: 'ana' },
    ]);
    expect(await failureOf(rawContinue(id, decision))).toBe('NOT_AWAITING_CONFIRMATION');
    expect(late.touched.size).toBe(0);
  });

  it('that arrives with another one in the same workflow task runs one batch', async () => {
    const started = await harness.start({ batch_size: 5 });
    const id = started.operation_id;
    await harness.stopWorker();
    await handle(id).signal('continue', { decision_id: 'one' });
    await handle(id).signal('continue', gateOf(started));
    await handle(id).signal('continue', { decision_id: 'three' });
    await harness.restartWorker();
    const status = await statusUntil(
      id,
      ({ confirmations, state }) => confirmations.length === 3 && state !== 'running_batch',
    );
    expect(status.confirmations.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(status).toMatchObject({ processed: 5, state: 'awaiting_confirmation' });
    expect(tool.touched.size).toBe(5);
  });

  it('that names no gate is judged by when it was sent, if the worker was away and reads it later', async () => {
    const sent = (id: string, count: number) =>
      statusUntil(
        id,
        ({ confirmations, state }) => confirmations.length === count && state !== 'running_batch',
      );
    const id = await hurriedly(async () => {
      const { operation_id } = await harness.start({ batch_size: 5 });
      await pause(BARE_AFTER_MS);
      await handle(operation_id).signal('continue', { by: 'first' });
      const { processed, updated_at } = await sent(operation_id, 1);
      expect(processed).toBe(5);
      // From here on the worker takes no tasks. Its end may take longer than two seconds.
      const stopped = harness.stopWorker();
      await handle(operation_id).signal('continue', { by: 'second' });
      const took = Date.now() - Date.parse(updated_at);
      await stopped;
      if (took >= BARE_AFTER_MS) await harness.restartWorker();
      return { took, answer: operation_id };
    });
    await pause(BARE_AFTER_MS + 500);
    await handle(id).signal('continue', { by: 'third' });
    await handle(id).signal('continue', { by: 'fourth' });
    await harness.restartWorker();
    const status = await sent(id, 4);
    expect(status).toMatchObject({ processed: 10 });
    expect(status.confirmations.map(({ by, outcome }) => [by, outcome])).toEqual([
      ['first', 'accepted'],
      ['second', 'STALE_CONFIRMATION'],
      ['third', 'accepted'],
      ['fourth', 'NOT_AWAITING_CONFIRMATION'],
    ]);
    expect(await unreplayableOf(harness.client, [id])).toEqual([]);
  });

  it('that a signal brought goes before that of an update which came later', async () => {
    const started = await harness.start({ batch_size: 5 });
    const id = started.operation_id;
    await harness.stopWorker();
    await handle(id).signal('continue', { ...gateOf(started), by: 'ana', exclude: [{ id: 'item-002' }] });
    const later = failureOf(rawContinue(id, { ...gateOf(started), by: 'ben' }));
    await harness.restartWorker();
    expect(await later).toBe('NOT_AWAITING_CONFIRMATION');
    const { confirmations } = await statusUntil(id, ({ last_batch }) => last_batch !== undefined);
    expect(confirmations).toMatchObject([
      { outcome: 'accepted', via: 'signal', by: 'ana' },
      { outcome: 'NOT_AWAITING_CONFIRMATION', via: 'update', by: 'ben' },
    ]);
    expect(tool.touched.has('item-002')).toBe(false);
  });

  it('skips the items that a person excludes, with the reason, and refuses ids that are not in the batch', async () => {
    const started = await harness.start({ batch_size: 5 });
    const id = started.operation_id;
    expect(await failureOf(rawContinue(id, { batch: 1, exclude: [{ id: 'item-009' }] }))).toBe(
      'INVALID_INPUT',
    );
    const turn = await rawContinue(id, {
      batch: 1,
      exclude: [{ id: 'item-002', reason: 'keep it' }, { id: 'item-004' }],
    });
    expect(turn).toMatchObject({
      processed: 3,
      skipped: 2,
      remaining: 10,
      last_batch: { succeeded: 3, skipped: 2 },
    });
    expect([...tool.touched.keys()]).toEqual(['item-001', 'item-003', 'item-005']);
    await rawContinue(id, { batch: 2 });
    const done = await rawContinue(id, { batch: 3 });
    expect(done.message).toBe('✅ Completed! Processed 13/15 items. 2 item(s) were skipped.');
  });

  it('of a malformed shape is refused before it enters the history', async () => {
    const { operation_id: id } = await harness.start({ batch_size: 5 });
    const before = (await handle(id).describe()).historyLength;
    expect(await failureOf(rawContinue(id, { batch: 'one' }))).toBe('INVALID_INPUT');
    expect(await failureOf(rawContinue(id, { confirmed: true }))).toBe('INVALID_INPUT');
    expect((await handle(id).describe()).historyLength).toBe(before);
  });

  it('is answered as closed once the operation has ended', async () => {
    const started = await harness.start({ batch_size: 15 });
    await confirmOpen(harness.client, started.operation_id);
    expect(await codeOf(confirmOpen(harness.client, started.operation_id))).toBe('OPERATION_CLOSED');
    expect(await codeOf(confirmOpen(harness.client, 'bulk-none'))).toBe('NOT_FOUND');
  });

  itInLongRun('that races continue-as-new is neither lost nor refused nor doubled', async () => {
    const many = countingTool(150, { toolName: 'many' });
    const other = await startHarness({ adapters: [many.adapter], settings: { batches_per_run: 1 } });
    try {
      const { operation_id: id } = await other.start({ domain: 'many', batch_size: 5 });
      for (let batch = 1; batch <= 30; batch++) {
        // Nothing reads the status in between: each confirmation follows as soon as the last one is answered.
        const turn = await other.client.workflow
          .getHandle(id)
          .executeUpdate<BulkTurn, [object]>('continue', { args: [{ batch }], updateId: `race-${batch}` });
        expect(turn.processed).toBe(batch * 5);
      }
      expect(await other.status(id)).toMatchObject({ state: 'completed', succeeded: 150 });
      const description = await other.client.workflow.getHandle(id).describe();
      expect(description.searchAttributes).toMatchObject({
        BatchgateState: ['completed'],
        BatchgateDomain: ['many'],
      });
      expect(description.memo).toMatchObject({ progress: { processed: 150, total: 150 } });
      expect([...many.touched.values()]).toEqual(Array(150).fill(1));
    } finally {
      await other.close();
    }
  });
});

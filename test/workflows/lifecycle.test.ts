import { Context } from '@temporalio/activity';
import {
  cancelBulkOperation,
  continueBulkOperation,
  getBulkItems,
  getBulkStatus,
  getReport,
} from '../../src/client';
import type { BulkAdapter } from '../../src/contract/adapter';
import { countingTool, gateway, startHarness, stopHeard, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

const tool = countingTool(50, { itemNoun: { one: 'email', many: 'emails' } });
let harness: Harness;

beforeAll(async () => {
  for (const item of tool.items) item.raw_data = { frozen: `data of ${item.id}` };
  harness = await startHarness({ adapters: [tool.adapter] });
});
afterAll(() => harness.close());

it('asks before the first batch, runs one batch per confirmation, and ends with every item done once', async () => {
  const started = await harness.start({});
  expect(started.message).toBe(
    "Ready to mark 50 emails in batches of 10. Say 'continue' to start, or 'cancel' to abort.",
  );
  expect(tool.touched.size).toBe(0);
  const first = await confirmOpen(harness.client, started.operation_id);
  expect(first.message).toBe(
    "Processed 10 items (10/50 total). 40 items remaining. Say 'continue' to process the next batch, or 'cancel' to stop.",
  );
  expect(tool.touched.size).toBe(10);
  for (let batch = 2; batch <= 4; batch++) await confirmOpen(harness.client, started.operation_id);
  const last = await confirmOpen(harness.client, started.operation_id);
  expect(last).toMatchObject({ state: 'completed', message: '✅ Completed! Processed 50/50 items.' });
  expect([...tool.touched.values()]).toEqual(Array(50).fill(1));
  const { items, total } = await getBulkItems(harness.client, started.operation_id);
  expect(total).toBe(50);
  expect(items.every(({ outcome }) => outcome === 'succeeded')).toBe(true);
});

/** What the payloads in a value contain. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === 'object' && value !== null ? Object.values(value).map(textOf).join('\n') : '';
}

it('writes each name into history once, and nothing of the data', async () => {
  const { operation_id: id } = await harness.start({});
  while ((await confirmOpen(harness.client, id)).next_batch);
  const { events } = await harness.client.workflow.getHandle(id).fetchHistory();
  const history = textOf(events);
  expect(history).not.toContain('data of');
  expect(history.split('"display_name"').length - 1).toBe(50);
});

it('cancels at the question and says what was done', async () => {
  const { operation_id } = await harness.start({});
  await confirmOpen(harness.client, operation_id);
  const turn = await cancelBulkOperation(harness.client, operation_id, { by: 'ana' });
  expect(turn.message).toBe('Bulk mark on fake cancelled. 10/50 items were processed before cancellation.');
  expect(await getBulkStatus(harness.client, operation_id)).toMatchObject({
    state: 'cancelled',
    needs_confirmation: false,
  });
});

it('shows in the Temporal UI where it stands when somebody looks', async () => {
  const { operation_id } = await harness.start({});
  const details = async () => {
    const handle = harness.client.workflow.getHandle(operation_id);
    const asked = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return asked.currentDetails;
  };
  expect(await details()).toMatch(/\*\*Ready to mark 50 emails[^]*Open question: batch 1 of 5, attempt 1/);
  await confirmOpen(harness.client, operation_id);
  expect(await details()).toMatch(
    /\*\*Processed 10 items[^]*\| 50 \| 10 \| 0 \| 0 \| 0 \| 40 \|[^]*batch 2 of 5/,
  );
  await cancelBulkOperation(harness.client, operation_id);
  await harness.client.workflow.getHandle(operation_id).result();
  expect(await details()).toContain('Bulk mark on fake cancelled');
});

it.each([
  ['a running', 'running_batch', {}],
  ['a scheduled', 'scheduled', { not_before: new Date(Date.now() + 3_600_000).toISOString() }],
])(
  'records the exclusions of %s batch if a cancel arrives while requests of its last attempt may run',
  async (_, state, later) => {
    let calls = 0;
    const { adapter } = countingTool(5, {
      onCall: (method) => {
        if (method === 'executeBatch' && ++calls === 3) throw new Error('the process went away');
      },
      readBack: () => Promise.resolve('not_applied'),
    });
    // Long enough to cancel meanwhile.
    const dying = await startHarness({ adapters: [adapter], settings: { call_timeout_ms: 6_000 } });
    try {
      const { operation_id } = await dying.start({ batch_size: 5 });
      const failed = await confirmOpen(dying.client, operation_id);
      expect(failed.error?.hint).toContain('1 item(s) may be carried out until');
      const exclude = ['item-003', 'item-005'].map((id) => ({ id, reason: 'not mine' }));
      const confirmed = { batch: 1, attempt: 2, exclude, ...later };
      const settling = continueBulkOperation(dying.client, operation_id, confirmed);
      while ((await dying.status(operation_id)).state !== state);
      const cancelled = await cancelBulkOperation(dying.client, operation_id);
      expect(cancelled).toMatchObject({ state: 'cancelled', succeeded: 2, skipped: 2, remaining: 1 });
      await settling;
      const record = await dying.store.ledger.read(operation_id);
      const skipped = { state: 'skipped', error: 'not mine' };
      expect(record?.items).toMatchObject([
        ...[{ state: 'succeeded' }, { state: 'succeeded' }],
        ...[skipped, { state: 'planned' }, skipped],
      ]);
    } finally {
      await dying.close();
    }
  },
);

it('waits for the last request of a batch that died while it was cancelled, and counts what it did', async () => {
  const begun = gateway();
  let looks = 0;
  const { adapter } = countingTool(5, {
    readBack: () => Promise.resolve(looks++ === 0 ? 'not_applied' : 'applied'),
  });
  let calls = 0;
  const executeBatch: BulkAdapter['executeBatch'] = async (...call) => {
    if (++calls < 3) return adapter.executeBatch(...call);
    begun.open();
    await stopHeard();
    throw new Error('the process went away');
  };
  const dying = await startHarness({
    adapters: [{ ...adapter, executeBatch }],
    settings: { call_timeout_ms: 6_000 },
  });
  try {
    const { operation_id } = await dying.start({ batch_size: 5 });
    const answer = confirmOpen(dying.client, operation_id);
    await begun.opened;
    const cancelled = await cancelBulkOperation(dying.client, operation_id);
    expect(cancelled).toMatchObject({ state: 'cancelled', succeeded: 3, remaining: 2 });
    expect(await answer).toMatchObject({ state: 'batch_failed', succeeded: 2 });
    expect((await getReport(dying.client, operation_id)).differences).toEqual([]);
  } finally {
    await dying.close();
  }
});

it('leaves what was excluded as it is if a cancel arrives before the worker claims the batch', async () => {
  const begun = gateway();
  const { adapter, touched } = countingTool(5);
  const place = async () => {
    if (Context.current().info.activityType === 'runBatch') {
      begun.open();
      await stopHeard();
    }
    return 'here';
  };
  const held = await startHarness({ adapters: [{ ...adapter, place }] });
  try {
    const { operation_id } = await held.start({ batch_size: 5 });
    const answer = confirmOpen(held.client, operation_id, { exclude: [{ id: 'item-002' }] });
    await begun.opened;
    const cancelled = await cancelBulkOperation(held.client, operation_id);
    expect(cancelled).toMatchObject({ state: 'cancelled', skipped: 0, remaining: 5 });
    await answer;
    expect(touched.size).toBe(0);
    expect((await getReport(held.client, operation_id)).differences).toEqual([]);
  } finally {
    await held.close();
  }
});

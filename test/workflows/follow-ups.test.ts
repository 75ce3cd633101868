import {
  cancelBulkOperation,
  completeBulkOperation,
  getBulkErrors,
  getBulkItems,
  getReport,
  openReport,
  resolveItem,
  retryFailedItems,
  startRemainingItems,
} from '../../src/client';
import type { BulkAdapter } from '../../src/contract/adapter';
import { BatchgateError } from '../../src/contract/errors';
import { codeOf, countingTool, startHarness, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

const failing = new Map<string, boolean>();
/** Items whose answer never comes. */
const lost = new Set<string>();
let refusing = false;
const tool = countingTool(12, {
  onCall: (method) => {
    if (refusing && method === 'prepare') throw new BatchgateError('CREDENTIALS_INVALID', 'No.', 'Log in.');
  },
  apply: (item) => {
    if (lost.has(item.id)) {
      const error = 'the answer never came';
      return Promise.resolve({ item_id: item.id, success: false, outcome_unknown: true, error });
    }
    const retryable = failing.get(item.id);
    if (retryable !== undefined)
      return Promise.resolve({ item_id: item.id, success: false, error: 'busy', retryable });
    tool.touched.set(item.id, (tool.touched.get(item.id) ?? 0) + 1);
    return Promise.resolve();
  },
  readBack: undefined,
});

let harness: Harness;
/** The metadata that the adapter was handed, by prepare and with each batch. */
const prepared: unknown[] = [];
const executed: unknown[] = [];
const adapter: BulkAdapter = {
  ...tool.adapter,
  prepare(request, call) {
    prepared.push(request.metadata);
    return tool.adapter.prepare(request, call);
  },
  executeBatch(items, context, call) {
    executed.push(context.metadata);
    return tool.adapter.executeBatch(items, context, call);
  },
};
beforeAll(async () => {
  harness = await startHarness({ adapters: [adapter], settings: { batches_per_run: 1 } });
});
afterAll(() => harness.close());
beforeEach(() => {
  failing.clear();
  lost.clear();
  tool.touched.clear();
});

const next = (id: string) => confirmOpen(harness.client, id, { by: undefined });

it('reports each item across continue-as-new, with who confirmed it and when, and agrees with the history', async () => {
  failing.set('item-002', true);
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await confirmOpen(harness.client, id, {
    by: 'ana',
    exclude: [{ id: 'item-003', reason: 'mine' }],
  });
  await confirmOpen(harness.client, id, { by: 'ben' });
  const { rows, differences } = await getReport(harness.client, id);
  expect(differences).toEqual([]);
  expect(rows.map(({ outcome }) => outcome)).toEqual([
    ...['succeeded', 'failed', 'skipped', 'succeeded', 'succeeded'],
    ...Array<string>(5).fill('succeeded'),
    ...['pending', 'pending'],
  ]);
  expect(rows[1]).toMatchObject({ id: 'item-002', batch: 1, error: 'busy', confirmed_by: 'ana' });
  expect(rows[2]).toMatchObject({ outcome: 'skipped', error: 'mine' });
  expect(rows[7]).toMatchObject({
    batch: 2,
    confirmed_by: 'ben',
    confirmed_via: 'update',
    confirmed_assurance: 'asserted',
    finished_at: expect.stringMatching(/Z$/) as string,
  });
});

it('retries exactly the failed items that may be retried, in a new operation that asks first', async () => {
  failing.set('item-002', true).set('item-004', false).set('item-011', true);
  const { operation_id: id } = await harness.start({
    params: { group: 'all', mark: 'red' },
    session_id: 'one',
  });
  expect(await codeOf(retryFailedItems(harness.client, id))).toBe('INVALID_INPUT');
  await next(id);
  await next(id);
  failing.clear();
  const again = await retryFailedItems(harness.client, id);
  expect(again).toMatchObject({ state: 'awaiting_confirmation', total: 2, session_id: 'one' });
  expect(again.next_batch?.items.map((item) => item.id)).toEqual(['item-002', 'item-011']);
  expect(tool.touched.has('item-002')).toBe(false);
  expect((await retryFailedItems(harness.client, id)).operation_id).toBe(again.operation_id);
  expect(await next(again.operation_id)).toMatchObject({ state: 'completed', succeeded: 2 });
  expect((await harness.store.ledger.read(again.operation_id))?.metadata).toEqual({ retry_of: id });
  expect((await harness.store.ledger.read(again.operation_id))?.change_params).toEqual({ mark: 'red' });
  expect(await codeOf(retryFailedItems(harness.client, again.operation_id))).toBe('INVALID_INPUT');
});

it('continues with the items that an ended operation never ran, and only with those', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await next(id);
  await cancelBulkOperation(harness.client, id);
  const rest = await startRemainingItems(harness.client, id);
  expect(rest).toMatchObject({ total: 7, state: 'awaiting_confirmation' });
  await next(rest.operation_id);
  expect(await next(rest.operation_id)).toMatchObject({ state: 'completed', succeeded: 7 });
  expect([...tool.touched.values()]).toEqual(Array(12).fill(1));
});

it('keeps the requester, and has that of the follow-up if the operation has none', async () => {
  const asks = { requested_by: 'ben', via: 'page' as const };
  for (const [first, expected] of [
    [{ requested_by: 'anna' }, 'anna'],
    [{}, 'ben'],
  ] as const) {
    const { operation_id: id } = await harness.start(first);
    await cancelBulkOperation(harness.client, id);
    const rest = await startRemainingItems(harness.client, id, asks);
    expect(rest).toMatchObject({ requested_by: expected });
    await cancelBulkOperation(harness.client, rest.operation_id);
  }
});

it('replaces a rest that was refused, and keeps one that was started', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await cancelBulkOperation(harness.client, id);
  refusing = true;
  expect(await codeOf(startRemainingItems(harness.client, id))).toBe('CREDENTIALS_INVALID');
  refusing = false;
  const rest = await startRemainingItems(harness.client, id);
  expect(rest).toMatchObject({ total: 12, state: 'awaiting_confirmation' });
  expect((await startRemainingItems(harness.client, id)).operation_id).toBe(rest.operation_id);
});

describe('a follow-up has all the options of the first operation', () => {
  const first = {
    batch_size: 5,
    failure_threshold: 0.5,
    metadata: { ticket: 'T-7' },
    requested_by: 'ana',
  };

  it('as the retry of its failed items', async () => {
    for (const item of tool.items.slice(0, 6)) failing.set(item.id, true);
    const contract = { min_completed: 8 };
    const { operation_id: id } = await harness.start({ ...first, contract, idle_timeout_seconds: 7_200 });
    for (let batch = 1; batch <= 3; batch++) await next(id);
    await completeBulkOperation(harness.client, id, { force: true, reason: 'for now' });
    prepared.length = executed.length = 0;
    const again = await retryFailedItems(harness.client, id);
    expect(Date.parse(again.expires_at ?? '') - Date.parse(again.updated_at)).toBe(7_200_000);
    const metadata = { ticket: 'T-7', retry_of: id };
    expect(prepared).toEqual([metadata]);
    expect(await harness.store.ledger.read(again.operation_id)).toMatchObject({
      metadata,
      requested_by: 'ana',
      terms: { contract: { min_completed: 2 }, failure_threshold: 0.5, idle_timeout_seconds: 7_200 },
    });
    const failed = await next(again.operation_id);
    expect(failed.message).toMatch(/^5 of 5 items failed so far\. /);
    expect(executed).toEqual(Array(executed.length).fill(metadata));
    expect((await next(again.operation_id)).state).toBe('awaiting_confirmation');
    expect(await completeBulkOperation(harness.client, again.operation_id)).toMatchObject({ allowed: false });
  });

  it('as the rest of one that expired', async () => {
    const contract = { expected_total: 12, min_completed: 3 };
    const { operation_id: id } = await harness.start({ ...first, contract, idle_timeout_seconds: 1 });
    expect(await harness.client.workflow.getHandle(id).result()).toMatchObject({ state: 'expired' });
    prepared.length = 0;
    const rest = await startRemainingItems(harness.client, id);
    expect(prepared).toEqual([{ ticket: 'T-7', rest_of: id }]);
    expect(await harness.store.ledger.read(rest.operation_id)).toMatchObject({
      metadata: { ticket: 'T-7', rest_of: id },
      requested_by: 'ana',
      batch_size: 5,
      terms: { contract: { min_completed: 3 }, failure_threshold: 0.5, idle_timeout_seconds: 1 },
    });
  });
});

describe('an item whose answer never came', () => {
  it('is in doubt and is never run again until a person resolves it', async () => {
    lost.add('item-003');
    const { operation_id: id } = await harness.start({});
    const turn = await next(id);
    expect(turn).toMatchObject({ processed: 9, in_doubt: 1, remaining: 2, state: 'awaiting_confirmation' });
    expect(
      await codeOf(resolveItem(harness.client, id, { item_id: 'nothing', outcome: 'failed', reason: 'x' })),
    ).toBe('NOT_FOUND');
    expect(
      await codeOf(resolveItem(harness.client, id, { item_id: 'item-001', outcome: 'failed', reason: 'x' })),
    ).toBe('INVALID_INPUT');
    const resolved = await resolveItem(harness.client, id, {
      item_id: 'item-003',
      outcome: 'succeeded',
      reason: 'I looked',
    });
    expect(resolved).toMatchObject({ processed: 10, in_doubt: 0 });
    const record = await harness.store.ledger.read(id);
    expect(record?.items[2]).toMatchObject({ id: 'item-003', state: 'succeeded' });
  });

  it('is recorded as resolved once the ledger is back, with no limit in time', async () => {
    lost.add('item-003');
    const { operation_id: id } = await harness.start({});
    await next(id);
    const { ledger } = harness.store;
    let triesLost = 2;
    await harness.restartWorker({
      ...ledger,
      resolve: (resolution) =>
        triesLost-- > 0 ? Promise.reject(new Error('connect ECONNREFUSED')) : ledger.resolve(resolution),
    });
    const looked = { item_id: 'item-003', outcome: 'succeeded', reason: 'I looked' } as const;
    expect(await resolveItem(harness.client, id, looked)).toMatchObject({ in_doubt: 0 });
    expect((await ledger.read(id))?.items[2]).toMatchObject({ state: 'succeeded' });
    const { events } = await harness.client.workflow.getHandle(id).fetchHistory();
    const written = events
      ?.map(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled)
      .find((scheduled) => scheduled?.activityType?.name === 'recordResolution');
    // More than a minute without the ledger would take as long to test.
    expect(Number(written?.scheduleToCloseTimeout?.seconds ?? 0)).toBe(0);
    await harness.restartWorker();
  });

  it('delays the end until it is resolved, and is retried if it turned out to have failed', async () => {
    lost.add('item-007').add('item-012');
    const { operation_id: id } = await harness.start({});
    await next(id);
    const held = await next(id);
    expect(held).toMatchObject({ state: 'awaiting_resolution', needs_confirmation: true, in_doubt: 2 });
    expect(held.next_batch).toBeUndefined();
    expect(held.message.split('\n').slice(0, 3)).toEqual([
      'All 12 items were tried. 2 items are in doubt:',
      '- Item 7 (item-007): the answer never came',
      '- Item 12 (item-012): the answer never came',
    ]);
    expect(await codeOf(next(id))).toBe('NOT_AWAITING_CONFIRMATION');
    expect(await completeBulkOperation(harness.client, id)).toMatchObject({
      allowed: false,
      reason: '2 item(s) are in doubt.',
    });
    const { errors, total } = await getBulkErrors(harness.client, id);
    expect(total).toBe(2);
    expect(errors[1]).toMatchObject({ item_id: 'item-012', error: 'In doubt: the answer never came' });
    const { items } = await getBulkItems(harness.client, id, { outcome: 'in_doubt' });
    expect(items.map((item) => item.id)).toEqual(['item-007', 'item-012']);
    expect((await getReport(harness.client, id)).rows[6]).toMatchObject({ outcome: 'in_doubt' });
    const { searchAttributes } = await harness.client.workflow.getHandle(id).describe();
    expect(searchAttributes).toMatchObject({ BatchgateState: ['awaiting_resolution'] });
    const looked = { outcome: 'succeeded', reason: 'I looked' } as const;
    const one = await resolveItem(harness.client, id, { item_id: 'item-007', ...looked });
    expect(one).toMatchObject({ state: 'awaiting_resolution', in_doubt: 1 });
    expect(one.message).toContain('1 item is in doubt:');
    const done = await resolveItem(harness.client, id, {
      item_id: 'item-012',
      outcome: 'failed',
      reason: 'it is as it was',
      by: 'ana',
    });
    const record = await harness.store.ledger.read(id);
    expect(record?.items[11]?.resolution).toMatchObject({ by: 'ana', assurance: 'asserted' });
    const { rows } = await getReport(harness.client, id);
    expect(rows[6]).toMatchObject({ outcome: 'succeeded', resolved_reason: 'I looked' });
    expect(rows[11]).toMatchObject({ resolved_by: 'ana', resolved_reason: 'it is as it was' });
    expect(rows[11]?.confirmed_by).not.toBe('ana');
    expect(rows[0]).not.toHaveProperty('resolved_at');
    expect((await openReport(harness.client, id)).columns).toEqual(
      expect.arrayContaining(['resolved_by', 'resolved_at', 'resolved_reason']),
    );
    expect(done).toMatchObject({ state: 'completed', succeeded: 11, failed: 1, in_doubt: 0 });
    lost.clear();
    const again = await retryFailedItems(harness.client, id);
    expect(again.next_batch?.items).toEqual([{ id: 'item-012', display_name: 'Item 12' }]);
    expect(await next(again.operation_id)).toMatchObject({ state: 'completed', succeeded: 1 });
  });

  it('lets a person end the operation with a reason, or cancel it', async () => {
    lost.add('item-012');
    const forced = await harness.start({ batch_size: 20 });
    await next(forced.operation_id);
    await completeBulkOperation(harness.client, forced.operation_id, { force: true, reason: 'it is old' });
    expect((await harness.status(forced.operation_id)).message).toBe(
      [
        '✅ Completed by decision with 1 item(s) in doubt: it is old.',
        '1 item(s) are in doubt:',
        '- Item 12 (item-012): the answer never came',
      ].join('\n'),
    );
    const cancelled = await harness.start({ batch_size: 20 });
    await next(cancelled.operation_id);
    expect(await cancelBulkOperation(harness.client, cancelled.operation_id)).toMatchObject({
      state: 'cancelled',
      in_doubt: 1,
    });
  });
});

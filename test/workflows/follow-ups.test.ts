import {
  cancelBulkOperation,
  continueBulkOperation,
  getReport,
  retryFailedItems,
  startRemainingItems,
} from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import { codeOf, countingTool, startHarness, type Harness } from '../helpers/harness';

const failing = new Map<string, boolean>();
let refusing = false;
const tool = countingTool(12, {
  onCall: (method) => {
    if (refusing && method === 'prepare') throw new BatchgateError('CREDENTIALS_INVALID', 'No.', 'Log in.');
  },
  apply: (item) => {
    const retryable = failing.get(item.id);
    if (retryable !== undefined)
      return Promise.resolve({ item_id: item.id, success: false, error: 'busy', retryable });
    tool.touched.set(item.id, (tool.touched.get(item.id) ?? 0) + 1);
    return Promise.resolve();
  },
});

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter], settings: { batches_per_run: 1 } });
});
afterAll(() => harness.close());
beforeEach(() => {
  failing.clear();
  tool.touched.clear();
});

const next = (id: string) => continueBulkOperation(harness.client, id, { by: undefined });

it('reports each item across continue-as-new, with who confirmed it and when, and agrees with the history', async () => {
  failing.set('item-002', true);
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await continueBulkOperation(harness.client, id, {
    by: 'ana',
    exclude: [{ id: 'item-003', reason: 'mine' }],
  });
  await continueBulkOperation(harness.client, id, { by: 'ben' });
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
    finished_at: expect.stringMatching(/Z$/) as string,
  });
});

it('retries exactly the failed items that may be tried again, in a new operation that asks first', async () => {
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

it('goes on with what an ended operation never ran, and only with that', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await next(id);
  await cancelBulkOperation(harness.client, id);
  const rest = await startRemainingItems(harness.client, id);
  expect(rest).toMatchObject({ total: 7, state: 'awaiting_confirmation' });
  await next(rest.operation_id);
  expect(await next(rest.operation_id)).toMatchObject({ state: 'completed', succeeded: 7 });
  expect([...tool.touched.values()]).toEqual(Array(12).fill(1));
});

it('lets a rest that was refused give way to another, and one that was started stand', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await cancelBulkOperation(harness.client, id);
  refusing = true;
  expect(await codeOf(startRemainingItems(harness.client, id))).toBe('CREDENTIALS_INVALID');
  refusing = false;
  const rest = await startRemainingItems(harness.client, id);
  expect(rest).toMatchObject({ total: 12, state: 'awaiting_confirmation' });
  expect((await startRemainingItems(harness.client, id)).operation_id).toBe(rest.operation_id);
});

import { ApplicationFailure } from '@temporalio/common';
import { Runtime } from '@temporalio/worker';
import { sql } from 'kysely';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';
import { cancelBulkOperation, continueBulkOperation, getReport } from '../../src/client';

const ALTERED =
  'The ledger does not hold the items of batch 1 as they were planned and confirmed; nothing of it was run.';

let harness: Harness;
afterEach(() => harness.close());

it('runs nothing of a batch whose items in the ledger differ from the plan', async () => {
  const { adapter, touched } = countingTool(10);
  harness = await startHarness({ adapters: [adapter] });
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await harness.store.db.deleteFrom('items').where('index', '=', 2).execute();
  const turn = await confirmOpen(harness.client, id);
  expect(turn).toMatchObject({ state: 'batch_failed', processed: 0, remaining: 10 });
  expect(turn.error?.message).toBe(ALTERED);
  expect(touched.size).toBe(0);
  await harness.store.db.updateTable('items').set({ id: 'item-999' }).where('index', '=', 3).execute();
  const again = await confirmOpen(harness.client, id);
  expect(again).toMatchObject({ state: 'batch_failed', processed: 0 });
  expect(touched.size).toBe(0);
});

it.each<[string, object]>([
  ['data', { raw_data: sql`'{"amount": 987654}'` }],
  ['name', { display_name: 'Somebody else' }],
  ['preview', { preview: sql`'{"already": true}'` }],
  ['salt', { salt: sql`gen_random_uuid()` }],
])('runs nothing of a batch if the %s of an item was changed after its question', async (_, change) => {
  const { adapter, touched } = countingTool(10);
  harness = await startHarness({ adapters: [adapter] });
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  await harness.store.db.updateTable('items').set(change).where('index', '=', 4).execute();
  const turn = await confirmOpen(harness.client, id);
  expect(turn).toMatchObject({ state: 'batch_failed', processed: 0, in_doubt: 0, remaining: 10 });
  expect(turn.error?.message).toBe(ALTERED);
  expect(touched.size).toBe(0);
});

it.each<[string, object, string]>([
  ['the context', { context: sql`jsonb_set(context::jsonb, '{action}', '"delete"')` }, ALTERED],
  ['the change', { change: sql`jsonb_set(change, '{summary}', '"Delete each."')` }, ALTERED],
  ["the requester's words", { terms: sql`jsonb_set(terms, '{reason}', '"Another one."')` }, ALTERED],
  ["the requester's name", { requested_by: 'Somebody else' }, ALTERED],
  ['all of its plan', { context: null }, 'The ledger does not hold the plan of'],
])('runs nothing of a batch if %s was changed after its question', async (_, change, message) => {
  const { adapter, touched } = countingTool(10);
  harness = await startHarness({ adapters: [adapter] });
  const { operation_id: id } = await harness.start({ batch_size: 5, reason: 'They are old.' });
  await harness.store.db.updateTable('operations').set(change).where('operation_id', '=', id).execute();
  const turn = await confirmOpen(harness.client, id);
  expect(turn).toMatchObject({ state: 'batch_failed', processed: 0, in_doubt: 0, remaining: 10 });
  expect(turn.error?.message).toContain(message);
  expect(touched.size).toBe(0);
});

it('runs nothing of a batch if what its policy requires was changed in the ledger', async () => {
  const { adapter, touched } = countingTool(5);
  harness = await startHarness({ adapters: [adapter] });
  const { operation_id: id } = await harness.start({ batch_size: 5, approvers: ['person:anna'] });
  const terms = sql<string>`jsonb_set(terms, '{policy,requirement,from}', '["person:eve"]')`;
  await harness.store.db.updateTable('operations').set({ terms }).where('operation_id', '=', id).execute();
  const turn = await confirmOpen(harness.client, id, { by: 'anna' });
  expect(turn).toMatchObject({ state: 'batch_failed', processed: 0 });
  expect(turn.error?.message).toBe(ALTERED);
  expect(touched.size).toBe(0);
});

it('runs nothing of a batch while the database is away, and the rest as soon as it is back', async () => {
  const { adapter, touched, items } = countingTool(5);
  harness = await startHarness({ adapters: [adapter] });
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const { ledger } = harness.store;
  const away = () => Promise.reject(new Error('Connection terminated unexpectedly'));
  await harness.restartWorker({ ...ledger, planned: away });
  for (const exclude of [[], items.slice(0, 1), items]) {
    const refused = await confirmOpen(harness.client, id, {
      exclude: exclude.map((item) => ({ id: item.id })),
    });
    expect(refused).toMatchObject({
      ...{ state: 'batch_failed', in_doubt: 0, skipped: 0, remaining: 5 },
      error: { code: 'ADAPTER_UNAVAILABLE' },
    });
  }
  expect(touched.size).toBe(0);
  await harness.restartWorker();
  expect((await getReport(harness.client, id)).differences).toEqual([]);
  expect(await confirmOpen(harness.client, id)).toMatchObject({ state: 'completed', succeeded: 5 });
});

it('records the exclusions of a batch with nothing left to run whose claim failed', async () => {
  const { adapter, touched } = countingTool(10);
  harness = await startHarness({ adapters: [adapter] });
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  const { ledger } = harness.store;
  const away = () => Promise.reject(new Error('Connection terminated unexpectedly'));
  await harness.restartWorker({ ...ledger, claim: away });
  const exclude = [1, 2, 3, 4, 5].map((index) => ({ id: `item-00${index}`, reason: 'keep it' }));
  const excluded = await continueBulkOperation(harness.client, id, { batch: 1, exclude });
  expect(excluded).toMatchObject({ skipped: 5, remaining: 5, next_batch: { number: 2 } });
  expect(touched.size).toBe(0);
  const report = await getReport(harness.client, id);
  expect(report.differences).toEqual([]);
  expect(report.rows.slice(0, 5).map(({ error }) => error)).toEqual(exclude.map(({ reason }) => reason));
});

it('ends although its end cannot be written, and the log of the worker says so as an error', async () => {
  const { adapter } = countingTool(5);
  harness = await startHarness({ adapters: [adapter] });
  const { operation_id: id } = await harness.start({ batch_size: 5 });
  // Final at once: the database itself would be tried again for a minute.
  const tooLarge = ApplicationFailure.nonRetryable('no room for the status');
  const refused = () => Promise.reject(Object.assign(tooLarge, { code: '54000' }));
  await harness.restartWorker({ ...harness.store.ledger, close: refused });
  const logged = jest.spyOn(Runtime.instance().logger, 'error');
  await cancelBulkOperation(harness.client, id);
  const result = await harness.client.workflow.getHandle(id).result();
  expect(result).toMatchObject({ state: 'cancelled' });
  expect(logged).toHaveBeenCalledWith(
    expect.stringContaining('the end of this operation is missing in the ledger'),
    expect.objectContaining({ workflowId: id, code: 'INTERNAL', reason: 'no room for the status' }),
  );
});

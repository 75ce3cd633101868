import { randomUUID } from 'node:crypto';
import {
  cancelBulkOperation,
  continueBulkOperation,
  getBulkItems,
  getReport,
  previewBulkOperation,
  retryFailedItems,
  startRemainingItems,
  undoBulkOperation,
} from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { codeOf, countingTool, startHarness, type Harness } from '../helpers/harness';

/** Batches that grow: a first small one, then larger ones. */
const failing = new Set<string>();
let refusing = false;
const marks = new Map<string, string>();
const tool = countingTool(60, {
  marks,
  apply: ({ id }) =>
    Promise.resolve(
      failing.has(id) ? { item_id: id, success: false, error: 'no', retryable: true } : undefined,
    ),
  onCall: (method) => {
    if (method === 'executeBatch' && refusing)
      throw new BatchgateError('CREDENTIALS_INVALID', 'The tool refuses us.', 'Log in.');
  },
});

let harness: Harness;
beforeAll(async () => {
  // Each batch continues as new.
  harness = await startHarness({ adapters: [tool.adapter], settings: { batches_per_run: 1 } });
});
afterAll(() => harness.close());
beforeEach(() => {
  failing.clear();
  refusing = false;
  marks.clear();
});

const INPUT = { params: { group: 'all', mark: 'later' }, batch_sizes: [1, 5, 20] };
const start = (input: Partial<BulkOperationInput> = {}) => harness.start({ ...INPUT, ...input });
const id = (number: number) => `item-${String(number).padStart(3, '0')}`;

/** Confirms the open question, and returns the next one. */
async function next({ operation_id, next_batch }: BulkStatus): Promise<BulkStatus> {
  const { number: batch, attempt, digest } = next_batch ?? {};
  await continueBulkOperation(harness.client, operation_id, { batch, attempt, digest });
  return harness.status(operation_id);
}

const asked = ({ next_batch }: BulkStatus) => [
  next_batch?.number,
  next_batch?.items[0]?.id,
  next_batch?.items.length,
];

it('runs one item, then five, then twenty at a time, and says so at the start', async () => {
  let status = await start();
  expect(status.message).toMatch(
    /^Ready to mark 60 items, 1, then 5, then 20 at a time: 5 questions, not 12\. Say 'continue'/,
  );
  expect(status).toMatchObject({ batch_size: 20, batch_sizes: [1, 5, 20], batches_total: 5 });
  const questions = [asked(status)];
  while (status.state === 'awaiting_confirmation') {
    const before = marks.size;
    status = await next(status);
    expect(marks.size - before).toBe(questions.at(-1)?.[2]);
    if (status.next_batch) questions.push(asked(status));
  }
  expect(questions).toEqual([
    [1, id(1), 1],
    [2, id(2), 5],
    [3, id(7), 20],
    [4, id(27), 20],
    [5, id(47), 14],
  ]);
  expect(status).toMatchObject({ state: 'completed', succeeded: 60 });
  const { rows, differences } = await getReport(harness.client, status.operation_id);
  expect(differences).toEqual([]);
  expect([0, 1, 5, 6, 59].map((at) => rows[at]?.batch)).toEqual([1, 2, 2, 3, 5]);
});

it('starts again after a batch with too many failures, says why, and asks about each item once', async () => {
  failing.add(id(3)).add(id(4));
  let status = await next(await start());
  status = await next(status);
  expect(status.message).toMatch(
    /^Of the 5 items that ran in batch 2, 2 failed, so the batches start again: 1, then 5, then 20 at a time\. Processed 5 items/,
  );
  expect(status).toMatchObject({
    batches_total: 7,
    ramp_restart: { after_batch: 2, items: 5, failed: 2, in_doubt: 0 },
  });
  expect(asked(status)).toEqual([3, id(7), 1]);
  const { items } = await getBulkItems(harness.client, status.operation_id, { limit: 60 });
  expect([5, 6, 7, 11, 12, 59].map((at) => items[at]?.batch)).toEqual([2, 3, 4, 4, 5, 7]);
  const rows = (await getReport(harness.client, status.operation_id)).rows;
  expect(rows.map(({ batch }) => batch)).toEqual(items.map(({ batch }) => batch));
  status = await next(status);
  expect(status).not.toHaveProperty('ramp_restart');
  expect(asked(status)).toEqual([4, id(8), 5]);
  while (status.state === 'awaiting_confirmation') status = await next(status);
  expect(status).toMatchObject({ state: 'completed', succeeded: 58, failed: 2 });
});

it('has the threshold of the start, where that names one', async () => {
  failing.add(id(3)).add(id(4));
  const status = await next(await next(await start({ failure_threshold: 0.5 })));
  expect(asked(status)).toEqual([3, id(7), 20]);
  await cancelBulkOperation(harness.client, status.operation_id);
});

it('repeats a first step in which nothing ran', async () => {
  const { operation_id } = await start();
  await continueBulkOperation(harness.client, operation_id, { batch: 1, exclude: [{ id: id(1) }] });
  const status = await harness.status(operation_id);
  expect(asked(status)).toEqual([2, id(2), 1]);
  expect(status.message).toMatch(/^No item of batch 1 was run, so the next batch is a first one again/);
  await cancelBulkOperation(harness.client, operation_id);
});

it('asks the same batch again if it dies, and starts again after it', async () => {
  let status = await next(await start());
  refusing = true;
  status = await next(status);
  expect(status).toMatchObject({ state: 'batch_failed', next_batch: { number: 2, attempt: 2 } });
  refusing = false;
  failing.add(id(2));
  status = await next(await next(status));
  expect(asked(status)).toEqual([4, id(8), 5]);
  // The ledger still has these items as those of the batch that they were planned for.
  await harness.restartWorker({
    ...harness.store.ledger,
    claim: () => Promise.reject(new BatchgateError('CREDENTIALS_INVALID', 'It died.', 'Try again.')),
  });
  status = await next(status);
  await harness.restartWorker();
  expect(status).toMatchObject({ state: 'batch_failed', in_doubt: 0, next_batch: { number: 4, attempt: 2 } });
  status = await next(status);
  expect(status).toMatchObject({ succeeded: 11, failed: 1, in_doubt: 0 });
  await cancelBulkOperation(harness.client, status.operation_id);
});

it('binds a start to its preview, which says the sizes', async () => {
  const preview = await previewBulkOperation(
    harness.client,
    { domain: 'fake', action: 'mark', ...INPUT },
    { task_queue: harness.taskQueue },
  );
  expect(preview).toMatchObject({
    batch_sizes: [1, 5, 20],
    batches_total: 5,
    batches_text: '1, then 5, then 20 at a time: 5 questions, not 12',
  });
  expect([0, 1, 6].map((at) => preview.items[at]?.batch)).toEqual([1, 2, 3]);
  const other = start({ batch_sizes: [1, 20], expect_digest: preview.digest });
  await expect(other).rejects.toMatchObject({
    code: 'CHANGED_SINCE_PREVIEW',
    message: expect.stringContaining('batch_sizes was') as string,
  });
  const { operation_id } = await start({ expect_digest: preview.digest });
  await cancelBulkOperation(harness.client, operation_id);
});

it('is the way of a retry, of the rest and of an undo as well', async () => {
  failing.add(id(3)).add(id(4));
  let status = await next(await next(await start()));
  await cancelBulkOperation(harness.client, status.operation_id);
  failing.clear();
  const again = await retryFailedItems(harness.client, status.operation_id);
  expect(asked(again)).toEqual([1, id(3), 1]);
  expect(again).toMatchObject({ batch_sizes: [1, 5, 20], batches_total: 2 });
  await cancelBulkOperation(harness.client, again.operation_id);
  const rest = await startRemainingItems(harness.client, status.operation_id);
  expect(asked(rest)).toEqual([1, id(7), 1]);
  await cancelBulkOperation(harness.client, rest.operation_id);
  // Its first item is in conflict, so that the first step is about the second.
  marks.set(id(6), 'mine');
  status = await undoBulkOperation(harness.client, status.operation_id);
  expect(status).toMatchObject({ total: 4, skipped: 1, batch_sizes: [1, 5, 20] });
  expect(asked(status)).toEqual([2, id(5), 1]);
  status = await next(status);
  expect(asked(status)).toEqual([3, id(2), 2]);
  await cancelBulkOperation(harness.client, status.operation_id);
});

it.each([
  [{ batch_sizes: [1, 5, 21] }, 'batch_sizes contains 21'],
  [{ batch_sizes: [5, 1] }, 'batch_sizes ends with 1'],
  [{ batch_size: 5 }, 'batch_size and batch_sizes are both given'],
])('refuses %j before anything happens, through a plain client too', async (input, message) => {
  expect(await codeOf(start(input))).toBe('INVALID_INPUT');
  const plain = await harness.client.workflow.start('bulkOperation', {
    ...{ taskQueue: harness.taskQueue, workflowId: `bulk-${randomUUID()}` },
    args: [{ domain: 'fake', action: 'mark', ...INPUT, ...input }],
  });
  expect(await plain.result()).toMatchObject({
    state: 'rejected',
    error: {
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message) as string,
      hint: expect.stringMatching(/\w+ \w+/) as string,
    },
  });
});

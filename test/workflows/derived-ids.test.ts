import {
  cancelBulkOperation,
  getBulkStatus,
  listInterrupted,
  retryFailedItems,
  startBulkOperation,
  startRemainingItems,
  startTaskRun,
  undoBulkOperation,
} from '../../src/client';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { confirmOpen } from '../helpers/confirm';
import { codeOf, manyItems, startHarness, type Harness } from '../helpers/harness';
import { lookAgain } from '../helpers/look-again';

let harness: Harness;
const busy = new Set<string>();
const marks = new Map<string, string>();
beforeAll(async () => {
  const adapter = createFakeAdapter({
    marks,
    items: () => manyItems(12),
    apply: ({ id }) => {
      const failed = { item_id: id, success: false, error: 'busy', retryable: true };
      return Promise.resolve(busy.has(id) ? failed : undefined);
    },
  });
  harness = await startHarness({ adapters: [adapter] });
});
afterAll(() => harness.close());
beforeEach(() => marks.clear());

const INPUT = { domain: 'fake', action: 'mark', params: { group: 'all', mark: 'later' } };
const SUFFIXES = ['.rest', '.retry', '.undo', '.retry-2', '.undo.rest'];

/** An operation that has run one of two batches, and has ended. */
async function endedAs(state: 'cancelled' | 'expired', input: Partial<BulkOperationInput> = {}) {
  const { operation_id: id } = await harness.start({ ...INPUT, ...input });
  await confirmOpen(harness.client, id);
  if (state === 'cancelled') await cancelBulkOperation(harness.client, id);
  await harness.client.workflow.getHandle(id).result();
  expect((await getBulkStatus(harness.client, id)).state).toBe(state);
  return id;
}

it("refuses another job under the id of an operation's follow-up, however it is started", async () => {
  const id = await endedAs('cancelled');
  const { client, taskQueue: task_queue } = harness;
  for (const suffix of SUFFIXES) {
    const taken = `${id}${suffix}`;
    for (const input of [INPUT, { ...INPUT, metadata: { retry_of: 'another', rest_of: 'another' } }])
      expect(await codeOf(startBulkOperation(client, input, { operation_id: taken, task_queue }))).toBe(
        'INVALID_INPUT',
      );
    expect(await codeOf(startTaskRun(client, { goal: 'any' }, { task_run_id: taken, task_queue }))).toBe(
      'INVALID_INPUT',
    );
    const start = { workflowId: taken, taskQueue: task_queue, args: [INPUT] };
    const status = (await client.workflow.execute('bulkOperation', start)) as BulkStatus;
    expect([status.state, status.error?.code]).toEqual(['rejected', 'INVALID_INPUT']);
  }
  // What was refused takes nobody's place.
  expect(await undoBulkOperation(client, id)).toMatchObject({ operation_id: `${id}.undo-2`, undoes: id });
});

it('leaves ids that a foreign workflow has taken before, and takes it for no follow-up', async () => {
  const { client, taskQueue: task_queue } = harness;
  busy.add('item-002');
  // The batch has to be confirmed within it.
  const id = await endedAs('expired', { idle_timeout_seconds: 10 });
  busy.clear();
  const squatters = await Promise.all(
    ['rest', 'retry', 'undo'].map((suffix) =>
      client.workflow.start('foreign', {
        workflowId: `${id}.${suffix}`,
        taskQueue: 'nobody-polls',
        args: [],
      }),
    ),
  );
  expect((await getBulkStatus(client, id)).undone_by).toBeUndefined();
  const expired_after = new Date(Date.now() - 3_600_000).toISOString();
  const offered = async () => {
    const rows = await listInterrupted(client, { task_queue, expired_after });
    return rows.some(({ operation_id }) => operation_id === id);
  };
  while (!(await offered())) await lookAgain();
  for (const [follow, suffix, total] of [
    [retryFailedItems, 'retry-2', 1],
    [startRemainingItems, 'rest-2', 2],
    [undoBulkOperation, 'undo-2', 9],
  ] as const) {
    const started = await follow(client, id);
    expect(started).toMatchObject({ operation_id: `${id}.${suffix}`, total, state: 'awaiting_confirmation' });
    expect((await follow(client, id)).operation_id).toBe(started.operation_id);
  }
  expect((await getBulkStatus(client, id)).undone_by).toBe(`${id}.undo-2`);
  while (await offered()) await lookAgain();
  await Promise.all(squatters.map((one) => one.terminate()));
});

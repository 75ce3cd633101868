import { QueryNotRegisteredError } from '@temporalio/client';
import {
  cancelBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkStatus,
} from '../../src/client';
import { toBatchgateError } from '../../src/client/failures';
import { READ_AHEAD } from '../../src/contract/text';
import { codeOf, countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { unreplayableOf } from '../helpers/replayed';

/** From Temporal's API: the kind of queue that delivers a worker the tasks of the runs in its cache. */
const STICKY: number = 2;
/** Holds the batches back. */
let held = gateway();
const tool = countingTool(10, {
  apply: async ({ id }) => {
    tool.touched.set(id, (tool.touched.get(id) ?? 0) + 1);
    await held.opened;
  },
});
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
});
afterAll(() => harness.close());
beforeEach(() => tool.touched.clear());

const queue = (name: string) => ({ name, kind: STICKY, normalName: harness.taskQueue });

async function stickyQueueOf(id: string): Promise<string> {
  const { events } = await harness.client.workflow.getHandle(id).fetchHistory();
  const queues = (events ?? []).map((event) => event.workflowTaskScheduledEventAttributes?.taskQueue);
  const name = queues.findLast((each) => (each?.kind as number) === STICKY)?.name;
  if (!name) throw new Error('no task of this run went to a sticky queue');
  return name;
}

/** Polls for the next task that is meant for the stopped worker, and never answers that task. */
async function loseTask(stickyQueue: string) {
  const { client } = harness;
  const request = { namespace: 'default', identity: 'lost worker', taskQueue: queue(stickyQueue) };
  const task = client.connection.withDeadline(Date.now() + 30_000, () =>
    client.workflowService.pollWorkflowTaskQueue(request),
  );
  for (;;) {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: queue(stickyQueue),
    });
    if (pollers?.some(({ identity }) => identity === request.identity)) return { task };
  }
}

test.each([
  ['is still to come', { id: 'task-to-come', taken: false }],
  ['was lost with its worker', { id: 'task-lost', taken: true }],
])(
  'a query that waited for a worker does not break the history when the task of a newer signal %s',
  async (_, { id, taken }) => {
    const { client } = harness;
    held = gateway();
    await harness.start({ batch_size: 5 }, id);
    const handle = client.workflow.getHandle(id);
    const stickyQueue = await stickyQueueOf(id);
    await harness.stopWorker();

    const queryTask = await loseTask(stickyQueue);
    const query = handle.query<{ state: string }>('status').catch((error: Error) => error.message);
    expect((await queryTask.task).query).toBeTruthy();
    const signalTask = taken ? await loseTask(stickyQueue) : undefined;
    await handle.signal('continue', { batch: 1 });
    if (signalTask) expect((await signalTask.task).query).toBeNull();
    await harness.restartWorker();
    const status = getBulkStatus(client, id);
    const extended = codeOf(extendBulkOperation(client, id, { seconds: 7_200 }));

    const answer = await query;
    held.open();
    // The server may deliver the signal's task before the query, which then reads nothing ahead.
    if (taken || answer !== READ_AHEAD) expect(answer).toMatchObject({ state: 'running_batch' });
    expect(await status).toMatchObject({ operation_id: id });
    // It is refused where it arrives while the signal's batch runs.
    expect(['no error', 'NOT_AWAITING_CONFIRMATION']).toContain(await extended);
    for (let done = false; !done;) done = (await harness.status(id)).needs_confirmation;
    await handle.executeUpdate('continue', { args: [{ batch: 2 }] });
    expect(await handle.result()).toMatchObject({ state: 'completed', succeeded: 10 });
    expect([...tool.touched.values()]).toEqual(tool.items.map(() => 1));
    expect(await unreplayableOf(client, [id])).toEqual([]);
  },
);

test('a query that comes too early each time is no defect: it can be sent again', () => {
  // As the SDK throws a failed query; the code is gRPC's INVALID_ARGUMENT.
  const { code, hint } = toBatchgateError(new QueryNotRegisteredError(READ_AHEAD, 3));
  expect(code).toBe('TEMPORAL_UNAVAILABLE');
  expect(hint).toContain('send it again');
});

test('a decision that a worker dropped unread is sent again, and runs its batch once', async () => {
  const { client } = harness;
  const id = 'task-dropped';
  held.open();
  await harness.start({ batch_size: 5 }, id);
  const stickyQueue = await stickyQueueOf(id);
  await harness.stopWorker();
  const { task } = await loseTask(stickyQueue);
  const turn = continueBulkOperation(client, id, { batch: 1 });
  const { taskToken, messages } = await task;
  expect(messages).toHaveLength(1);
  await client.workflowService.respondWorkflowTaskCompleted({ namespace: 'default', taskToken });
  await harness.restartWorker();
  expect(await turn).toMatchObject({ processed: 5, last_batch: { number: 1 } });
  expect([...tool.touched.values()]).toEqual(tool.items.slice(0, 5).map(() => 1));
  await cancelBulkOperation(client, id);
  expect(await unreplayableOf(client, [id])).toEqual([]);
});

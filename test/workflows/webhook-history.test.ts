import {
  Client,
  QueryNotRegisteredError,
  WorkflowNotFoundError,
  type WorkflowQueryInput,
} from '@temporalio/client';
import { createTargets } from '../../activities/webhooks/targets';
import { continueBulkOperation, listDeliveries } from '../../src/client';
import { READ_AHEAD } from '../../src/contract/text';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';
import { hookTo, SECRET, startSink, type WebhookSink } from '../helpers/webhook-sink';

const { adapter } = countingTool(7);
let sink: WebhookSink;
let harness: Harness;
beforeAll(async () => {
  sink = await startSink();
  const targets = await createTargets({ webhooks: [hookTo(sink.url)], folder: '.' }, { HOOK_SECRET: SECRET });
  harness = await startHarness({ adapters: [adapter], webhooks: { targets } });
});
afterAll(async () => {
  await harness.close();
  await sink.close();
});

it('does not change the history of an operation without webhooks', async () => {
  const bare = await startHarness({ adapters: [adapter], store: harness.store });
  const eventsOf = async (on: Harness) => {
    const { client } = on;
    const { operation_id } = await on.start({ batch_size: 7 });
    await continueBulkOperation(client, operation_id, { batch: 1 });
    await client.workflow.getHandle(operation_id).result();
    const { events = [] } = await client.workflow.getHandle(operation_id).fetchHistory();
    return (events ?? []).map(({ eventType }) => eventType);
  };
  expect(await eventsOf(harness)).toEqual(await eventsOf(bare));
  await bare.stopWorker();
});

/** A client whose first query fails with this error. */
function failingOnce(error: Error) {
  let queries = 0;
  const failing = {
    query: (input: WorkflowQueryInput, next: (input: WorkflowQueryInput) => Promise<unknown>) => {
      queries += 1;
      if (queries === 1) throw error;
      return next(input);
    },
  };
  const { connection } = harness.client;
  return {
    client: new Client({ connection, interceptors: { workflow: [failing] } }),
    queries: () => queries,
  };
}

it('lists deliveries although a worker refuses the first query, and leaves out one that was just deleted', async () => {
  const { operation_id } = await harness.start({ batch_size: 7 });
  await sink.until(() => sink.received.some(({ message }) => message.data.operation_id === operation_id));
  // Until the list has it, and the worker has noted that it arrived.
  await caughtUp(async () =>
    expect(await listDeliveries(harness.client, { operation_id }, harness.taskQueue)).toMatchObject([
      { state: 'delivered' },
    ]),
  );
  // As the SDK throws a failed query; the code is gRPC's INVALID_ARGUMENT.
  const early = failingOnce(new QueryNotRegisteredError(READ_AHEAD, 3));
  const rows = await listDeliveries(early.client, { operation_id }, harness.taskQueue);
  expect(rows).toMatchObject([{ type: 'awaiting_confirmation', target: 'chat' }]);
  expect(early.queries()).toBe(2);
  const deleted = failingOnce(new WorkflowNotFoundError('workflow not found', 'deleted', undefined));
  expect(await listDeliveries(deleted.client, { operation_id }, harness.taskQueue)).toEqual([]);
  expect(deleted.queries()).toBe(1);
});

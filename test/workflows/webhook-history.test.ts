import { createTargets } from '../../activities/webhooks/targets';
import { continueBulkOperation } from '../../src/client';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
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

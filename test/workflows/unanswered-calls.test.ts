import { httpAdapter, startServer } from '../adapters/http-setup';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { cancelBulkOperation, continueBulkOperation, getBulkItems } from '../../src/client';
import { manyItems, startHarness, testServer, type Harness } from '../helpers/harness';
import { loadWorkerProcess } from '../helpers/spawn-worker';
import { newStoreUrl } from '../helpers/store';

const never = new Promise<never>(() => undefined);
/** Each tool ignores its deadline at one item, whose outcome it cannot read back. */
const silent = createFakeAdapter({
  items: () => manyItems(6),
  sliceSize: 6,
  apply: ({ id }) => (id === 'item-003' ? never : Promise.resolve()),
  readBack: () => never,
});
const unwilling = createFakeAdapter({
  toolName: 'unwilling',
  items: () => manyItems(6),
  sliceSize: 6,
  apply: ({ id }) => (id === 'item-003' ? never : Promise.resolve()),
  readBack: () => Promise.resolve('not_applied'),
});

let server: Awaited<ReturnType<typeof startServer>>;
let harness: Harness;
beforeAll(async () => {
  server = await startServer();
  harness = await startHarness({
    adapters: [silent, unwilling, httpAdapter([server.host])],
    settings: { call_timeout_ms: 4_000 },
  });
});
afterAll(async () => {
  await harness?.close();
  await server?.close();
});

const outcomes = async (id: string) =>
  (await getBulkItems(harness.client, id)).items.map(({ outcome }) => outcome);

it('ends a batch although its tool ignores the deadline, and keeps what the tool reported', async () => {
  const { operation_id } = await harness.start({ batch_size: 6 });
  const turn = await continueBulkOperation(harness.client, operation_id, { batch: 1 });
  expect(turn).toMatchObject({ state: 'awaiting_resolution', succeeded: 5, in_doubt: 1 });
  expect((await harness.status(operation_id)).errors).toMatchObject([
    { item_id: 'item-003', error: expect.stringContaining('fake did not answer in time') },
  ]);
  // A call that did not end may still change the item, whatever a look shows now.
  const other = await harness.start({ domain: 'unwilling', batch_size: 6 });
  await continueBulkOperation(harness.client, other.operation_id, { batch: 1 });
  expect((await outcomes(other.operation_id))[2]).toBe('in_doubt');
});

it('ends a batch of requests although a receiver answers 101, and names only its own item', async () => {
  server.answer = ({ path }, response) => {
    if (path !== '/7') return void response.writeHead(204).end();
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
  };
  const { operation_id } = await harness.start({
    ...{ domain: 'http', action: 'request', batch_size: 10 },
    params: { method: 'POST', url: `${server.url}/{{id}}` },
    items: Array.from({ length: 10 }, (_, at) => ({ id: String(at), display_name: `Item ${at}` })),
  });
  const turn = await continueBulkOperation(harness.client, operation_id, { batch: 1 });
  expect(turn).toMatchObject({ state: 'awaiting_resolution', succeeded: 9, in_doubt: 1 });
  expect((await outcomes(operation_id))[7]).toBe('in_doubt');
  const end = await cancelBulkOperation(harness.client, operation_id);
  expect(end.state).toBe('cancelled');
});

it('stops a worker although a call of its tool never ends', async () => {
  const worker = await loadWorkerProcess({
    ...testServer(),
    ...{ taskQueue: harness.taskQueue, dataDir: '.', databaseUrl: await newStoreUrl() },
    ...{ targetUrl: server.url, settings: {}, shutdownForceMs: 100 },
  })();
  // The worker of this process has no such tool.
  await harness.stopWorker();
  const started = harness.start({ domain: 'stuck' }).catch(() => undefined);
  await worker.said(/^stuck$/);
  await worker.end();
  expect(worker.alive()).toBe(false);
  await harness.restartWorker();
  await started;
});

import {
  continueBulkOperation,
  getBulkStatus,
  previewBulkOperation,
  retryFailedItems,
  undoBulkOperation,
} from '../../src/client';
import type { BulkItem } from '../../src/contract/items';
import { startHarness, type Harness } from '../helpers/harness';
import { httpAdapter, SECRET } from './http-setup';
import { item, startThings } from './http-things';

let world: Awaited<ReturnType<typeof startThings>>;
let harness: Harness;
beforeAll(async () => {
  world = await startThings();
  harness = await startHarness({ adapters: [httpAdapter([world.server.host])] });
});
afterAll(async () => {
  await harness.close();
  await world.close();
});
beforeEach(() => world.reset());

describe('an operation', () => {
  const start = (params: object, items: BulkItem[]) =>
    harness.start({ domain: 'http', action: 'request', params: { ...params }, items, batch_size: 5 });

  test('previews the states, skips what changed, and is undone', async () => {
    const items = [item('1'), item('2'), item('3')];
    const input = { domain: 'http', action: 'request', params: world.patch(), items };
    const preview = await previewBulkOperation(harness.client, input, { task_queue: harness.taskQueue });
    expect(preview.change.reversible).toBe('yes');
    expect(preview.items[0]).toMatchObject({ before: { status: 'new' }, after: { status: 'done' } });
    const only = world.patch({ read: undefined, undo: { method: 'DELETE', url: `${world.url}/{{.link}}` } });
    const linked = await start(only, [item('1', 'x', { link: 'l' }), ...items.slice(1)]);
    expect(linked.next_batch?.change.undoable).toEqual({ items: 1, partly: 0, of: 3 });
    const { operation_id: id } = await start(world.patch(), items);
    world.things.get('2')!['status'] = 'held';
    await continueBulkOperation(harness.client, id, { batch: 1 });
    expect(await getBulkStatus(harness.client, id)).toMatchObject({ succeeded: 2, skipped: 1 });
    const undo = await undoBulkOperation(harness.client, id);
    await continueBulkOperation(harness.client, undo.operation_id, { batch: 1 });
    expect(world.statuses()).toEqual(['new', 'held', 'new']);
  });

  test('is undone by what each answer said, and an item whose answer did not say it stays', async () => {
    let made = 0;
    world.server.answer = ({ method }, response) => {
      const order = made++ === 1 ? { note: 'x' } : { id: `o-${made}`, token: SECRET };
      response.end(method === 'POST' ? JSON.stringify({ order }) : '');
    };
    const params = {
      method: 'POST',
      url: `${world.server.url}/orders`,
      body: { of: '{{id}}' },
      undo: { method: 'DELETE', url: `${world.server.url}/orders/{{response.order.id}}` },
    };
    const { operation_id: id, message } = await start(params, [item('1'), item('2'), item('3')]);
    expect(message).toContain('Ready to send a request for 3 items');
    await continueBulkOperation(harness.client, id, { batch: 1 });
    const kept = (await harness.store.ledger.read(id))?.items.map((one) => one.kept);
    expect(kept).toEqual([
      { response: { 'order.id': 'o-1' } },
      undefined,
      { response: { 'order.id': 'o-3' } },
    ]);
    const undo = await undoBulkOperation(harness.client, id);
    expect(undo).toMatchObject({ total: 3, skipped: 1 });
    expect(undo.message).toContain(
      '1 item(s) cannot be undone and stay as they are:\n' +
        '- Thing 2 (2): it cannot be undone: The answer to the change had no order.id',
    );
    await continueBulkOperation(harness.client, undo.operation_id, { batch: 1 });
    const deleted = world.server.received.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    expect(deleted.sort()).toEqual(['/orders/o-1', '/orders/o-3']);
  });

  test('stops at the first refusal of everything, keeps its question, and goes on with what was not sent', async () => {
    const params = { method: 'POST', url: `${world.url}/{{.to}}` };
    const answer = world.server.answer;
    world.server.answer = (request, response) =>
      request.path === '/things/1/done'
        ? answer(request, response)
        : void response.writeHead(429, { 'retry-after': '1' }).end('slow down');
    const { operation_id: id } = await start(params, [item('1'), item('2'), item('3')]);
    await continueBulkOperation(harness.client, id, { batch: 1 });
    const stopped = await getBulkStatus(harness.client, id);
    expect(stopped).toMatchObject({
      ...{ state: 'batch_failed', succeeded: 1, failed: 0, remaining: 2 },
      error: { code: 'RATE_LIMITED', hint: expect.stringMatching(/until 20\d\d-.*Z/) as string },
    });
    world.server.answer = answer;
    await continueBulkOperation(harness.client, id, { batch: 1, attempt: 2 });
    // It begins when the server accepts requests again, which may be by now.
    await harness.client.workflow.getHandle(id).result();
    expect(await getBulkStatus(harness.client, id)).toMatchObject({ state: 'completed', succeeded: 3 });
    const sent = world.server.received.filter(({ path }) => path === '/things/1/done');
    expect(sent).toHaveLength(1);
  });

  test('sends the first key of an item again when it is retried', async () => {
    const params = { method: 'POST', url: `${world.url}/{{.to}}`, idempotency_header: 'Idempotency-Key' };
    world.onWrite = () => ({ status: 429 });
    const { operation_id: id } = await start(params, [item('1')]);
    await continueBulkOperation(harness.client, id, { batch: 1 });
    const retry = await retryFailedItems(harness.client, id);
    await continueBulkOperation(harness.client, retry.operation_id, { batch: 1 });
    const again = await retryFailedItems(harness.client, retry.operation_id);
    await continueBulkOperation(harness.client, again.operation_id, { batch: 1 });
    expect(world.server.received.map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array(3).fill(`${id}/1`),
    );
  });

  test('keeps the values of an item with its state, so that a retry sends them', async () => {
    world.onWrite = () => ({ status: 429 });
    const { operation_id: id } = await start(world.patch(), [item('1')]);
    await continueBulkOperation(harness.client, id, { batch: 1 });
    world.reset();
    const retry = await retryFailedItems(harness.client, id);
    expect(retry.next_batch?.items[0]).toMatchObject({
      before: { status: 'new' },
      after: { status: 'done' },
    });
    await continueBulkOperation(harness.client, retry.operation_id, { batch: 1 });
    expect(world.statuses()).toEqual(['done', 'new', 'new']);
  });
});

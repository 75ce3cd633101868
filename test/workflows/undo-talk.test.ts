import { randomUUID } from 'node:crypto';
import { handleMessage } from '../../src/client';
import type { BulkOperationInput } from '../../src/contract/operation';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { manyItems, startHarness, type Harness } from '../helpers/harness';

const marks = new Map<string, string>();
const busy = new Set<string>();
const adapter = createFakeAdapter({
  marks,
  items: () => manyItems(12),
  apply: ({ id }) =>
    Promise.resolve(
      busy.has(id) ? { item_id: id, success: false, error: 'busy', retryable: true } : undefined,
    ),
});
const fixed = createFakeAdapter({
  toolName: 'fixed',
  items: () => manyItems(5),
  apply: () => Promise.resolve(),
});

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [adapter, fixed], settings: { batches_per_run: 2 } });
});
afterAll(() => harness.close());
beforeEach(() => marks.clear());

const LATER = { domain: 'fake', action: 'mark', params: { group: 'all', mark: 'later' }, batch_size: 5 };
const start = (input: Partial<BulkOperationInput>) => harness.start({ ...LATER, ...input });
const sayIn = (session: string) => (text: string) =>
  handleMessage(harness.client, session, text, { task_queue: harness.taskQueue, message_id: randomUUID() });

it('undoes the last operation of a conversation on request', async () => {
  const say = sayIn('undo-talk');
  const { operation_id: id } = await start({ session_id: 'undo-talk' });
  await say('continue');
  expect((await say('undo that')).reply).toMatch(/^5 of 12 items were changed so far\. Say 'cancel' first/);
  await say('cancel');
  const asked = await say('undo that');
  expect(asked).toMatchObject({ handled: true, status: { operation_id: `${id}.undo`, total: 5 } });
  expect(asked.reply).toMatch(/^Undo: Mark each item.*\nReady to undo “mark” on 5 items/);
  await say('continue');
  expect(marks.size).toBe(0);
});

it('goes on with the last operation of a conversation after an undo was refused', async () => {
  const say = sayIn('undo-refused');
  const { operation_id: id } = await start({ domain: 'fixed', session_id: 'undo-refused' });
  await say('continue');
  for (let times = 0; times < 2; times++) {
    let refused = await say('undo that');
    while (!refused.handled) refused = await say('undo that');
    expect(refused.reply).toMatch(/^mark on fixed cannot be undone\. /);
    expect(await say('who confirmed?')).toMatchObject({ handled: true, status: { operation_id: id } });
  }
});

it('goes on with the last operation of a conversation after an undo of nothing', async () => {
  const say = sayIn('undo-nothing');
  for (const { id } of manyItems(5)) busy.add(id);
  const { operation_id: id } = await start({ session_id: 'undo-nothing' });
  await say('continue');
  await say('cancel');
  expect((await say('undo that')).reply).toContain('nothing was taken back');
  const asked = await say('retry the failed ones');
  expect(asked).toMatchObject({ handled: true, status: { operation_id: `${id}.retry`, total: 5 } });
  await say('cancel');
});

import { cancelBulkOperation, getBulkStatus, undoBulkOperation } from '../../src/client';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkStatus } from '../../src/contract/operation';
import { itemGroups } from '../../src/core/bulk/groups';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { confirmOpen } from '../helpers/confirm';
import { manyItems, startHarness, type Harness } from '../helpers/harness';
import { afterReset, reset, tasksOf } from '../helpers/resets';

const marks = new Map<string, string>();
/** The tool predicts that these fail. */
const locked = new Set(['item-007', 'item-012']);
/** The next batch dies after its last item. */
let dies = false;
const tool = createFakeAdapter({
  marks,
  items: () => manyItems(12),
  sliceSize: 5,
  apply: () => Promise.resolve(),
});
const adapter: BulkAdapter = {
  ...tool,
  previewItem(item, context) {
    const preview = tool.previewItem?.(item, context);
    return { ...preview, ...(locked.has(item.id) && { expected_error: 'It is locked' }) };
  },
  async executeBatch(items, context, call) {
    const results = await tool.executeBatch(items, context, call);
    if (!dies) return results;
    dies = false;
    throw new Error('The process died.');
  },
};

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [adapter], settings: { call_timeout_ms: 5_000 } });
});
afterAll(() => harness.close());
beforeEach(() => {
  dies = false;
  marks.clear();
  marks.set('item-002', 'later').set('item-008', 'later');
});

const start = () => harness.start({ params: { group: 'all', mark: 'later' }, batch_size: 5 });
const kindsOf = (groups: BulkStatus['groups'] = []) => groups.map(({ kind, count }) => [kind, count]);

/** What the open question shows of its items, which is the same in groups. */
function shownIn({ next_batch }: BulkStatus) {
  const { items = [], groups } = next_batch ?? {};
  expect(groups).toEqual(itemGroups(items));
  return { number: next_batch?.number, ids: items.map(({ id }) => id), kinds: kindsOf(groups) };
}

const WHOLE = [
  ['fails', 2],
  ['already', 2],
  ['changes', 8],
];
const SECOND = {
  number: 2,
  ids: ['item-006', 'item-007', 'item-008', 'item-009', 'item-010'],
  kinds: [
    ['fails', 1],
    ['already', 1],
    ['changes', 3],
  ],
};
const THIRD = {
  number: 3,
  ids: ['item-011', 'item-012'],
  kinds: [
    ['fails', 1],
    ['changes', 1],
  ],
};

it.each([
  ['read with the batch before it', false],
  ['read alone, after a batch that died once all of it was done', true],
])('shows in a later question what its items are and will be, %s', async (_, died) => {
  const first = await start();
  const { operation_id: id } = first;
  expect(kindsOf(first.groups)).toEqual(WHOLE);
  dies = died;
  await confirmOpen(harness.client, id);
  const second = await getBulkStatus(harness.client, id);
  expect(shownIn(second)).toEqual(SECOND);
  expect(kindsOf(second.groups)).toEqual(WHOLE);
  expect(second.next_batch?.items[1]).toMatchObject({
    ...{ before: { mark: null }, after: { mark: 'later' }, expected_error: 'It is locked' },
  });
  const { events = [] } = await harness.client.workflow.getHandle(id).fetchHistory();
  const read = (events ?? []).filter(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'readQuestion',
  );
  expect(read).toHaveLength(died ? 1 : 0);
  await confirmOpen(harness.client, id);
  expect(shownIn(await getBulkStatus(harness.client, id))).toEqual(THIRD);
  await cancelBulkOperation(harness.client, id);
});

it.each(['the first', 'a later'] as const)(
  'shows the same after a reset in Temporal to %s task, of the whole plan and of the open batch',
  async (which) => {
    const { operation_id: id } = await start();
    const tasks = await tasksOf(harness.client, id);
    await confirmOpen(harness.client, id);
    const before = await getBulkStatus(harness.client, id);
    // The tool would tell other things now.
    marks.clear();
    await reset(harness.client, id, which === 'the first' ? tasks[0] : tasks.at(-1));
    const after = await afterReset(harness.client, id);
    expect(shownIn(after)).toEqual(SECOND);
    expect(after.next_batch).toMatchObject({ attempt: 2, items: before.next_batch?.items });
    expect([after.groups, after.already, after.expected_errors]).toEqual([before.groups, 2, 2]);
    await confirmOpen(harness.client, id);
    expect(shownIn(await getBulkStatus(harness.client, id))).toEqual(THIRD);
    await cancelBulkOperation(harness.client, id);
  },
);

it('shows the conflicts of an undo in its plan, in later questions and after a reset', async () => {
  const { operation_id: id } = await start();
  for (let batch = 0; batch < 3; batch++) await confirmOpen(harness.client, id);
  marks.set('item-003', 'mine').set('item-009', 'mine');
  const first = await undoBulkOperation(harness.client, id, { overwrite: ['item-003'] });
  const { operation_id: undo } = first;
  const conflicts = ({ groups = [] }: BulkStatus) =>
    groups.filter(({ kind }) => kind === 'conflict').map(({ count, conflict }) => [count, conflict]);
  expect(conflicts(first)).toEqual([[2, 'mark is now “mine”']]);
  expect(shownIn(first).ids).not.toContain('item-009');
  await confirmOpen(harness.client, undo);
  const second = await getBulkStatus(harness.client, undo);
  expect(conflicts(second)).toEqual(conflicts(first));
  expect(second.groups).toEqual(first.groups);
  const { kinds, ids } = shownIn(second);
  expect([kinds[0], ids]).toEqual([['conflict', 1], expect.arrayContaining(['item-003'])]);
  await reset(harness.client, undo);
  const after = await afterReset(harness.client, undo);
  expect(after.groups).toEqual(first.groups);
  expect(shownIn(after)).toEqual(shownIn(second));
  await cancelBulkOperation(harness.client, undo);
});

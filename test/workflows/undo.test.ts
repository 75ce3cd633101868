import {
  cancelBulkOperation,
  getBulkItems,
  getBulkStatus,
  previewBulkOperation,
  retryFailedItems,
  startRemainingItems,
  undoBulkOperation,
} from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { codeOf, manyItems, startHarness, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

const marks = new Map<string, string>();
const calls: string[] = [];
let count = 12;
const busy = new Set<string>();
const adapter = createFakeAdapter({
  marks,
  items: () => manyItems(count),
  onCall: (method) => calls.push(method),
  apply: ({ id }) => {
    const failed = { item_id: id, success: false, error: 'busy', retryable: true };
    return Promise.resolve(busy.has(id) ? failed : undefined);
  },
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
beforeEach(() => {
  marks.clear();
  count = 12;
  busy.clear();
  calls.length = 0;
});

const LATER: BulkOperationInput = {
  domain: 'fake',
  action: 'mark',
  params: { group: 'all', mark: 'later' },
  batch_size: 5,
};
const start = (input: Partial<BulkOperationInput> = {}) => harness.start({ ...LATER, ...input });
const preview = (input: Partial<BulkOperationInput> = {}) =>
  previewBulkOperation(harness.client, { ...LATER, ...input }, { task_queue: harness.taskQueue });
const undo = (id: string, options = {}) => undoBulkOperation(harness.client, id, options);

/** Confirms batch after batch, and counts the confirmations. */
async function runAll({ operation_id: id }: Pick<BulkStatus, 'operation_id'>) {
  for (let confirmations = 0; ; confirmations++) {
    const status = await getBulkStatus(harness.client, id);
    if (!status.needs_confirmation) return { status, confirmations };
    await confirmOpen(harness.client, id);
  }
}

describe('a preview', () => {
  it('shows the current and the new state of each item, and changes nothing', async () => {
    marks.set('item-002', 'later').set('item-003', 'now');
    const { items, ...seen } = await preview();
    expect(seen).toMatchObject({ total: 12, already: 1, expected_errors: 0, batches_total: 3 });
    expect(items.slice(0, 3)).toEqual([
      { id: 'item-001', display_name: 'Item 1', batch: 1, before: { mark: null }, after: { mark: 'later' } },
      expect.objectContaining({ id: 'item-002', already: true }),
      expect.objectContaining({ id: 'item-003', before: { mark: 'now' } }),
    ]);
    expect([...marks]).toEqual([
      ['item-002', 'later'],
      ['item-003', 'now'],
    ]);
    expect(calls).not.toContain('executeBatch');
  });

  it('binds a start: the same plan starts, and shows the same at its gate', async () => {
    const { digest, items } = await preview();
    const status = await start({ expect_digest: digest });
    expect(status.next_batch?.items).toEqual(items.slice(0, 5).map(({ batch: _, ...item }) => item));
  });

  it.each<[string, () => Partial<BulkOperationInput> | void, RegExp]>([
    ['an item that is new', () => void (count = 13), /1 item is new: Item 13 \(item-013\)/],
    ['an item that is gone', () => void (count = 11), /1 item is gone: Item 12 \(item-012\)/],
    [
      'a value that is another one before',
      () => void marks.set('item-002', 'now'),
      /Item 2 \(item-002\) was \[mark: none → “later”\], is \[mark: “now” → “later”\]/,
    ],
    ['a parameter', () => ({ params: { group: 'all', mark: 'soon' } }), /mark was later, is soon/],
    ['the size of the batches', () => ({ batch_size: 6 }), /batch_size was 5, is 6/],
  ])('refuses a start that differs by %s, and names the difference', async (_, change, difference) => {
    const { digest } = await preview();
    const error = await start({ ...change(), expect_digest: digest }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'CHANGED_SINCE_PREVIEW',
      message: expect.stringMatching(difference),
    });
    expect(calls).not.toContain('executeBatch');
  });

  it('refuses a digest that belongs to no stored preview', async () => {
    expect(await codeOf(start({ expect_digest: 'a'.repeat(64) }))).toBe('CHANGED_SINCE_PREVIEW');
  });

  it('is refused like the start would be', async () => {
    expect(await codeOf(preview({ action: 'paint' }))).toBe('INVALID_INPUT');
    expect(await codeOf(preview({ batch_size: 500 }))).toBe('INVALID_INPUT');
  });
});

describe('an item that already has the wished state', () => {
  it('is counted in the question, and succeeds without a call', async () => {
    for (let at = 1; at <= 5; at++) marks.set(`item-00${at}`, 'later');
    const asked = await start();
    expect(asked.message).toMatch(/^Ready to mark 12 items .*\n5 of 12 already have this mark\.$/);
    calls.length = 0;
    const turn = await confirmOpen(harness.client, asked.operation_id);
    expect(turn).toMatchObject({ succeeded: 5, already: 5 });
    expect(calls).toEqual([]);
  });
});

describe('an item that changed since its preview', () => {
  it('is not changed, is named, and is offered again in its current state', async () => {
    const { operation_id: id } = await start();
    marks.set('item-002', 'urgent');
    const turn = await confirmOpen(harness.client, id);
    expect(turn.last_batch).toMatchObject({ succeeded: 4, skipped: 1 });
    expect(turn.message).toContain(
      '1 item(s) changed since the preview and were skipped:\n' +
        '- Item 2 (item-002): Changed since the preview: mark was none, is now “urgent”',
    );
    expect(marks.get('item-002')).toBe('urgent');
    const { status } = await runAll({ operation_id: id });
    expect(status).toMatchObject({ state: 'completed', succeeded: 11, skipped: 1 });
    const { items } = await getBulkItems(harness.client, id, { outcome: 'skipped' });
    expect(items).toMatchObject([
      { id: 'item-002', error: expect.stringMatching(/^changed_since_preview: /) },
    ]);
    const again = await retryFailedItems(harness.client, id);
    expect(again.next_batch?.items).toMatchObject([{ id: 'item-002', before: { mark: 'urgent' } }]);
    await runAll(again);
    expect(marks.get('item-002')).toBe('later');
  });
});

describe('an undo', () => {
  const done = async (input: Partial<BulkOperationInput> = {}) => (await runAll(await start(input))).status;

  it('restores the previous state, the last item first, one batch per confirmation', async () => {
    marks.set('item-003', 'now').set('item-004', 'later');
    const were = new Map(marks);
    const { operation_id: id } = await done();
    expect(new Set(marks.values())).toEqual(new Set(['later']));
    const asked = await undo(id);
    expect(asked).toMatchObject({ operation_id: `${id}.undo`, undoes: id, total: 11 });
    expect(asked.message).toBe(
      "Ready to undo “mark” on 11 items in batches of 5. Say 'continue' to start, or 'cancel' to abort.",
    );
    expect(asked.next_batch).toMatchObject({
      change: { summary: 'Undo: Mark each item of the group “all” with “later”.', reversible: 'yes' },
      items: [{ id: 'item-012', before: { mark: 'later' }, after: { mark: null } }, {}, {}, {}, {}],
    });
    const { status, confirmations } = await runAll(asked);
    expect([status.state, status.succeeded, confirmations]).toEqual(['completed', 11, 3]);
    expect(marks).toEqual(were);
    expect(await getBulkStatus(harness.client, id)).toMatchObject({ undone_by: `${id}.undo` });
    expect(await undo(id)).toMatchObject({ operation_id: `${id}.undo`, state: 'completed' });
  });

  it('of an undo makes the change again', async () => {
    marks.set('item-003', 'now');
    const { operation_id: id } = await done();
    await runAll(await undo(id));
    const asked = await undo(`${id}.undo`);
    expect(asked.next_batch?.change.summary).toMatch(/^Redo: Mark/);
    await runAll(asked);
    expect([...marks.values()]).toEqual(Array(12).fill('later'));
    const last = await undo(`${id}.undo.undo`);
    expect(last.next_batch?.change.summary).toMatch(/^Undo: Mark/);
    await runAll(last);
    expect([...marks]).toEqual([['item-003', 'now']]);
  });

  it('of a cancelled operation restores what that had changed', async () => {
    const { operation_id: id } = await start();
    await confirmOpen(harness.client, id);
    expect(await codeOf(undo(id))).toBe('INVALID_INPUT');
    const asked = await undo(id, { cancel_first: true });
    expect(asked.total).toBe(5);
    await runAll(asked);
    expect(marks.size).toBe(0);
  });

  it('keeps later changes, unless told to overwrite them', async () => {
    const { operation_id: id } = await done();
    marks.set('item-012', 'mine').set('item-011', 'mine');
    for (let at = 1; at <= 5; at++) marks.set(`item-00${at}`, 'mine');
    const asked = await undo(id);
    expect(asked.message).toContain(
      '7 item(s) were changed after the operation and stay as they are:\n- Item 12 (item-012): mark is now “mine”',
    );
    const { status, confirmations } = await runAll(asked);
    // The last batch has nothing left to run, so it has no question.
    expect([status.state, status.succeeded, status.skipped, confirmations]).toEqual(['completed', 5, 7, 2]);
    expect([...marks.values()]).toEqual(Array(7).fill('mine'));
    const forced = await undo(id, { overwrite: ['item-012'] });
    expect(forced).toMatchObject({ operation_id: `${id}.undo-2`, already: 5, skipped: 6 });
    await runAll(forced);
    expect(marks.has('item-012')).toBe(false);
    await runAll(await undo(id, { overwrite: 'all' }));
    expect(marks.size).toBe(0);
  });

  it('skips an item that changed after its question was asked', async () => {
    const { operation_id: id } = await done();
    const asked = await undo(id);
    marks.set('item-012', 'mine');
    const { status } = await runAll(asked);
    expect(status).toMatchObject({ succeeded: 11, skipped: 1 });
    expect([...marks]).toEqual([['item-012', 'mine']]);
  });

  it('is refused if the tool cannot undo the change', async () => {
    const { operation_id: id } = await runAll(await start({ domain: 'fixed' })).then(({ status }) => status);
    const error = await undo(id).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BatchgateError);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', message: 'mark on fixed cannot be undone.' });
  });

  it('can be started by a plain client, and refuses parameters', async () => {
    const { operation_id: id } = await done();
    const plain = { domain: 'fake', action: 'mark', batch_size: 5, undoes: id };
    const asked = await harness.start({ ...plain, params: undefined });
    expect(asked).toMatchObject({ total: 12, undoes: id });
    await cancelBulkOperation(harness.client, asked.operation_id);
    expect(await codeOf(start({ undoes: id }))).toBe('INVALID_INPUT');
    expect(await codeOf(start({ overwrite: 'all' }))).toBe('INVALID_INPUT');
  });

  it('is followed over exactly its failed items, or exactly the rest, and overwrites the same', async () => {
    const { operation_id: id } = await done();
    marks.set('item-012', 'mine');
    const { operation_id } = await undo(id, { overwrite: ['item-012'] });
    busy.add('item-012');
    await confirmOpen(harness.client, operation_id, { exclude: [{ id: 'item-011' }] });
    await cancelBulkOperation(harness.client, operation_id);
    busy.clear();
    const again = await retryFailedItems(harness.client, operation_id);
    expect(again).toMatchObject({
      undoes: id,
      total: 1,
      skipped: 0,
      next_batch: { items: [{ id: 'item-012' }] },
    });
    await runAll(again);
    const rest = await startRemainingItems(harness.client, operation_id);
    expect(rest).toMatchObject({
      undoes: id,
      total: 7,
      next_batch: { items: [{ id: 'item-007' }, {}, {}, {}, {}] },
    });
    await runAll(rest);
    expect([...marks]).toEqual([['item-011', 'later']]);
    const unknown = [{ id: 'item-099' }];
    expect(await codeOf(start({ params: undefined, undoes: id, items: unknown }))).toBe('INVALID_INPUT');
  });

  it('is previewed like any other operation', async () => {
    const { operation_id: id } = await done();
    marks.set('item-001', 'mine');
    const seen = await preview({ params: undefined, undoes: id });
    expect(seen).toMatchObject({ total: 12, skipped: 1, undoes: id });
    expect(seen.items.at(-1)).toMatchObject({
      id: 'item-001',
      conflict: 'mark is now “mine”',
      skipped: true,
    });
  });
});

import assert from 'node:assert/strict';
import type { BatchCall, BulkAdapter } from '../../contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../contract/items';
import { itemPreviewSchema, type ItemPreview } from '../../contract/preview';
import { itemToRestore } from '../../core/bulk/undo';
import type { ConformanceCase, ConformanceWorld } from './subject';
import {
  assertApplies,
  assertChanged,
  assertOneEach,
  call,
  eachRequest,
  freeze,
  travelled,
  writes,
  type Batch,
} from './tools';

/** Returns the previews of frozen items. Asserts that they are valid, repeatable and made without a provider call. */
function previews(
  world: ConformanceWorld,
  adapter: BulkAdapter,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
): ItemPreview[] {
  world.forgetCalls();
  const first = items.map((item) => itemPreviewSchema.parse(travelled(adapter.previewItem!(item, context))));
  const second = travelled(items).map((item) => world.adapter().previewItem!(item, travelled(context)));
  assert.deepEqual(travelled(second), first, 'two previews of the same item differ');
  assert.deepEqual(world.calls(), [], 'the preview calls the provider');
  for (const { before, after } of first.filter((preview) => preview.before && preview.after))
    assert.deepEqual(
      Object.keys(after!).sort(),
      Object.keys(before!).sort(),
      'before and after name other fields',
    );
  return first;
}

/** Freezes the items again, with their current data and the fields that the caller sent. */
const frozenAnew = (adapter: BulkAdapter, { request, context, items }: Batch) =>
  freeze(
    adapter,
    context,
    items.map(({ id, display_name }) => ({
      ...{ id, display_name },
      ...request.items?.find((item) => item.id === id),
    })),
  );

/** An operation that undoes another operation, with the items that its plan would freeze. */
interface Undo {
  /** The undo is an operation of its own. */
  readonly call: BatchCall;
  readonly context: PreparedBulkContext;
  readonly items: BulkItem[];
}

/** Prepares the undo of an operation with these results. The operation may be an undo itself. */
async function undoing(
  adapter: BulkAdapter,
  { items, context, call: original }: Undo,
  results: readonly BulkResult[],
): Promise<Undo> {
  const undoContext = travelled<PreparedBulkContext>({ ...context, undo: true });
  const operation_id = `${original.operation_id}.undo`;
  return {
    call: { ...original, operation_id },
    context: undoContext,
    items: await freeze(
      adapter,
      undoContext,
      items.map((item, at) => {
        const { kept } = travelled(results[at]!);
        return itemToRestore({ ...item, ...(kept && { kept }) });
      }),
    ),
  };
}

function assertDone(results: readonly BulkResult[], items: readonly BulkItem[], what: string): void {
  assertOneEach(results, items);
  for (const { item_id, success, error } of results)
    assert.ok(success, `${what} of ${item_id} fails: ${error}`);
}

/** Runs `work` for each reversible request. `work` returns false if it checked nothing. */
async function eachReversible(
  world: ConformanceWorld,
  count: number,
  work: (adapter: BulkAdapter, batch: Batch) => Promise<boolean | void>,
): Promise<void> {
  let checked = 0;
  await eachRequest(world, count, async (adapter, batch) => {
    const { reversible = 'no' } = adapter.describeChange?.(batch.context) ?? {};
    if (!adapter.actions[batch.request.action]?.undo || reversible === 'no') return;
    assertApplies(
      typeof adapter.previewItem === 'function',
      'the adapter has an action with `undo`, and no `previewItem`',
    );
    if ((await work(adapter, batch)) !== false) checked += 1;
  });
  assertApplies(checked > 0, 'no request of the world can be undone in a way that this case checks');
}

export const previewingCases: readonly ConformanceCase[] = [
  {
    id: 'previews-what-it-does',
    title: 'shows before the run what every item is after it, without a call',
    run: (world) =>
      eachRequest(world, 2, async (adapter, batch) => {
        const { context, items } = batch;
        assertApplies(typeof adapter.previewItem === 'function', 'the adapter has no `previewItem`');
        const expected = previews(world, adapter, items, context);
        assertDone(await adapter.executeBatch(items, context, call()), items, 'the change');
        const now = await frozenAnew(adapter, batch);
        for (const [at, preview] of previews(world, adapter, now, context).entries()) {
          const { after, already } = expected[at]!;
          assert.notEqual(already, true, 'an unchanged item is previewed as changed already');
          // A deleted item has nothing left to preview.
          if (preview.before === undefined) continue;
          // The preview of an item to create has additional fields, which a later preview of it lacks.
          const fields = Object.keys(preview.before);
          assert.ok(fields.length > 0, 'the preview of an item that is there has no fields');
          const expectedFields = Object.entries(after ?? {}).filter(([field]) => fields.includes(field));
          assert.deepEqual(
            preview.before,
            Object.fromEntries(expectedFields),
            'the item is not as the preview said',
          );
          // A change relative to the current value, such as a shift, can be applied again.
          const same = JSON.stringify(preview.after) === JSON.stringify(preview.before);
          assert.equal(preview.already === true, same, 'a changed item is not previewed as changed already');
        }
      }),
  },
  {
    id: 'respects-other-changes',
    title: 'does not touch an item that somebody else changed since the preview, and says so',
    async run(world) {
      assertApplies(world.disturb, 'the world has no `disturb`');
      await eachRequest(world, 2, async (adapter, { request, context, items }) => {
        const [changed, other] = items;
        await world.disturb!(changed!.id, request);
        const results = await adapter.executeBatch(items, context, call());
        assertOneEach(results, items);
        assert.equal(results[0]?.changed_since_preview, true, `the error is "${results[0]?.error}"`);
        assert.match(results[0]?.error ?? '', /^Changed since the preview/);
        await assertChanged(world, request, [changed!], false);
        await assertChanged(world, request, [other!], true);
      });
    },
  },
  {
    id: 'undoes-what-it-did',
    title: 'takes each change back, and the undo too, and the provider is as it was',
    run: (world) =>
      eachReversible(world, 3, async (adapter, { request, context, items }) => {
        const original = await world.state();
        world.forgetCalls();
        const first = { items, context, call: call() };
        const results = await adapter.executeBatch(items, context, first.call);
        assertDone(results, items, 'the change');
        const requests = world.calls().length;
        const changed = await world.state();
        const undo = await undoing(adapter, first, results);
        for (const preview of previews(world, adapter, undo.items, undo.context)) {
          assert.equal(preview.conflict, undefined, 'nobody changed the item');
          assert.notEqual(preview.already, true, 'the change is previewed as taken back already');
        }
        const undoResults = await undoOnce(world, adapter, undo, requests);
        assert.deepEqual(await world.state(), original, 'the undo does not restore what was there');
        const redo = await undoing(adapter, undo, undoResults);
        await undoOnce(world, adapter, redo, requests);
        assert.deepEqual(await world.state(), changed, 'the undo of the undo does not make the change again');
        await assertChanged(world, request, items, true);
      }),
  },
  {
    id: 'respects-changes-after-it',
    title:
      'takes nothing back that somebody changed since: before the undo a conflict, during it an item left alone',
    run: (world) =>
      eachReversible(world, 2, async (adapter, { request, context, items }) => {
        assertApplies(world.overwrite, 'the world has no `overwrite`');
        const first = { items, context, call: call() };
        const results = await adapter.executeBatch(items, context, first.call);
        assertDone(results, items, 'the change');
        const [early, late] = items.map(({ id }) => id);
        // A value with two states has no third one for another user to set.
        if (!(await world.overwrite(early!, request))) return false;
        const undo = await undoing(adapter, first, results);
        const [conflict, plain] = previews(world, adapter, undo.items, undo.context);
        assert.ok(conflict?.conflict, 'what somebody changed after the operation is not a conflict');
        assert.equal(plain?.conflict, undefined, 'nobody changed the other item');
        await world.overwrite(late!, request);
        const theirs = await world.state();
        const [result] = await adapter.executeBatch(undo.items.slice(1), undo.context, undo.call);
        assert.equal(result?.changed_since_preview, true, `the error is "${result?.error}"`);
        assert.deepEqual(await world.state(), theirs, 'the undo overwrites what somebody changed');
        // A person may nevertheless decide to restore the first one.
        const chosen = undo.items.slice(0, 1);
        assertDone(await adapter.executeBatch(chosen, undo.context, undo.call), chosen, 'the undo');
        return true;
      }),
  },
];

/** Runs an undo with at most twice the requests of the original, and reconciles it with another adapter instance. */
async function undoOnce(
  world: ConformanceWorld,
  adapter: BulkAdapter,
  { call, items, context }: Undo,
  requests: number,
): Promise<BulkResult[]> {
  world.forgetCalls();
  const results = await adapter.executeBatch(items, context, call);
  assertDone(results, items, 'the undo');
  const count = world.calls().length;
  assert.ok(count <= 2 * requests, `the undo takes ${count} requests, and the change took ${requests}`);
  assert.ok(writes(world) <= items.length, 'one write an item, or one for all of them');
  for (const item of travelled(items))
    assert.equal(await world.adapter().reconcile?.(item, context, call), 'applied', item.id);
  return results;
}

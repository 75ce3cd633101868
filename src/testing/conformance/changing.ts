import assert from 'node:assert/strict';
import type { ConformanceCase } from './subject';
import {
  assertChanged,
  assertOneEach,
  call,
  eachRequest,
  failing,
  freeze,
  idsOf,
  named,
  plan,
  prepare,
  SHORT_MS,
  travelled,
  within,
  writes,
} from './tools';

const ALL_SUCCEED = 'every item succeeds if nothing fails';

export const changingCases: readonly ConformanceCase[] = [
  {
    id: 'changes-its-items-only',
    title: 'changes each item of the batch once, and no other item',
    async run(world) {
      await eachRequest(world, 4, async (adapter, { request, context, items }) => {
        const [batch, others] = [items.slice(0, 3), items.slice(3)];
        await assertChanged(world, request, items, false);
        const results = await adapter.executeBatch(batch, context, call());
        assertOneEach(results, batch);
        assert.deepEqual(
          results.map(({ success }) => success),
          [true, true, true],
          ALL_SUCCEED,
        );
        await assertChanged(world, request, batch, true);
        await assertChanged(world, request, others, false);
        assert.ok(writes(world) <= batch.length, 'one write an item, or one for all of them');
      });
    },
  },
  {
    id: 'captures-item-failures',
    title: 'reports an item that does not exist or does not fit, and changes the other items',
    async run(world) {
      await eachRequest(world, 2, async (adapter, { request, context, items }) => {
        const missing = await freeze(adapter, context, [request.unfit ?? world.missing]);
        const batch = [...items.slice(0, 1), ...missing, ...items.slice(1)];
        const results = await adapter.executeBatch(batch, context, call());
        assertOneEach(results, batch);
        assert.deepEqual(
          results.map(({ success }) => success),
          [true, false, true],
          'only the item that does not exist or does not fit fails',
        );
        assert.notEqual(results[1]?.retryable, true, 'such an item is not retryable');
        await assertChanged(world, request, items, true);
      });
    },
  },
  {
    id: 'takes-named-items',
    title: 'changes named items like items from a search',
    async run(world) {
      await eachRequest(world, 2, async (adapter, { request, items }) => {
        const bare = request.items ? items : items.map(({ id }) => ({ id, display_name: id }));
        const context = await prepare(adapter, request.items ? request : named(adapter, request));
        const frozen = await freeze(adapter, context, bare);
        assert.deepEqual(idsOf(frozen), idsOf(bare), 'freezeItems keeps the items and their order');
        assertOneEach(await adapter.executeBatch(frozen, context, call()), bare);
        await assertChanged(world, request, items, true);
      });
    },
  },
  {
    id: 'bounds-its-concurrency',
    title: 'stays within the limit of concurrent calls',
    async run(world, { concurrency }) {
      for (const request of world.requests.filter(({ items }) => items === undefined)) {
        const adapter = world.adapter();
        const context = await prepare(adapter, request);
        world.forgetCalls();
        await plan(adapter, request, context);
        assert.ok(world.mostAtOnce() <= concurrency, 'a plan stays within the limit, too');
      }
      await eachRequest(world, concurrency + 2, async (adapter, { context, items }) => {
        // Unanswered calls stay open together, however fast the provider is.
        const results = await failing(world, { fault: 'silence', on: 'write' }, () =>
          within(SHORT_MS, (limits) => adapter.executeBatch(items, context, limits)),
        );
        assertOneEach(results, items);
        const count = world.mostAtOnce();
        assert.ok(
          count <= concurrency,
          `there were ${count} concurrent calls, but the limit is ${concurrency}`,
        );
      });
    },
  },
  {
    id: 'stops-between-slices',
    title: 'changes only the running slice when a cancellation arrives, and keeps slices small',
    async run(world, { concurrency }) {
      await eachRequest(world, concurrency + 2, async (adapter, { request, context, items }) => {
        const size = Math.max(1, adapter.sliceSize ?? items.length);
        const results = [];
        // The worker's loop: a cancellation during the first write takes effect before the next slice.
        for (let from = 0; from < items.length && writes(world) === 0; from += size)
          results.push(...(await adapter.executeBatch(items.slice(from, from + size), context, call())));
        assertOneEach(results, items.slice(0, size));
        await assertChanged(world, request, items.slice(0, size), true);
        await assertChanged(world, request, items.slice(size), false);
        if (writes(world) > 1)
          assert.ok(
            size <= concurrency,
            `${size} items with one call each run before a cancellation takes effect`,
          );
      });
    },
  },
  {
    id: 'reconciles-after-a-crash',
    title: 'reads back, from another process, which items have the change',
    async run(world) {
      await eachRequest(world, 4, async (adapter, { context, items }) => {
        const [batch, others] = [items.slice(0, 2), items.slice(2)];
        assertOneEach(await adapter.executeBatch(batch, context, call()), batch);
        const other = world.adapter();
        world.forgetCalls();
        for (const item of travelled(batch))
          assert.equal(await other.reconcile?.(item, travelled(context), call()), 'applied', item.id);
        for (const item of others)
          assert.equal(await other.reconcile?.(item, context, call()), 'not_applied', item.id);
        assert.equal(writes(world), 0, 'reconcile only reads');
      });
    },
  },
  {
    id: 'holds-no-state',
    title: 'keeps no state: other instances and interleaved calls give the same results',
    async run(world) {
      const shared = world.adapter();
      const used = new Set<string>();
      const batches = [];
      for (const request of world.requests) {
        const context = await prepare(shared, request);
        const items = (await plan(world.adapter(), request, context)).filter(({ id }) => !used.has(id));
        const batch = items.slice(0, 2);
        for (const { id } of batch) used.add(id);
        batches.push({ request, context, items: batch });
      }
      await Promise.all(
        batches.map(async ({ context, items }, at) => {
          const adapter = at % 2 === 0 ? shared : world.adapter();
          assertOneEach(await adapter.executeBatch(items, context, call()), items);
        }),
      );
      for (const { request, items } of batches) await assertChanged(world, request, items, true);
    },
  },
];

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

const ALL_SUCCEED = 'every item succeeds where nothing fails';

export const changingCases: readonly ConformanceCase[] = [
  {
    id: 'changes-its-items-only',
    title: 'changes each item of its batch, once, and no other item',
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
    title: 'answers for an item that does not exist, and changes the items around it',
    async run(world) {
      await eachRequest(world, 2, async (adapter, { request, context, items }) => {
        const missing = await freeze(adapter, context, [world.missing]);
        const batch = [...items.slice(0, 1), ...missing, ...items.slice(1)];
        const results = await adapter.executeBatch(batch, context, call());
        assertOneEach(results, batch);
        assert.deepEqual(
          results.map(({ success }) => success),
          [true, false, true],
          'the item that does not exist fails, and it alone',
        );
        assert.notEqual(results[1]?.retryable, true, 'what does not exist is not worth a retry');
        await assertChanged(world, request, items, true);
      });
    },
  },
  {
    id: 'takes-named-items',
    title: 'changes items that the caller named as it changes those that it found',
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
    title: 'keeps the calls under way at once within the bound',
    async run(world, { concurrency }) {
      for (const request of world.requests.filter(({ items }) => items === undefined)) {
        const adapter = world.adapter();
        const context = await prepare(adapter, request);
        world.forgetCalls();
        await plan(adapter, request, context);
        assert.ok(world.mostAtOnce() <= concurrency, 'a plan keeps the bound too');
      }
      await eachRequest(world, concurrency + 2, async (adapter, { context, items }) => {
        // Calls that are never answered stay under way together, however quick the provider is.
        const results = await failing(world, { fault: 'silence', on: 'write' }, () =>
          within(SHORT_MS, (limits) => adapter.executeBatch(items, context, limits)),
        );
        assertOneEach(results, items);
        const most = world.mostAtOnce();
        assert.ok(most <= concurrency, `${most} calls were under way at once, and ${concurrency} may be`);
      });
    },
  },
  {
    id: 'stops-between-slices',
    title: 'touches only the slice that was under way when a cancellation came, and keeps it small',
    async run(world, { concurrency }) {
      await eachRequest(world, concurrency + 2, async (adapter, { request, context, items }) => {
        const size = Math.max(1, adapter.sliceSize ?? items.length);
        const results = [];
        // The worker's loop: a cancellation that comes with the first write is heard before the next slice.
        for (let from = 0; from < items.length && writes(world) === 0; from += size)
          results.push(...(await adapter.executeBatch(items.slice(from, from + size), context, call())));
        assertOneEach(results, items.slice(0, size));
        await assertChanged(world, request, items.slice(0, size), true);
        await assertChanged(world, request, items.slice(size), false);
        if (writes(world) > 1)
          assert.ok(
            size <= concurrency,
            `${size} items, each a call of its own, are done before a cancellation is heard`,
          );
      });
    },
  },
  {
    id: 'reconciles-after-a-crash',
    title: 'reads back, from another process, which items have the change',
    async run(world) {
      await eachRequest(world, 4, async (adapter, { context, items }) => {
        const [done, untouched] = [items.slice(0, 2), items.slice(2)];
        assertOneEach(await adapter.executeBatch(done, context, call()), done);
        const other = world.adapter();
        world.forgetCalls();
        for (const item of travelled(done))
          assert.equal(await other.reconcile?.(item, travelled(context), call()), 'applied', item.id);
        for (const item of untouched)
          assert.equal(await other.reconcile?.(item, context, call()), 'not_applied', item.id);
        assert.equal(writes(world), 0, 'reconcile reads, and changes nothing');
      });
    },
  },
  {
    id: 'holds-no-state',
    title: 'works from what it is given alone: other instances, calls that interleave',
    async run(world) {
      const shared = world.adapter();
      const used = new Set<string>();
      const batches = [];
      for (const request of world.requests) {
        const context = await prepare(shared, request);
        const items = (await plan(world.adapter(), request, context)).filter(({ id }) => !used.has(id));
        const own = items.slice(0, 2);
        for (const { id } of own) used.add(id);
        batches.push({ request, context, items: own });
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
  {
    id: 'respects-other-changes',
    title: 'does not write over an item that somebody else changed since it was planned',
    async run(world) {
      assert.ok(world.disturb, 'give the world `disturb`, or exempt this case with its reason');
      for (const request of world.requests) {
        const adapter = world.adapter();
        const context = await prepare(adapter, request);
        const items = (await plan(adapter, request, context)).slice(0, 2);
        const [changed] = items;
        assert.ok(changed && items.length === 2, `${request.action}: the world has too few items`);
        await world.disturb(changed.id, request);
        const results = await adapter.executeBatch(items, context, call());
        assertOneEach(results, items);
        assert.deepEqual(
          results.map(({ success }) => success),
          [false, true],
          `${request.action}: the item that changed fails, and it alone`,
        );
        assert.equal(await world.isChanged(changed.id, request), false, 'what somebody else wrote stays');
      }
    },
  },
];

import assert from 'node:assert/strict';
import type { BulkAdapter } from '../../contract/adapter';
import type { BulkItem, BulkResult } from '../../contract/items';
import type { ConformanceCase, ConformanceWorld, Fault } from './subject';
import {
  assertChanged,
  assertOneEach,
  call,
  eachRequest,
  executed,
  failing,
  prepare,
  refusal,
  searching,
  SHORT_MS,
  untilWriting,
  watched,
  within,
  writes,
  type Batch,
} from './tools';

/** A deadline that no case reaches. */
const HOUR_MS = 3_600_000;

/** Runs a batch of two while every write has this fault. */
function eachWith(
  world: ConformanceWorld,
  fault: Fault,
  judge: (results: BulkResult[], adapter: BulkAdapter, batch: Batch) => void | Promise<void>,
): Promise<void> {
  return eachRequest(world, 2, async (adapter, batch) => {
    const { items, context } = batch;
    const results = await failing(world, { fault, on: 'write' }, () =>
      within(fault === 'silence' ? SHORT_MS : 30_000, (limits) => executed(adapter, items, context, limits)),
    );
    assertOneEach(results, items);
    await judge(results, adapter, batch);
  });
}

/**
 * Defines a case in which the provider changes nothing: each item fails, with this `retryable`, and stays unchanged.
 */
const plainFailure = (id: string, fault: Fault, retryable: boolean, title: string): ConformanceCase => ({
  id,
  title,
  run: (world) =>
    eachWith(world, fault, async (results, _adapter, { request, items }) => {
      for (const result of results) {
        assert.equal(result.success, false);
        assert.notEqual(result.outcome_unknown, true, 'the provider answered: the outcome is known');
        assert.equal(result.retryable ?? false, retryable, `retryable of "${result.error}"`);
      }
      await assertChanged(world, request, items, false);
    }),
});

/** Asserts that each item was read back as changed or has an unknown outcome. A plain failure would be a guess. */
function assertOpen(results: readonly BulkResult[]): void {
  for (const { item_id, success, outcome_unknown } of results)
    assert.ok(success || outcome_unknown === true, `${item_id} was sent, so a plain failure is a guess`);
}

async function reconciled(adapter: BulkAdapter, { items, context }: Batch): Promise<(string | undefined)[]> {
  return Promise.all(items.map(async (item) => adapter.reconcile?.(item, context, call())));
}

export const faultCases: readonly ConformanceCase[] = [
  plainFailure(
    'reports-limits',
    'limited',
    true,
    'reports a rate limit (429) as a retryable error of each item',
  ),
  plainFailure(
    'reports-troubles',
    'broken',
    true,
    'reports a server error (503) as a retryable error of each item',
  ),
  plainFailure(
    'reports-missing',
    'missing',
    false,
    'reports a 404 as an error of each item that is not retryable',
  ),
  {
    id: 'distrusts-malformed-answers',
    title: 'does not trust a success whose answer it cannot parse',
    run: (world) =>
      eachRequest(world, 4, async (adapter, { request, items, context }) => {
        const [first, second] = [items.slice(0, 2), items.slice(2)];
        const under = (fault: Fault, batch: BulkItem[]) =>
          failing(world, { fault, on: 'write' }, () => adapter.executeBatch(batch, context, call()));
        const open = await under('malformed', first);
        assertOneEach(open, first);
        assertOpen(open);
        await assertChanged(world, request, first, true);
        const hollow = await under('hollow', second);
        assertOneEach(hollow, second);
        for (const { item_id, success, retryable, outcome_unknown } of hollow) {
          assert.ok(!success, `${item_id} is reported as a success, but nothing was changed`);
          assert.ok(retryable || outcome_unknown, `${item_id} must be retryable, or its outcome unknown`);
        }
        await assertChanged(world, request, second, false);
      }),
  },
  {
    id: 'admits-lost-answers',
    title: 'reports an unknown outcome when the answer is lost, and finds it by reading back',
    run: (world) =>
      eachWith(world, 'reset', async (results, adapter, batch) => {
        assertOpen(results);
        if (!adapter.reconcile) return;
        for (const state of await reconciled(adapter, batch)) assert.equal(state, 'applied');
      }),
  },
  {
    id: 'tells-the-truth',
    title: 'reports no item as failed or succeeded if it cannot read it and does not know',
    run: (world) =>
      eachRequest(world, 4, async (adapter, { request, items, context }) => {
        for (const [at, fault] of (['limited', 'broken', 'malformed', 'reset'] as const).entries()) {
          const part = items.slice(at, at + 1);
          const results = await failing(world, { fault, on: 'read' }, () => executed(adapter, part, context));
          assertOneEach(results, part);
          for (const { success, outcome_unknown } of results)
            if (outcome_unknown !== true) await assertChanged(world, request, part, success);
        }
      }),
  },
  {
    id: 'gives-up-in-time',
    title: 'ends a call without an answer, with an unknown outcome',
    run: (world) =>
      eachWith(world, 'silence', async (results, adapter, batch) => {
        for (const { item_id, outcome_unknown } of results)
          assert.ok(outcome_unknown, `${item_id} was sent without an answer: its outcome is unknown`);
        if (!adapter.reconcile) return;
        for (const state of await reconciled(adapter, batch)) assert.notEqual(state, 'applied');
      }),
  },
  {
    id: 'sends-nothing-too-late',
    title: 'sends nothing after the deadline or an abort, and reports that nothing was sent',
    run: (world) =>
      eachRequest(world, 2, async (adapter, { request, items, context }) => {
        for (const limits of [call(-1), call(30_000, AbortSignal.abort())]) {
          const results = await adapter.executeBatch(items, context, limits);
          assertOneEach(results, items);
          for (const { success, retryable, outcome_unknown } of results) {
            assert.ok(!success && retryable, 'nothing was sent, so a retry is safe');
            assert.notEqual(outcome_unknown, true, 'the outcome of an unsent request is known');
          }
        }
        assert.equal(writes(world), 0);
        await assertChanged(world, request, items, false);
      }),
  },
  {
    id: 'hears-an-abort',
    title: 'ends at once on an abort, and sends nothing afterwards',
    run: (world, { concurrency }) =>
      eachRequest(world, concurrency + 2, async (adapter, { items, context }) => {
        const controller = new AbortController();
        const results = await failing(world, { fault: 'silence', on: 'write' }, async () => {
          // Neither the deadline nor the silent provider can end this call.
          const running = adapter.executeBatch(items, context, call(HOUR_MS, controller.signal));
          await untilWriting(world, running);
          controller.abort();
          return watched(running, 'it goes on after the abort');
        });
        assertOneEach(results, items);
        assert.ok(results.every(({ success }) => !success));
        const open = results.filter(({ outcome_unknown }) => outcome_unknown === true);
        assert.ok(open.length > 0, 'sent requests have an unknown outcome');
        await world.state();
        // A sent request may arrive after the abort. A request that is reported as not sent must not arrive.
        const ids = world.calls().flatMap(({ kind, item_id }) => (kind === 'write' ? (item_id ?? []) : []));
        const unreported = ids.filter((id) => !open.some(({ item_id }) => item_id === id));
        assert.deepEqual(unreported, [], 'a sent request is not reported with an unknown outcome');
        assert.ok(writes(world) <= concurrency, 'the next items were sent after the abort');
      }),
  },
  {
    id: 'never-retries',
    title: 'sends each request once, whatever the answer',
    async run(world) {
      for (const fault of ['limited', 'broken', 'reset'] as const) {
        await eachRequest(world, 1, async (adapter, { items, context }) => {
          await failing(world, { fault, on: 'write' }, () => executed(adapter, items, context));
          assert.equal(writes(world), 1, `a write that ended with "${fault}" was sent again`);
        });
        await eachRead(world, fault, (run, what) =>
          run().then(
            () => assert.fail(`${what} succeeded`),
            () => {
              const lists = world.calls().filter(({ kind }) => kind === 'list').length;
              assert.equal(lists, 1, `${what} that ended with "${fault}" was sent again`);
            },
          ),
        );
      }
    },
  },
  {
    id: 'reads-loudly',
    title: 'fails a count or a list on a bad answer, and never returns a part of it',
    async run(world) {
      searching(world);
      for (const fault of ['limited', 'broken', 'malformed', 'reset'] as const) {
        await eachRead(world, fault, async (run, what) => {
          const error = await refusal(run, `${what} under "${fault}"`);
          assert.equal(error.code, 'ADAPTER_UNAVAILABLE', `${what} under "${fault}": ${error.message}`);
        });
      }
    },
  },
  {
    id: 'names-refused-credentials',
    title: 'reports refused credentials, and that nothing was changed',
    async run(world) {
      await eachRead(world, 'refused', async (run, what) => {
        assert.equal((await refusal(run, what)).code, 'CREDENTIALS_INVALID', what);
      });
      await eachRequest(world, 2, async (adapter, { request, items, context }) => {
        const answer = await failing(world, { fault: 'refused', on: 'write' }, () =>
          adapter.executeBatch(items, context, call()).catch((error: unknown) => error),
        );
        if (Array.isArray(answer)) {
          assertOneEach(answer as BulkResult[], items);
          for (const { item_id, success } of answer as BulkResult[])
            assert.ok(
              !success,
              `${item_id} is reported as a success, but the provider refused our credentials`,
            );
        } else
          assert.equal(
            (await refusal(() => Promise.reject(answer as Error), 'a batch')).code,
            'CREDENTIALS_INVALID',
          );
        await assertChanged(world, request, items, false);
      });
    },
  },
  {
    id: 'keeps-one-items-trouble-apart',
    title: 'isolates the failure of one item from the rest of the batch',
    run: (world) =>
      eachRequest(world, 3, async (adapter, { request, items, context }) => {
        const [first, troubled, last] = items;
        assert.ok(first && troubled && last);
        const results = await failing(world, { fault: 'limited', on: 'write', item_id: troubled.id }, () =>
          adapter.executeBatch(items, context, call()),
        );
        assertOneEach(results, items);
        assert.deepEqual(
          results.map(({ success }) => success),
          [true, false, true],
          'only the failing item fails',
        );
        await assertChanged(world, request, [first, last], true);
      }),
  },
];

/** Runs count and list while every list has this fault. */
async function eachRead(
  world: ConformanceWorld,
  fault: Fault,
  judge: (run: () => Promise<unknown>, what: string) => Promise<void>,
): Promise<void> {
  for (const request of world.requests.filter(({ items }) => items === undefined)) {
    const adapter = world.adapter();
    const context = await prepare(adapter, request);
    const reads = {
      count: () => adapter.getTotalCount(context, call()),
      list: () => adapter.getNextBatch(context, 5, 0, call()),
    };
    for (const [what, run] of Object.entries(reads)) {
      world.forgetCalls();
      await failing(world, { fault, on: 'list' }, () => judge(run, what));
    }
  }
}

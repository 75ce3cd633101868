import { MockActivityEnvironment } from '@temporalio/testing';
import { reconcile } from '../../activities/bulk/reconcile';
import type { ActivityDependencies } from '../../activities/shared/dependencies';
import type { Reconciliation } from '../../src/contract/adapter';
import type { Reconciled, ReconcileInput } from '../../src/contract/activities';
import { createRegistry } from '../../src/core/bulk/registry';
import { createFakeAdapter } from '../../src/testing/fake-adapter';

afterEach(() => {
  jest.restoreAllMocks();
  settled.length = 0;
});

const settled: unknown[] = [];

/** Reconciles a batch of one item, of which the store's `fence` tells this, with a tool that reads it back like this. */
function reconciled(
  fence: () => unknown,
  readBack: Reconciliation,
  wait = false,
  changes: Partial<ReconcileInput> = {},
): Promise<Reconciled> {
  const ledger = {
    storeId: 'store-1',
    planned: () =>
      Promise.resolve({
        context: { tool_name: 'fake', action: 'mark', query_params: {}, action_params: {} },
        items: [{ index: 0, id: 'a', display_name: 'A' }],
      }),
    fence: () => Promise.resolve([fence()]),
    settle: (_: unknown, results: unknown[]) => Promise.resolve(void settled.push(...results)),
  };
  const adapter = createFakeAdapter({
    items: () => [],
    apply: () => Promise.resolve(),
    readBack: () => Promise.resolve(readBack),
  });
  const dependencies = { adapters: createRegistry([adapter]), ledger } as unknown as ActivityDependencies;
  const input: ReconcileInput = {
    ...{ operation_id: 'bulk-1', run_id: 'run-1', batch: 1, attempt: 1, store_id: 'store-1' },
    ...{ indexes: [0], skipped: [], call_timeout_ms: 100, ...(wait && { wait }), ...changes },
  };
  return new MockActivityEnvironment().run(() => reconcile(dependencies, input));
}

it('settles an item whose change never shows, even if after the wait the clock says that its request may still run', async () => {
  const clock = Date.now;
  let behind = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => clock() - behind);
  const fence = () => {
    setTimeout(() => (behind = 60), 50);
    return { index: 0, state: 'intended', deadline: Date.now() + 100 };
  };
  expect(await reconciled(fence, 'not_applied', true)).toEqual({ codes: 'p' });
  expect(settled).toEqual([{ index: 0, state: 'planned' }]);
});

it('says until when the request for an item in doubt may still be carried out, and not once that is over', async () => {
  const until = Date.now() + 60_000;
  const errorFor = async (deadline: number) => {
    const { codes, details } = await reconciled(() => ({ index: 0, state: 'intended', deadline }), 'unknown');
    expect(codes).toBe('d');
    return details?.['0']?.error;
  };
  const unread = 'It may have been touched before the batch died, and reading it back gave no answer.';
  const open = `Its request may still be carried out until ${new Date(until).toISOString()}: look at it after that.`;
  expect(await errorFor(until)).toBe(`${unread} ${open}`);
  expect(await errorFor(Date.now() - 1)).toBe(unread);
});

it.each<[string, Partial<ReconcileInput>]>([
  ['another ledger than that of the plan', { store_id: 'store-2' }],
  ['a ledger that lacks the item', { indexes: [1] }],
])('takes %s for no evidence that an item was not touched', async (_, changes) => {
  const untouched = () => ({ index: 0, state: 'planned' });
  expect(await reconciled(untouched, 'not_applied', true, changes)).toMatchObject({
    codes: 'd',
    details: { 0: { error: expect.stringContaining('no record of it') as string } },
  });
  expect(settled).toEqual([]);
});

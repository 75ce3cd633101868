import { MockActivityEnvironment } from '@temporalio/testing';
import { reconcile } from '../../activities/bulk/reconcile';
import type { ActivityDependencies } from '../../activities/shared/dependencies';
import type { ReconcileInput } from '../../src/contract/activities';
import { createRegistry } from '../../src/core/bulk/registry';
import { createFakeAdapter } from '../../src/testing/fake-adapter';

afterEach(() => jest.restoreAllMocks());

it('settles an item whose change never shows, even if after the wait the clock says that its request may still run', async () => {
  const clock = Date.now;
  let behind = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => clock() - behind);
  const settled: unknown[] = [];
  const ledger = {
    storeId: 'store-1',
    fence: () => {
      setTimeout(() => (behind = 60), 50);
      return Promise.resolve([{ index: 0, state: 'intended', deadline: Date.now() + 100 }]);
    },
    settle: (_: unknown, results: unknown[]) => Promise.resolve(void settled.push(...results)),
  };
  const adapter = createFakeAdapter({
    items: () => [],
    apply: () => Promise.resolve(),
    readBack: () => Promise.resolve('not_applied'),
  });
  const dependencies = { adapters: createRegistry([adapter]), ledger } as unknown as ActivityDependencies;
  const input: ReconcileInput = {
    ...{ operation_id: 'bulk-1', run_id: 'run-1', batch: 1, attempt: 1, store_id: 'store-1' },
    context: { tool_name: adapter.toolName, action: 'mark', query_params: {}, action_params: {} },
    items: [{ index: 0, id: 'a', display_name: 'A' }],
    ...{ skipped: [], call_timeout_ms: 100, wait: true },
  };
  const found = await new MockActivityEnvironment().run(() => reconcile(dependencies, input));
  expect(found).toEqual({ codes: 'p', store_id: 'store-1' });
  expect(settled).toEqual([{ index: 0, state: 'planned' }]);
});

import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities';
import type { SentBatch } from '../../src/contract/activities';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { Ledger } from '../../src/contract/ledger';
import { settingsSchema } from '../../src/contract/settings';
import { questionDigest } from '../../src/core/bulk/seal';
import { createRegistry } from '../../src/core/bulk/registry';
import { createToolRegistry } from '../../src/core/gateway/tool-registry';
import type { Store } from '../../src/postgres/store/open';
import { countingTool } from '../helpers/harness';
import { BATCH, plan, plannedItems } from '../helpers/ledger';
import { openTestStore } from '../helpers/store';

const CALL_TIMEOUT_MS = 1_500;
const OPERATION = 'limited';

let store: Store;
let salts: string[];
const items = plannedItems(BATCH);
const { change } = plan(OPERATION);
const context = { tool_name: 'fake', action: 'mark', query_params: {}, action_params: {} };
beforeEach(async () => {
  store = await openTestStore();
  salts = await store.ledger.recordPlan({ ...plan(OPERATION), context }, items);
});
afterEach(() => store.close());

/** Runs the first batch of the plan the way a worker does. */
function runBatch(adapter: BulkAdapter, ledger: Ledger): Promise<unknown> {
  const log = { info: () => undefined, warn: () => undefined };
  const settings = settingsSchema.parse({});
  // A batch calls none of these, so they reject.
  const asked = {
    admit: noPlace,
    release: noPlace,
    removeWedged: noPlace,
    observe: noPlace,
    endedBefore: noPlace,
  };
  const sentinel = { ...asked, touch: () => undefined, toolCalled: () => undefined };
  const adapters = createRegistry([adapter]);
  const { hygiene, profiles, scratchpad } = store;
  const gateway = { call: noPlace };
  const macros = { gateway, tools: () => [], limits: noPlace, scratchpad: { read: noPlace } };
  const tools = {
    tools: createToolRegistry([]),
    gateway,
    macros,
    assistant: {},
    arrivals: noPlace,
    operations: { ended: noPlace, macroEnded: noPlace, expireProposal: noPlace },
  };
  const effects = { adapters, ledger, hygiene, profiles, scratchpad, sentinel, ...tools };
  const activities = createActivities({ ...effects, settings, log });
  const gate = { operation_id: OPERATION, run_id: 'run-1', batch: 1, attempt: 1 };
  const salted = items.map((item, at) => ({ ...item, salt: salts[at] }));
  return new MockActivityEnvironment().run((input: SentBatch) => activities.runBatch(input), {
    ...gate,
    store_id: ledger.storeId,
    digest: questionDigest({ ...gate, context, change, items: salted }),
    indexes: [[0, items.length] as [number, number]],
    call_timeout_ms: CALL_TIMEOUT_MS,
    confirmed: { via: 'update' as const, assurance: 'asserted' as const, at: new Date().toISOString() },
  });
}

const noPlace = () => Promise.reject(new Error('a batch asks for no place'));

it('does not call the tool for an item whose time ended before its intent was written', async () => {
  const { adapter, touched } = countingTool(BATCH);
  const slow: Ledger = {
    ...store.ledger,
    async claim(claim, batch) {
      const open = await store.ledger.claim(claim, batch);
      await pause(batch.deadline - Date.now() + 1);
      return open;
    },
  };
  await expect(runBatch(adapter, slow)).rejects.toMatchObject({ type: 'ADAPTER_UNAVAILABLE' });
  expect(touched.size).toBe(0);
  const record = await store.ledger.read(OPERATION);
  expect(record?.items.map(({ state }) => state)).toEqual(Array(BATCH).fill('planned'));
});

it('aborts a call at its deadline, even after a garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const tidyUp = runInNewContext('gc') as () => void;
  const { adapter } = countingTool(BATCH, {
    async apply(item, { signal }) {
      const timer = setInterval(tidyUp, 20).unref();
      if (!signal.aborted) await once(signal, 'abort');
      clearInterval(timer);
      return { item_id: item.id, success: false, error: 'no answer' };
    },
  });
  expect(await runBatch(adapter, store.ledger)).toMatchObject({ codes: 'f'.repeat(BATCH) });
});

import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { defineAdapter } from '../../activities/adapters/kit/define';
import { createAllowance } from '../../activities/adapters/shared/allowance';
import { plan } from '../../activities/bulk/planning';
import { withLimits } from '../../activities/adapters/shared/limits';
import { reading, readingAgain } from '../../activities/shared/failures';
import { limits } from '../../activities/adapters/shared/limits';
import type { PlanInput } from '../../src/contract/plans';
import { DEFAULT_SETTINGS } from '../../src/contract/settings';

async function heartbeatsBefore(soon: boolean): Promise<unknown[]> {
  const environment = new MockActivityEnvironment();
  const sent: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => sent.push(details));
  const begun = () => readingAgain({ tries: 3, forMs: 1_000, soon }, () => Promise.resolve([...sent]));
  return environment.run<[], unknown[], () => Promise<unknown[]>>(begun);
}

it('counts a try of a plan before its work, which may end the worker each time', async () => {
  expect(await heartbeatsBefore(true)).toEqual([{ plan_try: 3 }]);
});

it('makes no call for the first try of a plan, which is usually over before a heartbeat is due', async () => {
  expect(await heartbeatsBefore(false)).toEqual([]);
});

/** A tool that takes 20 units a read and lets 6,000 through in a minute, on a clock that runs a hundred times as fast. */
function slowTool(count: number) {
  const allowance = createAllowance({ perInterval: 1_800, intervalMs: 600, burst: 4_200 });
  return defineAdapter<{ done: boolean }, object, object>({
    name: 'slow',
    state: z.strictObject({ done: z.boolean() }),
    actions: {
      do: { description: 'Do it', query: z.object({}), change: z.object({}), to: () => ({ done: true }) },
    },
    connect: (limits) => ({
      list: (_query, wanted) =>
        Promise.resolve(Array.from({ length: Math.min(count, wanted) }, (_, at) => `i${at}`)),
      async read(id) {
        await allowance.take(20, limits);
        return { id, name: id, state: { done: false } };
      },
    }),
  });
}

const TIMEOUT_MS = 250;

it.each(['found by a search', 'named'])(
  'plans more items than the allowance has in the time of a read, %s, and is not taken for stuck',
  async (how) => {
    const count = 450;
    const environment = new MockActivityEnvironment();
    let beats = 0;
    environment.on('heartbeat', () => (beats += 1));
    const adapter = slowTool(count);
    const recorded: unknown[] = [];
    const dependencies = {
      adapters: { get: () => adapter },
      settings: { ...DEFAULT_SETTINGS, read_timeout_ms: TIMEOUT_MS },
      ledger: {
        storeId: 'store',
        fenceAll: () => Promise.resolve(null),
        editions: () => Promise.resolve({ editions: [], attempt: 1 }),
        recordPlan: (_plan: unknown, items: unknown[]) => {
          recorded.push(...items);
          return Promise.resolve(items.map((_, at) => `salt ${at}`));
        },
      },
    } as unknown as Parameters<typeof plan>[0];
    const items = Array.from({ length: count }, (_, at) => ({ id: `i${at}`, display_name: `i${at}` }));
    const input = {
      ...{ operation_id: 'bulk-slow', run_id: 'run-1', domain: 'slow', action: 'do', params: {}, terms: {} },
      ...{ batch_size: 10, max_total_items: 1_000, ...(how === 'named' && { items }) },
    } as unknown as PlanInput;
    const { total } = await environment.run<[], { total: number }, () => Promise<{ total: number }>>(() =>
      reading((readOn) => plan({ ...dependencies, readOn }, input), TIMEOUT_MS),
    );
    expect([total, recorded.length]).toEqual([count, count]);
    // One alone is due before its time is over.
    expect(beats).toBeGreaterThan(1);
  },
);

it('gives a request the time that is left while others of its call wait for their units', async () => {
  const call = limits(60_000);
  const got = call.wait?.();
  const left = call.deadline - Date.now();
  expect([left > 59_000, left <= 60_000]).toEqual([true, true]);
  // A timer of no end would be one of a millisecond.
  await withLimits(call.deadline, call.signal, async ({ signal }) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(signal.aborted).toBe(false);
  });
  got?.();
});

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Worker } from '@temporalio/worker';
import type { History } from '@temporalio/common/lib/proto-utils';
import { continueBulkOperation, startBulkOperation } from '../../src/client';
import { DEFAULT_SETTINGS } from '../../src/contract/settings';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { realisticItems } from './contestants';
import { median, plainFigure, ratioFigure, type Figure } from './figures';
import { note, PRODUCT_BUNDLE, productWorker, type Ground } from './ground';
import { grouped, inTurns, type Way } from './in-turns';

/** The batches of one operation; `--full` runs the larger number. */
const BATCHES = { usual: 1_000, full: 5_000 };
/** The smallest batch size. */
const SMALL = 5;
/** The compared batches form groups, each of which counts as a round. */
const GROUPS = 5;
const GROUP = 20;
const REPLAYS = 20;

/** Measures whether an operation gets slower as it grows, and how long a cold replay takes. */
export async function growthBench(ground: Ground): Promise<Figure[]> {
  const taskQueue = `bench-growth-${randomUUID()}`;
  const batches = ground.full ? BATCHES.full : BATCHES.usual;
  const items = realisticItems(batches * SMALL);
  const adapter = createFakeAdapter({ items: () => items, apply: () => Promise.resolve() });
  const stop = await productWorker(ground, taskQueue, [adapter]);
  try {
    const start = async (batch_size: number) => {
      const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size };
      return (await startBulkOperation(ground.client, input, { task_queue: taskQueue })).operation_id;
    };
    const confirm = async (id: string, batch: number) => continueBulkOperation(ground.client, id, { batch });
    const old = await start(SMALL);
    const compared = GROUPS * GROUP;
    for (let batch = 1; batch < batches - compared; batch++) {
      if (batch % 250 === 0) note(`growing: batch ${batch} of ${batches}`);
      await confirm(old, batch);
    }
    const batchesOf = (id: string, from: number): Way => {
      let batch = from;
      return { run: () => confirm(id, batch++) };
    };
    // Both operations have the same number of items, so that the size of the plan affects both.
    const ways = [batchesOf(old, batches - compared), batchesOf(await start(SMALL), 1)];
    const [late = [], early = []] = await inTurns('an old and a new operation', compared, ways);
    const id = await start(20);
    for (let batch = 1; batch < DEFAULT_SETTINGS.batches_per_run; batch++) await confirm(id, batch);
    const history = await ground.client.workflow.getHandle(id).fetchHistory();
    note(`replaying a history of ${history.events?.length} events`);
    const [lates, earlies] = [late, early].map((times) => grouped(times, GROUP, median));
    return [
      ratioFigure(`batch ${batches} against the first`, lates ?? [], earlies ?? [], { atMost: 1.05 }),
      plainFigure('cold replay of a live operation', await replayTimes(history), 'ms', { atMost: 150 }),
    ];
  } finally {
    await stop();
  }
}

/** Milliseconds per replay of a history. Subtracting one replay from many excludes the cost of the worker. */
async function replayTimes(history: History): Promise<number[]> {
  const replay = async (copies: number) => {
    const histories = Array.from({ length: copies }, (_, at) => ({ workflowId: `copy-${at}`, history }));
    const started = performance.now();
    const replayed = Worker.runReplayHistories({ workflowBundle: PRODUCT_BUNDLE }, histories);
    for await (const { error } of replayed) if (error) throw error;
    return performance.now() - started;
  };
  await replay(1);
  const times: number[] = [];
  for (let round = 0; round < GROUPS; round++) {
    const one = await replay(1);
    times.push(((await replay(1 + REPLAYS)) - one) / REPLAYS);
  }
  return times;
}

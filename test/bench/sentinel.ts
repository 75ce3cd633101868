import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../activities';
import { cancelBulkOperation, startBulkOperation } from '../../src/client';
import { createSentinel } from '../../src/client/sentinel';
import { settingsSchema } from '../../src/contract/settings';
import type { Sentinel } from '../../src/contract/sentinel';
import { createRegistry } from '../../src/core/bulk/registry';
import { createToolRegistry } from '../../src/core/gateway/tool-registry';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { median, percentile, ratios } from './figures';
import { bundle, note, productWorker, running, type Ground } from './ground';

const ROUNDS = 5;
/** Each round starts and cancels this many one after the other, and then `CROWD`, `AT_A_TIME` at once. */
const SEQUENTIAL = 20;
const CROWD = 100;
const AT_A_TIME = 8;
const PLACES = 300;

interface Contestant {
  name: string;
  taskQueue: string;
  stop: () => Promise<void>;
  latencies: number[][];
  rates: number[];
}

const adapter = createFakeAdapter({
  items: () => [{ id: 'one', display_name: 'One' }],
  apply: () => Promise.resolve(),
});
const everyoneWelcome: Sentinel = {
  admit: () => Promise.resolve(undefined),
  release: () => Promise.resolve(),
  removeWedged: () => Promise.resolve(undefined),
  touch: () => undefined,
  toolCalled: () => undefined,
  observe: () => Promise.resolve({}),
  endedBefore: () => Promise.resolve([]),
};

/** Measures the cost of a slot: the same operation with the sentinel, and with one that admits every operation. */
export async function sentinelBench(ground: Ground): Promise<void> {
  const contestants = [await asking(ground), await welcoming(ground)];
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      note(round === 0 ? 'warming up' : `starts, round ${round} of ${ROUNDS}`);
      for (const contestant of contestants) {
        const latencies = await oneByOne(ground, contestant);
        const rate = await crowd(ground, contestant);
        if (round === 0) continue;
        contestant.latencies.push(latencies);
        contestant.rates.push(rate);
      }
    }
    print(contestants, await places(ground, contestants[0]?.taskQueue ?? ''));
  } finally {
    for (const { stop } of contestants) await stop();
  }
}

async function asking(ground: Ground): Promise<Contestant> {
  const taskQueue = `bench-sentinel-${randomUUID()}`;
  const stop = await productWorker(ground, taskQueue, [adapter]);
  return { name: 'with the sentinel', taskQueue, stop, latencies: [], rates: [] };
}

const nobodyWaits = () => Promise.reject(new Error('nobody waits here'));

async function welcoming({ connection, store }: Ground): Promise<Contestant> {
  const taskQueue = `bench-welcome-${randomUUID()}`;
  const worker = await Worker.create({
    connection,
    namespace: 'default',
    taskQueue,
    workflowBundle: await bundle('../../workflows/index.ts'),
    activities: createActivities({
      adapters: createRegistry([adapter]),
      ledger: store.ledger,
      hygiene: store.hygiene,
      profiles: store.profiles,
      scratchpad: store.scratchpad,
      tools: createToolRegistry([]),
      gateway: { call: () => Promise.reject(new Error('nobody calls a tool here')) },
      sentinel: everyoneWelcome,
      assistant: {},
      macros: {
        gateway: { call: () => Promise.reject(new Error('nobody calls a tool here')) },
        tools: () => [],
        limits: () => Promise.resolve({ at_once: 1, calls: 1 }),
        scratchpad: { read: () => Promise.resolve(new Map()) },
      },
      arrivals: nobodyWaits,
      operations: { ended: nobodyWaits, macroEnded: nobodyWaits, expireProposal: nobodyWaits },
      settings: settingsSchema.parse({}),
      log: { info: () => undefined, warn: () => undefined },
    }),
  });
  return { name: 'asking nobody', taskQueue, stop: running(worker), latencies: [], rates: [] };
}

/** Milliseconds from the start of each operation to its first question. */
async function oneByOne({ client }: Ground, { taskQueue }: Contestant): Promise<number[]> {
  const latencies: number[] = [];
  while (latencies.length < SEQUENTIAL) {
    const begun = performance.now();
    const id = await start(client, taskQueue);
    latencies.push(performance.now() - begun);
    await cancelBulkOperation(client, id, {});
  }
  return latencies;
}

/** Operations started and cancelled per second. */
async function crowd({ client }: Ground, { taskQueue }: Contestant): Promise<number> {
  const begun = performance.now();
  let left = CROWD;
  const serve = async () => {
    while (left-- > 0) await cancelBulkOperation(client, await start(client, taskQueue), {});
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, serve));
  return (CROWD * 1_000) / (performance.now() - begun);
}

async function start(client: Ground['client'], task_queue: string): Promise<string> {
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  return (await startBulkOperation(client, input, { task_queue })).operation_id;
}

/** Slots taken and released per second, one after the other, with one worker. */
async function places({ client }: Ground, taskQueue: string): Promise<number> {
  const sentinel = createSentinel(client, taskQueue);
  const begun = performance.now();
  for (let at = 0; at < PLACES; at++) {
    const job = { job_id: `place-${at}`, run_id: randomUUID(), kind: 'bulk_operation' as const };
    const refusal = await sentinel.admit(job, 1_000);
    if (refusal) throw new Error(refusal.message);
    await sentinel.release(job);
  }
  return (PLACES * 1_000) / (performance.now() - begun);
}

function print(contestants: Contestant[], placesASecond: number): void {
  console.log(
    `\nOperations of one item, started and cancelled; ${ROUNDS} rounds, one contestant after the other.\n`,
  );
  console.log('| | start to first question, median | p95 | starts and ends a second, 8 at a time |');
  console.log('|---|---|---|---|');
  for (const { name, latencies, rates } of contestants) {
    const all = latencies.flat();
    const times = [median(all), percentile(all, 0.95)].map((time) => `${time.toFixed(1)} ms`);
    console.log(`| ${[name, ...times, median(rates).toFixed(1)].join(' | ')} |`);
  }
  const [one, other] = contestants.map(({ latencies }) => latencies.map(median));
  if (!one || !other) return;
  const { median: ratio, least, most } = ratios(one, other);
  const range = `${least.toFixed(2)} to ${most.toFixed(2)}`;
  console.log(`\na start with the sentinel against one that asks nobody: ${ratio.toFixed(2)} (${range})`);
  console.log(`places given and given back: ${placesASecond.toFixed(1)} a second`);
}

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Client } from '@temporalio/client';
import { completeTaskRun, getTaskRun, recordTaskRun, startTaskRun } from '../../src/client';
import { median, percentile } from './figures';
import { note, productWorker, type Ground } from './ground';

const RECORDS = 100_000;
const BATCH = 100;
const TENTH = RECORDS / BATCH / 10;
/** The most that a record of the last tenth may cost, relative to one of the first. */
const AIM = 1.2;

/** A task run under measurement. Each `record` sends the next hundred records, and returns its milliseconds. */
interface MeasuredRun {
  id: string;
  record: () => Promise<number>;
}

/** The size of the history of one run. */
interface Reading {
  runId: string;
  events: number;
  bytes: number;
}

interface Tenth {
  latencies: number[];
  after: Reading;
}

/**
 * Measures whether a task run of many records stays as fast and as small as at first. The last tenth is compared
 * with the first tenth of another task run; their updates alternate, so that load affects both alike.
 */
export async function taskRunBench(ground: Ground): Promise<void> {
  const { client } = ground;
  const taskQueue = `bench-task-run-${randomUUID()}`;
  const stop = await productWorker(ground, taskQueue, []);
  try {
    note('warming up');
    await timed(await begin(client, taskQueue), TENTH / 2);
    const run = await begin(client, taskQueue);
    const before = await read(client, run.id);
    const tenths: Tenth[] = [];
    for (let tenth = 1; tenth < 10; tenth++) {
      note(`records, tenth ${tenth} of 10`);
      tenths.push({ latencies: await timed(run, TENTH), after: await read(client, run.id) });
    }
    note('records, tenth 10 of 10, beside the first of another run');
    const another = await begin(client, taskQueue);
    const beside: number[] = [];
    const last: number[] = [];
    while (last.length < TENTH) {
      beside.push(...(await timed(another, 1)));
      last.push(...(await timed(run, 1)));
    }
    tenths.push({ latencies: last, after: await read(client, run.id) });
    const { completed_count } = await getTaskRun(client, run.id);
    if (completed_count !== RECORDS) throw new Error(`it counted ${completed_count}`);
    print(tenths, await growth(client, run.id, before, tenths), beside);
    const { allowed } = await completeTaskRun(client, run.id);
    if (!allowed) throw new Error('it is not complete');
  } finally {
    await stop();
  }
}

async function begin(client: Client, task_queue: string): Promise<MeasuredRun> {
  const contract = { expected_total: RECORDS, item_key: 'url' };
  const { task_run_id: id } = await startTaskRun(
    client,
    { goal: 'Visit all pages', contract },
    { task_queue },
  );
  let recorded = 0;
  const record = async () => {
    const completed = Array.from({ length: BATCH }, (_, at) => {
      const page = String(recorded + at).padStart(6, '0');
      return `https://northwind.example/products/${page}`;
    });
    recorded += BATCH;
    const started = performance.now();
    await recordTaskRun(client, id, { completed, cursor: String(recorded) });
    return performance.now() - started;
  };
  return { id, record };
}

async function timed({ record }: MeasuredRun, updates: number): Promise<number[]> {
  const latencies: number[] = [];
  while (latencies.length < updates) latencies.push(await record());
  return latencies;
}

async function read(client: Client, id: string, runId?: string): Promise<Reading> {
  const found = await client.workflow.getHandle(id, runId).describe();
  const bytes = Number(found.raw.workflowExecutionInfo?.historySizeBytes);
  return { runId: found.runId, events: found.historyLength, bytes };
}

interface Growth {
  events: number;
  bytes: number;
  /** Whether it continued as new in this tenth. */
  crossed: boolean;
}

/** What each tenth added to the histories of all runs, per record. A tenth is too short to contain a whole run. */
async function growth(client: Client, id: string, before: Reading, tenths: Tenth[]): Promise<Growth[]> {
  const grown: Growth[] = [];
  let from = before;
  for (const { after } of tenths) {
    const crossed = after.runId !== from.runId;
    const closed = crossed ? await read(client, id, from.runId) : undefined;
    const added = (of: 'events' | 'bytes') =>
      (closed === undefined ? after[of] - from[of] : closed[of] - from[of] + after[of]) / (TENTH * BATCH);
    grown.push({ events: added('events'), bytes: added('bytes'), crossed });
    from = after;
  }
  return grown;
}

function print(tenths: Tenth[], grown: Growth[], beside: number[]): void {
  const rounded = (value: number, digits: number) => value.toFixed(digits);
  console.log(
    `\nA task run of ${RECORDS} records, ${BATCH} an update; the client sends one after the other.\n`,
  );
  console.log('| tenth | update, median | p95 | slowest | events a record | bytes a record |');
  console.log('|---|---|---|---|---|---|');
  const row = (name: string, latencies: number[], { events, bytes }: Growth) => {
    const times = [median(latencies), percentile(latencies, 0.95), Math.max(...latencies)];
    const cells = [...times.map((time) => `${rounded(time, 1)} ms`), rounded(events, 3), rounded(bytes, 1)];
    console.log(`| ${[name, ...cells].join(' | ')} |`);
  };
  for (const [at, { latencies }] of tenths.entries()) {
    const added = grown[at] as Growth;
    row(`${at + 1}${added.crossed ? ', continued as new' : ''}`, latencies, added);
  }
  const mean = (of: 'events' | 'bytes') => grown.reduce((sum, each) => sum + each[of], 0) / grown.length;
  const all = tenths.flatMap(({ latencies }) => latencies);
  row('all', all, { events: mean('events'), bytes: mean('bytes'), crossed: true });
  const [first, last] = [grown[0] as Growth, grown.at(-1) as Growth];
  const latency = median(tenths.at(-1)?.latencies ?? []) / median(beside);
  console.log(
    `\nlast tenth against the first: latency ${rounded(latency, 2)} (beside another run, whose median was ` +
      `${rounded(median(beside), 1)} ms), events ${rounded(last.events / first.events, 2)}, ` +
      `bytes ${rounded(last.bytes / first.bytes, 2)}; the aim is at most ${AIM}`,
  );
}

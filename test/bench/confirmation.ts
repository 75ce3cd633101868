import { performance } from 'node:perf_hooks';
import type { Client } from '@temporalio/client';
import { bare, BATCH_SIZE, makeBareTable, product, type Contestant, type LiveOperation } from './contestants';
import { median, percentile, plainFigure, ratioFigure, type Figure } from './figures';
import { note, type Ground } from './ground';

const ROUNDS = 5;
/** Operations that each round confirms one after the other, and the batches of each. */
const SEQUENTIAL = 3;
const BATCHES = 10;
const LIVE = 200;

interface Measured {
  /** Milliseconds from `continue` to its answer, by round. */
  latencies: number[][];
  /** Batches per second over all live operations, by round. */
  rates: number[];
  /** Milliseconds of processor time per batch, by round: worker, client and server together. */
  cpu: number[];
  events: number;
  bytes: number;
}

/** Compares a confirmation with a bare workflow's. Each round measures all, so that load affects them alike. */
export async function confirmationBench(ground: Ground): Promise<Figure[]> {
  await makeBareTable(ground.store);
  const contestants: Contestant[] = [];
  try {
    for (const make of [() => product(ground), () => bare(ground, true), () => bare(ground, false)])
      contestants.push(await make());
    const measured = await measure(ground, contestants);
    print(contestants, measured);
    return figuresOf(measured);
  } finally {
    for (const contestant of contestants) await contestant.stop();
  }
}

async function measure({ client, cpu }: Ground, contestants: Contestant[]): Promise<Measured[]> {
  const measured = contestants.map((): Measured => ({
    latencies: [],
    rates: [],
    cpu: [],
    events: 0,
    bytes: 0,
  }));
  const each = async (work: (contestant: Contestant, of: Measured, at: number) => Promise<void>) => {
    for (const [at, contestant] of contestants.entries())
      await work(contestant, measured[at] as Measured, at);
  };
  note('warming up');
  await each(async (contestant, of) => {
    Object.assign(of, await historyOf(client, await contestant.start(BATCHES)));
  });
  for (let round = 1; round <= ROUNDS; round++) {
    note(`latency, round ${round} of ${ROUNDS}`);
    await each(async (contestant, of) => void of.latencies.push(await confirmAll(contestant)));
  }
  const crowds: LiveOperation[][] = [];
  await each(async (contestant) => {
    note(`starting ${LIVE} operations of ${contestant.name}`);
    crowds.push(await crowd(contestant));
  });
  for (let round = 1; round <= ROUNDS; round++) {
    note(`throughput, round ${round} of ${ROUNDS}`);
    await each(async (_, of, at) => {
      const used = cpu();
      const started = performance.now();
      await Promise.all((crowds[at] as LiveOperation[]).map(({ confirm }) => confirm()));
      of.rates.push((LIVE * 1_000) / (performance.now() - started));
      of.cpu.push((cpu() - used) / LIVE);
    });
  }
  return measured;
}

async function confirmAll(contestant: Contestant): Promise<number[]> {
  const latencies: number[] = [];
  for (let operation = 0; operation < SEQUENTIAL; operation++) {
    const { confirm } = await contestant.start(BATCHES);
    for (let batch = 0; batch < BATCHES; batch++) {
      const started = performance.now();
      await confirm();
      latencies.push(performance.now() - started);
    }
  }
  return latencies;
}

/** Operations that are all live at once, each with a batch for every round. */
async function crowd(contestant: Contestant): Promise<LiveOperation[]> {
  const live: LiveOperation[] = [];
  while (live.length < LIVE) {
    live.push(...(await Promise.all(Array.from({ length: 10 }, () => contestant.start(ROUNDS + 1)))));
  }
  return live;
}

/** What a batch between the first and the last adds to the history, on average. */
async function historyOf(
  client: Client,
  { id, confirm }: LiveOperation,
): Promise<{ events: number; bytes: number }> {
  const size = async () => {
    const { historyLength, raw } = await client.workflow.getHandle(id).describe();
    return { events: historyLength, bytes: Number(raw.workflowExecutionInfo?.historySizeBytes) };
  };
  await confirm();
  const before = await size();
  for (let batch = 2; batch < BATCHES; batch++) await confirm();
  const after = await size();
  const batches = BATCHES - 2;
  return { events: (after.events - before.events) / batches, bytes: (after.bytes - before.bytes) / batches };
}

function print(contestants: Contestant[], measured: Measured[]): void {
  const rounded = (value: number, digits = 1) => value.toFixed(digits);
  const rows = measured.map(({ latencies, rates, cpu, events, bytes }, at) => {
    const all = latencies.flat();
    return [
      contestants[at]?.name ?? '',
      `${rounded(median(all))} ms`,
      `${rounded(percentile(all, 0.95))} ms`,
      rounded(median(rates)),
      `${rounded(median(cpu))} ms`,
      rounded(events),
      String(Math.round(bytes)),
    ];
  });
  console.log(`\nBatches of ${BATCH_SIZE}; ${ROUNDS} interleaved rounds.\n`);
  console.log(
    '| | continue, median | p95 | batches a second, 200 live | CPU a batch | events a batch | bytes a batch |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}

/** Compares the product with the bare workflow with two commits. */
function figuresOf([ours, theirs]: Measured[]): Figure[] {
  if (!ours || !theirs) throw new Error('nothing was measured');
  const { latencies, rates, cpu, events, bytes } = ours;
  return [
    ratioFigure('`continue`, median', latencies.map(median), theirs.latencies.map(median), { atMost: 1.1 }),
    ratioFigure('batches a second, 200 live', rates, theirs.rates, { atLeast: 0.9 }),
    ratioFigure('processor time a batch', cpu, theirs.cpu, { atMost: 1.1 }),
    plainFigure('events a batch', [events], 'events', { atMost: 12 }),
    plainFigure('bytes a batch of 20', [bytes], 'bytes', { atMost: 3_500 }),
  ];
}

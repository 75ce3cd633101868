import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import {
  continueBulkOperation,
  getBulkItems,
  getBulkStatus,
  getReport,
  listBulkOperations,
  startBulkOperation,
} from '../../src/client';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { realisticItems } from './contestants';
import { plainFigure, ratioFigure, type Figure } from './figures';
import { note, productWorker, type Ground } from './ground';
import { inTurns } from './in-turns';

/** Waiting operations; `--full` starts the larger number. */
const WAITING = { usual: 500, full: 10_000 };
const AT_A_TIME = 10;
const ROUNDS = 20;
const SMALL = 200;
const LARGE = 5_000;

/** Measures what many waiting operations cost, and what many items cost. */
export async function manyBench(ground: Ground): Promise<Figure[]> {
  return [...(await waitingOperations(ground)), ...(await items(ground))];
}

/** Starts operations on one task queue. `again` replaces its worker, so that no cache is warm. */
async function crowd(ground: Ground, count: number) {
  const items = realisticItems(10);
  const adapter = createFakeAdapter({ items: () => items, apply: () => Promise.resolve() });
  const task_queue = `bench-many-${randomUUID()}`;
  const worker = () => productWorker(ground, task_queue, [adapter]);
  let stop = await worker();
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 5 };
  const ids: string[] = [];
  const started = performance.now();
  while (ids.length < count) {
    const more = Array.from({ length: Math.min(AT_A_TIME, count - ids.length) }, () =>
      startBulkOperation(ground.client, input, { task_queue }),
    );
    ids.push(...(await Promise.all(more)).map(({ operation_id }) => operation_id));
    if (ids.length % 250 === 0) note(`starting: ${ids.length} of ${count} operations`);
  }
  note(`${count} starts took ${Math.round((performance.now() - started) / count)} ms each`);
  const again = async () => {
    await stop();
    stop = await worker();
  };
  return { ids, again, stop: () => stop() };
}

async function waitingOperations(ground: Ground): Promise<Figure[]> {
  const { client } = ground;
  const count = ground.full ? WAITING.full : WAITING.usual;
  const before = process.memoryUsage.rss();
  const { ids, again, stop } = await crowd(ground, count);
  try {
    const memory = (process.memoryUsage.rss() - before) / 2 ** 20;
    await again();
    const random = shuffled(ids).slice(0, ROUNDS + 1);
    let held = '';
    // Each operation twice: its worker replays it for the first batch, and has it in its cache for the second.
    const [cold = [], warm = []] = await inAPair(random, async (id, batch) => {
      held = id;
      await continueBulkOperation(client, held, { batch });
    });
    const query = `WorkflowType = '${WORKFLOW_TYPES.bulkOperation}' AND ExecutionStatus = 'Running'`;
    const bare = async () => {
      const found = [];
      for await (const one of client.workflow.list({ query })) if (found.push(one) === LISTED) break;
    };
    const [listed = [], bareList = []] = await inTurns(`a list among ${count} operations`, ROUNDS, [
      { run: () => listBulkOperations(client, { live: true, limit: LISTED }) },
      { run: bare },
    ]);
    return [
      ratioFigure(
        `random confirmation among ${count} waiting, none read, against the next of the same`,
        cold,
        warm,
        {
          atMost: 1.5,
        },
      ),
      ratioFigure(`a list of ${LISTED} among ${count}, against Temporal's own`, listed, bareList),
      plainFigure(`memory of ${count} waiting operations in their worker`, [memory], 'MiB'),
    ];
  } finally {
    await stop();
  }
}

const LISTED = 50;

/** Milliseconds of the first and second batch of each operation. The first operation is a warm-up. */
async function inAPair(
  ids: readonly string[],
  confirm: (id: string, batch: number) => Promise<unknown>,
): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (const [round, id] of ids.entries()) {
    for (const batch of [1, 2] as const) {
      const started = performance.now();
      await confirm(id, batch);
      if (round > 0) times[batch - 1]?.push(performance.now() - started);
    }
  }
  return times;
}

function shuffled(ids: readonly string[]): string[] {
  return ids
    .map((id) => ({ id, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ id }) => id);
}

/** Makes the same requests to an operation of many items and to one of few. */
async function items(ground: Ground): Promise<Figure[]> {
  const { client } = ground;
  const taskQueue = `bench-items-${randomUUID()}`;
  let count = SMALL;
  const adapter = createFakeAdapter({ items: () => realisticItems(count), apply: () => Promise.resolve() });
  const stop = await productWorker(ground, taskQueue, [adapter]);
  try {
    const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 20 };
    const start = async () =>
      (await startBulkOperation(client, input, { task_queue: taskQueue })).operation_id;
    const small = await start();
    count = LARGE;
    const large = await start();
    const figures: Figure[] = [];
    const questions: [string, (id: string) => Promise<unknown>][] = [
      ['the query `status`', (id) => getBulkStatus(client, id)],
      ['a page of the query `items`', (id) => getBulkItems(client, id, { offset: 100, limit: 100 })],
      ['a report', (id) => getReport(client, id)],
    ];
    for (const [what, ask] of questions) {
      const ways = [large, small].map((id) => ({ run: () => ask(id) }));
      const [ofMany = [], ofFew = []] = await inTurns(what, ROUNDS, ways);
      figures.push(ratioFigure(`${what} of ${LARGE} items, against ${SMALL}`, ofMany, ofFew));
    }
    return figures;
  } finally {
    await stop();
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { startApi } from '../../src/api/server';
import { continueBulkOperation, startBulkOperation } from '../../src/client';
import type { BulkTurn } from '../../src/contract/operation';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { BATCH_SIZE, realisticItems } from './contestants';
import { median, percentile, plainFigure, type Figure } from './figures';
import { productWorker, type Ground } from './ground';
import { grouped, inTurns, type Way } from './in-turns';

/** Operations that each way confirms, and the batches of each. */
const OPERATIONS = 8;
const BATCHES = 10;

type Confirm = (id: string, decision: object) => Promise<BulkTurn>;

/** Compares a confirmation over HTTP with the client's update. */
export async function httpBench(ground: Ground): Promise<Figure[]> {
  const { client, store } = ground;
  const taskQueue = `bench-http-${randomUUID()}`;
  const items = realisticItems(BATCHES * BATCH_SIZE);
  const adapter = createFakeAdapter({
    items: () => items,
    apply: () => Promise.resolve(),
    sliceSize: BATCH_SIZE,
  });
  const stop = await productWorker(ground, taskQueue, [adapter]);
  const secret = randomUUID();
  const hash = createHash('sha256').update(secret).digest('hex');
  await store.access.createKey({ name: 'bench', role: 'operator', hash });
  const api = await startApi({
    ...{ client, taskQueue, access: store.access, port: 0 },
    describeTools: () => Promise.resolve([]),
    describeAdapters: () => Promise.resolve([]),
    refusedParams: () => Promise.resolve([]),
    onFailure: (error) => console.error(error),
  });
  const direct: Confirm = (id, decision) => continueBulkOperation(client, id, decision);
  const overHttp: Confirm = async (id, decision) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}/v1/operations/${id}/continue`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(decision),
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as BulkTurn;
  };
  /** Confirms one batch per round, and starts the next operation when no batch is left. */
  const batchesBy = (confirm: Confirm): Way => {
    let turn: BulkTurn | undefined;
    return {
      async prepare() {
        const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: BATCH_SIZE };
        if (!turn?.next_batch) turn = await startBulkOperation(client, input, { task_queue: taskQueue });
      },
      async run() {
        if (!turn?.next_batch) throw new Error('the operation has no open gate');
        const { number, attempt, digest } = turn.next_batch;
        turn = await confirm(turn.operation_id, {
          batch: number,
          attempt,
          digest,
          decision_id: randomUUID(),
        });
      },
    };
  };
  try {
    const ways = [batchesBy(direct), batchesBy(overHttp)];
    const [byClient = [], byHttp = []] = await inTurns(
      'a confirmation over HTTP',
      OPERATIONS * BATCHES,
      ways,
    );
    return figuresOf(byClient, byHttp);
  } finally {
    await api.close();
    await stop();
  }
}

function figuresOf(direct: number[], http: number[]): Figure[] {
  const line = (name: string, values: number[]) =>
    console.log(
      `${name}: median ${median(values).toFixed(1)} ms, p95 ${percentile(values, 0.95).toFixed(1)} ms (${values.length} batches)`,
    );
  line('continue by the client', direct);
  line('continue over HTTP', http);
  const rounds = (values: number[]) => grouped(values, BATCHES, median);
  const theirs = rounds(direct);
  const more = rounds(http).map((value, at) => value - (theirs[at] ?? 0));
  return [plainFigure('what HTTP adds to `continue`', more, 'ms', { atMost: 5 })];
}

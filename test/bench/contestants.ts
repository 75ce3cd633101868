import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { sql } from 'kysely';
import { startBulkOperation } from '../../src/client';
import type { BulkItem } from '../../src/contract/items';
import { UPDATES } from '../../src/contract/messages';
import type { BulkTurn } from '../../src/contract/operation';
import type { Store } from '../../src/postgres/store/open';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { bundle, productWorker, running, type Ground } from './ground';
import { bareContinueUpdate, type BareBatch, type bareGate } from './workflows';

export const BATCH_SIZE = 20;

/** A live operation under measurement. Each `confirm` runs its next batch, and resolves when the answer arrives. */
export interface LiveOperation {
  id: string;
  confirm: () => Promise<void>;
}

export interface Contestant {
  name: string;
  start(batches: number): Promise<LiveOperation>;
  stop(): Promise<void>;
}

/** A unique name about as long as the default, because the history contains it once per batch. */
const queueName = (): string => `bench-${randomUUID().slice(0, 8)}`;

/** Ids and names as long as those of real emails. */
export function realisticItems(count: number): BulkItem[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `19a8f3c2b7d${String(at).padStart(5, '0')}`,
    display_name: `Northwind Weekly ${at + 1}: what moved, and why`,
  }));
}

/** The whole product: gate, digest, decision record, ledger, search attributes, memo. */
export async function product(ground: Ground): Promise<Contestant> {
  const { client } = ground;
  const taskQueue = queueName();
  let items: BulkItem[] = [];
  const adapter = createFakeAdapter({
    items: () => items,
    apply: () => Promise.resolve(),
    sliceSize: BATCH_SIZE,
  });
  const stop = await productWorker(ground, taskQueue, [adapter]);
  return {
    name: 'batchgate',
    async start(batches) {
      items = realisticItems(batches * BATCH_SIZE);
      const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: BATCH_SIZE };
      const asked = await startBulkOperation(client, input, { task_queue: taskQueue });
      const id = asked.operation_id;
      const handle = client.workflow.getHandle(id);
      let gate: BulkTurn['next_batch'] = asked.next_batch;
      const confirm = async () => {
        if (!gate) throw new Error(`${id} has no open gate`);
        const { number: batch, attempt, digest } = gate;
        const decision = { batch, attempt, digest, decision_id: randomUUID() };
        // The same update as our client's, but without its deadline: among many at once, the last ones wait long.
        const turn = await handle.executeUpdate<BulkTurn, [object]>(UPDATES.continue, { args: [decision] });
        if (turn.last_batch?.succeeded !== BATCH_SIZE) throw new Error(`${id} did not run its batch`);
        gate = turn.next_batch;
      };
      return { id, confirm };
    },
    stop,
  };
}

/** The minimum that Temporal needs for the same question. With `commits`, each batch makes two, like ours. */
export async function bare({ client, connection, store }: Ground, commits: boolean): Promise<Contestant> {
  const taskQueue = queueName();
  const worker = await Worker.create({
    connection,
    namespace: 'default',
    taskQueue,
    workflowBundle: await bundle('./workflows.ts'),
    activities: { touch: (batch: BareBatch) => touch(store, batch) },
    stickyQueueScheduleToStartTimeout: '2s',
  });
  const stop = running(worker);
  return {
    name: commits ? 'bare workflow with two commits' : 'bare workflow',
    async start(batches) {
      const id = `bare-${randomUUID()}`;
      const ids = realisticItems(batches * BATCH_SIZE).map((item) => item.id);
      const parts = Array.from({ length: batches }, (_, at) =>
        ids.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
      );
      const handle = await client.workflow.start<typeof bareGate>('bareGate', {
        workflowId: id,
        taskQueue,
        args: [{ id, batches: parts, commits }],
      });
      let batch = 0;
      const confirm = async () => {
        batch++;
        const { done } = await handle.executeUpdate(bareContinueUpdate, { args: [{ batch }] });
        if (done !== batch) throw new Error(`${id} did not run its batch`);
      };
      return { id, confirm };
    },
    stop,
  };
}

/** The table of the bare contestant, for the intents of a batch and then their outcomes. */
export async function makeBareTable({ db }: Store): Promise<void> {
  await sql`create table if not exists bench_items (
    operation_id text, batch integer, id text, state text, primary key (operation_id, id))`.execute(db);
}

async function touch({ db }: Store, { operation_id, batch, ids, commits }: BareBatch): Promise<number> {
  if (!commits) return ids.length;
  const list = sql`jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) as given(id)`;
  await db.transaction().execute(async (trx) => {
    await sql`insert into bench_items select ${operation_id}::text, ${batch}::integer, id, 'intended' from ${list}`.execute(
      trx,
    );
  });
  await db.transaction().execute(async (trx) => {
    await sql`update bench_items set state = 'succeeded' from ${list}
      where bench_items.operation_id = ${operation_id} and bench_items.id = given.id`.execute(trx);
  });
  return ids.length;
}

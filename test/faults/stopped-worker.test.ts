import { Pool } from 'pg';
import { startStage, touchesOf, type Kind, type Stage } from '../helpers/fault-stage';
import { sharedPostgres } from '../helpers/postgres';
import type { Moment } from '../helpers/touch-target';
import { itemId } from '../helpers/worker-process';

/** Where the worker falls asleep, and whether the second worker finds the item done, to be done, or in doubt. */
const SLEEPS: { kind: Kind; moment: Moment }[] = [
  { kind: 'idempotent', moment: 'intended' },
  { kind: 'idempotent', moment: 'held' },
  { kind: 'idempotent', moment: 'applied' },
  { kind: 'idempotent', moment: 'answered' },
  { kind: 'idempotent', moment: 'recorded' },
  { kind: 'blind', moment: 'intended' },
  { kind: 'blind', moment: 'applied' },
  { kind: 'blind', moment: 'recorded' },
];
const ITEMS = 15;

const postgres = sharedPostgres();
let databaseUrl: string;
let pool: Pool;
let stage: Stage;
beforeEach(async () => {
  databaseUrl = await postgres.newDatabase();
  pool = new Pool({ connectionString: databaseUrl });
});
afterEach(async () => {
  await pool.end();
  await stage.close();
});

/** Everything the ledger holds of an operation's items and batches. */
async function ledgerOf(operation: string) {
  const rows = async (table: string, order: string) => {
    const query = `select * from batchgate.${table} where operation_id = $1 order by ${order}`;
    return (await pool.query<Record<string, unknown>>(query, [operation])).rows;
  };
  return { items: await rows('items', 'index'), batches: await rows('batches', 'batch') };
}

it('lets a worker that slept write nothing and touch nothing once its batches were given up', async () => {
  const settings = { call_timeout_ms: 10_000, heartbeat_timeout_ms: 1_500 };
  stage = await startStage({ databaseUrl, settings });
  const sleeper = await stage.startWorker();
  const operations = await Promise.all(SLEEPS.map(({ kind }) => stage.begin(kind, ITEMS, 5)));
  const sleeps = await Promise.all(
    SLEEPS.map(async (sleep, at) => {
      const operation = operations[at] ?? '';
      const trap = stage.target.trap(sleep.moment, 2, (id) => id.startsWith(operation));
      const turn = stage.confirm(operation);
      return { ...sleep, operation, trap, item: await trap.sprung, turn: () => turn };
    }),
  );

  sleeper.stop();
  await stage.startWorker();
  const states = await Promise.all(
    sleeps.map(async ({ kind, moment, operation, turn, item }) => {
      expect(await turn()).toMatchObject({ state: 'batch_failed', next_batch: { number: 1, attempt: 2 } });
      const doubts = kind === 'blind' && moment !== 'recorded' ? [item] : [];
      const status = await stage.finish(operation);
      expect(status).toMatchObject({ state: 'completed', in_doubt: doubts.length, failed: 0 });
      const ledger = await ledgerOf(operation);
      expect(ledger.items.filter(({ state }) => state === 'in_doubt').map(({ id }) => id)).toEqual(doubts);
      return { ledger, touches: touchesOf(stage, operation, ITEMS) };
    }),
  );

  for (const { moment, trap } of sleeps) trap.release(moment === 'held' ? 'drop' : 'go');
  sleeper.goOn();
  for (const [at, { operation, moment }] of sleeps.entries()) {
    // Between two items it may learn from the server that it was given up, before it asks the ledger.
    const fenced = 'failed: Batch 1(, attempt 1 was given up| of .* under epoch 2: a later claim or fence)';
    const end = moment === 'recorded' ? `(completed|${fenced})` : fenced;
    await sleeper.said(new RegExp(`^${operation} Activity ${end}`));
    expect({ ledger: await ledgerOf(operation), touches: touchesOf(stage, operation, ITEMS) }).toEqual(
      states[at],
    );
  }
}, 600_000);

it('reads an item back only when its last request must be over', async () => {
  const settings = { call_timeout_ms: 8_000, heartbeat_timeout_ms: 1_000 };
  stage = await startStage({ databaseUrl, settings });
  const first = await stage.startWorker();
  const operation = await stage.begin('idempotent', 5, 5);
  const held = stage.target.trap('held');
  const turn = stage.confirm(operation);
  await held.sprung;
  await first.kill();
  const fenced = stage.target.trap('fenced');
  await stage.startWorker();
  await fenced.sprung;
  // The worker is dead and given up, and its request is carried out only now.
  held.release();
  fenced.release();
  await turn;

  const [row] = (await ledgerOf(operation)).items;
  expect(stage.target.reads.get(itemId(operation, 0))?.[0]).toBeGreaterThanOrEqual(Number(row?.['deadline']));
  expect(await stage.finish(operation)).toMatchObject({ state: 'completed', succeeded: 5 });
  expect(touchesOf(stage, operation, 5)).toEqual(Array(5).fill({ asked: 1, applied: 1 }));
}, 60_000);

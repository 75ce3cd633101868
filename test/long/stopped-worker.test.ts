import { Pool } from 'pg';
import { cancelBulkOperation } from '../../src/client';
import { startStage, touchesOf, type Kind, type Stage } from '../helpers/fault-stage';
import { sharedPostgres } from '../helpers/postgres';
import type { Moment } from '../helpers/touch-target';
import { itemId } from '../helpers/worker-process';
import { confirmOpen } from '../helpers/confirm';

/** Where the worker is suspended. The second worker can read back items of `idempotent`, and not those of `blind`. */
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

/** All rows of an operation's items and batches in the ledger. */
async function ledgerOf(operation: string) {
  const rows = async (table: string, order: string) => {
    const query = `select * from batchgate.${table} where operation_id = $1 order by ${order}`;
    return (await pool.query<Record<string, unknown>>(query, [operation])).rows;
  };
  return { items: await rows('items', 'index'), batches: await rows('batches', 'batch') };
}

it('lets a suspended worker write nothing and change nothing once its batches were given up', async () => {
  const settings = { call_timeout_ms: 20_000, heartbeat_timeout_ms: 6_000 };
  stage = await startStage({ databaseUrl, settings });
  const sleeper = await stage.startWorker();
  const operations = await Promise.all(SLEEPS.map(({ kind }) => stage.begin(kind, ITEMS, 5)));
  const sleeps = await Promise.all(
    SLEEPS.map(async (sleep, at) => {
      const operation = operations[at] ?? '';
      const trap = stage.target.trap(sleep.moment, 2, (id) => id.startsWith(operation));
      const turn = stage.confirm(operation);
      const tooSoon = turn.then(({ state }) => {
        throw new Error(
          `The batch of ${operation} ended as ${state} before its worker came to ${sleep.moment}.`,
        );
      });
      return {
        ...sleep,
        operation,
        trap,
        item: await Promise.race([trap.sprung, tooSoon]),
        turn: () => turn,
      };
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
    // Between two items, the worker may learn from the server that the batch was given up, before it asks the ledger.
    const fenced = 'failed: Batch 1(, attempt 1 was given up| of .* under epoch 2: a later claim or fence)';
    const end = await sleeper.said(new RegExp(`^${operation} Activity (?!started)`));
    expect(end).toMatch(new RegExp(`Activity ${moment === 'recorded' ? `(completed|${fenced})` : fenced}`));
    expect({ ledger: await ledgerOf(operation), touches: touchesOf(stage, operation, ITEMS) }).toEqual(
      states[at],
    );
  }
});

it('asks again at once, and counts an item as unchanged only when its last request must be over', async () => {
  const settings = { call_timeout_ms: 20_000, heartbeat_timeout_ms: 4_000 };
  stage = await startStage({ databaseUrl, settings });
  const second = stage.loadWorker();
  const first = await stage.startWorker();
  const operations = await Promise.all([1, 2, 3].map(() => stage.begin('idempotent', 5, 5)));
  const helds = operations.map((operation) => stage.target.trap('held', 0, (id) => id.startsWith(operation)));
  const turns = operations.map((operation) => stage.confirm(operation));
  await Promise.all(helds.map(({ sprung }) => sprung));
  await first.kill();
  await second();
  for (const turn of await Promise.all(turns)) {
    expect(turn).toMatchObject({
      state: 'batch_failed',
      next_batch: { number: 1, attempt: 2 },
      remaining: 5,
    });
    expect(turn.error?.hint).toContain('1 item(s) may be carried out until');
  }

  const [continued = '', cancelled = '', excluding = ''] = operations;
  const ends = [
    stage.finish(continued),
    cancelBulkOperation(stage.client, cancelled),
    confirmOpen(stage.client, excluding, {
      exclude: [{ id: itemId(excluding, 0), reason: 'not this one' }],
    }),
  ];
  // The dead worker's requests are carried out only now, after people were asked again and have decided.
  for (const held of helds) held.release();
  const [done, stopped, left] = await Promise.all(ends);
  expect(done).toMatchObject({ state: 'completed', succeeded: 5 });
  expect(stopped).toMatchObject({ state: 'cancelled', succeeded: 1, remaining: 4 });
  expect(left).toMatchObject({ state: 'completed', succeeded: 5, skipped: 0, last_batch: { succeeded: 5 } });
  for (const operation of operations) {
    const { items } = await ledgerOf(operation);
    const last = stage.target.reads.get(itemId(operation, 0))?.at(-1);
    expect(last).toBeGreaterThanOrEqual(Number(items[0]?.['deadline']));
    const [, ...others] = touchesOf(stage, operation, 5);
    const times = operation === cancelled ? 0 : 1;
    expect(touchesOf(stage, operation, 1)).toEqual([{ asked: 1, applied: 1 }]);
    expect(others).toEqual(Array(4).fill({ asked: times, applied: times }));
  }
  expect(await stage.unreplayable()).toEqual([]);
});

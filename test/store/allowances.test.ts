import { sql } from 'kysely';
import { TRELLO_LIMIT } from '../../activities/adapters/trello';
import { openStore, type Store } from '../../src/postgres/store/open';
import { loadConfig } from '../../src/host/config';
import { createAdapters } from '../../src/worker/adapters';
import { startHttpTap } from '../../src/testing/http-tap';
import { newStoreUrl } from '../helpers/store';
import { startTrello } from '../helpers/trello-server';
import { KEY, TOKEN } from '../helpers/trello-world';

/** The stores of two workers, over one database. */
let stores: [Store, Store];
beforeAll(async () => {
  const databaseUrl = await newStoreUrl();
  const open = () => openStore({ dataDir: '', databaseUrl });
  stores = [await open(), await open()];
});
afterAll(() => Promise.all(stores.map((store) => store.close())));

/** Nothing arrives while the test runs: time passes by moving the row's clock. */
const HOUR_MS = 3_600_000;
const LIMIT = { perInterval: 40, intervalMs: HOUR_MS, burst: 60 };
const pass = (tool: string, ms: number) =>
  sql`update batchgate.allowances set counted_at = counted_at - ${ms} * interval '1 millisecond' where tool = ${tool}`.execute(
    stores[0].db,
  );

/** How many of so many requests of both workers are let through at once. */
async function taken(tool: string, requests: number, cost = 1): Promise<number> {
  const buckets = stores.map(({ buckets: of }) => of(tool, LIMIT));
  const waits = await Promise.all(
    Array.from({ length: requests }, async (_, at) => buckets[at % 2]!.take(cost)),
  );
  for (const wait of waits.filter((ms) => ms > 0)) expect(wait).toBeLessThanOrEqual((cost * HOUR_MS) / 40);
  return waits.filter((ms) => ms === 0).length;
}

it('lets the workers of a store send as much as one of them, and not more after any pause', async () => {
  expect(await taken('one', 100)).toBe(60);
  expect(await taken('one', 10)).toBe(0);
  await pass('one', HOUR_MS / 4);
  expect(await taken('one', 30)).toBe(10);
  await pass('one', 100 * HOUR_MS);
  expect(await taken('one', 100)).toBe(60);
  await pass('one', -HOUR_MS);
  expect(await taken('one', 1)).toBe(0);
});

it('takes all units of a request or none, and keeps the tools apart', async () => {
  expect(await taken('dear', 10, 25)).toBe(2);
  expect(await taken('dear', 20)).toBe(10);
  expect(await taken('another', 1)).toBe(1);
});

it('counts the requests of the adapters of all workers', async () => {
  const trello = await startTrello();
  const tap = await startHttpTap(trello.url);
  const config = loadConfig({
    BATCHGATE_TRELLO_BASE_URL: tap.url,
    BATCHGATE_TRELLO_KEY: KEY,
    BATCHGATE_TRELLO_TOKEN: TOKEN,
  });
  const workers = await Promise.all(stores.map((store) => createAdapters(config, undefined, store.buckets)));
  try {
    const counted = async () => {
      const { rows } = await sql<{ units: number; counted_at: Date }>`
        select units, counted_at from batchgate.allowances where tool = 'trello'`.execute(stores[0].db);
      return rows[0];
    };
    for (const worker of workers) {
      const before = await counted();
      const limits = { signal: new AbortController().signal, deadline: Date.now() + 60_000 };
      const params = { board: 'Team board', list: 'Doing' };
      await worker
        .get('trello')
        .prepare({ action: 'archive', params, explicit_items: false }, limits)
        .catch(() => undefined);
      const after = await counted();
      expect(after?.units).toBeLessThan(TRELLO_LIMIT.burst);
      expect(after?.counted_at).not.toEqual(before?.counted_at);
    }
    expect(tap.requests.length).toBeGreaterThanOrEqual(2);
  } finally {
    await Promise.all(workers.map((worker) => worker.close()));
    await tap.close();
    await trello.close();
  }
});

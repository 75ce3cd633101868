import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Drop } from '../../src/contract/hygiene';
import { jsonb } from '../../src/postgres/store/schema';
import { openStore, type Store } from '../../src/postgres/store/open';
import { seedStore } from '../helpers/embedded';
import { BATCH, plan, plannedItems } from '../helpers/ledger';
import { sharedPostgres } from '../helpers/postgres';

const AT = '2026-11-21T12:00:00.000Z';
const OLD = '2026-11-21T10:00:00.000Z';
const OLDER = '2026-11-21T09:00:00.000Z';
const nothing: Drop = { sessions: [], idle_since: AT, operations: [], written_before: AT };
const confirmed = { by: 'ana', via: 'update', assurance: 'asserted', at: AT } as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-hygiene-'));
  await seedStore(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([
  ['embedded', () => openStore({ dataDir: folder })],
  ['PostgreSQL', async () => openStore({ dataDir: '', databaseUrl: await sharedPostgres().newDatabase() })],
])('hygiene in the store, %s', (backend, open) => {
  let store: Store;
  let hygiene: Store['hygiene'];
  beforeAll(async () => {
    store = await open();
    ({ hygiene } = store);
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    for (const table of ['scratchpad', 'items', 'batches', 'operations'] as const)
      await store.db.deleteFrom(table).execute();
  });

  /** A scratchpad entry that was last written at `at`. */
  const note = (session_id: string, key: string, at: string) =>
    store.db
      .insertInto('scratchpad')
      .values({ session_id, key, value: jsonb({ of: key }), created_at: at, updated_at: at })
      .execute();
  const keysOf = async (session_id: string) => {
    const query = store.db.selectFrom('scratchpad').select('key').where('session_id', '=', session_id);
    return (await query.orderBy('key').execute()).map(({ key }) => key);
  };
  /** An operation whose first batch was claimed, last written at `at`. */
  const operation = async (id: string, at: string, session_id?: string) => {
    const claim = { operation_id: id, batch: 1, epoch: 1 };
    const items = plannedItems(2 * BATCH);
    await store.ledger.recordPlan({ ...plan(id), session_id }, items);
    await store.ledger.claim(claim, { items: items.slice(0, BATCH), skipped: [], confirmed, deadline: 1 });
    await store.db
      .updateTable('operations')
      .set({ updated_at: new Date(at) })
      .where('operation_id', '=', id)
      .execute();
    await writtenAt(id, at);
  };
  const writtenAt = (id: string, at: string) =>
    store.db
      .updateTable('items')
      .set({ updated_at: new Date(at) })
      .where('operation_id', '=', id)
      .execute();
  const rowsOf = async (id: string) => {
    const tables = (['operations', 'batches', 'items'] as const).map((table) =>
      store.db.selectFrom(table).where('operation_id', '=', id).select('operation_id').execute(),
    );
    return (await Promise.all(tables)).map((rows) => rows.length);
  };
  const WHOLE = [1, 1, 2 * BATCH];
  const GONE = [0, 0, 0];

  it('knows the sessions with a scratchpad by their last write, idle for longest first', async () => {
    await note('a', 'x', OLDER);
    await note('a', 'y', OLD);
    await note('b', 'x', OLDER);
    await operation('op-b', OLDER, 'b');
    await writtenAt('op-b', AT);
    await note('c', 'x', OLDER);
    await operation('op-d', OLDER, 'd');
    expect(await hygiene.sessions(10)).toEqual({
      sessions: [
        { session_id: 'c', last_activity_at: OLDER },
        { session_id: 'a', last_activity_at: OLD },
        { session_id: 'b', last_activity_at: AT },
      ],
      total: 3,
    });
    expect(await hygiene.sessions(1)).toMatchObject({ sessions: [{ session_id: 'c' }], total: 3 });
  });

  it('drops the whole scratchpad of the given sessions, and no other', async () => {
    await note('a', 'x', OLDER);
    await note('a', 'y', OLD);
    await note('b', 'x', OLDER);
    expect(await hygiene.drop({ ...nothing, sessions: ['a', 'never seen'] })).toEqual({
      ...{ expired: ['a'], kept: [], scratchpad: 2, operations: 0 },
    });
    expect([await keysOf('a'), await keysOf('b')]).toEqual([[], ['x']]);
  });

  it('keeps everything of a session in which one entry or one item was written since', async () => {
    await note('a', 'x', OLDER);
    await note('a', 'y', AT);
    await note('b', 'x', OLDER);
    await operation('op-b', OLDER, 'b');
    await writtenAt('op-b', AT);
    expect(await hygiene.drop({ ...nothing, sessions: ['a', 'b'] })).toEqual({
      ...{ expired: [], scratchpad: 0, operations: 0 },
      kept: expect.arrayContaining([
        { session_id: 'a', last_activity_at: AT },
        { session_id: 'b', last_activity_at: AT },
      ]),
    });
    expect([await keysOf('a'), await keysOf('b')]).toEqual([['x', 'y'], ['x']]);
  });

  it('finds operations without writes, of a session or of none, and drops them whole', async () => {
    await operation('old', OLDER, 'a');
    await operation('of-nobody', OLDER);
    await operation('recent', AT, 'a');
    await operation('old-but-for-an-item', OLDER, 'a');
    await writtenAt('old-but-for-an-item', AT);
    await operation('live', OLDER, 'a');
    expect(await hygiene.staleOperations(AT, ['live'], 10)).toEqual(['of-nobody', 'old']);
    expect(await hygiene.staleOperations(AT, [], 1)).toHaveLength(1);
    expect(await hygiene.drop({ ...nothing, operations: ['of-nobody', 'old'] })).toMatchObject({
      operations: 2,
    });
    for (const id of ['of-nobody', 'old']) {
      expect(await rowsOf(id)).toEqual(GONE);
      expect(await store.ledger.read(id)).toBeNull();
    }
    for (const id of ['recent', 'old-but-for-an-item', 'live']) expect(await rowsOf(id)).toEqual(WHOLE);
  });

  it('keeps an operation that was written to since it was found', async () => {
    await operation('a', OLDER);
    await operation('b', OLDER);
    const operations = await hygiene.staleOperations(AT, [], 10);
    expect(operations).toEqual(['a', 'b']);
    await store.ledger.resolve({
      ...{ operation_id: 'a', index: 0, outcome: 'failed', reason: 'I looked', at: AT },
    });
    expect(await hygiene.drop({ ...nothing, operations })).toMatchObject({ operations: 1 });
    expect([await rowsOf('a'), await rowsOf('b')]).toEqual([WHOLE, GONE]);
  });

  it('loses nothing that is written while it drops', async () => {
    for (let round = 0; round < 20; round += 1) {
      await note('a', 'x', OLDER);
      const [dropped] = await Promise.all([
        hygiene.drop({ ...nothing, sessions: ['a'] }),
        note('a', 'y', AT),
      ]);
      // A note that is written before the drop keeps the session. One that is written after it begins a new session.
      expect(await keysOf('a')).toEqual(dropped.expired.length === 1 ? ['y'] : ['x', 'y']);
      await store.db.deleteFrom('scratchpad').execute();
    }
  });

  // The embedded store has one connection, so it never has two writers at the same time.
  if (backend === 'PostgreSQL')
    it('waits for a plan under the same id, and keeps it', async () => {
      await operation('again', OLDER);
      let dropping: Promise<unknown> = Promise.resolve();
      await store.db.transaction().execute(async (trx) => {
        await sql`update batchgate.operations set updated_at = now() where operation_id = 'again'`.execute(
          trx,
        );
        dropping = hygiene.drop({ ...nothing, operations: ['again'] });
        const blocked = sql<{ n: string }>`select count(*) as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
        while ((await blocked.execute(store.db)).rows[0]?.n !== '1');
      });
      expect(await dropping).toMatchObject({ operations: 0 });
      expect(await rowsOf('again')).toEqual(WHOLE);
    });
});

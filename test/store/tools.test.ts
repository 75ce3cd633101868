import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_SESSION_BYTES } from '../../src/contract/scratchpad';
import { openStore, type Store, type StoreOptions } from '../../src/postgres/store/open';
import { seedStore } from '../helpers/embedded';
import { sharedPostgres } from '../helpers/postgres';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-tools-'));
  await seedStore(folder);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe.each<[string, () => Promise<StoreOptions>]>([
  ['embedded', () => Promise.resolve({ dataDir: folder })],
  ['PostgreSQL', async () => ({ dataDir: '', databaseUrl: await sharedPostgres().newDatabase() })],
])('in the store, %s,', (_, place) => {
  let options: StoreOptions;
  let store: Store;
  beforeAll(async () => {
    options = await place();
    store = await openStore(options);
  });
  afterAll(() => store.close());

  const idleSince = async (session_id: string) => {
    const { sessions } = await store.hygiene.sessions(100);
    return sessions.find((session) => session.session_id === session_id)?.last_activity_at ?? '';
  };
  const LONG_AGO = '2026-01-01T00:00:00.000Z';
  const forgetTimes = (session_id: string) =>
    store.db
      .updateTable('scratchpad')
      .set({ updated_at: new Date(LONG_AGO), used_at: new Date(LONG_AGO) })
      .where('session_id', '=', session_id)
      .execute();

  it('a scratchpad stores any JSON by session and key, and the latest value of each', async () => {
    const { scratchpad } = store;
    const value = { text: 'grüße 👋', list: [1, null, { deep: true }], __proto: 'x' };
    const { bytes } = await scratchpad.save('S', 'b', value);
    expect(bytes).toBe(Buffer.byteLength(JSON.stringify(value)));
    for (const plain of ['text', 0, false, null]) await scratchpad.save('S', 'a', plain);
    expect(await scratchpad.read('S', ['a', 'b', 'c'])).toEqual(
      new Map<string, unknown>([
        ['a', null],
        ['b', value],
      ]),
    );
    expect(await scratchpad.read('T', ['a'])).toEqual(new Map());
    expect(await scratchpad.list('S')).toEqual([
      { key: 'a', bytes: 4, created_at: expect.any(String), updated_at: expect.any(String) },
      { key: 'b', bytes, created_at: expect.any(String), updated_at: expect.any(String) },
    ]);
    expect(await scratchpad.delete('S', 'a')).toBe(true);
    expect(await scratchpad.delete('S', 'a')).toBe(false);
    expect((await scratchpad.list('S')).map(({ key }) => key)).toEqual(['b']);
  });

  it('reading, listing, writing or deleting in a scratchpad makes its session active', async () => {
    const { scratchpad } = store;
    await scratchpad.save('busy', 'a', 1);
    await scratchpad.save('busy', 'b', 2);
    const uses = [
      () => scratchpad.read('busy', ['a']),
      () => scratchpad.list('busy'),
      () => scratchpad.save('busy', 'a', 2),
      () => scratchpad.delete('busy', 'a'),
    ];
    for (const use of uses) {
      await forgetTimes('busy');
      expect(await idleSince('busy')).toBe(LONG_AGO);
      await use();
      expect((await idleSince('busy')) > '2026-06').toBe(true);
    }
  });

  it('a scratchpad has limits for an entry, for entries and for all of a session, and keeps what it had', async () => {
    const { scratchpad } = store;
    const refused = expect.objectContaining({
      code: 'INVALID_INPUT',
      hint: expect.stringContaining('Save less'),
    });
    await scratchpad.save('full', 'key', 'first');
    await expect(scratchpad.save('full', 'key', 'x'.repeat(MAX_ENTRY_BYTES))).rejects.toEqual(refused);
    expect((await scratchpad.read('full', ['key'])).get('key')).toBe('first');
    await store.db
      .updateTable('scratchpad')
      .set({ bytes: MAX_SESSION_BYTES })
      .where('session_id', '=', 'full')
      .execute();
    await expect(scratchpad.save('full', 'other', 1)).rejects.toEqual(refused);
    await sql`insert into batchgate.scratchpad (session_id, key, value)
      select 'many', 'key-' || n, '1' from generate_series(1, ${MAX_ENTRIES - 1}) n`.execute(store.db);
    const last = await Promise.allSettled(['x', 'y', 'z'].map((key) => scratchpad.save('many', key, 1)));
    expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await scratchpad.save('many', 'key-1', 'still changed');
  });

  it('a profile stores field by field, also with two concurrent writers, and null restores the default', async () => {
    const { profiles } = store;
    expect(await profiles.read('default')).toEqual({});
    await Promise.all([
      profiles.change('default', { op_max_steps: 7 }),
      profiles.change('default', { op_max_total_tool_calls: 9 }),
    ]);
    expect(await profiles.read('default')).toMatchObject({ op_max_steps: 7, op_max_total_tool_calls: 9 });
    expect(await profiles.change('default', { op_max_steps: null })).toMatchObject({
      op_max_steps: null,
      op_max_total_tool_calls: 9,
    });
    expect(await profiles.read('other')).toEqual({});
  });

  it('both survive a restart', async () => {
    await store.scratchpad.save('S', 'kept', { over: 'night' });
    await store.profiles.change('night', { op_idle_threshold_seconds: 99 });
    await store.close();
    store = await openStore(options);
    expect((await store.scratchpad.read('S', ['kept'])).get('kept')).toEqual({ over: 'night' });
    expect(await store.profiles.read('night')).toMatchObject({ op_idle_threshold_seconds: 99 });
  });
});

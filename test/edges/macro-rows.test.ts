import type { FetchInput } from '../../src/contract/macro-activities';
import { createRowSource } from '../../src/worker/macros';
import { WORLDS, type SqlWorld } from '../adapters/sql-setup';

describe.each(WORLDS)('rows that a macro fetches from %s', (_, start) => {
  let world: SqlWorld;
  beforeAll(async () => {
    world = await start();
    await world.run('create table users (id int primary key, name text, joined timestamptz)');
    await world.run(
      `insert into users values (1, 'Ana', '2026-01-02T03:04:05Z'), (2, 'Ben', null), (3, 'a''; drop', null)`,
    );
  });
  afterAll(() => world.close());

  const rows = (input: Partial<FetchInput>) =>
    createRowSource(world.databases, ['shop']).rows(
      { source: 'shop', resource: 'users', ...input },
      new AbortController().signal,
    );
  const ids = async (input: Partial<FetchInput>) =>
    (await rows(input)).map((row) => (row as { id: number }).id);

  it('are those that match the filter, in order, as JSON', async () => {
    const [ana] = (await rows({ filter: [{ column: 'id', op: '=', value: 1 }] })) as [{ joined: string }];
    expect(ana).toMatchObject({ id: 1, name: 'Ana' });
    // The value is in the time zone of the connection.
    expect(new Date(ana.joined).toISOString()).toBe('2026-01-02T03:04:05.000Z');
    expect(await ids({ order: [{ column: 'id', direction: 'desc' }], limit: 2 })).toEqual([3, 2]);
    expect(
      await ids({ filter: [{ column: 'id', op: 'in', value: [1, 3] }], order: [{ column: 'id' }] }),
    ).toEqual([1, 3]);
    expect(await ids({ filter: [{ column: 'id', op: 'in', value: [] }] })).toEqual([]);
    expect(await ids({ filter: [{ column: 'joined', op: 'is_not_null' }] })).toEqual([1]);
    expect(await ids({ filter: [{ column: 'name', op: 'like', value: 'B%' }] })).toEqual([2]);
  });

  it('are never requested with SQL from a value or a name', async () => {
    expect(await ids({ filter: [{ column: 'name', op: '=', value: "a'; drop" }] })).toEqual([3]);
    const named = rows({ filter: [{ column: 'id" = 1 or "id', op: '=', value: 1 }] });
    await expect(named).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('does not exist') as string,
    });
    await expect(rows({ resource: 'users" where 1=1 --' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('is not a table name') as string,
    });
    expect(await ids({})).toHaveLength(3);
  });

  it('of an unknown database are refused with its name', async () => {
    await expect(rows({ source: 'none' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

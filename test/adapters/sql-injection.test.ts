import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../src/contract/items';
import { call, execute, failure, named, planned, prepare, WORLDS, type SqlWorld } from './sql-setup';

const succeeded = (items: BulkItem[]): BulkResult[] =>
  items.map(({ id }) => ({ item_id: id, success: true }));

describe.each(WORLDS)('names and values that would be SQL elsewhere, over %s:', (_kind, start) => {
  let world: SqlWorld;
  let adapter: BulkAdapter;
  let operations = 0;
  /** Each operation has its own commit markers. */
  const fresh = () => call(`bulk-${(operations += 1)}`);
  beforeAll(async () => {
    world = await start();
    ({ adapter } = world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.run('drop table if exists customers');
    await world.run(`create table customers
      (id integer primary key, name text, state text not null default 'open', visits integer not null default 0)`);
    await world.run(
      `insert into customers (id, name) select n, 'Customer ' || n from generate_series(1, 12) n`,
    );
  });

  const column = async (name: string) =>
    (await world.run(`select id, cast("${name}" as text) as it from customers order by id`)).map(
      ({ it }) => it,
    );
  const ids = async () => (await world.run('select id from customers order by id')).map(({ id }) => id);
  const update = (set: unknown, where: unknown) =>
    planned(adapter, 'update', { table: 'customers', where, set });

  const evil = `x'; drop table customers; --`;
  const names = [
    `a"b`,
    `order`,
    `semi;colon`,
    `"; drop table customers; --`,
    `Ünï.cödé`,
    `$1`,
    `{{.id}}`,
    `%s`,
    `back\\slash`,
  ];
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

  test.each(names)('the table and the columns %s are used under exactly these names', async (name) => {
    await world.run('drop schema if exists odd cascade');
    await world.run('create schema odd');
    const table = `odd.${quoted(name)}`;
    await world.run(`create table ${table} (${quoted(`${name}k`)} text primary key, ${quoted(name)} text)`);
    await world.run(`insert into ${table} values ($1, $2), ($3, $4)`, evil, evil, `k'2`, 'other');
    const plan = await planned(adapter, 'update', {
      table,
      where: [{ column: name, op: '=', value: evil }],
      set: { [name]: `${evil}!` },
    });
    expect(plan.items.map(({ id }) => id)).toEqual([evil]);
    expect(await execute(adapter, plan, fresh())).toEqual(succeeded(plan.items));
    const rows = await world.run(`select ${quoted(name)} as it from ${table} order by 1`);
    expect(rows.map(({ it }) => it)).toEqual(['other', `${evil}!`]);
    expect(await ids()).toHaveLength(12);
  });

  test.each(
    [
      evil,
      `' or '1'='1`,
      `customers"; drop table customers; --`,
      `id" = "id`,
      `1 or 1=1`,
      `customers where true`,
    ].flatMap(
      (text) =>
        [
          [text, { table: text }],
          [text, { table: `public.${text}` }],
          [text, { where: [{ column: text, op: '=', value: 1 }] }],
          [text, { where: [{ column: 'id', op: text, value: 1 }] }],
          [text, { where: [{ column: 'id', op: '=', value: text }] }],
          [text, { where: [{ column: 'id', op: 'in', value: [1, text] }] }],
          [text, { set: { [text]: 'x' } }],
          [text, { set: { visits: text } }],
          [text, { database: text }],
        ] as [string, object][],
    ),
  )('%s is refused in %j, and nothing happens', async (_text, params) => {
    const where = [{ column: 'id', op: '=', value: 1 }];
    const error = await failure(
      prepare(adapter, 'update', { table: 'customers', where, set: { state: 'x' }, ...params }),
    );
    expect(error.code).toBe('INVALID_INPUT');
    expect(await ids()).toHaveLength(12);
    expect(new Set(await column('state'))).toEqual(new Set(['open']));
  });

  test.each([evil, `' or '1'='1`, `1 or 1=1`, `%`, `\\`, `{}`, `["1"]`])(
    '%s as a value matches only itself',
    async (text) => {
      await world.run('update customers set name = $1 where id = 4', text);
      for (const op of ['=', 'in']) {
        const value = op === 'in' ? [text] : text;
        const plan = await update({ state: text }, [{ column: 'name', op, value }]);
        expect(plan.items.map(({ id }) => id)).toEqual(['4']);
        expect(await execute(adapter, plan, fresh())).toEqual(succeeded(plan.items));
      }
      expect(await column('state')).toEqual([...Array(3).fill('open'), text, ...Array(8).fill('open')]);
    },
  );

  test.each([evil, `1 or 1=1`, `1; delete from customers`, `["1"]`])(
    '%s as an id deletes nothing',
    async (id) => {
      const plan = await named(adapter, 'delete', { table: 'customers' }, [id]);
      expect(await execute(adapter, plan, fresh())).toMatchObject([
        { item_id: id, success: false, retryable: false },
      ]);
      expect(await ids()).toHaveLength(12);
    },
  );
});

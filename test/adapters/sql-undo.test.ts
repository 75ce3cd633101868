import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import { call, execute, planned, WORLDS, type SqlWorld } from './sql-setup';

interface Plan {
  context: PreparedBulkContext;
  items: BulkItem[];
}

describe.each(WORLDS)('an undo over %s', (_kind, start) => {
  let world: SqlWorld;
  let adapter: BulkAdapter;
  let operations = 0;
  beforeAll(async () => {
    world = await start();
    ({ adapter } = world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.run('drop table if exists things');
    await world.run(`create table things (id integer generated always as identity primary key, name text,
      price numeric(8,2), seen timestamptz, day date, facts jsonb, raw json, flags integer[], bytes bytea, ratio float8,
      state text default 'new', doubled integer generated always as (length(name) * 2) stored)`);
    await world.run(`insert into things (name, price, seen, day, facts, raw, flags, bytes, ratio) values
      ('one', 1.5, '2026-03-29 01:30:00+02', '2026-02-28', '{"a": [1, null]}', '{"b" : 1}', '{1,2}', '\\x00ff', 0.1),
      ('two "quoted", with a, comma', null, 'infinity', null, '"text"', null, '{}', null, 'NaN'),
      ('Żółw 🐢', -0.01, null, '0044-03-15 BC', 'null', '[]', '{NULL}', '\\x', 1e-300)`);
  });

  const rows = () => world.run('select cast(things as text) as row from things order by id');
  const operate = async (plan: Plan) =>
    (await execute(adapter, plan, call(`bulk-undo-${++operations}`))).map(
      ({ success, error }) => success || error,
    );

  /** Plans the undo the way the engine does. */
  async function taken({ context, items }: Plan): Promise<Plan> {
    const own: PreparedBulkContext = { ...context, undo: true };
    return { context: own, items: await adapter.freezeItems!(items.map(itemToRestore), own, call()) };
  }

  const all = [{ column: 'id', op: '>', value: 0 }];
  const changes: [string, string, object][] = [
    ['a deletion', 'delete', {}],
    [
      'an update of every type',
      'update',
      {
        set: { name: 'x', price: 7, seen: '2026-01-01', day: null, facts: { c: 1 }, flags: '{9}', ratio: 2 },
      },
    ],
  ];

  test.each(changes)(
    'of %s restores every value, and its undo makes the change again',
    async (_, action, set) => {
      const before = await rows();
      const plan = await planned(adapter, action, { table: 'things', where: all, ...set });
      expect(await operate(plan)).toEqual([true, true, true]);
      const after = await rows();
      expect(after).not.toEqual(before);
      const undo = await taken(plan);
      expect(await operate(undo)).toEqual([true, true, true]);
      expect(await rows()).toEqual(before);
      expect(await operate(await taken(undo))).toEqual([true, true, true]);
      expect(await rows()).toEqual(after);
    },
  );

  test('names the rows that changed since, and does not touch a row that changed during it', async () => {
    const plan = await planned(adapter, 'update', { table: 'things', where: all, set: { state: 'done' } });
    await operate(plan);
    await world.run(`update things set state = 'theirs' where id = 1`);
    await world.run('delete from things where id = 2');
    const undo = await taken(plan);
    expect(undo.items.map((item) => adapter.previewItem!(item, undo.context).conflict)).toEqual([
      'state was “done”, is now “theirs”',
      'the row was deleted',
      undefined,
    ]);
    await world.run(`update things set state = 'late' where id = 3`);
    expect((await operate({ ...undo, items: undo.items.slice(2) }))[0]).toBe(
      'Changed since the preview: state was “done”, is now “late”',
    );
  });

  test('is not offered for rows with private or very large values, which are not stored', async () => {
    await world.run(`update things set name = repeat('long ', 200) where id = 1`);
    const plan = await planned(adapter, 'delete', { table: 'things', where: all });
    expect(plan.items.map((item) => adapter.previewItem!(item, plan.context).reversible)).toEqual([
      'no',
      'yes',
      'yes',
    ]);
    await world.run(`create table if not exists logins (id integer primary key, password text)`);
    await world.run(`insert into logins values (1, 'hunter2') on conflict do nothing`);
    const logins = await planned(adapter, 'delete', { table: 'logins', where: all });
    expect(JSON.stringify(logins)).not.toContain('hunter2');
    expect(adapter.previewItem!(logins.items[0]!, logins.context)).toEqual({
      reversible: 'no',
      not_shown: 'the values of this row, which are larger than 800 bytes, or a column of which is private',
    });
  });
});

import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../src/contract/items';
import { call, execute, failure, named, planned, prepare, WORLDS, type SqlWorld } from './sql-setup';

const succeeded = (items: BulkItem[]): BulkResult[] =>
  items.map(({ id }) => ({ item_id: id, success: true }));

describe.each(WORLDS)('a change over %s', (_kind, start) => {
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
    await world.run('drop table if exists orders, customers');
    await world.run(`create table customers (id integer primary key, name text, email text unique,
      state text not null default 'open' check (state <> 'bad'), visits integer not null default 0,
      rate numeric(6,2), tags jsonb, raw json, seen timestamptz, short varchar(3), flags integer[])`);
    await world.run(
      'create table orders (no integer primary key, customer integer references customers (id))',
    );
    await world.run(`insert into customers (id, name, email)
      select n, 'Customer ' || n, 'c' || n || '@example.com' from generate_series(1, 12) n`);
  });

  const column = async (name: string) =>
    (await world.run(`select id, cast("${name}" as text) as it from customers order by id`)).map(
      ({ it }) => it,
    );
  const ids = async () => (await world.run('select id from customers order by id')).map(({ id }) => id);
  const upTo = (id: number) => [{ column: 'id', op: '<=', value: id }];
  const update = (set: unknown, where: unknown = upTo(3)) =>
    planned(adapter, 'update', { table: 'customers', where, set });
  const remove = (where: unknown = upTo(3)) => planned(adapter, 'delete', { table: 'customers', where });

  test('sets exactly the planned rows, with a marker for each', async () => {
    const plan = await update({ state: 'closed', visits: 7 });
    expect(await execute(adapter, plan, call('bulk-marks'))).toEqual(succeeded(plan.items));
    expect((await column('state')).slice(0, 4)).toEqual(['closed', 'closed', 'closed', 'open']);
    expect((await column('visits')).slice(0, 4)).toEqual(['7', '7', '7', '0']);
    const marks = await world.run(
      `select item_id, action from batchgate_changes where operation_id = 'bulk-marks' order by item_id`,
    );
    expect(marks).toEqual(['1', '2', '3'].map((item_id) => ({ item_id, action: 'update' })));
  });

  test('changes again under a reused operation id', async () => {
    const plan = await update({ visits: 7 });
    const first = call('bulk-again');
    expect(await execute(adapter, plan, first)).toEqual(succeeded(plan.items));
    const again = await update({ visits: 8 });
    expect(await execute(adapter, again, { ...first, run_id: 'run-2' })).toEqual(succeeded(again.items));
    expect((await column('visits')).slice(0, 4)).toEqual(['8', '8', '8', '0']);
  });

  test('deletes exactly the planned rows', async () => {
    const plan = await remove();
    expect(await execute(adapter, plan, fresh())).toEqual(succeeded(plan.items));
    expect(await ids()).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('sets every kind of value in its column’s own type, and clears with null', async () => {
    const set = {
      name: null,
      rate: '12.3',
      tags: { a: ['x', 1, null] },
      raw: 'a text',
      seen: '2026-02-03T04:05:06+01:00',
      flags: '{1,2}',
    };
    const plan = await update(set, upTo(1));
    expect(await execute(adapter, plan, fresh())).toEqual(succeeded(plan.items));
    const [row] = await world.run(
      `select name, cast(rate as text) as rate, cast(tags as text) as tags, cast(raw as text) as raw,
        seen = timestamptz '2026-02-03 03:05:06+00' as seen, cast(flags as text) as flags from customers where id = 1`,
    );
    expect(row).toEqual({
      name: null,
      rate: '12.30',
      tags: '{"a": ["x", 1, null]}',
      raw: '"a text"',
      seen: true,
      flags: '{1,2}',
    });
  });

  test('works on named rows by their keys, and on no others', async () => {
    const plan = await named(adapter, 'delete', { table: 'customers' }, ['5', '999', 'five', '7']);
    expect(await execute(adapter, plan, fresh())).toEqual([
      { item_id: '5', success: true },
      { item_id: '999', success: false, error: 'Row not found', retryable: false },
      {
        item_id: 'five',
        success: false,
        error: expect.stringContaining('invalid input syntax for type integer'),
        retryable: false,
      },
      { item_id: '7', success: true },
    ]);
    expect(await ids()).toEqual([1, 2, 3, 4, 6, 8, 9, 10, 11, 12]);
  });

  test('finds rows by keys of several columns, however their JSON is written', async () => {
    await world.run(
      'create table if not exists lines (region text, no integer, note text, primary key (region, no))',
    );
    await world.run(`insert into lines values ('eu', 1, 'a'), ('us', 1, 'b'), ('"]', 2, 'c')`);
    const wanted = ['["eu","1"]', '["\\"]", 2]', '["us"]', 'us'];
    const plan = await named(adapter, 'update', { table: 'lines', set: { note: 'done' } }, wanted);
    const results = await execute(adapter, plan, fresh());
    expect(results.map(({ success }) => success)).toEqual([true, true, false, false]);
    expect(results[2]).toMatchObject({
      retryable: false,
      error: expect.stringContaining('["region", "no"]'),
    });
    expect((await world.run('select note from lines order by no, region')).map(({ note }) => note)).toEqual([
      'done',
      'b',
      'done',
    ]);
  });

  test('does not change a row that changed since the preview, and says so', async () => {
    const plan = await update({ state: 'closed' });
    await world.run(`update customers set state = 'paused' where id = 2`);
    await world.run('delete from customers where id = 3');
    expect(await execute(adapter, plan, fresh())).toEqual([
      { item_id: '1', success: true },
      {
        item_id: '2',
        success: false,
        error: 'Changed since the preview: state was “open”, is now “paused”',
        changed_since_preview: true,
        retryable: true,
      },
      { item_id: '3', success: false, error: 'Row not found', retryable: false },
    ]);
    expect((await column('state')).slice(0, 2)).toEqual(['closed', 'paused']);
  });

  test('compares for an update only the columns of its conditions and its change, for a delete the whole row', async () => {
    const updating = await update({ state: 'closed' }, upTo(1));
    const deleting = await remove([{ column: 'id', op: '=', value: 2 }]);
    await world.run('update customers set visits = visits + 1');
    expect(await execute(adapter, updating, fresh())).toEqual([{ item_id: '1', success: true }]);
    expect(await execute(adapter, deleting, fresh())).toMatchObject([{ success: false, retryable: true }]);
    expect(await ids()).toContain(2);
  });

  test('does not change a row that was created after its name was planned', async () => {
    const plan = await named(adapter, 'delete', { table: 'customers' }, ['50']);
    await world.run(`insert into customers (id, name) values (50, 'New')`);
    expect(await execute(adapter, plan, fresh())).toMatchObject([{ success: false, retryable: true }]);
    expect(await ids()).toContain(50);
  });

  test('reports what a constraint or a type refuses as that item’s error alone, with its row unchanged', async () => {
    await world.run('insert into orders values (1, 2)');
    const deleting = await remove();
    expect(await execute(adapter, deleting, fresh())).toEqual([
      { item_id: '1', success: true },
      {
        item_id: '2',
        success: false,
        error: expect.stringMatching(/foreign key constraint.*Key \(id\)=\(2\) is still referenced/),
        retryable: false,
      },
      { item_id: '3', success: true },
    ]);
    const unique = await update({ email: 'c12@example.com' }, [{ column: 'id', op: 'in', value: [4, 5] }]);
    for (const result of await execute(adapter, unique, fresh()))
      expect(result).toMatchObject({
        success: false,
        retryable: false,
        error: expect.stringContaining('unique'),
      });
    const check = await update({ state: 'bad' }, [{ column: 'id', op: '=', value: 4 }]);
    expect(await execute(adapter, check, fresh())).toMatchObject([
      { success: false, retryable: false, error: expect.stringMatching(/customers_state_check"?$/) },
    ]);
    const long = update({ short: 'long' }, [{ column: 'id', op: '=', value: 4 }]);
    expect((await failure(long)).message).toContain('would store another value');
    const [row] = await world.run('select email, state, short from customers where id = 4');
    expect(row).toEqual({ email: 'c4@example.com', state: 'open', short: null });
  });

  test('reports no private value of a row that the database refuses, and the other values', async () => {
    await world.run('drop table if exists moves, accounts');
    await world.run(
      `create table accounts (id integer primary key, iban text unique, pin text, name text unique)`,
    );
    await world.run('create table moves (no integer primary key, iban text references accounts (iban))');
    await world.run(`insert into accounts values (1, 'DE89', '1', 'Ana'), (2, 'DE90', '2', 'Bob')`);
    await world.run(`insert into moves values (1, 'DE90')`);
    const second = [{ column: 'id', op: '=', value: 2 }];
    const errorOf = async (action: string, params: object) => {
      const plan = await planned(adapter, action, { table: 'accounts', where: second, ...params });
      await world.run(`alter table accounts alter pin type integer using pin::integer`);
      const [result] = await execute(adapter, plan, fresh());
      await world.run(`alter table accounts alter pin type text`);
      expect(result).toMatchObject({ success: false, retryable: false });
      return result?.error;
    };
    expect(await errorOf('update', { set: { iban: 'DE89' } })).toMatch(/accounts_iban_key"?$/);
    expect(await errorOf('update', { set: { iban: 'DE91' } })).toMatch(/on table "moves"$/);
    expect(await errorOf('delete', {})).toMatch(/on table "moves"$/);
    expect(await errorOf('update', { set: { name: 'Ana' } })).toContain('Key (name)=(Ana) already exists');
    expect(await errorOf('update', { set: { pin: '12x4' } })).toBe('A value does not fit its column');
    await world.run('drop table moves, accounts');
  });

  test('also reports a deferred constraint that fails in COMMIT as the item’s error', async () => {
    await world.run('alter table orders alter constraint orders_customer_fkey deferrable initially deferred');
    await world.run('insert into orders values (1, 2)');
    const plan = await remove([{ column: 'id', op: '=', value: 2 }]);
    expect(await execute(adapter, plan, fresh())).toMatchObject([
      { success: false, retryable: false, error: expect.stringContaining('foreign key') },
    ]);
    expect(await ids()).toContain(2);
  });

  test('reports that the database itself keeps a row unchanged', async () => {
    await world.run(
      `create or replace function keep() returns trigger language plpgsql as 'begin return null; end'`,
    );
    await world.run('create trigger keep before update on customers for each row execute function keep()');
    const plan = await update({ state: 'closed' }, upTo(1));
    expect(await execute(adapter, plan, fresh())).toMatchObject([
      { success: false, retryable: false, error: expect.stringContaining('trigger') },
    ]);
  });

  test('is made once by an operation, however often it is sent', async () => {
    const plan = await named(adapter, 'update', { table: 'customers', set: { visits: 5 } }, ['1']);
    const limits = fresh();
    const blind = { ...plan, items: plan.items.map(({ id }) => ({ id, display_name: id })) };
    expect(await execute(adapter, blind, limits)).toEqual(succeeded(plan.items));
    await world.run('update customers set visits = 6 where id = 1');
    expect(await execute(adapter, blind, limits)).toEqual(succeeded(plan.items));
    expect((await column('visits'))[0]).toBe('6');
  });

  test('is identified by its marker: present, or absent and fenced off for earlier calls, not for later ones', async () => {
    const plan = await update({ state: 'closed' });
    const [one, two] = plan.items;
    const operation = 'bulk-fence';
    const early = call(operation, 20_000);
    await execute(adapter, { ...plan, items: [one!] }, early);
    expect(await adapter.reconcile?.(one!, plan.context, call(operation))).toBe('applied');
    expect(await adapter.reconcile?.(two!, plan.context, call(operation))).toBe('not_applied');
    expect(await adapter.reconcile?.(two!, plan.context, call(operation))).toBe('not_applied');
    expect(await execute(adapter, { ...plan, items: [two!] }, early)).toMatchObject([
      { success: false, retryable: true, error: expect.stringContaining('abandoned') },
    ]);
    expect((await column('state')).slice(0, 2)).toEqual(['closed', 'open']);
    expect(await execute(adapter, { ...plan, items: [two!] }, call(operation, 40_000))).toEqual(
      succeeded([two!]),
    );
    expect(await adapter.reconcile?.(two!, plan.context, call(operation))).toBe('applied');
    // The same change by another operation is another change.
    expect(await adapter.reconcile?.(one!, plan.context, call('bulk-other'))).toBe('not_applied');
  });

  test('sends nothing after its time', async () => {
    const plan = await update({ state: 'closed' });
    for (const late of [call('bulk-late', -1), { ...call('bulk-late'), signal: AbortSignal.abort() }]) {
      for (const result of await execute(adapter, plan, late))
        expect(result).toMatchObject({ success: false, retryable: true });
    }
    expect(new Set(await column('state'))).toEqual(new Set(['open']));
    expect(await execute(adapter, { ...plan, items: [] }, fresh())).toEqual([]);
  });

  test('is refused as a whole if the table lost one of its columns', async () => {
    const plan = await update({ state: 'closed' });
    await world.run('alter table customers rename column state to status');
    expect((await failure(execute(adapter, plan, fresh()))).message).toContain("Column 'state' not found");
    expect(new Set(await column('status'))).toEqual(new Set(['open']));
  });

  test('refuses a context that it did not prepare', async () => {
    const context = await prepare(adapter, 'delete', { table: 'customers' }, true);
    const forged = { ...context, action_params: { ...context.action_params, table: 'customers' } };
    const item = { id: '1', display_name: '1' };
    expect((await failure(execute(adapter, { context: forged, items: [item] }, fresh()))).code).toBe(
      'INVALID_INPUT',
    );
    expect((await failure(adapter.getTotalCount(context, call()))).code).toBe('INVALID_INPUT');
    expect((await failure(adapter.getNextBatch(context, 5, 0, call()))).code).toBe('INVALID_INPUT');
    expect(await ids()).toHaveLength(12);
  });
});

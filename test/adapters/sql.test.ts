import type { BulkAdapter } from '../../src/contract/adapter';
import { call, failure, named, planned, prepare, WORLDS, type SqlWorld } from './sql-setup';

describe.each(WORLDS)('sql over %s', (_kind, start) => {
  let world: SqlWorld;
  let adapter: BulkAdapter;
  beforeAll(async () => {
    world = await start();
    ({ adapter } = world);
    await world.run(`create table customers (
      id integer primary key, name text, email varchar(40) unique, visits numeric(8,2) not null default 0,
      state text not null default 'open', seen timestamptz, tags jsonb, raw json, flags text[],
      doubled numeric generated always as (visits * 2) stored, row_no bigint generated always as identity)`);
    await world.run(`insert into customers (id, name, email, visits, seen)
      select n, case when n % 10 = 0 then null else 'Customer ' || n end, 'c' || n || '@example.com', n,
        timestamptz '2026-01-01 00:00+00' + n * interval '1 day'
      from generate_series(1, 250) n`);
    await world.run('create schema sales');
    await world.run(
      'create table sales.lines (region text, no integer, note text, primary key (no, region))',
    );
    await world.run(`insert into sales.lines values ('eu', 1, 'one'), ('us', 1, 'two'), ('eu', 10, 'three'),
      ('eu', 9, null)`);
    await world.run('create view open_customers as select * from customers');
    await world.run('create table loose (a integer)');
  });
  afterAll(() => world.close());

  const customers = (where: unknown, set: unknown = { state: 'closed' }) =>
    prepare(adapter, 'update', { table: 'customers', where, set });
  const idsFor = async (where: unknown) => {
    const context = await customers(where);
    const items = await adapter.getNextBatch(context, 1_000, 0, call());
    expect(await adapter.getTotalCount(context, call())).toBe(items.length);
    return items.map(({ id }) => Number(id));
  };

  describe('a request', () => {
    test('is split into its conditions and its change, with the table as the catalogue spells it', async () => {
      const where = [{ column: 'state', op: '=', value: 'open' }];
      const context = await customers(where);
      expect(context).toEqual({
        tool_name: 'sql',
        action: 'update',
        query_params: { where },
        action_params: {
          database: 'shop',
          table: { schema: 'public', name: 'customers' },
          set: { state: 'closed' },
          marks: { schema: 'public', name: 'batchgate_changes' },
        },
      });
      expect(adapter.describeChange?.(context)).toEqual({
        summary: 'Set state to “closed” in each row of public.customers in shop where state = “open”.',
        fields: [{ name: 'state', to: 'closed' }],
        reversible: 'no',
      });
    });

    test.each([
      ['an unknown table', { table: 'custommers' }, /Table 'custommers' not found/, /public\.customers/],
      ['a table of another case', { table: 'Customers' }, /not found/, /public\.customers/],
      ['a table of another schema', { table: 'lines' }, /not found/, /sales\.lines/],
      ['a view', { table: 'open_customers' }, /is a view/, /table under it/],
      ['a table without a key', { table: 'loose' }, /no primary key/, /primary key/],
      ['a table of the catalogue', { table: 'pg_catalog.pg_class' }, /not found/, /./],
      ['a name in three parts', { table: 'shop.public.customers' }, /no name of a table/, /schema\.name/],
      ['a name that ends in a dot', { table: 'public.' }, /no name of a table/, /schema\.name/],
      ['an unknown database', { database: 'shopp' }, /no database 'shopp'/, /shop/],
      ['no conditions', { where: [] }, /every row of the table/, /where/],
      ['no conditions at all', { where: undefined }, /Missing required parameters: where/, /where/],
      ['no change', { set: undefined }, /Missing required parameters: set/, /set/],
      ['an empty change', { set: {} }, /names no column/, /set/],
      ['an unknown column', { where: [{ column: 'stat', op: 'is_null' }] }, /'stat' not found/, /state/],
      ['an unknown column to set', { set: { emial: 'x' } }, /'emial' not found/, /email/],
      ['a generated column to set', { set: { doubled: 1 } }, /gets its value from the database/, /Leave/],
      ['an identity to set', { set: { row_no: 1 } }, /gets its value from the database/, /Leave/],
      ['an operator of its own', { where: [{ column: 'id', op: '= 1 or', value: 1 }] }, /op/, /where/],
      ['a list where one belongs', { where: [{ column: 'id', op: '=', value: [1] }] }, /value/, /where/],
      ['one where a list belongs', { where: [{ column: 'id', op: 'in', value: 1 }] }, /value/, /where/],
      ['an empty list', { where: [{ column: 'id', op: 'in', value: [] }] }, /value/, /where/],
      ['a value for none', { where: [{ column: 'id', op: 'is_null', value: 1 }] }, /value/, /where/],
      ['no value', { where: [{ column: 'id', op: '=' }] }, /value/, /where/],
      ['a pattern over numbers', { where: [{ column: 'id', op: 'like', value: '1%' }] }, /for texts/, /=/],
      [
        'text for a number',
        { where: [{ column: 'id', op: '=', value: 'one' }] },
        /integer: "one"/,
        /Correct/,
      ],
      [
        'text for a number in a list',
        { where: [{ column: 'id', op: 'in', value: [1, 'x'] }] },
        /"x"/,
        /Corr/,
      ],
      ['text for a number to set', { set: { visits: 'many' } }, /numeric: "many"/, /Correct/],
      [
        'truth for a number',
        { where: [{ column: 'id', op: '=', value: true }] },
        /integer: "true"/,
        /Correct/,
      ],
      ['an object for a text', { set: { name: { a: 1 } } }, /no list and no object/, /PostgreSQL/],
      [
        'json compared',
        { where: [{ column: 'raw', op: '=', value: '1' }] },
        /operator does not exist/,
        /Corr/,
      ],
      ['NUL in a value', { where: [{ column: 'name', op: '=', value: 'a\0' }] }, /no text/, /where/],
      ['half a character', { set: { name: '\ud83d' } }, /no text/, /set/],
      ['something unknown', { limit: 5 }, /limit/, /database, table, set/],
    ])('with %s is refused', async (_what, params, message, hint) => {
      const where = [{ column: 'id', op: '=', value: 1 }];
      const all = { table: 'customers', where, set: { state: 'x' }, ...params };
      const error = await failure(prepare(adapter, 'update', all));
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.message).toMatch(message);
      expect(error.hint).toMatch(hint);
    });

    test('takes no conditions beside items, no set for delete, and no action of its own', async () => {
      const where = [{ column: 'id', op: '=', value: 1 }];
      const both = prepare(adapter, 'delete', { table: 'customers', where }, true);
      expect((await failure(both)).message).toMatch(/Explicit items together with query parameters: where/);
      const set = prepare(adapter, 'delete', { table: 'customers', where, set: { name: 'x' } });
      expect((await failure(set)).message).toMatch(/set/);
      const truncate = prepare(adapter, 'truncate', { table: 'customers', where });
      expect((await failure(truncate)).hint).toBe('Use one of: update, delete.');
    });
  });

  describe('conditions', () => {
    test.each([
      [[{ column: 'id', op: '=', value: 7 }], [7]],
      [[{ column: 'id', op: '=', value: '07' }], [7]],
      [[{ column: 'visits', op: '=', value: '7.000' }], [7]],
      [[{ column: 'id', op: '<', value: 3 }], [1, 2]],
      [[{ column: 'id', op: '<=', value: 2 }], [1, 2]],
      [[{ column: 'id', op: '>', value: 248 }], [249, 250]],
      [[{ column: 'id', op: '>=', value: 249 }], [249, 250]],
      [[{ column: 'id', op: 'in', value: [3, '1', 999] }], [1, 3]],
      [
        [
          { column: 'id', op: 'not_in', value: [3] },
          { column: 'id', op: '<', value: 5 },
        ],
        [1, 2, 4],
      ],
      [
        [
          { column: 'id', op: '!=', value: 1 },
          { column: 'id', op: '<=', value: 3 },
        ],
        [2, 3],
      ],
      [
        [{ column: 'email', op: 'like', value: 'c10_@%' }],
        [100, 101, 102, 103, 104, 105, 106, 107, 108, 109],
      ],
      [
        [{ column: 'name', op: 'ilike', value: 'CUSTOMER 24_' }],
        [241, 242, 243, 244, 245, 246, 247, 248, 249],
      ],
      [
        [
          { column: 'name', op: 'is_null' },
          { column: 'id', op: '<', value: 25 },
        ],
        [10, 20],
      ],
      [
        [
          { column: 'name', op: 'is_not_null' },
          { column: 'id', op: '<', value: 3 },
        ],
        [1, 2],
      ],
      [[{ column: 'seen', op: '<', value: '2026-01-03T01:00:00+02:00' }], [1]],
      [[{ column: 'id', op: '>', value: 1_000 }], []],
    ])('%j choose these rows, in the order of the key', async (where, ids) => {
      expect(await idsFor(where)).toEqual(ids);
    });
  });

  describe('the plan', () => {
    test('pages in the order of the key, never more than asked, and ends with a shorter page', async () => {
      const context = await customers([{ column: 'state', op: '=', value: 'open' }]);
      expect(await adapter.getTotalCount(context, call())).toBe(250);
      const pages = await Promise.all(
        [0, 100, 200, 250].map((offset) => adapter.getNextBatch(context, 100, offset, call())),
      );
      expect(pages.map((page) => page.length)).toEqual([100, 100, 50, 0]);
      expect(pages.flat().map(({ id }) => Number(id))).toEqual(
        Array.from({ length: 250 }, (_, at) => at + 1),
      );
    });

    test('names a row by its name and its key, and keeps little of it', async () => {
      const { items } = await planned(adapter, 'update', {
        table: 'customers',
        where: [{ column: 'id', op: 'in', value: [9, 10] }],
        set: { state: 'x' },
      });
      expect(items).toEqual([
        {
          id: '9',
          display_name: 'Customer 9 (9)',
          raw_data: { before: expect.stringMatching(/^[0-9a-f]{64}$/) },
        },
        { id: '10', display_name: '10', raw_data: { before: expect.any(String) } },
      ]);
    });

    test.each([
      ['api_token text, note text', ['s3cret', 'a note'], 'a note (1)'],
      ['note text, email text, full_name text', ['a note', 'a@b.example', 'Ada'], 'Ada (1)'],
      ['note text, "contactEmail" text', ['a note', 'a@b.example'], 'a@b.example (1)'],
      ['"passwordHash" text, ssn text, iban text, "apiKey" text', ['$2b$', '1', 'DE', 'k'], '1'],
    ])('shows of a row (%s) what it is known by, and no secret', async (columns, values, shown) => {
      await world.run(`create table shown (id integer primary key, ${columns})`);
      await world.run(`insert into shown values (1, '${values.join("', '")}')`);
      const where = [{ column: 'id', op: '=', value: 1 }];
      const { items } = await planned(adapter, 'delete', { table: 'shown', where });
      expect(items.map(({ display_name }) => display_name)).toEqual([shown]);
      await world.run('drop table shown');
    });

    test('writes a key of several columns as canonical JSON, in the order of the key', async () => {
      const { items } = await planned(adapter, 'delete', {
        table: 'sales.lines',
        where: [{ column: 'no', op: '>', value: 0 }],
      });
      expect(items.map(({ id }) => id)).toEqual(['["1","eu"]', '["1","us"]', '["9","eu"]', '["10","eu"]']);
      expect(items.map(({ display_name }) => display_name)).toEqual([
        'one (1, eu)',
        'two (1, us)',
        '9, eu',
        'three (10, eu)',
      ]);
    });

    test('completes named rows under the ids they were given, and keeps those that do not exist', async () => {
      const { items } = await named(adapter, 'update', { table: 'customers', set: { state: 'x' } }, [
        '2',
        '999',
        'two',
      ]);
      expect(items).toEqual([
        { id: '2', display_name: 'Customer 2 (2)', raw_data: { before: expect.any(String) } },
        { id: '999', display_name: '999', raw_data: { before: null } },
        { id: 'two', display_name: 'two', raw_data: { before: null } },
      ]);
      const lines = await named(adapter, 'delete', { table: 'sales.lines' }, ['[1, "eu"]', '["1"]', '1']);
      expect(lines.items.map(({ display_name }) => display_name)).toEqual(['one (1, eu)', '["1"]', '1']);
    });

    test('refuses a key that could not be an item’s id, by name', async () => {
      await world.run('create table odd_keys (k text primary key)');
      await world.run(`insert into odd_keys values ('a' || chr(10) || 'b'), (repeat('x', 501))`);
      const context = await prepare(adapter, 'delete', {
        table: 'odd_keys',
        where: [{ column: 'k', op: 'is_not_null' }],
      });
      const error = await failure(adapter.getNextBatch(context, 10, 0, call()));
      expect(error).toMatchObject({ code: 'INVALID_INPUT', hint: expect.stringContaining('500 characters') });
    });

    test('leaves the time of its call in force', async () => {
      const context = await customers([{ column: 'id', op: '=', value: 1 }]);
      const late = { ...call(), deadline: Date.now() - 1 };
      expect((await failure(adapter.getTotalCount(context, late))).code).toBe('ADAPTER_UNAVAILABLE');
      const aborted = { ...call(), signal: AbortSignal.abort() };
      expect((await failure(adapter.getNextBatch(context, 1, 0, aborted))).code).toBe('ADAPTER_UNAVAILABLE');
    });
  });
});

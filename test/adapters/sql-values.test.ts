import type { BulkAdapter } from '../../src/contract/adapter';
import { itemToRestore } from '../../src/core/bulk/undo';
import {
  call,
  databasesAt,
  execute,
  failure,
  named,
  planned,
  prepare,
  startServer,
  type SqlWorld,
} from './sql-setup';
import { createSqlAdapter } from '../../activities/adapters/sql';

let world: SqlWorld;
let adapter: BulkAdapter;
let url: string;
let operations = 0;
const fresh = () => call(`bulk-values-${++operations}`);

beforeAll(async () => {
  ({ world, url } = await startServer());
  ({ adapter } = world);
  await world.run('create domain short as varchar(3)');
  await world.run('create domain shorter as short check (value <> $$no$$)');
  await world.run('create domain padded as char(3)');
  await world.run('create domain bits as bit(3)');
  await world.run('create domain amount as numeric(5,2)');
  await world.run('create domain moment as timestamp(0)');
  await world.run('create domain wait as interval(0)');
  await world.run('create domain shorts as varchar(3)[]');
});
afterAll(() => world.close());

/** A type, a value that it holds, and a value that an explicit cast to the type would turn into the first. */
const CUT: [type: string, held: string, given: string | number][] = [
  ['short', 'abc', 'abcdef'],
  ['short', 'abc', 'abc  '],
  ['shorter', 'abc', 'abcdef'],
  ['padded', 'abc', 'abcdef'],
  ['bits', '101', '10111'],
  ['bits', '100', '1'],
  ['amount', '1.24', '1.239'],
  ['amount', '1.24', 1.239],
  ['moment', '2026-01-01 10:00:01', '2026-01-01 10:00:00.7'],
  ['wait', '00:00:02', '00:00:01.7'],
  ['shorts', '{abc}', '{abcdef}'],
  ['short[]', '{abc}', '{abcdef}'],
  ['amount[]', '{1.24}', '{1.239}'],
  ['bits[]', '{101}', '{10111}'],
  ['varchar(3)', 'abc', 'abcdef'],
  ['char(3)', 'abc', 'abcdef'],
  ['bit(3)', '101', '10111'],
  ['varbit(3)', '101', '10111'],
  ['numeric(5,2)', '1.24', '1.239'],
  ['numeric(5,-1)', '120', '119'],
  ['time(0)', '10:00:01', '10:00:00.7'],
  ['timestamptz(0)', '2026-01-01 10:00:01+00', '2026-01-01 10:00:00.7+00'],
  ['interval(0)', '00:00:02', '00:00:01.7'],
  ['interval year to month', '1 year', '1 year 3 days'],
  ['varchar(3)[]', '{abc}', '{abcdef}'],
  ['name', 'x'.repeat(63), 'x'.repeat(70)],
  ['"char"', 'a', 'abc'],
  ['real', '16777216', 16_777_217],
  ['double precision', '9007199254740992', '9007199254740993'],
  ['double precision', '0.1', '0.1000000000000000055'],
  ['money', '$1.24', '1.239'],
  ['date', '2026-01-01', '2026-01-01T23:59:00Z'],
  ['timestamp', '2026-01-01 10:00:00.000001', '2026-01-01 10:00:00.0000011'],
];

describe.each(CUT)('a column of type %s that holds %s', (type, held, given) => {
  beforeEach(async () => {
    await world.run('drop table if exists kept, batchgate_changes');
    await world.run(`create table kept (id integer primary key, code ${type}, note text)`);
    await world.run('insert into kept values (1, cast($1 as text)::' + type + ', $2)', held, 'old');
  });
  const rows = () => world.run('select id, cast(code as text) as code, note from kept');

  it(`loses no row to the condition ${String(given).slice(0, 30)}`, async () => {
    const before = await rows();
    expect(before).toHaveLength(1);
    for (const [op, value] of [
      ['=', given],
      ['in', [given]],
    ]) {
      const where = [{ column: 'code', op, value }];
      const found = await planned(adapter, 'delete', { table: 'kept', where }).catch(
        (error: unknown) => error,
      );
      if (found instanceof Error)
        expect(found.message).toMatch(/PostgreSQL would compare another value|too long/);
      else expect(found).toMatchObject({ items: [] });
    }
    const where = [{ column: 'code', op: '=', value: held }];
    expect((await planned(adapter, 'delete', { table: 'kept', where })).items).toHaveLength(1);
    expect(await rows()).toEqual(before);
  });

  it(`refuses to store ${String(given).slice(0, 30)} before anything happens`, async () => {
    const set = { table: 'kept', where: [{ column: 'id', op: '=', value: 1 }], set: { code: given } };
    expect(await failure(prepare(adapter, 'update', set))).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/'code' of public\.kept .* would store another value|too long/),
    });
    const fits = await planned(adapter, 'update', { ...set, set: { code: held } });
    expect(await execute(adapter, fits, fresh())).toEqual([{ item_id: '1', success: true }]);
  });
});

it.each(CUT.filter(([type]) => !type.startsWith('money')))(
  'names no row by a key of type %s that holds %s, other than by its value',
  async (type, held, given) => {
    await world.run('drop table if exists keyed');
    await world.run(`create table keyed (code ${type} primary key, part integer default 1)`);
    await world.run('insert into keyed values (cast($1 as text)::' + type + ')', held);
    const plan = await named(adapter, 'delete', { table: 'keyed' }, [String(given)]);
    const [result] = await execute(adapter, plan, fresh());
    expect(result).toMatchObject({ success: false, retryable: false });
    expect(await world.run('select 1 from keyed')).toHaveLength(1);
    const right = await named(adapter, 'delete', { table: 'keyed' }, [held]);
    expect(await execute(adapter, right, fresh())).toEqual([{ item_id: right.items[0]?.id, success: true }]);
  },
);

it('reads a part of a longer key as the type below its domain, too', async () => {
  await world.run('drop table if exists pairs');
  await world.run('create table pairs (code short, no amount, primary key (code, no))');
  await world.run(`insert into pairs values ('abc', 1.24)`);
  const ids = ['["abcdef","1.24"]', '["abc","1.239"]'];
  const results = await execute(adapter, await named(adapter, 'delete', { table: 'pairs' }, ids), fresh());
  expect(results.map(({ error }) => error)).toEqual(['Row not found', 'Row not found']);
});

it('keeps the checks of a domain, before anything happens', async () => {
  await world.run('drop table if exists checked');
  await world.run('create table checked (id integer primary key, code shorter)');
  const set = { table: 'checked', where: [{ column: 'id', op: '=', value: 1 }], set: { code: 'no' } };
  expect((await failure(prepare(adapter, 'update', set))).message).toContain('violates check constraint');
});

it('restores no value that a column which was altered meanwhile would cut or round', async () => {
  await world.run('drop table if exists altered');
  await world.run('create table altered (id integer primary key, code varchar(6), rate numeric(6,3))');
  await world.run(`insert into altered values (1, 'abc   ', 1.239)`);
  const where = [{ column: 'id', op: '=', value: 1 }];
  const plan = await planned(adapter, 'update', { table: 'altered', where, set: { code: 'x', rate: 2 } });
  await execute(adapter, plan, fresh());
  await world.run('alter table altered alter code type varchar(3), alter rate type numeric(6,2)');
  const context = { ...plan.context, undo: true as const };
  const items = await adapter.freezeItems!(plan.items.map(itemToRestore), context, call());
  expect(await execute(adapter, { context, items }, fresh())).toEqual([
    expect.objectContaining({ success: false, error: "The column 'code' no longer stores its old value" }),
  ]);
  expect(await world.run('select code from altered')).toEqual([{ code: 'x' }]);
});

it('leaves a row whose column was altered since the question and would store another value', async () => {
  await world.run('drop table if exists altered');
  await world.run('create table altered (id integer primary key, rate numeric(6,3))');
  await world.run('insert into altered values (1, null)');
  const where = [{ column: 'id', op: '>', value: 0 }];
  const plan = await planned(adapter, 'update', { table: 'altered', where, set: { rate: '1.239' } });
  await world.run('alter table altered alter rate type numeric(6,1)');
  expect(await execute(adapter, plan, fresh())).toMatchObject([
    { success: false, error: expect.stringContaining('rate would be “1.2”. It was left as it was') },
  ]);
  expect(await world.run('select rate from altered')).toEqual([{ rate: null }]);
});

it('prints and reads values the same, whatever the role is set to', async () => {
  await world.run('drop table if exists printed');
  await world.run(`create table printed (id timestamptz primary key, day date, wait interval, ratio float8, raw bytea,
    name text)`);
  await world.run(`insert into printed values ('2026-03-04 05:06:07.123456+00', '2026-03-04', '1 day 02:03:04', 0.1 + 0.2::float8,
    '\\x00ff', 'a')`);
  const set = { day: '2027-01-01', wait: '1 hour', ratio: 1, raw: '\\x01' };
  const table = 'printed';
  const plan = await planned(adapter, 'update', {
    table,
    where: [{ column: 'name', op: '=', value: 'a' }],
    set,
  });
  const before = await world.run('select cast(printed as text) as row from printed');
  const name = new URL(url).pathname.slice(1);
  for (const setting of [
    `"DateStyle" = 'SQL, DMY'`,
    `"IntervalStyle" = 'iso_8601'`,
    `"TimeZone" = 'America/New_York'`,
    `extra_float_digits = -3`,
    `bytea_output = 'escape'`,
  ])
    await world.run(`alter database ${name} set ${setting}`);
  const other = databasesAt({ shop: url });
  const later = createSqlAdapter({ databases: other, concurrency: 5 });
  try {
    expect(
      await planned(later, 'update', { table, where: [{ column: 'name', op: '=', value: 'a' }], set }),
    ).toEqual(plan);
    expect(await execute(later, plan, fresh())).toEqual([{ item_id: plan.items[0]!.id, success: true }]);
    const context = { ...plan.context, undo: true as const };
    const items = await later.freezeItems!(plan.items.map(itemToRestore), context, call());
    expect(await execute(later, { context, items }, fresh())).toMatchObject([{ success: true }]);
  } finally {
    await other.close();
    await world.run(`alter database ${name} reset all`);
  }
  expect(await world.run('select cast(printed as text) as row from printed')).toEqual(before);
});

test.each([
  ['to set', 'update', { set: { pin: '12x4' } }, /'pin' of public.accounts.*: it is of type integer/],
  ['beside others', 'insert', { set: { note: 'x', pin: '12x4' } }, /'pin'.*: it is of type integer/],
  ['of a domain', 'update', { set: { iban: 'XX12x4' } }, /'iban'.*: it is of type german/],
  [
    'in a condition',
    'delete',
    { where: [{ column: 'pin', op: 'in', value: [1, '12x4'] }] },
    /: it is of type integer/,
  ],
  ['that would be cut', 'update', { set: { short_token: '12x4' } }, /another value than the given one/],
])('a private value %s is refused with the name of its column, not quoted', async (...row) => {
  const [, action, params, message] = row;
  await world.run(`create domain german as text check (value like 'DE%')`);
  await world.run(
    'create table accounts (id integer primary key, pin integer, iban german, short_token varchar(3), note text)',
  );
  const where = [{ column: 'id', op: '=', value: 1 }];
  const all = { table: 'accounts', ...(action === 'update' && { where }), ...params };
  const error = await failure(prepare(adapter, action, all, action === 'insert'));
  await world.run('drop table accounts');
  await world.run('drop domain german');
  expect(error.code).toBe('INVALID_INPUT');
  expect(error.message).toMatch(message);
  expect(`${error.message} ${error.hint}`).not.toContain('12x4');
});

import { createSqlAdapter } from '../../activities/adapters/sql';
import { adapter, all, fresh, plan, rows, runs, undoing, useParts, world } from './mariadb-setup';
import { done, type Columns } from './sql-file-setup';
import { databasesAt, execute, failure, named, planned } from './sql-setup';

useParts();

const VALUES = {
  ...{ amount: '9007199254740993.10', big: '18446744073709551615', ratio: '0.1', exact: '1e-300', bits: '9' },
  ...{ sure: true, day: '2026-02-28', at: '2026-02-28T23:59:59.5', seen: '2026-02-28T23:59:59.000001+02:00' },
  ...{ clock: '-100:30', made: '1999', bytes: '\\x00ff', kind: 'old', tags: 'c,a', code: 'ab', west: 'é' },
  ...{ link: '550E8400e29b41d4a716446655440000', host: '::0001' },
};

test.each([
  ['an update', 'update', { set: { name: 'Żółw 🐢', facts: { a: [1] }, ...VALUES } }],
  ['a deletion', 'delete', {}],
])('%s is taken back, value by value, and made again', async (_, action, params) => {
  await world.run(`update parts set amount = 0.1, bits = 5, bytes = x'00ff', facts = '{"b" : 1}', at = '0000-00-00',
    ratio = 1e20, tags = 'b', code = 'a', seen = '2026-01-01 00:00:00.5', west = 'é' where id = 1`);
  await world.run('alter table parts drop column api_token');
  const before = await rows('*');
  const change = await planned(adapter, action, { table: 'parts', where: all, ...params });
  const results = await runs(change);
  expect(done(results)).toEqual([true, true, true]);
  const after = await rows('*');
  expect(after).not.toEqual(before);
  const undo = await undoing(change, results);
  const undone = await runs(undo);
  expect(done(undone)).toEqual([true, true, true]);
  expect(await rows('*')).toEqual(before);
  expect(done(await runs(await undoing(undo, undone)))).toEqual([true, true, true]);
  expect(await rows('*')).toEqual(after);
});

test('values are stored as they are written', async () => {
  const made = await plan('insert', { 9: { name: '', facts: { t: 'Żółw 🐢' }, ...VALUES } });
  expect(done(await runs(made))).toEqual([true]);
  expect(
    await rows(`amount, big, cast(ratio as double) as ratio, exact, bits + 0 as bits, sure, day, at,
    seen, clock, made, facts, hex(bytes) as bytes, kind, tags, code, west, link, host, length`),
  ).toContainEqual({
    ...{
      amount: '9007199254740993.10',
      big: '18446744073709551615',
      ratio: 0.10000000149011612,
      exact: 1e-300,
    },
    ...{
      bits: 9,
      sure: 1,
      day: '2026-02-28',
      at: '2026-02-28 23:59:59.500',
      seen: '2026-02-28 21:59:59.000001',
    },
    ...{ clock: '-100:30:00', made: 1999, facts: '{"t":"Żółw 🐢"}', bytes: '00FF', kind: 'old', tags: 'a,c' },
    ...{ code: 'ab', west: 'é', link: '550e8400-e29b-41d4-a716-446655440000', host: '::1', length: 0 },
  });
});

test('a value that the database would cut, round or replace is refused before anything happens', async () => {
  const mistakes: [Columns, RegExp][] = [
    [{ amount: 'abc' }, /column amount: it is of type decimal\(20,2\), and "abc" is not a number/],
    [{ amount: '1.005' }, /column amount: .*does not store "1.005"/],
    [{ big: '-1' }, /column big: .*bigint\(20\) unsigned/],
    [{ big: '18446744073709551616' }, /column big: /],
    [{ ratio: '16777217' }, /column ratio: .*another value/],
    [{ bits: '16' }, /column bits: /],
    [{ sure: 'yes' }, /column sure: /],
    [{ day: 'tomorrow' }, /column day: /],
    [{ day: '2026-02-30' }, /column day: /],
    [{ at: '2026-02-28 10:00:00.1234' }, /column at: .*3 digits of a second/],
    [{ at: '2026-02-28T10:00:00+02:00' }, /column at: /],
    [{ seen: '1969-12-31 00:00:00' }, /column seen: .*from 1970/],
    [{ made: '70' }, /column made: .*four digits/],
    [{ facts: '{bad' }, /column facts: /],
    [{ bytes: 'text' }, /column bytes: it holds bytes/],
    [{ kind: '1' }, /column kind: it holds "new", "old" only/],
    [{ tags: 'a,x' }, /column tags: it holds "a", "b", "c" only/],
    [{ code: 'a ' }, /column code: /],
    [{ name: 'a name of more than twenty letters' }, /column name: /],
    [{ west: 'Żółw' }, /column west: .*latin1, which lacks a character/],
    [{ host: '1.2.3' }, /column host: /],
    [{ nam: 'x' }, /column nam: .* has no such column/],
    [{ name: null }, /column name: it cannot be null/],
    [{ length: 1 }, /column length: the database generates/],
  ];
  for (const [columns, message] of mistakes) {
    const { message: why } = await failure(plan('insert', { 8: { name: 'x', ...columns } }));
    expect([JSON.stringify(columns), why]).toEqual([JSON.stringify(columns), expect.stringMatching(message)]);
  }
  expect((await failure(plan('insert', { 8: { amount: 1 } }))).message).toMatch(
    /column name: a new row needs it/,
  );
  const set = { name: 'a name of more than twenty letters' };
  expect((await failure(planned(adapter, 'update', { table: 'parts', where: all, set }))).code).toBe(
    'INVALID_INPUT',
  );
  const secret = { api_token: 'secret-of-ana' };
  const { message } = await failure(planned(adapter, 'update', { table: 'parts', where: all, set: secret }));
  expect(message).toMatch(/api_token.*varchar\(4\)/);
  expect(message).not.toContain('secret-of-ana');
  expect(await rows()).toHaveLength(3);
});

test('settings of the server and the user change nothing of that', async () => {
  const [{ mode, zone } = {}] = await world.run(
    'select @@global.sql_mode as mode, @@global.time_zone as zone',
  );
  await world.run(`set global sql_mode = 'NO_BACKSLASH_ESCAPES', global time_zone = '+05:00', global sql_select_limit = 1,
    global foreign_key_checks = 0`);
  const loose = databasesAt({ shop: world.url });
  try {
    const own = createSqlAdapter({ databases: loose, concurrency: 2 });
    const set = { seen: '2026-03-01T10:00:00Z', name: `it's \\ "this"` };
    const change = await planned(own, 'update', { table: 'parts', where: all, set });
    expect(change.items).toHaveLength(3);
    expect(done(await execute(own, change, fresh()))).toEqual([true, true, true]);
    await world.run(`set time_zone = '+00:00'`);
    expect((await rows('name, seen'))[2]).toEqual({
      name: `it's \\ "this"`,
      seen: '2026-03-01 10:00:00.000000',
    });
  } finally {
    await world.run(`set global sql_mode = '${String(mode)}', global time_zone = '${String(zone)}',
      global sql_select_limit = default, global foreign_key_checks = 1`);
    await loose.close();
  }
});

test('conditions compare in the type of the column, and patterns with or without case', async () => {
  const ids = async (...where: object[]) =>
    (await planned(adapter, 'update', { table: 'parts', where, set: { state: 'x' } })).items.map(
      ({ id }) => id,
    );
  await world.run(`update parts set code = 'zero', ratio = 0.1, bits = 1 where id = 1`);
  expect(await ids({ column: 'amount', op: '>', value: '1.5' })).toEqual(['3']);
  expect(await ids({ column: 'id', op: 'in', value: ['2', 3] })).toEqual(['2', '3']);
  expect(await ids({ column: 'ratio', op: '=', value: 0.1 })).toEqual(['1']);
  expect(await ids({ column: 'bits', op: '=', value: 1 })).toEqual(['1']);
  expect(await ids({ column: 'amount', op: 'is_null' })).toEqual(['2']);
  // MySQL itself would find every text that is no number.
  expect(await ids({ column: 'code', op: '=', value: 0 })).toEqual([]);
  expect(await ids({ column: 'name', op: '=', value: 'ONE' })).toEqual(['1']);
  expect(await ids({ column: 'name', op: 'like', value: 'o%' })).toEqual([]);
  expect(await ids({ column: 'name', op: 'like', value: 'O_e' })).toEqual(['1']);
  expect(await ids({ column: 'name', op: 'ilike', value: 'o%' })).toEqual(['1']);
  expect((await failure(ids({ column: 'id', op: '=', value: 'x' }))).message).toContain('is not a number');
  expect((await failure(ids({ column: 'id', op: 'like', value: '1%' }))).message).toContain('is for text');
});

test('keys that a collation compares as equal are one row, by the spelling of the database', async () => {
  await world.run(`create table tags (name varchar(10) primary key, note text) collate utf8mb4_general_ci`);
  await world.run(`insert into tags values ('Blue', 'old')`);
  const change = await named(adapter, 'update', { table: 'tags', set: { note: 'x' } }, ['bLUE ']);
  expect(change.items.map(({ id }) => id)).toEqual(['Blue']);
  await world.run(`update tags set name = 'BLUE'`);
  expect(await runs(change)).toMatchObject([{ success: false, error: expect.stringContaining('Changed') }]);
  const twice = plan('insert', { réd: {}, 'RED ': {} }, { table: 'tags' });
  expect((await failure(twice)).message).toContain('are the same row');
  const there = await plan('insert', { blue: {} }, { table: 'tags' });
  expect((await runs(there))[0]).toMatchObject({ success: false });
  expect(await world.run('select name from tags')).toEqual([{ name: 'BLUE' }]);
});

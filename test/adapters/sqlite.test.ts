import { createMarkerStore } from '../../activities/sentinel/markers';
import { createSqlAdapter } from '../../activities/adapters/sql';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import { done, itemsOf, type Columns } from './sql-file-setup';
import { call, execute, failure, named, planned, prepare } from './sql-setup';
import { startSqlite, type SqliteWorld } from './sqlite-setup';

interface Plan {
  context: PreparedBulkContext;
  items: BulkItem[];
}

let world: SqliteWorld;
let adapter: BulkAdapter;
let operations = 0;
const fresh = () => call(`bulk-sqlite-${(operations += 1)}`);
beforeEach(async () => {
  world = await startSqlite();
  adapter = createSqlAdapter({ databases: world.databases, concurrency: 5 });
  await world.run(`create table parts (id integer primary key, name text not null, amount numeric(10, 2), ratio real,
    day date, facts json, bytes blob, api_token text, plain, state text not null default 'new' check (state <> 'bad'),
    made text not null default current_timestamp, length integer generated always as (length(name)) stored)`);
  await world.run(
    `insert into parts (id, name, amount) values (1, 'One', 1.5), (2, 'two', null), (3, 'three', 7)`,
  );
});
afterEach(() => world.close());

const all = [{ column: 'id', op: '>', value: 0 }];
const rows = (columns = 'id, name, state') => world.run(`select ${columns} from parts order by id`);
async function plan(action: string, of: Record<string, Columns>, params: Columns = {}): Promise<Plan> {
  const context = await prepare(adapter, action, { table: 'parts', ...params }, true);
  return { context, items: await adapter.freezeItems!(itemsOf(of), context, call()) };
}
const runs = (one: Plan) => execute(adapter, one, fresh());
async function undoing({ context, items }: Plan, results: BulkResult[]): Promise<Plan> {
  const own: PreparedBulkContext = { ...context, undo: true };
  const kept = items.map((item, at) => ({ ...item, kept: results[at]?.kept ?? {} }));
  return { context: own, items: await adapter.freezeItems!(kept.map(itemToRestore), own, call()) };
}

test.each([
  [
    'an update',
    'update',
    { set: { name: 'x', amount: '9007199254740993', day: '2026-02-28', facts: { a: [1] } } },
  ],
  ['a deletion', 'delete', {}],
])('%s is taken back, value by value, and made again', async (_, action, params) => {
  await world.run(`update parts set ratio = 0.1, bytes = x'00ff', facts = '{"b" : 1}' where id = 1`);
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

test('values are stored as they are written, or refused', async () => {
  const made = await plan('insert', {
    9: {
      name: '',
      amount: '9007199254740993',
      ratio: '0.1',
      day: '2026-02-28',
      facts: { t: 'Żółw 🐢' },
      bytes: '\\x00ff',
    },
  });
  expect(done(await runs(made))).toEqual([true]);
  expect(
    await rows(`name, amount, typeof(amount) as kind, ratio, day, facts, hex(bytes) as bytes, length, state`),
  ).toContainEqual({
    ...{ name: '', amount: 9007199254740993n, kind: 'integer', ratio: 0.1, day: '2026-02-28' },
    ...{ facts: '{"t":"Żółw 🐢"}', bytes: '00FF', length: 0n, state: 'new' },
  });
  const mistakes: [Columns, RegExp][] = [
    [{ amount: 'abc' }, /column amount: it is of type numeric\(10, ?2\), and "abc" is not a number/i],
    [{ amount: '0.12345678901234567890' }, /column amount: SQLite would store another value/],
    [{ day: 'tomorrow' }, /column day: .*would store the text as it is/],
    [{ bytes: 'text' }, /column bytes: it holds bytes/],
    [{ nam: 'x' }, /column nam: main.parts has no such column/],
    [{ name: null }, /column name: it cannot be null/],
    [{ length: 1 }, /column length: the database generates/],
  ];
  for (const [columns, message] of mistakes)
    expect((await failure(plan('insert', { 8: { name: 'x', ...columns } }))).message).toMatch(message);
  expect((await failure(plan('insert', { 8: { amount: 1 } }))).message).toMatch(
    /column name: a new row needs it/,
  );
});

test('a value of another kind than its column is for is neither shown nor restored', async () => {
  await world.run(`update parts set plain = 5 where id = 1`);
  const change = await planned(adapter, 'update', { table: 'parts', where: all, set: { plain: 'x' } });
  expect(change.items.map((item) => adapter.previewItem!(item, change.context).reversible)).toEqual([
    'no',
    'yes',
    'yes',
  ]);
  expect(done(await runs(change))).toEqual([true, true, true]);
});

test('conditions compare in the type of the column, and patterns with or without case', async () => {
  const ids = async (...where: object[]) =>
    (await planned(adapter, 'update', { table: 'parts', where, set: { state: 'x' } })).items.map(
      ({ id }) => id,
    );
  expect(await ids({ column: 'amount', op: '>', value: '1.5' })).toEqual(['3']);
  expect(await ids({ column: 'id', op: 'in', value: ['2', 3] })).toEqual(['2', '3']);
  expect(await ids({ column: 'amount', op: 'is_null' })).toEqual(['2']);
  expect(await ids({ column: 'name', op: 'like', value: 'o%' })).toEqual([]);
  expect(await ids({ column: 'name', op: 'like', value: 'O_e' })).toEqual(['1']);
  expect(await ids({ column: 'name', op: 'ilike', value: 'o%' })).toEqual(['1']);
  await world.run(`update parts set name = '5% [*]?' where id = 2`);
  expect(await ids({ column: 'name', op: 'like', value: '5\\% [*]?' })).toEqual(['2']);
});

test('rows that refer to a row are counted, and children of the same table go first', async () => {
  await world.run(
    'create table lines (no integer primary key, part integer references parts on delete cascade)',
  );
  await world.run('create table notes (line integer references lines on delete set null)');
  await world.run('create table locks (part integer references parts)');
  await world.run('insert into lines values (1, 1), (2, 1), (3, 2)');
  await world.run('insert into notes values (1), (1), (3)');
  await world.run('insert into locks values (3)');
  const change = await planned(adapter, 'delete', { table: 'parts', where: all });
  expect(adapter.describeItems?.(change.items, change.context)).toBe('2 rows, and 6 rows of 2 other tables');
  const last = adapter.previewItem!(change.items[2]!, change.context);
  expect(last.expected_error).toContain('1 row of main.locks refers to it');
  expect(done(await runs(change))).toEqual([true, true, expect.stringContaining('FOREIGN KEY')]);
  await world.run('create table tree (id integer primary key, up integer references tree)');
  await world.run('insert into tree values (1, null), (2, 1), (3, 2), (4, 1)');
  const tree = await planned(adapter, 'delete', {
    table: 'tree',
    where: [{ column: 'id', op: '>', value: 1 }],
  });
  expect(tree.items.map(({ id }) => id)).toEqual(['3', '2', '4']);
  expect(done(await runs(tree))).toEqual([true, true, true]);
});

test('a trigger that makes something else of a row fails that row, which stays as it was', async () => {
  await world.run(`create trigger louder after update on parts when new.name <> upper(new.name)
    begin update parts set name = upper(name) where id = new.id; end`);
  const change = await planned(adapter, 'update', { table: 'parts', where: all, set: { name: 'quiet' } });
  const [first] = await runs(change);
  expect(first).toMatchObject({ success: false, error: expect.stringContaining('name would be “QUIET”') });
  expect((await rows()).map(({ name }) => name)).toEqual(['One', 'two', 'three']);
});

test('an item waits for the lock of another process, and fails alone if that is not released', async () => {
  const change = await planned(adapter, 'update', { table: 'parts', where: all, set: { state: 'done' } });
  await world.run('begin immediate');
  const waiting = execute(adapter, change, call('bulk-waits'));
  await world.run('commit');
  expect(done(await waiting)).toEqual([true, true, true]);
  const again = await planned(adapter, 'update', { table: 'parts', where: all, set: { state: 'more' } });
  await world.run('begin immediate');
  const [first] = await execute(adapter, again, call('bulk-locked', 400));
  await world.run('rollback');
  expect(first).toMatchObject({ success: false, retryable: true });
});

test('names are used exactly, and rows by keys of several columns', async () => {
  const name = `a"; drop table parts; --`;
  await world.run(`create table "${name.replaceAll('"', '""')}" (region text, no integer, "x'y" text,
    primary key (region, no)) without rowid`);
  const table = `"${name.replaceAll('"', '""')}"`;
  const made = await plan('insert', { a: { region: 'eu', no: '07', "x'y": name } }, { table });
  expect(made.items.map(({ id }) => id)).toEqual(['["eu","7"]']);
  expect(done(await runs(made))).toEqual([true]);
  const gone = await named(adapter, 'delete', { table }, ['["eu",7]', '["eu"]']);
  expect((await runs(gone)).map(({ success }) => success)).toEqual([true, false]);
  expect(await rows()).toHaveLength(3);
});

test('views, tables without a key and files that are not there are refused', async () => {
  await world.run('create view seen as select * from parts');
  await world.run('create table keyless (a text)');
  await world.run('create table untyped (a primary key)');
  for (const [table, message] of [
    ['seen', 'is a view'],
    ['keyless', 'has no primary key'],
    ['untyped', 'has no type'],
    ['other.parts', 'not found'],
  ])
    expect((await failure(prepare(adapter, 'insert', { table }, true))).message).toContain(message);
  const { code } = await failure(world.databases.get('shop'));
  expect(code).toBe('NOT_CONFIGURED');
});

test('old commit markers are deleted', async () => {
  const change = await planned(adapter, 'update', { table: 'parts', where: all, set: { state: 'done' } });
  await execute(adapter, change, call('bulk-old'));
  const warn = jest.fn();
  const store = createMarkerStore(world.databases, { warn, info: warn, error: warn } as never);
  const later = new Date(Date.now() + 60_000).toISOString();
  expect(await store.staleJobs(later, ['bulk-old'], 10)).toEqual([]);
  expect(await store.staleJobs(later, [], 10)).toEqual(['bulk-old']);
  expect(await store.drop(['bulk-old'], later)).toBe(3);
  expect(await world.run('select * from batchgate_changes')).toEqual([]);
  expect(warn).not.toHaveBeenCalled();
});

import { createMarkerStore } from '../../activities/sentinel/markers';
import { createSqlAdapter } from '../../activities/adapters/sql';
import { inspectDatabase } from '../../src/postgres/databases/inspect';
import { sharedMariaDb } from '../helpers/mariadb';
import { startTcpProxy } from '../helpers/tcp-proxy';
import { adapter, all, connectTo, fresh, plan, rows, runOn, runs, useParts, world } from './mariadb-setup';
import { done } from './sql-file-setup';
import { call, databasesAt, execute, failure, named, planned, prepare } from './sql-setup';

useParts();

test('rows that refer to a row are counted, and children of the same table go first', async () => {
  await world.run(
    'create table line_items (no int primary key, part int unsigned, foreign key (part) references parts (id) on delete cascade)',
  );
  await world.run(
    'create table notes (line int, foreign key (line) references line_items (no) on delete set null)',
  );
  await world.run('create table locks (part int unsigned, foreign key (part) references parts (id))');
  await world.run('insert into line_items values (1, 1), (2, 1), (3, 2)');
  await world.run('insert into notes values (1), (1), (3)');
  await world.run('insert into locks values (3)');
  const change = await planned(adapter, 'delete', { table: 'parts', where: all });
  expect(adapter.describeItems?.(change.items, change.context)).toBe('2 rows, and 6 rows of 2 other tables');
  const first = adapter.previewItem!(change.items[0]!, change.context);
  expect(JSON.stringify(first)).toMatch(/line_items".*"deleted".*notes.*line emptied/);
  const last = adapter.previewItem!(change.items[2]!, change.context);
  expect(last.expected_error).toContain('locks refers to it');
  expect(done(await runs(change))).toEqual([true, true, expect.stringContaining('foreign key')]);
  await world.run('create table owners (name varchar(9) primary key) collate utf8mb4_general_ci');
  await world.run(`create table pets (no int, owner varchar(9), foreign key (owner) references owners (name)
    on delete set null) collate utf8mb4_general_ci`);
  await world.run(`insert into owners values ('Ana'), ('Bob')`);
  await world.run(`insert into pets values (1, 'ANA'), (1, 'ANA'), (2, 'ana '), (3, 'Bob')`);
  const owners = await planned(adapter, 'delete', {
    table: 'owners',
    where: [{ column: 'name', op: '=', value: 'ana' }],
  });
  expect(JSON.stringify(adapter.previewItem!(owners.items[0]!, owners.context))).toContain('pets":"3"');
  // A table whose name differs in case only.
  await world.run('create table Owners (name varchar(9) primary key)');
  await world.run(`insert into Owners values ('Ana')`);
  const others = await planned(adapter, 'delete', {
    table: 'Owners',
    where: [{ column: 'name', op: '=', value: 'Ana' }],
  });
  expect(adapter.describeItems?.(others.items, others.context)).toBeUndefined();
  await world.run('create table tree (id int primary key, up int, foreign key (up) references tree (id))');
  await world.run('insert into tree values (1, null), (2, 1), (3, 2), (4, 1)');
  const tree = await planned(adapter, 'delete', {
    table: 'tree',
    where: [{ column: 'id', op: '>', value: 1 }],
  });
  expect(tree.items.map(({ id }) => id)).toEqual(['3', '2', '4']);
  expect(done(await runs(tree))).toEqual([true, true, true]);
});

test('a trigger that makes something else of a row fails that row, which stays as it was', async () => {
  await world.run('create trigger louder before update on parts for each row set new.name = upper(new.name)');
  const change = await planned(adapter, 'update', { table: 'parts', where: all, set: { name: 'quiet' } });
  expect(adapter.previewItem!(change.items[0]!, change.context).reversible).toBe('partly');
  const [first] = await runs(change);
  expect(first).toMatchObject({ success: false, error: expect.stringContaining('name would be “QUIET”') });
  expect((await rows()).map(({ name }) => name)).toEqual(['One', 'two', 'three']);
});

test('a value of a unique key that is there already is not quoted', async () => {
  await world.run(`alter table parts add unique one_token (api_token), add unique (name, api_token)`);
  await world.run(`update parts set api_token = 'it''s' where id = 1`);
  const second = [{ column: 'id', op: '=', value: 2 }];
  const set = { api_token: `it's` };
  const change = await planned(adapter, 'update', { table: 'parts', where: second, set });
  expect(await runs(change)).toEqual([
    {
      ...{ item_id: '2', success: false, retryable: false },
      error: "Another row has the same values in the key 'one_token'",
    },
  ]);
});

test('an item waits for the lock of another transaction, and fails alone if that is not released', async () => {
  const change = await planned(adapter, 'update', { table: 'parts', where: all, set: { state: 'done' } });
  const other = await connectTo(world.url);
  await runOn(other, 'begin');
  await runOn(other, 'update parts set amount = 2 where id = 1');
  const waiting = execute(adapter, change, call('bulk-waits'));
  await runOn(other, 'rollback');
  expect(done(await waiting)).toEqual([true, true, true]);
  const again = await planned(adapter, 'update', { table: 'parts', where: all, set: { state: 'more' } });
  await runOn(other, 'begin');
  await runOn(other, 'update parts set amount = 2 where id = 1');
  const [first, ...others] = await execute(adapter, again, call('bulk-locked', 2_500));
  await runOn(other, 'rollback');
  await other.end();
  expect(first).toMatchObject({
    success: false,
    retryable: true,
    error: expect.stringContaining('Lock wait'),
  });
  expect(done(others)).toEqual([true, true]);
});

test('after a lost answer to COMMIT the marker tells, and no earlier call commits afterwards', async () => {
  const proxy = await startTcpProxy((await sharedMariaDb()).port);
  const through = new URL(world.url);
  through.port = String(proxy.port);
  const databases = databasesAt({ shop: through.href });
  const own = createSqlAdapter({ databases, concurrency: 1 });
  const set = { state: 'done' };
  const change = await planned(own, 'update', {
    table: 'parts',
    where: [{ column: 'id', op: '<', value: 3 }],
    set,
  });
  const limits = fresh();
  let changing: number | undefined;
  proxy.rule = (bytes, connection) => {
    const text = bytes.toString('latin1');
    if (/update `\w+`\.`parts`/.test(text)) changing = connection;
    if (changing !== connection || !text.endsWith('commit')) return 'forward';
    changing = undefined;
    return 'lose';
  };
  const results = await execute(own, { ...change, items: change.items.slice(0, 1) }, limits);
  expect(results[0]?.success === true || results[0]?.outcome_unknown === true).toBe(true);
  proxy.rule = undefined;
  const outcomes = [];
  for (const item of change.items) outcomes.push(await own.reconcile!(item, change.context, limits));
  expect(outcomes).toEqual(['applied', 'not_applied']);
  const late = await execute(own, { ...change, items: change.items.slice(1) }, limits);
  expect(late[0]).toMatchObject({ success: false, error: expect.stringContaining('abandoned') });
  expect((await rows()).map(({ state }) => state)).toEqual(['done', 'new', 'new']);
  await databases.close();
  await proxy.close();
});

test('names are used exactly, and rows by keys of several columns', async () => {
  const name = 'a`; drop table parts; --';
  const quotedName = `\`${name.replaceAll('`', '``')}\``;
  await world.run(
    `create table ${quotedName} (region varchar(9), no int, \`x'y\` text, primary key (region, no))`,
  );
  const table = `"${name}"`;
  const made = await plan('insert', { a: { region: 'eu', no: '07', "x'y": `${name}' or '1` } }, { table });
  expect(made.items.map(({ id }) => id)).toEqual(['["eu","7"]']);
  expect(done(await runs(made))).toEqual([true]);
  const gone = await named(adapter, 'delete', { table }, ['["eu",7]', '["eu"]']);
  expect((await runs(gone)).map(({ success }) => success)).toEqual([true, false]);
  expect(await rows()).toHaveLength(3);
});

test('doctor says which server a database is', async () => {
  const databases = { shop: { url: world.url } };
  expect(await inspectDatabase('shop', { databases, folder: '/' }, {})).toEqual({
    ...{ kind: 'mysql', product: 'MariaDB', host: new URL(world.url).host },
    version: expect.stringContaining('MariaDB'),
  });
});

test('what cannot be rolled back, has no key or is not there is refused, with what to do', async () => {
  await world.run('create view seen as select * from parts');
  await world.run('create table keyless (a int)');
  await world.run('create table loose (a int primary key) engine = MyISAM');
  for (const [table, message] of [
    ['seen', 'is a view'],
    ['keyless', 'has no primary key'],
    ['loose', 'engine MyISAM, which has no transactions'],
    ['mysql.user', 'not found'],
    ['part', 'not found'],
  ])
    expect((await failure(prepare(adapter, 'insert', { table }, true))).message).toContain(message);
  expect((await failure(prepare(adapter, 'insert', { table: 'loose' }, true))).hint).toContain(
    'engine = InnoDB',
  );
  expect((await failure(world.databases.get('shop'))).code).toBe('NOT_CONFIGURED');
});

test('a role without a privilege fails its rows, and a wrong address says what is wrong', async () => {
  const database = new URL(world.url).pathname.slice(1);
  const user = `clerk_${database.slice(-8)}`;
  await world.run(`create user '${user}'@'%' identified by 'pw'`);
  await world.run(`grant select on ${database}.parts to '${user}'@'%'`);
  const at = (change: (url: URL) => void) => {
    const url = new URL(world.url);
    change(url);
    return url.href;
  };
  const databases = databasesAt({
    shop: at((url) => ((url.username = user), (url.password = 'pw'))),
    refused: at((url) => (url.password = 'wrong')),
    absent: at((url) => (url.pathname = '/absent')),
    unreachable: at((url) => (url.port = '1')),
    odd: at((url) => (url.search = '?charset=latin1')),
    uncertified: at((url) => (url.search = '?sslmode=verify-full&sslrootcert=absent.pem')),
  });
  const clerk = createSqlAdapter({ databases, concurrency: 2 });
  const denied = await planned(clerk, 'update', { table: 'parts', where: all, set: { name: 'x' } });
  expect(clerk.previewItem!(denied.items[0]!, denied.context).expected_error).toContain(
    "may not update the column 'name'",
  );
  const unmarked = await failure(execute(clerk, denied, fresh()));
  expect([unmarked.code, unmarked.message]).toEqual([
    'CREDENTIALS_INVALID',
    expect.stringContaining('may not create the table of commit markers'),
  ]);
  await runs(await planned(adapter, 'update', { table: 'parts', where: all, set: { state: 'done' } }));
  await world.run(`grant select, insert, update on ${database}.batchgate_changes to '${user}'@'%'`);
  expect(await execute(clerk, denied, fresh())).toMatchObject(
    denied.items.map(() => ({ success: false, error: expect.stringContaining('denied') })),
  );
  for (const [name, code] of Object.entries({
    refused: 'CREDENTIALS_INVALID',
    absent: 'NOT_CONFIGURED',
    unreachable: 'ADAPTER_UNAVAILABLE',
    odd: 'NOT_CONFIGURED',
    uncertified: 'NOT_CONFIGURED',
  }))
    expect([
      name,
      (await failure(prepare(clerk, 'insert', { database: name, table: 'parts' }, true))).code,
    ]).toEqual([name, code]);
  await databases.close();
  await world.run(`drop user '${user}'@'%'`);
});

test('old commit markers are deleted', async () => {
  const change = await planned(adapter, 'update', { table: 'parts', where: all, set: { state: 'done' } });
  // The server has the markers of other tests, too.
  const id = `bulk-old-${new URL(world.url).pathname.slice(-8)}`;
  await execute(adapter, change, call(id));
  const warn = jest.fn();
  const store = createMarkerStore(world.databases, { warn, info: warn, error: warn } as never);
  const later = new Date(Date.now() + 60_000).toISOString();
  expect(await store.staleJobs(later, [id], 1_000)).not.toContain(id);
  expect(await store.staleJobs(later, [], 1_000)).toContain(id);
  expect(await store.drop([id], later)).toBe(3);
  expect(await world.run('select * from batchgate_changes')).toEqual([]);
  expect(warn).not.toHaveBeenCalled();
});

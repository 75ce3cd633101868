import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { continueBulkOperation, getReport, previewBulkOperation } from '../../src/client';
import { presentBulkStatus } from '../../src/core/bulk/presenter';
import { itemToRestore } from '../../src/core/bulk/undo';
import { startHarness, type Harness } from '../helpers/harness';
import { call, execute, named, planned, startServer, type SqlWorld } from './sql-setup';

let world: SqlWorld;
let adapter: BulkAdapter;
let harness: Harness;
beforeAll(async () => {
  ({ world } = await startServer());
  ({ adapter } = world);
  harness = await startHarness({ adapters: [adapter] });
});
afterAll(async () => {
  await harness.close();
  await world.close();
});
beforeEach(async () => {
  await world.run('drop schema if exists shop cascade');
  await world.run('create schema shop');
});

interface Plan {
  context: PreparedBulkContext;
  items: BulkItem[];
}
let operations = 0;
const outcomes = async (plan: Plan) =>
  (await execute(adapter, plan, call(`bulk-references-${++operations}`))).map(
    ({ success, error }) => success || error,
  );
const previews = ({ context, items }: Plan) => items.map((item) => adapter.previewItem!(item, context));
const undoOf = async ({ context, items }: Plan): Promise<Plan> => {
  const own: PreparedBulkContext = { ...context, undo: true };
  return {
    context: own,
    items: await adapter.freezeItems!([...items].reverse().map(itemToRestore), own, call()),
  };
};
const where = (column: string, value: unknown, op = '=') => ({ where: [{ column, op, value }] });
const count = async (table: string) =>
  Number((await world.run(`select count(*) as n from ${table}`))[0]?.['n']);

/** Customers 1 to 3 with 3 orders each, each of which has 2 lines and 1 note. */
async function createShop(lines = 'on delete cascade', notes = 'on delete set null'): Promise<void> {
  await world.run('create table shop.customers (id integer primary key, code text unique, name text)');
  await world.run(`create table shop.orders (id integer primary key,
    customer integer not null references shop.customers on delete cascade)`);
  await world.run(
    `create table shop.lines (id serial primary key, "order" integer references shop.orders ${lines})`,
  );
  await world.run(
    `create table shop.notes (id serial primary key, "order" integer references shop.orders ${notes})`,
  );
  await world.run(
    `insert into shop.customers select n, 'c' || n, 'Customer ' || n from generate_series(1, 3) n`,
  );
  await world.run(`insert into shop.orders select n, 1 + (n - 1) / 3 from generate_series(1, 9) n`);
  await world.run(
    `insert into shop.lines ("order") select n from generate_series(1, 9) n, generate_series(1, 2)`,
  );
  await world.run(`insert into shop.notes ("order") select n from generate_series(1, 9) n`);
}

describe('rows that refer to a row', () => {
  it('are counted for each row as far as they go, and say that the undo is one in part', async () => {
    await createShop();
    const plan = await planned(adapter, 'delete', { table: 'shop.customers', ...where('id', 2, '<=') });
    for (const preview of previews(plan)) {
      expect(preview).toMatchObject({ reversible: 'partly' });
      expect(preview.before).toMatchObject({
        'rows of shop.orders': '3',
        'rows of shop.lines': '6',
        'rows of shop.notes': '3',
      });
      expect(preview.after).toMatchObject({
        'rows of shop.orders': 'deleted',
        'rows of shop.lines': 'deleted',
        'rows of shop.notes': 'order emptied',
      });
    }
    const byName = await named(adapter, 'delete', { table: 'shop.customers' }, ['01', '2']);
    expect(previews(byName)).toEqual(
      previews(plan).map((one, at) => (at === 0 ? { ...one, named: ['01'] } : one)),
    );
    expect(await outcomes(plan)).toEqual([true, true]);
    expect([await count('shop.orders'), await count('shop.lines')]).toEqual([3, 6]);
    expect(await count('shop.notes where "order" is null')).toBe(6);
    const undo = await undoOf(plan);
    expect(previews(undo)[0]).toMatchObject({
      before: { 'rows of shop.lines': 'deleted', 'rows of shop.notes': 'order emptied' },
      after: { 'rows of shop.lines': 'not restored', 'rows of shop.notes': 'not restored' },
    });
    expect(await outcomes(undo)).toEqual([true, true]);
  });

  it('stand with their number in the preview, the question and the report', async () => {
    await createShop();
    const params = { database: 'shop', table: 'shop.customers', ...where('id', 2, '<=') };
    const input = { domain: 'sql', action: 'delete', params };
    const text = '2 rows, and 24 rows of 3 other tables. Can be undone in part.';
    const { change, items } = await previewBulkOperation(harness.client, input, {
      task_queue: harness.taskQueue,
    });
    expect(change).toMatchObject({ scope: '2 rows, and 24 rows of 3 other tables', reversible: 'partly' });
    expect(items[0]?.before).toMatchObject({ 'rows of shop.lines': '6' });
    const started = await harness.start(input);
    expect(presentBulkStatus(started)).toContain(text);
    const { operation_id: id } = started;
    await continueBulkOperation(harness.client, id, { batch: 1 });
    const report = await getReport(harness.client, id);
    expect(JSON.stringify(report)).toContain('2 rows, and 24 rows of 3 other tables');
  });

  it('get their default, or the new value of a column that they refer to', async () => {
    await createShop('on delete set default');
    const deletion = await planned(adapter, 'delete', { table: 'shop.orders', ...where('id', 1) });
    expect(previews(deletion)[0]?.after).toMatchObject({ 'rows of shop.lines': 'order set to its default' });
    await world.run(`create table shop.cards (id integer primary key, code text
      references shop.customers (code) on update cascade)`);
    await world.run(`insert into shop.cards values (1, 'c1'), (2, 'c1'), (3, 'c2')`);
    const update = { table: 'shop.customers', ...where('id', 1), set: { code: 'new' } };
    const renaming = await planned(adapter, 'update', update);
    expect(previews(renaming)).toMatchObject([
      {
        before: { 'rows of shop.cards': '2' },
        after: { 'rows of shop.cards': 'changed too' },
        reversible: 'yes',
      },
    ]);
    expect(adapter.describeItems!(renaming.items, renaming.context)).toBe(
      '1 row, and 2 rows of 1 other table',
    );
    const other = await planned(adapter, 'update', { ...update, set: { name: 'New' } });
    expect(previews(other)[0]?.before).not.toHaveProperty('rows of shop.cards');
    expect(await outcomes(renaming)).toEqual([true]);
    expect(await count(`shop.cards where code = 'new'`)).toBe(2);
    expect(await outcomes(await undoOf(renaming))).toEqual([true]);
    expect(await count(`shop.cards where code = 'c1'`)).toBe(2);
  });

  it.each([
    [
      'restrict',
      'on delete restrict',
      '2 rows of shop.lines refer to it, so the database refuses the change',
    ],
    ['no action', '', '2 rows of shop.lines refer to it, so the database refuses the change'],
  ])('are foreseen as the reason of a failure with %s, also behind a cascade', async (_, rule, expected) => {
    await createShop(rule);
    await world.run('delete from shop.lines where "order" <> 1');
    const orders = await planned(adapter, 'delete', { table: 'shop.orders', ...where('id', 2, '<=') });
    expect(previews(orders).map(({ expected_error }) => expected_error)).toEqual([expected, undefined]);
    const customers = await planned(adapter, 'delete', { table: 'shop.customers', ...where('id', 2, '<=') });
    expect(previews(customers).map(({ expected_error }) => expected_error)).toEqual([expected, undefined]);
    expect(await outcomes(customers)).toEqual([expect.stringContaining('foreign key constraint'), true]);
  });

  it('are foreseen where they cannot lose their reference', async () => {
    await createShop();
    await world.run('alter table shop.notes alter column "order" set not null');
    await world.run('delete from shop.notes where "order" <> 1');
    const orders = await planned(adapter, 'delete', { table: 'shop.orders', ...where('id', 2, '<=') });
    expect(previews(orders).map(({ expected_error }) => expected_error)).toEqual([
      '1 row of shop.notes refers to it, by a column that cannot be empty (order)',
      undefined,
    ]);
    expect((await outcomes(orders))[0]).toContain('null value in column "order"');
  });

  it('are counted once where two ways lead to them, and not if a composite reference is empty', async () => {
    await createShop();
    await world.run(
      'alter table shop.lines add column customer integer references shop.customers on delete set null',
    );
    await world.run('update shop.lines set customer = 1 where "order" <= 3');
    const plan = await planned(adapter, 'delete', { table: 'shop.customers', ...where('id', 1) });
    expect(previews(plan)[0]).toMatchObject({
      before: { 'rows of shop.lines': '6' },
      after: { 'rows of shop.lines': 'deleted' },
    });
    await world.run('create table shop.pairs (a integer, b integer, primary key (a, b))');
    await world.run(`create table shop.parts (id integer primary key, a integer not null, b integer,
      foreign key (a, b) references shop.pairs on delete set null (b))`);
    await world.run('insert into shop.pairs values (1, 1), (1, 2)');
    await world.run('insert into shop.parts values (1, 1, 1), (2, 1, null)');
    const pairs = await planned(adapter, 'delete', { table: 'shop.pairs', ...where('a', 1) });
    expect(
      previews(pairs).map(({ after, expected_error }) => [after?.['rows of shop.parts'], expected_error]),
    ).toEqual([
      ['b emptied', undefined],
      [undefined, undefined],
    ]);
    expect(await outcomes(pairs)).toEqual([true, true]);
  });

  it('are counted in partitions', async () => {
    await world.run('create table shop.days (day date primary key) partition by range (day)');
    await world.run(
      `create table shop.days_1 partition of shop.days for values from ('2026-01-01') to ('2026-02-01')`,
    );
    await world.run(`create table shop.visits (id integer, day date references shop.days on delete cascade,
      primary key (id, day)) partition by range (day)`);
    await world.run(
      `create table shop.visits_1 partition of shop.visits for values from ('2026-01-01') to ('2026-02-01')`,
    );
    await world.run(`insert into shop.days values ('2026-01-01'), ('2026-01-02')`);
    await world.run(`insert into shop.visits values (1, '2026-01-01'), (2, '2026-01-01')`);
    for (const table of ['shop.days', 'shop.days_1']) {
      const plan = await planned(adapter, 'delete', { table, ...where('day', '2026-01-01', '>=') });
      expect(previews(plan).map(({ before }) => before?.['rows of shop.visits'])).toEqual(['2', undefined]);
    }
  });
});

describe('rows that refer to rows of their own table', () => {
  async function createTree(rule: string): Promise<void> {
    await world.run(
      `create table shop.tree (id integer primary key, parent integer references shop.tree ${rule})`,
    );
    await world.run('insert into shop.tree select n, nullif(n / 2, 0) from generate_series(1, 15) n');
  }
  const whole = { table: 'shop.tree', ...where('id', 0, '>') };

  it.each([
    ['', 'found'],
    ['on delete cascade', 'found'],
    ['on delete restrict', 'named'],
  ])('are deleted %s before those, and come back after them, if they are %s', async (rule, how) => {
    await createTree(rule);
    const ids = Array.from({ length: 15 }, (_, at) => String(at + 1));
    const plan =
      how === 'found'
        ? await planned(adapter, 'delete', whole)
        : await named(adapter, 'delete', { table: 'shop.tree' }, ids);
    expect(previews(plan).map(({ expected_error }) => expected_error)).toEqual(ids.map(() => undefined));
    expect(new Set(previews(plan).map(({ reversible }) => reversible))).toEqual(new Set(['yes']));
    expect(adapter.describeItems!(plan.items, plan.context)).toBeUndefined();
    expect(await outcomes(plan)).toEqual(ids.map(() => true));
    expect(await count('shop.tree')).toBe(0);
    expect(await outcomes(await undoOf(plan))).toEqual(ids.map(() => true));
    expect(await count('shop.tree where id = 15 and parent = 7')).toBe(1);
  });

  it('and are not part of the plan are counted, or foreseen as the reason of a failure', async () => {
    await createTree('on delete cascade');
    const cascade = await planned(adapter, 'delete', { table: 'shop.tree', ...where('id', 2) });
    expect(previews(cascade)[0]?.before).toMatchObject({ 'rows of shop.tree': '6' });
    expect(adapter.describeItems!(cascade.items, cascade.context)).toBe('1 row, and 6 more rows of 1 table');
    await world.run('drop table shop.tree');
    await createTree('');
    const part = await planned(adapter, 'delete', { table: 'shop.tree', ...where('id', 4, '<=') });
    expect(part.items.map(({ id }) => id)).toEqual(['4', '2', '3', '1']);
    expect(previews(part).map(({ expected_error }) => expected_error?.slice(0, 30))).toEqual([
      '2 rows of shop.tree refer to i',
      '1 row of shop.tree refers to i',
      '2 rows of shop.tree refer to i',
      undefined,
    ]);
  });
});

it('rows that refer to each other in a circle are foreseen to fail, and a row that refers to itself is not', async () => {
  await world.run('create table shop.ring (id integer primary key, next integer references shop.ring)');
  await world.run('insert into shop.ring values (1, null), (2, null), (3, 3), (4, null)');
  await world.run('update shop.ring set next = case id when 1 then 2 when 2 then 1 else next end');
  const plan = await planned(adapter, 'delete', { table: 'shop.ring', ...where('id', 0, '>') });
  const refused = '1 row of shop.ring refers to it, so the database refuses the change';
  const foreseen = new Map(plan.items.map(({ id }, at) => [id, previews(plan)[at]?.expected_error]));
  expect(Object.fromEntries(foreseen)).toEqual({ 1: refused, 2: refused, 3: undefined, 4: undefined });
  expect((await outcomes(plan)).filter((outcome) => outcome === true)).toHaveLength(2);
});

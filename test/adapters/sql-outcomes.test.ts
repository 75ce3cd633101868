import { createSqlAdapter } from '../../activities/adapters/sql';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { continueBulkOperation, getReport, undoBulkOperation } from '../../src/client';
import { presentBulkStatus } from '../../src/core/bulk/presenter';
import { itemToRestore } from '../../src/core/bulk/undo';
import type { Databases } from '../../src/postgres/databases';
import { startHarness, type Harness } from '../helpers/harness';
import { call, databasesAt, execute, failure, planned, startServer, type SqlWorld } from './sql-setup';

let world: SqlWorld;
let url: string;
let adapter: BulkAdapter;
let harness: Harness;
const opened: Databases[] = [];
beforeAll(async () => {
  ({ world, url } = await startServer());
  ({ adapter } = world);
  harness = await startHarness({ adapters: [adapter] });
  await world.run('drop role if exists keeper');
  await world.run(`create role keeper login password 'keeper'`);
});
afterAll(async () => {
  await harness.close();
  for (const databases of opened) await databases.close();
  await world.run('drop owned by keeper');
  await world.run('drop role keeper');
  await world.close();
});
beforeEach(async () => {
  await world.run('drop table if exists things');
  await world.run(`create table things (id integer primary key, name text not null, state text default 'new',
    gone_at timestamptz, size integer generated always as (length(name)) stored)`);
  await world.run(`insert into things (id, name) select n, 'Thing ' || n from generate_series(1, 6) n`);
});

interface Plan {
  context: PreparedBulkContext;
  items: BulkItem[];
}
let operations = 0;
const run = (plan: Plan) => execute(adapter, plan, call(`bulk-outcomes-${++operations}`));
const outcomes = async (plan: Plan) => (await run(plan)).map(({ success, error }) => success || error);
const undoOf = async ({ context, items }: Plan): Promise<Plan> => {
  const own: PreparedBulkContext = { ...context, undo: true };
  return { context: own, items: await adapter.freezeItems!(items.map(itemToRestore), own, call()) };
};
const previews = ({ context, items }: Plan, of = adapter) =>
  items.map((item) => of.previewItem!(item, context));
const upTo = (id: number) => ({ table: 'things', where: [{ column: 'id', op: '<=', value: id }] });
const rows = () => world.run('select cast(things as text) as row from things order by id');

/** A trigger in PL/pgSQL. */
async function trigger(when: string, body: string): Promise<void> {
  await world.run(
    `create or replace function react() returns trigger language plpgsql as $$ begin ${body} end $$`,
  );
  await world.run(`create trigger react ${when} on things for each row execute function react()`);
}

describe('a trigger', () => {
  it.each([
    ['before update', `new.state := upper(new.state); return new;`],
    [
      'after update',
      `if new.state = 'done' then update things set state = 'DONE' where id = new.id; end if; return null;`,
    ],
  ])('%s that makes another value of it fails the row, which stays as it was', async (when, body) => {
    const before = await rows();
    await trigger(when, body);
    const plan = await planned(adapter, 'update', { ...upTo(1), set: { state: 'done' } });
    expect(previews(plan)).toMatchObject([{ reversible: 'partly' }]);
    expect(await outcomes(plan)).toEqual([
      'The database would make something else of the row, because of a trigger, a rule or a policy: ' +
        'state would be “DONE”. It was left as it was',
    ]);
    expect(await rows()).toEqual(before);
  });

  it('that marks a row instead of deleting it fails the deletion, and says what it would be', async () => {
    const before = await rows();
    await trigger(
      'before delete',
      `update things set gone_at = '2026-01-01Z' where id = old.id; return null;`,
    );
    const plan = await planned(adapter, 'delete', upTo(1));
    expect(await outcomes(plan)).toEqual([
      'The database would keep the row, because of a trigger, a rule or a policy: ' +
        'gone_at would be “2026-01-01 00:00:00+00”. It was left as it was',
    ]);
    expect(await rows()).toEqual(before);
  });

  it('that waits for the end of the transaction counts too', async () => {
    await world.run(`create or replace function react() returns trigger language plpgsql as $$ begin
      insert into things (id, name) values (old.id, old.name); return null; end $$`);
    await world.run(`create constraint trigger react after delete on things deferrable initially deferred
      for each row execute function react()`);
    const plan = await planned(adapter, 'delete', upTo(1));
    expect((await outcomes(plan))[0]).toContain('The database left the row unchanged, because of a trigger');
  });

  it('that only touches other columns lets the row succeed, and its undo restores what the change set', async () => {
    await trigger('before update', `new.gone_at := '2026-01-01Z'; return new;`);
    const plan = await planned(adapter, 'update', { ...upTo(1), set: { state: 'done' } });
    expect(previews(plan)).toMatchObject([{ reversible: 'partly' }]);
    expect(await outcomes(plan)).toEqual([true]);
    expect(await outcomes(await undoOf(plan))).toEqual([true]);
    expect(await world.run('select state from things where id = 1')).toEqual([{ state: 'new' }]);
  });

  it('that touches a column of the conditions does not fail a row whose values are not kept', async () => {
    await world.run('alter table things add column pin text');
    await world.run(`update things set pin = '7' where id = 2`);
    await trigger('before update', `new.gone_at := '2026-01-01Z'; return new;`);
    const where = [
      { column: 'gone_at', op: 'is_null' },
      { column: 'id', op: '<=', value: 2 },
    ];
    const plan = await planned(adapter, 'update', { table: 'things', where, set: { pin: '7' } });
    expect(JSON.stringify(plan.items)).not.toContain('"7"');
    // The second one has the value already.
    expect(await outcomes(plan)).toEqual([true, true]);
    expect(
      await world.run('select pin, gone_at is null as kept from things where id <= 2 order by id'),
    ).toEqual([
      { pin: '7', kept: false },
      { pin: '7', kept: true },
    ]);
  });

  it('that changes a row as it comes back fails the undo, and says what would be there', async () => {
    const plan = await planned(adapter, 'delete', upTo(1));
    expect(previews(plan)).toMatchObject([{ reversible: 'yes' }]);
    expect(await outcomes(plan)).toEqual([true]);
    await trigger('before insert', `new.state := 'imported'; return new;`);
    expect(await outcomes(await undoOf(plan))).toEqual([
      expect.stringContaining('state would be “imported”'),
    ]);
    expect(await rows()).toHaveLength(5);
  });
});

/** The adapter of a role without rights of its own. */
function asKeeper(): BulkAdapter {
  const address = new URL(url);
  address.username = 'keeper';
  address.password = 'keeper';
  const databases = databasesAt({ shop: address.href });
  opened.push(databases);
  return createSqlAdapter({ databases, concurrency: 5 });
}

describe('what is foreseen', () => {
  it('of a column that cannot be empty', async () => {
    const plan = await planned(adapter, 'update', { ...upTo(1), set: { name: null } });
    expect(previews(plan)).toMatchObject([{ expected_error: "The column 'name' cannot be empty" }]);
    expect((await outcomes(plan))[0]).toContain('violates not-null constraint');
  });

  it('of a role that lacks a right for the change or for its undo', async () => {
    const own = asKeeper();
    await world.run('grant select, delete on things to keeper');
    const removal = await planned(own, 'delete', upTo(1));
    expect(previews(removal, own)).toMatchObject([{ reversible: 'no' }]);
    const update = await planned(own, 'update', { ...upTo(1), set: { state: 'done' } });
    const denied = "This role may not update the column 'state' of public.things";
    expect(previews(update, own)).toMatchObject([{ expected_error: denied }]);
    await world.run('revoke delete on things from keeper');
    await world.run('grant insert, update (state) on things to keeper');
    expect(previews(await planned(own, 'delete', upTo(1)), own)).toMatchObject([
      { expected_error: 'This role may not delete rows of public.things' },
    ]);
    expect(previews(await planned(own, 'update', { ...upTo(1), set: { state: 'done' } }), own)).toMatchObject(
      [{ reversible: 'yes' }],
    );
    await world.run('grant delete on things to keeper');
    const deletion = await planned(own, 'delete', upTo(1));
    expect(previews(deletion, own)).toMatchObject([{ reversible: 'yes' }]);
    await execute(own, deletion, call(`bulk-outcomes-${++operations}`));
    await world.run('revoke insert on things from keeper');
    const context: PreparedBulkContext = { ...deletion.context, undo: true };
    const undo = {
      context,
      items: await own.freezeItems!(deletion.items.map(itemToRestore), context, call()),
    };
    expect(previews(undo, own)).toMatchObject([
      { expected_error: 'This role may not insert rows into public.things' },
    ]);
  });

  it('of rows that the role may not read is named, and not counted', async () => {
    const own = asKeeper();
    await world.run('grant select, delete, insert on things to keeper');
    await world.run(
      'create table hidden (id integer primary key, thing integer references things on delete cascade)',
    );
    await world.run('insert into hidden values (1, 1)');
    const plan = await planned(own, 'delete', upTo(1));
    await world.run('drop table hidden');
    expect(previews(plan, own)).toMatchObject([
      {
        before: { 'rows of public.hidden': 'an unknown number' },
        after: { 'rows of public.hidden': 'deleted' },
        reversible: 'partly',
      },
    ]);
    expect(own.describeItems!(plan.items, plan.context)).toBe(
      '1 row, and rows of 1 other table, which could not be counted',
    );
  });

  it('of the undo is counted over the rows of the plan', async () => {
    await world.run(`update things set name = repeat('x', 900) where id = 1`);
    const params = { database: 'shop', ...upTo(3) };
    const started = await harness.start({ domain: 'sql', action: 'delete', params });
    expect(presentBulkStatus(started)).toContain('2 of 3 can be undone.');
    const { operation_id: id } = started;
    await continueBulkOperation(harness.client, id, { batch: 1 });
    expect((await getReport(harness.client, id)).change).toMatchObject({
      undoable: { items: 2, partly: 0, of: 3 },
    });
    const undo = await undoBulkOperation(harness.client, id);
    expect(presentBulkStatus(undo)).toContain('where id <= 3. Can be undone.');
  });
});

describe('an undo of a deletion', () => {
  it('gives a column that was added since its default, and can be taken back itself', async () => {
    const plan = await planned(adapter, 'delete', upTo(2));
    expect(await outcomes(plan)).toEqual([true, true]);
    await world.run(`alter table things add column kind text not null default 'plain'`);
    const undo = await undoOf(plan);
    expect(await outcomes(undo)).toEqual([true, true]);
    expect(await world.run('select kind, size from things where id = 1')).toEqual([
      { kind: 'plain', size: 7 },
    ]);
    const redo = await undoOf(undo);
    expect(previews(redo).map(({ conflict }) => conflict)).toEqual([undefined, undefined]);
    expect(await outcomes(redo)).toEqual([true, true]);
  });

  it('says which value has no column any more, and restores nothing of that row', async () => {
    await world.run('update things set state = null where id = 2');
    const plan = await planned(adapter, 'delete', upTo(2));
    expect(await outcomes(plan)).toEqual([true, true]);
    await world.run('alter table things drop column state');
    const undo = await undoOf(plan);
    const lost = "The column 'state' is not there any more, and its old value has no place";
    expect(previews(undo).map(({ expected_error }) => expected_error)).toEqual([lost, undefined]);
    expect(await outcomes(undo)).toEqual([lost, true]);
  });
});

describe('an item that somebody else made so before its turn', () => {
  it('is skipped, and an undo of the operation leaves it', async () => {
    const params = { database: 'shop', ...upTo(2), set: { state: 'done' } };
    const { operation_id: id } = await harness.start({ domain: 'sql', action: 'update', params });
    await world.run(`update things set state = 'done' where id = 2`);
    const ended = await continueBulkOperation(harness.client, id, { batch: 1 });
    expect(ended).toMatchObject({ succeeded: 1, skipped: 1 });
    const undo = await undoBulkOperation(harness.client, id);
    expect(undo.total).toBe(1);
    await continueBulkOperation(harness.client, undo.operation_id, { batch: 1 });
    expect(await world.run('select state from things where id <= 2 order by id')).toEqual([
      { state: 'new' },
      { state: 'done' },
    ]);
  });
});

describe('the primary key', () => {
  it('cannot be set, because rows are identified by it', async () => {
    const set = { id: 9 };
    const error = await failure(planned(adapter, 'update', { ...upTo(1), set }));
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining("The column 'id' is in the primary key of public.things"),
      hint: expect.stringContaining('Leave it out of set'),
    });
  });

  it('may be deferrable in an undo of a deletion', async () => {
    await world.run('create table late (id integer primary key deferrable initially deferred, name text)');
    await world.run(`insert into late values (1, 'One')`);
    const plan = await planned(adapter, 'delete', { ...upTo(1), table: 'late' });
    expect(await outcomes(plan)).toEqual([true]);
    expect(await outcomes(await undoOf(plan))).toEqual([true]);
    expect(await world.run('select * from late')).toEqual([{ id: 1, name: 'One' }]);
  });
});

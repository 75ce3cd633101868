import { createSqlAdapter } from '../../activities/adapters/sql';
import {
  cancelBulkOperation,
  continueBulkOperation,
  previewBulkOperation,
  retryFailedItems,
  startRemainingItems,
} from '../../src/client';
import { presentBatchItems } from '../../src/core/bulk/presenter';
import { startHarness, type Harness } from '../helpers/harness';
import {
  call,
  databasesAt,
  execute,
  failure,
  planned,
  prepare,
  startServer,
  type SqlWorld,
} from './sql-setup';

let world: SqlWorld;
let url: string;
let harness: Harness;
beforeAll(async () => {
  ({ world, url } = await startServer());
  harness = await startHarness({ adapters: [world.adapter] });
});
afterAll(async () => {
  await harness.close();
  await world.close();
});
beforeEach(async () => {
  await world.run('drop table if exists things');
  await world.run(`create table things (id integer primary key, name text, note text, password text, raw json, due date,
    at timestamptz, during tstzrange, days date[])`);
  await world.run(`insert into things (id, name, note) values (1, 'One', 'short'), (2, 'Two', 'short')`);
});

const ONE = [{ column: 'id', op: '=', value: 1 }];
const update = (set: object, where: object[] = ONE) => ({
  ...{ domain: 'sql', action: 'update' },
  params: { database: 'shop', table: 'things', where, set },
});
const preview = (input: ReturnType<typeof update>) =>
  previewBulkOperation(harness.client, input, { task_queue: harness.taskQueue });

describe('a start with the digest of its preview', () => {
  it.each<[string, string, object]>([
    ['beyond the 300th character', `repeat('x', 400) || 'a'`, { note: 'new' }],
    ['in a row of more than 800 bytes', `repeat('x', 2000) || 'a'`, { note: 'new' }],
    ['beside a private column', `'a'`, { note: 'new', password: 'secret' }],
  ])('is refused if a value changed %s, and says so', async (_, value, set) => {
    await world.run(`update things set note = ${value} where id = 1`);
    const { digest } = await preview(update(set));
    await world.run(`update things set note = ${value} || 'b' where id = 1`);
    await world.run(`update things set note = left(note, length(note) - 2) || 'c' where id = 1`);
    const error = await failure(harness.start({ ...update(set), expect_digest: digest }));
    expect(error.code).toBe('CHANGED_SINCE_PREVIEW');
    expect(error.message).toContain('1 item is changed: One (1) (1) differs in what is not shown of it: [');
    const { digest: now } = await preview(update(set));
    expect((await harness.start({ ...update(set), expect_digest: now })).state).toBe('awaiting_confirmation');
  });

  it('names the difference of two long values, and shows where it is', async () => {
    await world.run(`update things set note = repeat('x', 350) || 'MONDAY' where id = 1`);
    const input = update({ note: `${'x'.repeat(350)}FRIDAY` });
    const { operation_id: id } = await harness.start(input);
    const text = presentBatchItems(await harness.status(id));
    expect(text).toContain('xxxMONDAY (356 characters)” → “');
    expect(text).toContain('xxxFRIDAY (356 characters)”');
  });

  it('says in words what is not shown of a row', async () => {
    await world.run(`update things set note = repeat('x', 2000) where id = 1`);
    const { operation_id: id } = await harness.start(update({ note: 'new' }));
    const status = await harness.status(id);
    expect(presentBatchItems(status)).toContain(
      'not shown: the values of this row, which are larger than 800 bytes; cannot be undone',
    );
    const { items } = await preview(update({ password: 'x' }));
    expect(items[0]?.not_shown).toBe('the values of this row, because a column that changes is private');
  });
});

it('writes a json value in the order of its members that the question showed', async () => {
  const { operation_id: id } = await harness.start(update({ raw: { state: 'y', owner: 'x' } }));
  const { next_batch } = await harness.status(id);
  expect(next_batch?.items[0]?.after).toEqual({ raw: '{"state":"y","owner":"x"}' });
  expect(await continueBulkOperation(harness.client, id, { batch: 1 })).toMatchObject({ succeeded: 1 });
  expect(await world.run('select cast(raw as text) as raw from things where id = 1')).toEqual([
    { raw: '{"state":"y","owner":"x"}' },
  ]);
});

describe('a value that depends on the moment', () => {
  it('is read once, at the plan, shown as it was read, and written so', async () => {
    const set = { due: 'tomorrow', at: 'now', during: '[now,infinity)', days: '{today}', note: 'tomorrow' };
    const plan = await planned(world.adapter, 'update', { table: 'things', where: ONE, set });
    const frozen = plan.context.action_params['set'] as Record<string, string>;
    const [day] = await world.run(`select cast(cast('tomorrow' as date) as text) as due`);
    expect(frozen).toMatchObject({
      due: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      note: 'tomorrow',
    });
    expect(day?.['due'] === frozen['due'] || frozen['due']! < String(day?.['due'])).toBe(true);
    expect(Object.values(frozen).join()).not.toMatch(/now|today/);
    expect(world.adapter.describeChange?.(plan.context).fields).toContainEqual({
      name: 'at',
      to: frozen['at'],
    });
    expect(world.adapter.previewItem?.(plan.items[0]!, plan.context).after).toMatchObject({
      due: frozen['due'],
      at: frozen['at'],
    });
    await execute(world.adapter, plan, call('bulk-frozen'));
    const [row] = await world.run(`select cast(due as text) as due, cast(at as text) as at,
      cast(during as text) as during, cast(days as text) as days from things where id = 1`);
    expect(row).toEqual({
      due: frozen['due'],
      at: frozen['at'],
      during: frozen['during'],
      days: frozen['days'],
    });
  });

  it('is carried over to a retry and to the rest as it was read for the first run', async () => {
    const both = [{ column: 'id', op: '<=', value: 2 }];
    const first = await harness.start({ ...update({ at: 'now', due: 'today' }, both), batch_size: 5 });
    const { fields } = first.next_batch?.change ?? { fields: [] };
    expect(fields.map(({ to }) => to)).not.toContain('now');
    await world.run(`update things set at = '2020-01-01' where id = 2`);
    const { operation_id: id } = first;
    expect(await continueBulkOperation(harness.client, id, { batch: 1 })).toMatchObject({ skipped: 1 });
    const retry = await retryFailedItems(harness.client, id);
    expect(retry.next_batch?.change.fields).toEqual(fields);
    await continueBulkOperation(harness.client, retry.operation_id, { batch: 1 });
    const written = await world.run(
      'select distinct cast(at as text) as at, cast(due as text) as due from things',
    );
    expect(written).toHaveLength(1);
    const other = await harness.start({ ...update({ at: 'now' }, both), batch_size: 5 });
    await cancelBulkOperation(harness.client, other.operation_id);
    const rest = await startRemainingItems(harness.client, other.operation_id);
    expect(rest.next_batch?.change.fields).toEqual(other.next_batch?.change.fields);
  });

  it('of a condition is read once too', async () => {
    const where = [
      { column: 'at', op: '<', value: 'now' },
      { column: 'due', op: 'in', value: ['today', 'tomorrow', '2026-01-02'] },
    ];
    const context = await prepare(world.adapter, 'delete', { table: 'things', where });
    expect(JSON.stringify(context.query_params)).not.toMatch(/now|today|tomorrow/);
    expect(world.adapter.describeChange?.(context).summary).not.toMatch(/now|today|tomorrow/);
  });

  it('is refused if it means one day here and another there, whatever the database is set to', async () => {
    const [database] = await world.run('select current_database() as name');
    await world.run(`alter database "${String(database?.['name'])}" set DateStyle = 'SQL, DMY'`);
    const databases = databasesAt({ shop: url });
    const other = createSqlAdapter({ databases, concurrency: 5 });
    const write = (due: string) => planned(other, 'update', { table: 'things', where: ONE, set: { due } });
    expect((await failure(write('03/02/2027'))).message).toContain('03/02/2027');
    const { context } = await write('2027-02-03');
    await databases.close();
    expect(context.action_params['set']).toEqual({ due: '2027-02-03' });
  });
});

it('refuses a batch if the table has another primary key than at the plan', async () => {
  const plan = await planned(world.adapter, 'update', { table: 'things', where: ONE, set: { note: 'x' } });
  await world.run(
    'alter table things drop constraint things_pkey, add column other integer not null default 1',
  );
  await world.run('update things set other = 3 - id');
  await world.run('alter table things add primary key (other)');
  const error = await failure(execute(world.adapter, plan, call('bulk-key')));
  expect(error.message).toContain('has another primary key than at the plan');
  expect(await world.run(`select id from things where note = 'x'`)).toEqual([]);
});

import { continueBulkOperation, startBulkOperation } from '../../src/client';
import { startHarness, type Harness } from '../helpers/harness';
import { call, failure, named, prepare, startServer, type SqlWorld } from './sql-setup';

let world: SqlWorld;
let harness: Harness;
beforeAll(async () => {
  ({ world } = await startServer());
  harness = await startHarness({
    adapters: [world.adapter],
    settings: { max_total_items: 10_000, max_batch_size: 250 },
  });
});
afterAll(async () => {
  await harness.close();
  await world.close();
});

describe('two names of one table', () => {
  const nameOf = async (table: string) => {
    const context = await prepare(world.adapter, 'delete', { table }, true);
    return world.adapter.resolvedParams?.(context, [], call());
  };

  it.each([
    ['people', ['people', '"people"', 'public.people', '"public"."people"']],
    ['audit.people', ['audit.people', 'audit."people"']],
    ['audit."a.b"', ['audit."a.b"', '"audit"."a.b"']],
    ['audit.seen', ['audit.seen']],
  ])('are %s to policies, without the schema where the bare name means the table', async (name, given) => {
    await world.run('create schema if not exists audit');
    for (const table of ['people', 'audit.people', 'audit."a.b"', 'audit.seen'])
      await world.run(`create table if not exists ${table} (id integer primary key)`);
    // Not a table, so the bare name does not mean the one in the other schema.
    await world.run('create or replace view seen as select 1 as one');
    for (const one of given) expect(await nameOf(one)).toEqual({ table: name });
  });
});

describe('two names of one row', () => {
  const UUID = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
  const names: [string, string, string, string[]][] = [
    ['integer', '10', '10', ['10', '0010', '+10', ' 10']],
    ['uuid', UUID, UUID, [UUID.toUpperCase(), `{${UUID}}`]],
    ['citext', 'Anna', 'Anna', ['anna', 'ANNA']],
    ['char(6)', 'ab', 'ab', ['ab', 'ab    ']],
    [
      'timestamptz',
      '2026-01-01 12:00:00+00',
      '2026-01-01 12:00:00+00',
      ['2026-01-01T13:00:00+01:00', '2026-01-01 12:00Z'],
    ],
    ['numeric', '1.50', '1.50', ['1.5', '01.500']],
  ];
  it.each(names)('of type %s are one item, which any of them excludes', async (type, value, id, given) => {
    await world.run('create extension if not exists citext');
    await world.run('drop table if exists keyed');
    await world.run(`create table keyed (id ${type} primary key, note text)`);
    await world.run(`insert into keyed values ('${value}', 'old')`);
    const params = { database: 'shop', table: 'keyed', set: { note: 'new' } };
    const items = [...given, 'none'].map((one) => ({ id: one }));
    if (type !== 'citext' && type !== 'char(6)') items.pop();
    const input = { domain: 'sql', action: 'update', params, items };
    const started = await harness.start(input);
    expect(started.next_batch?.items.map((item) => item.id).slice(0, 1)).toEqual([id]);
    expect(started.total).toBe(items.length - given.length + 1);
    const exclude = [{ id: given.at(-1)! }];
    const ended = await continueBulkOperation(harness.client, started.operation_id, { batch: 1, exclude });
    expect(ended).toMatchObject({ succeeded: 0, skipped: 1 });
    expect(await world.run('select note from keyed')).toEqual([{ note: 'old' }]);
  });

  it('are one item for an undo of a part, too', async () => {
    await world.run('drop table if exists keyed');
    await world.run('create table keyed (id integer primary key, note text)');
    await world.run('insert into keyed (id) values (1), (2)');
    const params = { database: 'shop', table: 'keyed', set: { note: 'new' } };
    const items = [{ id: '01' }, { id: '02' }];
    const { operation_id: id } = await harness.start({ domain: 'sql', action: 'update', params, items });
    await continueBulkOperation(harness.client, id, { batch: 1 });
    const input = { domain: 'sql', action: 'update', undoes: id, items: [{ id: '02' }] };
    const undo = await startBulkOperation(harness.client, input, { task_queue: harness.taskQueue });
    expect(undo.next_batch?.items.map((item) => item.id)).toEqual(['2']);
  });

  /** These numbers, and a list of named items that is planned in several parts. */
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
  const longList = (ids: readonly string[]) => ids.map((id) => ({ id, display_name: id.padEnd(500, '.') }));
  const keyedRows = async (count: number) => {
    await world.run('drop table if exists keyed');
    await world.run('create table keyed (id integer primary key, note text)');
    await world.run(`insert into keyed (id) select generate_series(1, ${count})`);
    return { database: 'shop', table: 'keyed', set: { note: 'new' } };
  };
  const lists: [string, string[]][] = [
    ['in one part', ['2', '02', ...numbers(3, 250)]],
    ['in two parts', [...numbers(1, 249), '02']],
  ];
  it.each(lists)('are refused %s of a list that is planned in several parts', async (_, ids) => {
    const params = await keyedRows(250);
    const input = { domain: 'sql', action: 'update', params, items: longList(ids) };
    expect(await failure(harness.start(input))).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'The list names one item more than once: “2”, “02”.',
    });
    const started = await harness.start({ ...input, items: longList(numbers(1, 250)) });
    expect(started.total).toBe(250);
  });

  it('are refused for an undo, too, in a list that is planned in several parts', async () => {
    const params = await keyedRows(250);
    const items = ['02', ...numbers(1, 250)].map((id) => ({ id }));
    const input = { domain: 'sql', action: 'update', batch_size: 250 };
    const { operation_id: undoes, total } = await harness.start({ ...input, params, items });
    expect(total).toBe(250);
    await continueBulkOperation(harness.client, undoes, { batch: 1 });
    const undo = { domain: 'sql', action: 'update', undoes, items: longList(['02', ...numbers(1, 250)]) };
    const refused = startBulkOperation(harness.client, undo, { task_queue: harness.taskQueue });
    expect((await failure(refused)).message).toBe('The list names one item more than once.');
  });

  it('in a key of several columns are one item too', async () => {
    await world.run('drop table if exists keyed');
    await world.run('create table keyed (region text, no integer, note text, primary key (region, no))');
    await world.run(`insert into keyed values ('eu', 1, 'old')`);
    const given = ['["eu","1"]', '["eu", 1]', '["eu","01"]'];
    const plan = await named(world.adapter, 'update', { table: 'keyed', set: { note: 'new' } }, given);
    expect(new Set(plan.items.map(({ id }) => id))).toEqual(new Set(['["eu","1"]']));
  });
});

it('plans one moment of a table that grows', async () => {
  await world.run('drop table if exists busy');
  await world.run('create table busy (id integer primary key, name text)');
  await world.run(`insert into busy select 2 * n, 'Busy' from generate_series(1, 3000) n`);
  const inserting = { on: true, added: 0 };
  const inserts = (async () => {
    for (let id = 1; inserting.on; id += 2) {
      await world.run(`insert into busy values ($1, 'Busy')`, id);
      inserting.added += 1;
    }
  })();
  try {
    const params = { database: 'shop', table: 'busy', where: [{ column: 'name', op: '=', value: 'Busy' }] };
    const started = await harness.start({ domain: 'sql', action: 'delete', params });
    expect(started.state).toBe('awaiting_confirmation');
    expect(started.total).toBeGreaterThanOrEqual(3_000);
  } finally {
    inserting.on = false;
    await inserts;
  }
  expect(inserting.added).toBeGreaterThan(0);
});

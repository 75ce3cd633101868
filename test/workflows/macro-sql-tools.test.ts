import { insertOf } from '../../activities/tools/query-builder';
import type { Json, Step, Variables } from '../../src/contract/macro';
import { sqlCalls, CONTINUES, type Call } from '../helpers/sql-calls';
import { command, useTransactions } from '../helpers/transaction-stage';
import { EACH_KIND } from '../helpers/two-databases';

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const EVIL = `x'; drop table users; --`;
const is = (column: string, value: Json) => [{ column, op: '=', value }];

describe.each(EACH_KIND)('over %s', (_, open) => {
  const stage = useTransactions(open);
  const sql = (text: string, ...values: unknown[]) => stage.world.run('users_db', text, ...values);
  beforeAll(async () => {
    await sql('create schema odd');
    await sql(`create table things (
      id integer primary key, name text, kept json, held jsonb, tags text[], seen boolean default true,
      big bigint, exact numeric(40, 20), day date, at timestamp, moment timestamptz, share double precision,
      raw bytea, wait interval, days date[], bigs bigint[])`);
  });
  beforeEach(() => sql('truncate things'));

  const { answers, answer, refusal, refusals, errorsOf } = sqlCalls(stage);

  it.each([`a"b`, 'semi;colon', `"; drop table users; --`, 'Ünï.cödé', 'x as y', 'id desc', '$1', 'a->b'])(
    'treats %s as a name, and values that look like SQL as values',
    async (name) => {
      const table = `odd.${quoted(name)}`;
      await sql(`create table ${table} (id integer, ${quoted(name)} text)`);
      const rows = [EVIL, `' or '1'='1`, '%'].map((value, id) => ({ id, [name]: value }));
      const order = [{ column: name, direction: 'desc' }];
      expect(
        await answers(
          ['sql_insert', { table, rows, returning: [name] }],
          ['sql_update', { table, set: { [name]: `${EVIL}!` }, where: is(name, EVIL) }],
          ['sql_delete', { table, where: is(name, `' or '1'='1`) }],
          ['sql_select', { table, columns: [name], order }],
        ),
      ).toEqual([
        { inserted: 3, rows: rows.map(({ [name]: value }) => ({ [name]: value })) },
        { updated: 1 },
        { deleted: 1 },
        { rows: [{ [name]: `${EVIL}!` }, { [name]: '%' }], truncated: false },
      ]);
      expect(await stage.ids()).toEqual([]);
    },
  );

  it('stores lists and objects in json columns, and finds them there', async () => {
    const kept = [1, 'two', { three: [null, true] }];
    const held = { 'a"b': [EVIL], n: 1.5 };
    const table = 'things';
    const [, , json, , tags] = await answers(
      ['sql_insert', { table, rows: [{ id: 1, kept, held }] }],
      ['sql_update', { table, set: { kept: { kept } }, where: is('held', held) }],
      ['sql_select', { table, columns: ['kept', 'held'], where: is('held', held) }],
      ['sql_insert', { table, rows: [{ id: 2, tags: '{a,"b c"}' }] }],
      ['sql_select', { table, columns: ['tags'], where: is('id', 2) }],
    );
    expect(json).toMatchObject({ rows: [{ kept: { kept }, held }] });
    expect(tags).toMatchObject({ rows: [{ tags: ['a', 'b c'] }] });
  });

  it('copies rows as they are, json texts, lists, dates and numbers', async () => {
    await sql(`insert into things (id, name, kept, held, tags, big, exact, day, at, moment, share, raw, wait, days, bigs)
      values (1, 'a', '"true"', '"a \\"b\\" {c}"', array['a"b', 'c,d', '', null, 'NULL', '{x}', 'y\\z'], 9007199254740993, 1.50,
        '0044-03-15 BC', '2026-01-02 03:04:05.678901', '2026-01-02 03:04:05+02', 0.1::float8 + 0.2::float8, '\\x00ff',
        '1 year -3 days 04:05:06', array[date '2026-01-02', null], array[9007199254740993, 1]),
      (2, null, '[1,"2",null]', '{"n": [0.30000000000000004]}', array[['a', 'b'], ['c', 'd']], null, null, 'infinity', null,
        null, 'NaN', null, null, '{}', null)`);
    const rows = 'select * from things order by id';
    const before = await sql(`select cast(x as text) as row from (${rows}) x`);
    const read = command(
      'sql_select',
      { table: 'things', order: [{ column: 'id' }] },
      { output_variable: 'found' },
    );
    const copy = [
      read,
      command('sql_delete', { table: 'things', where: [{ column: 'id', op: '>', value: 0 }] }),
      command('sql_insert', { table: 'things', rows: '{{.found.rows}}' }),
    ];
    expect((await stage.onUsers(copy)).error).toBeUndefined();
    expect(await sql(`select cast(x as text) as row from (${rows}) x`)).toEqual(before);
  });

  it('refuses to read a number of json that would change, and changes nothing', async () => {
    for (const json of ['{"n": 9007199254740993}', '1e400']) {
      await sql('truncate things');
      await sql('insert into things (id, kept) values (1, $1)', json);
      const message = await refusal('sql_select', { table: 'things' });
      expect(message).toMatch(/The number (9007199254740993|1e400) cannot be kept exactly/);
    }
  });

  it('compares and sets values as PostgreSQL does, and refuses one that it would cut or round', async () => {
    await sql('drop table if exists fitted');
    await sql('drop domain if exists short, amount');
    await sql('create domain short as varchar(3)');
    await sql('create domain amount as numeric(5,2)');
    await sql(
      `create table fitted (id integer primary key, code short, rate amount, rates amount[], name name, single real)`,
    );
    await sql(`insert into fitted values (1, 'abc', 1.24, '{1.24}', repeat('x', 63)::name, 16777216)`);
    const table = 'fitted';
    const rowsWith = (column: string, value: Json): Call => [
      'sql_select',
      { table, columns: ['id'], where: is(column, value) },
    ];
    const cut: [column: string, value: Json][] = [
      ['code', 'abcdef'],
      ['rate', 1.239],
      ['rates', [1.239]],
      ['rates', '{1.239}'],
    ];
    const one = { rows: [{ id: 1 }], truncated: false };
    const none = { rows: [], truncated: false };
    expect(
      await answers(
        rowsWith('code', 'abc'),
        rowsWith('rates', [1.24]),
        ...cut.flatMap(([column, value]): Call[] => [
          rowsWith(column, value),
          ['sql_delete', { table, where: is(column, value) }],
        ]),
      ),
    ).toEqual([one, one, ...cut.flatMap(() => [none, { deleted: 0 }])]);
    const compared = await refusals(
      ['sql_delete', { table, where: is('name', 'x'.repeat(70)) }],
      ['sql_delete', { table, where: is('single', 16_777_217) }],
    );
    const another = expect.stringContaining('would compare another value') as string;
    expect(compared).toEqual([another, another]);
    const sets: Variables[] = [
      { code: 'abcdef' },
      { code: 'abc ' },
      { rate: 1.239 },
      { rates: [1.239] },
      { single: 16_777_217 },
    ];
    const stored = await refusals(
      ...sets.flatMap((set): Call[] => [
        ['sql_update', { table, set, where: is('id', 1) }],
        ['sql_insert', { table, rows: [{ id: 2, ...set }] }],
      ]),
    );
    const unfit = expect.stringMatching(/would store another value|too long/) as string;
    expect(stored).toEqual(sets.flatMap(() => [unfit, unfit]));
    expect(await sql('select id, code, cast(rate as text) as rate from fitted')).toEqual([
      { id: 1, code: 'abc', rate: '1.24' },
    ]);
  });

  it('returns every type as JSON that can be used in a condition again', async () => {
    const row = {
      big: '9007199254740993',
      exact: '12345678901234567890.12345678901234567891',
      day: '2024-03-31',
      at: '2024-03-31T02:30:00.123456',
      moment: '2024-03-31T02:30:00.123456+00:00',
      share: 'Infinity',
      raw: '\\xdead00',
      wait: '3 days',
      days: ['2024-03-31', null],
      bigs: [1, '9007199254740993'],
    };
    const list = (values: (string | number | null)[]) =>
      `{${values.map((value) => value ?? 'NULL').join(',')}}`;
    const given = { ...row, days: list(row.days), bigs: list(row.bigs) };
    const rows = [
      { id: 1, ...given },
      { id: 2, big: 3 },
    ];
    const compared = ['big', 'exact', 'day', 'at', 'moment', 'share', 'raw', 'wait'] as const;
    const [, small, ...found] = await answers(
      ['sql_insert', { table: 'things', rows }],
      ['sql_select', { table: 'things', columns: ['big', 'seen'], where: is('id', 2) }],
      ...compared.map((column): Call => {
        const where = is(column, row[column]);
        return ['sql_select', { table: 'things', columns: Object.keys(row), where }];
      }),
    );
    expect(found).toEqual(compared.map(() => ({ rows: [row], truncated: false })));
    expect(small).toMatchObject({ rows: [{ big: 3, seen: true }] });
  });

  it('compares as SQL does: like, lists, and nothing with null', async () => {
    const rows = [
      { id: 1, name: 'Ana' },
      { id: 2, name: '100%' },
      { id: 3, name: null },
    ];
    const table = 'things';
    const found = (column: string, op: string, value?: Json): Call => {
      const where = [{ column, op, ...(value !== undefined && { value }) }];
      return ['sql_select', { table, columns: ['id'], order: [{ column: 'id' }], where }];
    };
    const none = [{ column: 'id', op: 'in', value: [] }];
    const these = (...ids: number[]) => ({ rows: ids.map((id) => ({ id })), truncated: false });
    expect(
      await answers(
        ['sql_insert', { table, rows }],
        found('name', 'like', '_na'),
        found('name', 'like', '%\\%'),
        found('id', 'in', []),
        found('id', 'in', [1, '3']),
        found('name', '!=', 'Ana'),
        found('name', 'is_null'),
        found('id', '>=', '2'),
        ['sql_update', { table, set: { name: null }, where: is('id', 1) }],
        ['sql_delete', { table, where: none }],
        ['sql_update', { table, set: { name: 'all' }, where: none }],
        found('name', 'is_null'),
      ),
    ).toEqual([
      { inserted: 3 },
      ...[these(1), these(2), these(), these(1, 3), these(2), these(3), these(2, 3)],
      ...[{ updated: 1 }, { deleted: 0 }, { updated: 0 }],
      these(1, 3),
    ]);
  });

  it('refuses a change of every row, and a comparison with null, before anything is sent', async () => {
    await sql('insert into things (id) values (1)');
    // A template hides the value from the check before the run, so that the gateway sees it.
    const hidden: Step[] = [
      { type: 'set', variable: 'nothing', value: null },
      { type: 'set', variable: 'none', value: [] },
    ];
    const changes = [
      ['sql_delete', {}],
      ['sql_update', { set: { name: 'all' } }],
    ] as const;
    const refused = changes.flatMap(([tool, more]) =>
      ['{{.none}}', is('id', '{{.nothing}}')].map((where) =>
        command(tool, { table: 'things', where, ...more }, CONTINUES),
      ),
    );
    const fetched: Step = {
      ...{ type: 'fetch', source: 'users_db', resource: 'things', variable: 'it', ...CONTINUES },
      filter: is('id', '{{.nothing}}') as never,
    };
    const every = {
      message: expect.stringMatching(
        /^\[GATEWAY ERROR\] .*where: is empty, and that would be every row/,
      ) as string,
      hint: expect.stringMatching(/^\[HINT\]: /) as string,
    };
    const missing = {
      message: expect.stringMatching(
        /^\[GATEWAY ERROR\] .*where\[0\]\.value: is missing; empty columns are found by is_null/,
      ) as string,
    };
    const compared = {
      message: expect.stringContaining("The condition on 'id' compares by = with null") as string,
    };
    expect(await errorsOf([...hidden, ...refused, fetched])).toMatchObject([
      ...[every, missing, every, missing],
      compared,
    ]);
    expect(await sql('select id, name from things')).toEqual([{ id: 1, name: null }]);
  });

  it.each([
    ['a table', 'sql_select', { table: 'nowhere' }, 'relation "nowhere" does not exist'],
    ['a schema', 'sql_select', { table: 'no.where' }, 'relation "no.where" does not exist'],
    ['a column', 'sql_delete', { table: 'things', where: is('nmae', 1) }, 'column "nmae" does not exist'],
    [
      'a value',
      'sql_insert',
      { table: 'things', rows: [{ id: 'one' }] },
      'invalid input syntax for type integer',
    ],
    ['a name', 'sql_select', { table: 'a.b.c' }, "'a.b.c' is not a table name"],
  ])('fails with the database’s message for a missing %s', async (what, tool, args, words) => {
    const message = await refusal(tool, args);
    // A name that is none is a wrong parameter, which needs no database.
    const prefix = what === 'a name' ? '[GATEWAY ERROR]' : `[TOOL ERROR] ${tool}: `;
    expect(message?.slice(0, prefix.length)).toBe(prefix);
    expect(message).toContain(words);
  });

  it('reports that there were more rows, and gives a macro all rows that it read', async () => {
    await sql(`insert into things (id, name) select n, repeat('x', 100) from generate_series(1, 1200) n`);
    const page = { table: 'things', columns: ['id'], order: [{ column: 'id' }], limit: 2 };
    const last = { ...page, where: [{ column: 'id', op: '>', value: 1198 }] };
    const [first, end, thousand, whole] = await answers(
      ['sql_select', page],
      ['sql_select', last],
      ['sql_select', { ...page, limit: 1_000 }],
      ['sql_select', { table: 'things' }],
    );
    expect(first).toEqual({ rows: [{ id: 1 }, { id: 2 }], truncated: true });
    expect([end, thousand]).toMatchObject([{ truncated: false }, { truncated: true }]);
    expect((whole as { rows: object[] }).rows).toHaveLength(1_000);
  });

  it('gives a column its default if one row names it and another does not', async () => {
    const rows: Variables[] = [
      { id: 1, seen: false },
      { id: 2, name: 'named' },
    ];
    await answer('sql_insert', { table: 'things', rows });
    expect(await sql('select id, seen, name from things order by id')).toEqual([
      { id: 1, seen: false, name: null },
      { id: 2, seen: true, name: 'named' },
    ]);
  });
});

it('refuses more values than one statement can bind, before it builds the statement', () => {
  const wide = Object.fromEntries(Array.from({ length: 66 }, (_one, at) => [`c${at}`, at]));
  const rows = Array.from({ length: 1_000 }, () => wide);
  expect(() => insertOf('wide', rows)).toThrow(
    'One statement takes at most 65535 values, and these are 66000',
  );
});

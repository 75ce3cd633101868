import type { BulkItem } from '../../src/contract/items';
import { done, itemsOf, fileRows, type Columns } from './sql-file-setup';
import { failure, prepare, WORLDS } from './sql-setup';

describe.each(WORLDS)('values of a file over %s', (_kind, start) => {
  const { adapter, inserting, plan, previews, rows, run, runs, undoing } = fileRows(start);

  const mistakes: [string, Columns, RegExp][] = [
    [
      'a column that is not there',
      { name: 'x', amuont: '1' },
      /column amuont: public.parts has no such column/,
    ],
    [
      'a text that is no number',
      { name: 'x', amount: 'abc' },
      /column amount: invalid input syntax for type numeric/,
    ],
    ['an empty number', { name: 'x', amount: '' }, /column amount: invalid input syntax for type numeric/],
    [
      'a number with more digits',
      { name: 'x', amount: '0.12345678901' },
      /column amount: .*would store another value/,
    ],
    ['a text that is too long', { name: 'x', short: 'long' }, /column short: .*would store another value/],
    [
      'a day that is none',
      { name: 'x', day: '2026-02-30' },
      /column day: date\/time field value out of range/,
    ],
    ['null where that cannot be', { name: null }, /column name: it cannot be null/],
    ['a generated column', { name: 'x', length: 3 }, /column length: the database generates its value/],
    ['a column of set', { name: 'x', state: 'old' }, /column state: set has a value for it, too/],
    ['a list that is not json', { name: 'x', flags: [1] }, /column flags: it accepts no list/],
    [
      'a text that is not JSON',
      { name: 'x', facts: 'abc' },
      /column facts: invalid input syntax for type json/,
    ],
    ['half of a character', { name: 'x\ud83d' }, /column name: it is not a text that PostgreSQL can store/],
    ['a column that a new row needs', { amount: 1 }, /column name: a new row needs it/],
    ['another key than its id', { id: 'x1', name: 'x' }, /column id: invalid input syntax for type integer/],
  ];

  test.each(mistakes)(
    'are refused before the question for %s, by item and column',
    async (_, columns, message) => {
      const bad = failure(inserting({ 8: { name: 'good' }, 9: columns }, { set: { state: 'open' } }));
      expect(await bad).toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringMatching(new RegExp(`item “9”, ${message.source}`)),
        hint: expect.stringMatching(/Nothing was started/),
        details: { mistakes: [{ item_id: '9' }] },
      });
      expect(await rows()).toHaveLength(2);
    },
  );

  test('are refused with all of their mistakes at once, and the nearest columns', async () => {
    const { message, hint } = await failure(
      inserting({ 8: { nam: 'x', amount: 'y' }, 9: { name: 'x', day: 'z' } }),
    );
    expect(message.match(/item “\d”, column \w+/g)).toEqual(['item “8”, column nam', 'item “9”, column day']);
    expect(hint).toContain('The nearest columns: name');
  });

  test('are refused where they have no key of their own, or the same one', async () => {
    const same = await failure(inserting({ 10: { name: 'ten' }, '010': { name: 'other' } }));
    expect(same.message).toContain('The items “10” and “010” are the same row: 10');
    await run('create table made (id integer generated always as identity primary key, name text)');
    expect((await failure(plan('insert', [], { table: 'made' }))).message).toContain('always generated');
    await run('drop table made');
    expect(await failure(prepare(adapter(), 'insert', { table: 'parts' }))).toMatchObject({
      code: 'INVALID_INPUT',
      hint: expect.stringContaining('--items'),
    });
    expect((await failure(inserting({ 9: { name: 'x' } }, { set: { id: 4 } }))).message).toContain(
      'primary key',
    );
  });

  test('are named by the columns of their key, whatever their id, or by the id as JSON', async () => {
    const table = { table: 'lines' };
    const items = itemsOf({
      a: { region: 'eu', no: '07', note: 'x' },
      '["us",8]': { note: 'y' },
    });
    const wrong = await failure(plan('insert', items, table));
    expect(wrong.message).toContain('column id: the id of an item is not written into this column');
    await run('alter table lines drop column id');
    const made = await plan('insert', items, table);
    expect(made.items.map(({ id }) => id)).toEqual(['["eu","7"]', '["us","8"]']);
    expect(done(await runs(made))).toEqual([true, true]);
    expect(await run('select region, no, note from lines order by no')).toEqual([
      { region: 'eu', no: 7, note: 'x' },
      { region: 'us', no: 8, note: 'y' },
    ]);
    const part = await failure(plan('insert', itemsOf({ b: { region: 'eu', note: 'x' } }), table));
    expect(part.message).toContain('column no: it is a part of the primary key');
    const none = await failure(plan('insert', itemsOf({ b: { note: 'x' } }), table));
    expect(none.message).toContain('The id is not a key of public.lines');
  });

  test('keep every value as it was written, null apart from empty', async () => {
    const columns = {
      name: '',
      amount: '12345678901234567890.0123456789',
      seen: '2026-03-29 01:30:00.123456+02',
      day: '0044-03-15 BC',
      facts: { n: [1, null], t: 'Żółw 🐢' },
      raw: '{"big" : 9007199254740993, "e": 1e400}',
      flags: '{1,NULL,3}',
      bytes: '\\x00ff',
      short: null,
    };
    const made = await inserting({ 5: columns });
    expect(done(await runs(made))).toEqual([true]);
    const text = (name: string) => `cast(${name} as text) as ${name}`;
    const names = ['name', 'amount', 'day', 'facts', 'raw', 'flags', 'bytes', 'short'];
    const [row] = await run(
      `select ${names.map(text).join(', ')}, seen = timestamptz '2026-03-28 23:30:00.123456Z' as seen
        from parts where id = 5`,
    );
    expect(row).toEqual({
      ...columns,
      seen: true,
      facts: '{"n": [1, null], "t": "Żółw 🐢"}',
    });
  });

  test('read dates and times once, when they are planned', async () => {
    const made = await inserting({ 5: { name: 'x', seen: 'now' } });
    const seen = previews(made)[0]?.after?.['seen'] as string;
    expect(done(await runs(made))).toEqual([true]);
    expect(
      await run(
        `select seen = timestamptz '${seen}' as same, seen < now() as passed from parts where id = 5`,
      ),
    ).toEqual([{ same: true, passed: true }]);
  });

  test('read dates and times once also with a plan of an earlier version, which has them as they were given', async () => {
    const made = await inserting({ 5: { name: 'x', seen: 'now' } });
    const [item] = made.items as [BulkItem];
    const { given, ...planned } = item.raw_data as { given: Columns };
    const earlier = { ...item, raw_data: { ...planned, given: { ...given, seen: 'now' } } };
    expect(done(await runs({ ...made, items: [earlier] }))).toEqual([true]);
  });

  test('read dates and times once also if the plan keeps only a hash of the row', async () => {
    await run('alter table parts add column api_token text');
    const made = await inserting({
      5: { name: 'five', seen: 'now', api_token: 'token-of-sam' },
      6: { name: 'x'.repeat(900), seen: 'now' },
    });
    expect(previews(made).map(({ not_shown }) => not_shown)).toEqual([
      expect.stringContaining('private'),
      expect.stringContaining('800 bytes'),
    ]);
    expect(done(await runs(made))).toEqual([true, true]);
  });

  test('read dates and times once for every later plan of the same rows, also in a key', async () => {
    await run('create table days (day date primary key, seen timestamptz)');
    const day = { table: 'days' };
    const made = await plan('insert', itemsOf({ a: { day: 'tomorrow', seen: 'now' } }), day);
    const [item] = made.items;
    const later = await plan('insert', made.items, day);
    expect(JSON.stringify(made.items)).not.toMatch(/now|tomorrow/);
    const { given, to } = item?.raw_data ?? {};
    expect(given).toMatchObject({ day: item?.id });
    expect(later.items).toMatchObject([{ id: item?.id, raw_data: { given, to } }]);
    expect(done(await runs(later))).toEqual([true]);
    expect(await run('select cast(day as text) as day from days')).toEqual([{ day: item?.id }]);
    await run('drop table days');
  });

  test('of private or long values are written, not shown, and deleted by an undo all the same', async () => {
    await run('alter table parts add column api_token text');
    const made = await inserting({
      5: { name: 'five', api_token: 'token-of-sam' },
      6: { name: 'x'.repeat(900) },
    });
    for (const preview of previews(made)) {
      expect(preview).toMatchObject({
        reversible: 'yes',
        not_shown: expect.any(String),
        after: { row: 'new row' },
      });
      expect(JSON.stringify(preview)).not.toContain('token-of-sam');
    }
    const results = await runs(made);
    expect(done(results)).toEqual([true, true]);
    expect(await rows('api_token, length')).toEqual([
      ...Array<object>(2).fill({ api_token: null, length: 3 }),
      { api_token: 'token-of-sam', length: 4 },
      { api_token: null, length: 900 },
    ]);
    const undo = await undoing(made, results);
    expect(done(await runs(undo))).toEqual([true, true]);
    expect(await rows()).toHaveLength(2);
  });

  const evil = [`"; drop table parts; --`, `x'; drop table parts; --`, `$1`, `a"b`, `order`, `Ünï.cödé`];

  test.each(evil)('use the column %s under exactly this name', async (name) => {
    const unknown = await failure(inserting({ 5: { name: 'x', [name]: 'y' } }));
    expect(unknown.message).toContain('has no such column');
    await run(`alter table parts add column "${name.replaceAll('"', '""')}" text`);
    const made = await inserting({ 5: { name: 'x', [name]: name } });
    expect(done(await runs(made))).toEqual([true]);
    const [row] = await run(`select row_to_json(parts) as row from parts where id = 5`);
    expect((row?.['row'] as Columns)[name]).toBe(name);
  });
});

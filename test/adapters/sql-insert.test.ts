import { done, itemsOf, fileRows } from './sql-file-setup';
import { call, WORLDS } from './sql-setup';

describe.each(WORLDS)('rows of a file over %s', (_kind, start) => {
  const { adapter, inserting, plan, previews, rows, run, runs, undoing, upserting } = fileRows(start);

  test('are inserted with the constants of the change and the defaults of the database, and shown as new', async () => {
    const made = await inserting(
      { 10: { name: 'ten' }, '0011': { name: 'eleven' } },
      { set: { place: 'north' } },
    );
    expect(made.items.map(({ id, display_name }) => [id, display_name])).toEqual([
      ['10', 'ten (10)'],
      ['11', 'eleven (11)'],
    ]);
    expect(previews(made)).toEqual([
      {
        before: { row: null, name: null, place: null },
        after: { row: 'new row', name: 'ten', place: 'north' },
        reversible: 'yes',
      },
      {
        named: ['0011'],
        before: { row: null, name: null, place: null },
        after: { row: 'new row', name: 'eleven', place: 'north' },
        reversible: 'yes',
      },
    ]);
    const limits = call('bulk-made');
    expect(done(await runs(made, limits))).toEqual([true, true]);
    expect(await rows('id, name, place, state, length')).toEqual([
      { id: 1, name: 'one', place: null, state: 'new', length: 3 },
      { id: 2, name: 'two', place: null, state: 'new', length: 3 },
      { id: 10, name: 'ten', place: 'north', state: 'new', length: 3 },
      { id: 11, name: 'eleven', place: 'north', state: 'new', length: 6 },
    ]);
    expect(await adapter().reconcile?.(made.items[0]!, made.context, limits)).toBe('applied');
    const { summary } = adapter().describeChange!(made.context);
    expect(summary).toBe('Insert each row of the file into public.parts in shop, and set place to “north”.');
  });

  test('that are there are foreseen to fail at an insert, and never overwritten', async () => {
    const made = await inserting({ 2: { name: 'other' }, 3: { name: 'three' } });
    expect(previews(made)[0]).toMatchObject({
      before: { name: 'two' },
      expected_error: 'A row with this key is there already',
    });
    expect(await runs(made)).toMatchObject([
      { success: false, error: 'A row with this key is there already', retryable: false },
      { success: true },
    ]);
    expect((await rows()).map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  });

  test.each(['insert', 'upsert'])(
    'that came between the question and the run are left alone by an %s',
    async (action) => {
      const made = await plan(action, itemsOf({ 3: { name: 'three' }, 4: { name: 'four' } }));
      await run(`insert into parts (id, name) values (3, 'theirs')`);
      await run(`insert into parts (id, name) values (4, 'four')`);
      expect(await runs(made)).toMatchObject([
        { success: false, changed_since_preview: true },
        { success: false, changed_since_preview: true, error: expect.stringContaining('it is so by now') },
      ]);
      expect((await rows()).map(({ name }) => name)).toEqual(['one', 'two', 'theirs', 'four']);
    },
  );

  test('show at an upsert what changes, what is new, and what is so already', async () => {
    const made = await upserting({
      1: { name: 'ONE', amount: '1.50' },
      2: { name: 'two' },
      3: { name: 'three', amount: null },
    });
    expect(previews(made)).toEqual([
      {
        before: { name: 'one', amount: '1.5000000000' },
        after: { name: 'ONE', amount: '1.5000000000' },
        reversible: 'yes',
      },
      { before: { name: 'two' }, after: { name: 'two' }, already: true },
      {
        before: { row: null, name: null, amount: null },
        after: { row: 'new row', name: 'three', amount: null },
        reversible: 'yes',
      },
    ]);
    await run(`update parts set place = 'south' where id = 1`);
    expect(done(await runs(made))).toEqual([true, true, true]);
    expect(await rows('id, name, place')).toEqual([
      { id: 1, name: 'ONE', place: 'south' },
      { id: 2, name: 'two', place: null },
      { id: 3, name: 'three', place: null },
    ]);
  });

  test('that somebody changed since the question are left alone at an upsert', async () => {
    const made = await upserting({ 1: { name: 'ONE' }, 2: { name: 'TWO' } });
    await run(`update parts set name = 'theirs' where id = 1`);
    await run('delete from parts where id = 2');
    expect(await runs(made)).toMatchObject([
      { success: false, error: 'Changed since the preview: name was “one”, is now “theirs”' },
      { success: false, error: 'Row not found' },
    ]);
  });

  test('keep their columns when they are planned anew, with another constant', async () => {
    const first = await inserting({ 5: { name: 'five', amount: '1.25' } }, { set: { state: 'old' } });
    const again = await plan('insert', first.items, { set: { state: 'edited' } });
    expect(previews(again)[0]?.after).toEqual({
      row: 'new row',
      name: 'five',
      amount: '1.2500000000',
      state: 'edited',
    });
    expect(done(await runs(again))).toEqual([true]);
    expect((await rows()).at(-1)).toEqual({ id: 5, name: 'five', state: 'edited' });
  });

  test('are judged each for itself by what the database refuses at the run', async () => {
    const made = await inserting({
      5: { name: 'x', state: 'bad' },
      6: { name: 'x', place: 'west' },
      7: { name: 'x' },
    });
    expect(await runs(made)).toMatchObject([
      { success: false, retryable: false, error: expect.stringContaining('check constraint') },
      { success: false, retryable: false, error: expect.stringContaining('foreign key') },
      { success: true },
    ]);
    expect((await rows()).map(({ id }) => id)).toEqual([1, 2, 7]);
  });

  test('count as inserted only if the database leaves them as they were shown', async () => {
    await run(`create or replace function louder() returns trigger language plpgsql as
      'begin new.name = upper(new.name); return new; end'`);
    await run('create trigger louder before insert on parts for each row execute function louder()');
    const made = await inserting({ 5: { name: 'five' } });
    expect(previews(made)[0]?.reversible).toBe('partly');
    expect(await runs(made)).toMatchObject([
      { success: false, error: expect.stringContaining('name would be “FIVE”') },
    ]);
    expect(await rows()).toHaveLength(2);
  });

  test('are deleted by an undo if all of their columns are as the insert left them, and come back by its undo', async () => {
    const made = await inserting({ 5: { name: 'five' }, 6: { name: 'six' }, 7: { name: 'seven' } });
    const results = await runs(made);
    const left = await rows('cast(parts as text)');
    await run(`update parts set place = 'south' where id = 6`);
    const undo = await undoing(made, results);
    expect(previews(undo)[0]).toMatchObject({
      before: { row: 'as it was inserted', name: 'five', state: 'new' },
      after: { row: null, name: null },
    });
    expect(previews(undo).map(({ conflict }) => conflict)).toEqual([
      undefined,
      'place was none, is now “south”',
      undefined,
    ]);
    await run(`update parts set state = 'used' where id = 7`);
    const [five, , seven] = undo.items;
    const undone = await runs({ ...undo, items: [five!, seven!] });
    expect(undone).toMatchObject([
      { success: true },
      { success: false, changed_since_preview: true, error: expect.stringContaining('state was “new”') },
    ]);
    expect((await rows()).map(({ id }) => id)).toEqual([1, 2, 6, 7]);
    const redo = await undoing({ ...undo, items: [five!] }, undone.slice(0, 1));
    expect(done(await runs(redo))).toEqual([true]);
    expect((await rows('cast(parts as text)'))[2]).toEqual(left[2]);
  });

  test('are not deleted by an undo that does not know how the insert left them', async () => {
    const made = await inserting({ 5: { name: 'five' } });
    await runs(made);
    const undo = await undoing(made, []);
    expect(previews(undo)[0]?.expected_error).toContain('not recorded');
    expect(done(await runs(undo))).not.toEqual([true]);
    expect(await rows()).toHaveLength(3);
  });

  test('have their former values after the undo of an upsert, and new ones are gone', async () => {
    const before = await rows('cast(parts as text)');
    const made = await upserting({
      1: { name: 'ONE', amount: null },
      2: { name: 'TWO' },
      3: { name: 'three' },
    });
    const results = await runs(made);
    expect(done(results)).toEqual([true, true, true]);
    const after = await rows('cast(parts as text)');
    const undo = await undoing(made, results);
    expect(previews(undo)[0]).toMatchObject({
      before: { name: 'ONE', amount: null },
      after: { name: 'one', amount: '1.5000000000' },
    });
    const undone = await runs(undo);
    expect(done(undone)).toEqual([true, true, true]);
    expect(await rows('cast(parts as text)')).toEqual(before);
    const redo = await undoing(undo, undone);
    expect(done(await runs(redo))).toEqual([true, true, true]);
    expect(await rows('cast(parts as text)')).toEqual(after);
  });
});

import { fingerprint, isSettled, isUnread, selectionOf } from '../../src/core/approval/selection';
import { fieldsOfSchema, localTime, valuesOf } from '../../src/core/approval/schema-form';
import { pastedItems } from '../../src/host/items/pasted-items';

const item = (id: string) => ({ id, display_name: id.toUpperCase() });
const gate = {
  ...{ number: 2, attempt: 1, digest: 'ab'.repeat(32) },
  change: { summary: 'Star each email.', fields: [], reversible: 'yes' as const },
  items: ['a', 'b', 'c'].map(item),
};

describe('a selection of a question', () => {
  it('has the digest of the gate while nothing is excluded, and its own digest for each set of excluded items', () => {
    expect(selectionOf(gate).digest).toBe(gate.digest);
    expect(selectionOf(gate, [2, 1, 0]).digest).toBe(gate.digest);
    const digests = [[], [0], [1], [0, 1], [0, 2], [1, 2]].map((kept) => selectionOf(gate, kept).digest);
    expect(new Set([...digests, gate.digest]).size).toBe(7);
    expect(selectionOf({ ...gate, digest: 'cd'.repeat(32) }, [0]).digest).not.toBe(digests[1]);
  });

  it('keeps exactly the ticked places, and ignores missing ones', () => {
    const { kept, left_out } = selectionOf(gate, [1, 9]);
    expect([kept, left_out]).toEqual([[item('b')], [item('a'), item('c')]]);
  });

  it('is compared by twelve digits', () => {
    expect(fingerprint('3f2a9c4107de99')).toBe('3f2a 9c41 07de');
  });

  it('takes no press within two seconds of its delivery', () => {
    const press = (later: number) => isSettled(1_000, 1_000 + later);
    expect([-5_000, 0, 1_999, 2_000, 60_000].map(press)).toEqual([false, false, false, true, true]);
  });
});

describe('a form from a JSON Schema', () => {
  const fields = fieldsOfSchema({
    type: 'object',
    properties: {
      label_name: { type: 'string', maxLength: 225, description: 'The label' },
      single_events: { type: 'boolean' },
      shift_minutes: { type: 'integer' },
      send_updates: { type: 'string', enum: ['all', 'none'] },
      time_min: { type: 'string', format: 'date-time' },
      due: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
      where: { type: 'array', items: {} },
      patch: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
      senders: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      colorId: { type: 'string', title: 'Colour' },
    },
    required: ['label_name', 'single_events'],
  });

  it('has a field of the right kind for each property, in order', () => {
    expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['label_name', 'text', true],
      ['single_events', 'yes_no', true],
      ['shift_minutes', 'whole', false],
      ['send_updates', 'choice', false],
      ['time_min', 'time', false],
      ['due', 'time', false],
      ['where', 'json', false],
      ['patch.summary', 'text', false],
      ['senders', 'list', false],
      ['colorId', 'text', false],
    ]);
    expect(fields[0]).toMatchObject({ label: 'Label name', hint: 'The label', max_length: 225 });
    expect(fields.at(-1)?.label).toBe('Colour');
    expect(fieldsOfSchema({ properties: { colorId: {} } })[0]?.label).toBe('Color id');
  });

  it('returns the filled-in values, with the type of their kind, and leaves out the others', () => {
    const given: Record<string, string> = {
      ...{ label_name: '12', single_events: 'false', shift_minutes: '-30', due: 'null' },
      ...{ where: '[{"column":"id"}]', 'patch.summary': 'true', send_updates: '' },
    };
    expect(valuesOf(fields, (name) => given[name])).toEqual({
      values: {
        ...{ label_name: '12', single_events: false, shift_minutes: -30, due: null },
        ...{ where: [{ column: 'id' }], patch: { summary: 'true' } },
      },
      mistakes: [],
    });
  });

  const one = (name: string, said: string, zone?: string) =>
    valuesOf(fields, (asked) => (asked === name ? said : undefined), zone);

  it.each([
    'soon',
    'ten',
    '7.5',
    '\uff11\uff10',
    '\u0661\u0660',
    '1e2',
    '0x10',
    '1 000',
    '1,000',
    '--1',
    '+',
  ])('takes %s for no whole number', (said) =>
    expect(one('shift_minutes', said)).toMatchObject({ values: {}, mistakes: [{ name: 'shift_minutes' }] }),
  );

  it.each([
    ['single_events', 'maybe'],
    ['send_updates', 'some'],
    ['where', '[{'],
  ])('takes for %s no value such as %s', (name, said) =>
    expect(one(name, said)).toMatchObject({ values: {}, mistakes: [{ name }] }),
  );

  it('tells an absent value from true and false', () => {
    expect(['', 'true', 'false'].map((said) => one('single_events', said).values)).toEqual([
      {},
      { single_events: true },
      { single_events: false },
    ]);
  });

  it('reads a time in the zone of its reader, and none that the clocks leave out', () => {
    const timeOf = (said: string, zone: string) => one('time_min', said, zone).values['time_min'];
    expect(timeOf('2026-07-01T09:00', 'America/New_York')).toBe('2026-07-01T13:00:00.000Z');
    expect(timeOf('2026-01-01 09:00', 'Asia/Kolkata')).toBe('2026-01-01T03:30:00.000Z');
    expect(timeOf('2026-01-01T09:00:00+02:00', 'Asia/Kolkata')).toBe('2026-01-01T09:00:00+02:00');
    for (const said of ['2026-03-29T02:30', '2026-02-30T10:00', '2026-13-01T10:00', 'tomorrow', '2026-01-01'])
      expect(one('time_min', said, 'Europe/Berlin')).toMatchObject({
        values: {},
        mistakes: [{ name: 'time_min' }],
      });
    expect(localTime('2026-07-01T13:00:00.000Z', 'America/New_York')).toBe('2026-07-01T09:00');
  });

  it('says that there is to be no value apart from saying nothing', () => {
    const given: Record<string, string> = { 'due:none': 'true' };
    expect(valuesOf(fields, (name) => given[name]).values).toEqual({ due: null });
    const both: Record<string, string> = { ...given, due: '2026-01-01T09:00' };
    expect(valuesOf(fields, (name) => both[name])).toMatchObject({ values: {}, mistakes: [{ name: 'due' }] });
    expect(one('due', '').values).toEqual({});
  });

  it('reads one text of each line, where a list is wanted', () => {
    expect(one('senders', 'ana@work.example').values).toEqual({ senders: 'ana@work.example' });
    expect(one('senders', 'Ana\n\n Ben ').values).toEqual({ senders: ['Ana', 'Ben'] });
  });
});

describe('a pasted list', () => {
  const itemsOf = async (text: string) => (await pastedItems(text, 100)).items;

  it('has one item per line, with its name after the first comma', async () => {
    expect(await itemsOf('a\n\n b , Bee, the second\r\nc,\n')).toEqual([
      { id: 'a' },
      { id: 'b', display_name: 'Bee, the second' },
      { id: 'c' },
    ]);
  });

  it('may be a table with a header, or lines of JSON, as in a file', async () => {
    const table = 'ID;Display name;Amount\nm-1;"Bee; ""B""";5\nm-2;;6\n';
    expect(await itemsOf(table)).toEqual([
      { id: 'm-1', display_name: 'Bee; "B"', raw_data: { Amount: '5' } },
      { id: 'm-2', raw_data: { Amount: '6' } },
    ]);
    expect(await itemsOf('{"id":"a"}\n{"id":"b"}')).toEqual([{ id: 'a' }, { id: 'b' }]);
    await expect(itemsOf('id,name\na,Bee,x\n')).rejects.toThrow('line 2, column C: “x” is beyond');
  });

  it('may be two columns of a spreadsheet, and has no id that is not what it seems', async () => {
    expect(await itemsOf('a,1\tBee, the second\nb\t\n')).toEqual([
      { id: 'a,1', display_name: 'Bee, the second' },
      { id: 'b' },
    ]);
    await expect(itemsOf('a\n12\u00a0, Bee\n')).rejects.toThrow(
      'line 2: the id “12‹U+00A0›” contains an invisible character',
    );
    await expect(itemsOf('1.23457E+17\tBee')).rejects.toThrow('a number that a spreadsheet shortened');
  });
});

it('does not accept a line that was read before, or just after, a question was shown as an answer to it', () => {
  const shown = 1_000_000;
  expect([-5_000, -1, 0, 100].map((after) => isUnread(shown, shown + after))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([400, 5_000].map((after) => isUnread(shown, shown + after))).toEqual([false, false]);
});

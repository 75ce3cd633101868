import { fingerprint, isSettled, isUnread, selectionOf } from '../../src/core/approval/selection';
import { fieldsOfSchema, itemsOfLines, valuesOf } from '../../src/core/approval/schema-form';

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
      ['due', 'loose', false],
      ['where', 'json', false],
      ['patch.summary', 'text', false],
    ]);
    expect(fields[0]).toMatchObject({ label: 'Label name', hint: 'The label', max_length: 225 });
  });

  it('returns the filled-in values, with the type of their kind, and leaves out the others', () => {
    const given: Record<string, string> = {
      ...{ label_name: '12', single_events: 'false', shift_minutes: '-30', due: 'null' },
      ...{ where: '[{"column":"id"}]', 'patch.summary': 'true', send_updates: '' },
    };
    expect(valuesOf(fields, (name) => given[name])).toEqual({
      ...{ label_name: '12', single_events: false, shift_minutes: -30, due: null },
      ...{ where: [{ column: 'id' }], patch: { summary: 'true' } },
    });
  });

  it('keeps a value of the wrong kind, so that the adapter names the mistake', () => {
    const given: Record<string, string> = { shift_minutes: 'soon', where: '[{' };
    expect(valuesOf(fields, (name) => given[name])).toEqual(given);
  });

  it('reads one item per line, with its name after the first comma', () => {
    expect(itemsOfLines('a\n\n b , Bee, the second\r\nc,\n')).toEqual([
      { id: 'a' },
      { id: 'b', display_name: 'Bee, the second' },
      { id: 'c' },
    ]);
  });

  it('reads two columns that were pasted from a spreadsheet, and no id that is not what it seems', () => {
    expect(itemsOfLines('a,1\tBee, the second\nb\t\n')).toEqual([
      { id: 'a,1', display_name: 'Bee, the second' },
      { id: 'b' },
    ]);
    expect(() => itemsOfLines('a\n12\u00a0, Bee\n')).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: 'Line 2: the id “12‹U+00A0›” contains an invisible character.',
      }) as Error,
    );
    expect(() => itemsOfLines('1.23457E+17\tBee')).toThrow('a number that a spreadsheet shortened');
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

import { readEdit, wishedEdit } from '../../src/core/intent/editing';
import { classifyBulkIntent } from '../../src/core/intent/classifier';

const change = (to: string) => ({
  summary: `Add the label “${to}” to 5 emails.`,
  fields: [{ name: 'label', to }],
  reversible: 'yes' as const,
});
const LABEL = { action: 'label', change: change('Later') };
const edited = (text: string, params: Record<string, unknown> = { label_name: 'Later' }, asked = LABEL) => {
  const wish = readEdit(text);
  return wish && wishedEdit(wish, params, asked);
};

it.each([
  'label it Archive instead',
  'no, label them Archive instead',
  'Instead, label them as Archive',
  'label them "Archive" instead please',
  'could you label them with Archive instead?',
  'label it Archive instead of Later',
  'label them Archive, not Later',
  'use the label Archive instead',
  'Use Archive instead.',
  'no, rather use Archive instead',
  'change the label to Archive',
  'set label_name = Archive',
  'set label_name to “Archive”',
  'please change the label name to Archive instead',
])('“%s” names another value', (text) => {
  expect(edited(text)).toEqual({ label_name: 'Archive' });
});

it('keeps the value as it was written, and leaves what is to come after it to the next answer', () => {
  expect(edited('label them Für Später instead')).toEqual({ label_name: 'Für Später' });
  expect(edited('label them Archive instead and continue')).toEqual({ label_name: 'Archive' });
  expect(edited('change the label to Archive, then go on')).toEqual({ label_name: 'Archive' });
});

it.each([
  ['something else', 'what is the weather like?'],
  ['a confirmation', 'yes, label them'],
  ['a part of the batch', 'label only the first two instead'],
  ['a part of the batch', 'label them all instead'],
  ['a part of the batch', 'label it 3 instead'],
  ['a part of the batch', 'mark them all, not the first one'],
  ['another action', 'archive them instead'],
  ['another action', 'move them to the trash instead'],
  ['guidance', 'send it back: use the label Archive instead'],
  ['a negation', "don't label it Archive"],
  ['a value that is not the one in force', 'label them Archive, not Newsletters'],
  ['a parameter that the change does not have', 'change the colour to red'],
  ['a wish without a value', 'use something else'],
  ['a long text', `label it ${'very '.repeat(80)}long instead`],
])('%s is none: “%s”', (_, text) => {
  expect(edited(text)).toBeUndefined();
});

it('decides nothing by itself', () => {
  for (const text of ['label it Archive instead', 'change the label to Archive and continue'])
    expect(classifyBulkIntent(text)).toBe('unknown');
});

it('finds the parameter by its name, or by the value that the question shows, and guesses none', () => {
  const trello = { board: 'Work', target_list: 'Done' };
  const move = { action: 'move', change: { ...change('Done'), fields: [{ name: 'list', to: 'Done' }] } };
  expect(edited('move them to Later instead', trello, move)).toEqual({ target_list: 'Later' });
  expect(edited('use the list Later instead', trello, move)).toEqual({ target_list: 'Later' });
  const twice = { from: 'Done', to: 'Done' };
  expect(edited('move them to Later instead', twice, move)).toBeUndefined();
});

it('sets a column, a field or a number within its parameter', () => {
  const sql = { database: 'shop', table: 'orders', set: { state: 'closed', by: 'sam' } };
  const update = {
    action: 'update',
    change: { ...change('closed'), fields: [{ name: 'state', to: 'closed' }] },
  };
  expect(edited('set the state to paid', sql, update)).toEqual({ set: { state: 'paid', by: 'sam' } });
  expect(edited('use paid instead', sql, update)).toEqual({ set: { state: 'paid', by: 'sam' } });
  const shift = {
    action: 'shift',
    change: { ...change('30 min'), fields: [{ name: 'start', to: '30 min' }] },
  };
  expect(edited('shift them by 60 minutes instead', { shift_minutes: 30 }, shift)).toEqual({
    shift_minutes: 60,
  });
  expect(edited('shift them by an hour instead', { shift_minutes: 30 }, shift)).toBeUndefined();
});

import { ownSentence } from '../../src/core/bulk/agent-text';
import fc from '../helpers/properties';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { FrozenItem } from '../../src/contract/items';
import { itemPreviewSchema, type ItemPreview, type StateValue } from '../../src/contract/preview';
import { foreseenIn } from '../../src/core/bulk/groups';
import { gateDigest } from '../../src/core/bulk/operation';
import { promisedFor, startsSkipped, withPreview, type SealedItem } from '../../src/core/bulk/preview';
import { sealOf } from '../../src/core/bulk/seal';
import { changedSincePreview } from '../../src/core/bulk/preview-difference';
import { previewText } from '../../src/core/bulk/preview-text';
import { changeTakenBack, wordsTakenBack } from '../../src/core/bulk/undo';
import { planFrozen } from '../../src/core/bulk/lifecycle';
import { presentChange } from '../../src/core/bulk/change';
import { presentBulkStatus } from '../../src/core/bulk/presenter';
import { statusOf } from '../../src/core/bulk/view';
import { bytesOf } from '../../src/core/shared/bounds';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { emails, planOf, plannedWith, preparing, START } from './lifecycle.fixtures';

const context = { tool_name: 'fake', action: 'mark', query_params: {}, action_params: {} };
const saying = (preview: ItemPreview): BulkAdapter => ({
  ...createFakeAdapter({ items: () => [], apply: () => Promise.resolve() }),
  previewItem: () => preview,
});
const [email] = emails(1) as [FrozenItem];

const value: fc.Arbitrary<StateValue> = fc.oneof(
  fc.string({ maxLength: 900 }),
  fc.array(fc.string({ maxLength: 400 }), { maxLength: 30 }),
  fc.constant({ time: '2026-12-24T18:00:00Z' }),
  fc.constant(null),
);
const state = fc.dictionary(fc.string({ minLength: 1, maxLength: 150 }), value, { maxKeys: 30 });

test.each<[string, ItemPreview[], 'yes' | 'partly' | 'no', 'yes' | 'partly' | 'no']>([
  ['every item can be restored', [{ reversible: 'yes' }, { reversible: 'yes' }], 'yes', 'yes'],
  ['the adapter says nothing of its items', [{}, {}], 'partly', 'partly'],
  ['one of them cannot', [{ reversible: 'yes' }, { reversible: 'no' }], 'yes', 'partly'],
  ['none of them can', [{ reversible: 'no' }, { reversible: 'no' }], 'yes', 'no'],
  ['those that cannot are not changed', [{}, { reversible: 'no', already: true }], 'yes', 'yes'],
  ['those that cannot will fail', [{}, { reversible: 'no', expected_error: 'It is locked' }], 'yes', 'yes'],
  ['every item can, whatever the action is like', [{ reversible: 'yes' }], 'partly', 'yes'],
])('an undo is promised by the items: %s', (_what, previews, said, promised) => {
  const change = { summary: 'Mark it.', fields: [], reversible: said };
  const items = previews.map((preview) => ({ preview }));
  expect(promisedFor(change, items).reversible).toBe(promised);
});

it('counts the items that can be restored where they differ', () => {
  const change = { summary: 'Mark each item.', fields: [], reversible: 'yes' as const };
  const items = (['yes', 'yes', 'partly', 'no'] as const).map((reversible) => ({ preview: { reversible } }));
  expect(presentChange(promisedFor(change, items.slice(2)))).toBe(
    'Mark each item. 1 of 2 can be undone, 1 of them in part.',
  );
  expect(presentChange(promisedFor(change, [...items.slice(0, 2), items[3]!], '3 marks'))).toBe(
    'Mark each item. 3 marks. 2 of 3 can be undone.',
  );
  expect(presentChange(promisedFor(change, items, '4 marks', false))).toBe(
    'Mark each item. Of the first 4: 4 marks. Can be undone in part.',
  );
});

describe('the preview of an item', () => {
  it('stays within its limits, whatever the adapter returns', () => {
    fc.assert(
      fc.property(state, state, (before, after) => {
        const { preview } = withPreview(saying({ before, after }), email, context);
        itemPreviewSchema.parse(preview);
        expect(bytesOf(preview)).toBeLessThanOrEqual(2_600);
      }),
    );
  });

  it('shows that long values differ, wherever they differ, and how long they are', () => {
    const texts = fc.string({ minLength: 1, maxLength: 900 });
    fc.assert(
      fc.property(texts, texts, texts, (head, one, other) => {
        fc.pre(one !== other);
        const pair = { before: { note: head + one }, after: { note: head + other } };
        const { before, after } = withPreview(saying(pair), email, context).preview ?? {};
        expect(before?.['note']).not.toBe(after?.['note']);
      }),
    );
    const [before, after] = ['Monday', 'Friday'].map((day) => ({ note: `${'x'.repeat(400)} ${day}` }));
    const { preview } = withPreview(saying({ before: before!, after: after! }), email, context);
    expect(previewText(preview)).toBe(`note: …${'x'.repeat(19)} [-Monday-]{+Friday+} (407 characters)`);
  });

  it('has the fields that change before the others if not all fit, and counts both', () => {
    const fields = (last: string) =>
      Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`f${at}`, at > 20 ? last : 'same']));
    const { preview } = withPreview(saying({ before: fields('a'), after: fields('b') }), email, context);
    expect(previewText(preview)).toBe('f21: “a” → “b”; f22: “a” → “b”; f23: “a” → “b”');
    expect(preview?.before?.['more']).toBe('5 more fields');
    const all = (text: string) => Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`f${at}`, text]));
    const many = withPreview(saying({ before: all('a'), after: all('b') }), email, context).preview;
    expect(many?.after?.['more']).toBe('5 more fields, 5 of which change');
  });

  it('is absent if the adapter knows nothing', () => {
    const silent = createFakeAdapter({ items: () => [], apply: () => Promise.resolve() });
    expect(withPreview(silent, email, context)).toBe(email);
    expect(withPreview(saying({}), email, context)).toBe(email);
  });

  it("is part of the gate's digest", () => {
    const digest = (preview?: ItemPreview) =>
      gateDigest(planFrozen(preparing(), planOf([{ ...email, ...(preview && { preview }) }]), START));
    const previews: (ItemPreview | undefined)[] = [
      undefined,
      { before: { label: null }, after: { label: 'Later' } },
      { before: { label: 'Now' }, after: { label: 'Later' } },
      { already: true },
      { expected_error: 'no permission' },
      { reversible: 'no' },
    ];
    expect(new Set(previews.map(digest)).size).toBe(previews.length);
    expect(digest({ already: true })).toBe(digest({ already: true }));
  });
});

describe('in words, a preview', () => {
  it.each<[string, ItemPreview, string]>([
    ['values', { before: { label: null }, after: { label: 'Later' } }, 'label: none → “Later”'],
    ['lists', { before: { labels: ['A'] }, after: { labels: ['A', 'B'] } }, 'labels: “A” → “A”, “B”'],
    ['nothing that stays', { before: { a: 'x', b: '1' }, after: { a: 'x', b: '2' } }, 'b: “1” → “2”'],
    [
      'the words that change in a longer text',
      { before: { title: 'Meet the whole team today' }, after: { title: 'Meet the whole board today' } },
      'title: Meet the whole [-team-]{+board+} today',
    ],
    ['what is so already', { already: true, before: { a: 'x' }, after: { a: 'x' } }, 'already so'],
    ['what will fail', { expected_error: 'locked' }, 'will probably fail: locked'],
    ['what cannot be undone', { before: { a: 'x' }, reversible: 'no' }, 'a: now “x”; cannot be undone'],
  ])('shows %s', (_, preview, text) => {
    expect(previewText(preview)).toBe(text);
  });

  it('shows a time in the zone of its reader, and a date unchanged', () => {
    const before = { due: { time: '2026-12-24T18:00:00Z' }, day: { time: '2026-12-24' } };
    const after = { due: null, day: null };
    expect(previewText({ before, after }, { time_zone: 'Europe/Berlin' })).toBe(
      'due: 24 Dec 2026, 19:00 CET → none; day: 2026-12-24 → none',
    );
  });
});

it('counts in the first question the items that need no change and those that will fail', () => {
  const items: FrozenItem[] = emails(3).map((item, at) => ({
    ...item,
    preview: at === 0 ? { already: true } : at === 1 ? { expected_error: 'gone' } : {},
  }));
  const status = statusOf(planFrozen(preparing(), { ...planOf(items), foreseen: foreseenIn(items) }, START));
  expect(status.message).toMatch(
    /^Ready to label 3 emails .*\n1 of 3 are already so\.\n1 of 3 will probably fail\.$/,
  );
  expect(status).toMatchObject({ already: 1, expected_errors: 1 });
  expect(ownSentence(status)).toMatch(
    /^Ready to label 3 emails [^\n]* 1 of 3 are already so\. 1 of 3 will probably fail\.$/,
  );
});

describe('an item that was changed after the operation', () => {
  const conflict = { id: 'a', preview: { conflict: 'it is another one' } };

  it('is skipped unless it is overwritten by name or with all', () => {
    expect(startsSkipped(conflict)).toBe(true);
    expect(startsSkipped(conflict, ['b'])).toBe(true);
    expect(startsSkipped(conflict, ['a'])).toBe(false);
    expect(startsSkipped(conflict, 'all')).toBe(false);
    expect(startsSkipped({ id: 'a', preview: { ...conflict.preview, reversible: 'no' } }, 'all')).toBe(true);
    expect(startsSkipped({ id: 'a', preview: {} })).toBe(false);
  });

  it('causes no question for a batch of only such items, and ends an undo that has no others', () => {
    expect(statusOf(plannedWith('kkkkkpp', { batch_size: 5 })).next_batch?.number).toBe(2);
    const ended = statusOf(plannedWith('kkk'));
    expect(ended).toMatchObject({ state: 'completed', skipped: 3 });
    expect(presentBulkStatus(ended)).toContain(
      '3 item(s) were changed after the operation and stay as they are:',
    );
  });
});

describe('the change that undoes a change', () => {
  const change = {
    summary: 'Move each card to “Done”.',
    fields: [
      { name: 'list', from: 'Doing', to: 'Done' },
      { name: 'due', to: 'none' },
    ],
    reversible: 'yes' as const,
  };

  it('has the values swapped, and undoing it gives the first change again', () => {
    const undo = changeTakenBack(change);
    expect(undo.summary).toBe('Undo: Move each card to “Done”.');
    expect(undo.fields).toEqual([
      { name: 'list', from: 'Done', to: 'Doing' },
      { name: 'due', from: 'none', to: 'as it was before' },
    ]);
    const redo = changeTakenBack(undo);
    expect(redo).toEqual({ ...change, summary: 'Redo: Move each card to “Done”.' });
    expect(changeTakenBack(redo)).toEqual(undo);
    const words = { phrase: 'move {items}', short_name: 'move' };
    expect([undo, redo].map((one) => wordsTakenBack(words, one).short_name)).toEqual([
      'undo of move',
      'redo of move',
    ]);
  });
});

it('names the differences of a start from its preview, or reports that an old preview is no longer stored', () => {
  const plan = {
    ...{ context, batch_size: 10 },
    change: { summary: 'Mark.', fields: [], reversible: 'yes' as const },
    items: emails(3).map((email) => ({ ...email, seal: sealOf(email) })),
  };
  const [first, second, third] = plan.items as [SealedItem, SealedItem, SealedItem];
  const message = (now: object) => changedSincePreview(plan, { ...plan, ...now }).message;
  expect(message({ items: [second, first, third] })).toContain('the order of the items');
  expect(message({ items: [first, second] })).toContain('1 item is gone: Message 3 (m3)');
  expect(message({ items: [first, second, { ...third, already: true, seal: 'another' }] })).toContain(
    'Message 3 (m3) was [to be changed], is [already so]',
  );
  const other = (part: object) => message({ context: { ...context, ...part } });
  expect(other({ action_params: { label: 'Later' } })).toContain('label was not given, is Later');
  expect(other({ query_params: { label: 'A' } })).toContain('label of the search was not given, is A');
  expect(other({ metadata: { a: 1 } })).toContain('metadata was not given, is {"a":1}');
  expect(other({ action_params: { api_key: 'k-1' } })).toContain('api_key was not given, is (not shown)');
  const where = [{ column: 'pin', op: '=', value: '4711' }];
  expect(other({ query_params: { where } })).toMatch(/is \[\{"column":"pin".*"value":"\(not shown\)"\}\]/);
  expect(message({ items: [first, second, { ...third, seal: 'another' }] })).toContain(
    'Message 3 (m3) differs in what is not shown of it: [to be changed]',
  );
  expect(changedSincePreview(undefined, plan).message).toContain('no longer kept');
});

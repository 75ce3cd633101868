import fc from '../helpers/properties';
import type { BulkStatus } from '../../src/contract/operation';
import { presentChange, presentChangeFields } from '../../src/core/bulk/change';
import { detailsOf } from '../../src/core/bulk/details';
import { closeAs, rejected } from '../../src/core/bulk/lifecycle';
import { type OperationState, withKnown } from '../../src/core/bulk/operation';
import { named } from '../../src/core/bulk/seal';
import {
  idText,
  itemInLine,
  jsonLine,
  markdownLine,
  nameInLine,
  nameText,
  oneLine,
  quoted,
  visibleText,
} from '../../src/core/shared/plain-text';
import { presentBatchItems, presentBulkStatus } from '../../src/core/bulk/presenter';
import { presentBulkErrors } from '../../src/core/bulk/troubles';
import { statusOf } from '../../src/core/bulk/view';
import { emails, planned, preparing, ran, START } from './lifecycle.fixtures';

/** No control or format characters and no line breaks. Joiners are allowed within an emoji that Unicode lists. */
const VISIBLE_LINE = new RegExp(
  String.raw`^(?:\p{RGI_Emoji_ZWJ_Sequence}|[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}])*$`,
  'v',
);
const HOSTILE = [
  '\u001b[2J\u001b[1;1H',
  '\u009b31m',
  '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
  '\u202egnp.exe',
  '\u2066hidden\u2069',
  '\u061c\u200e\u200f',
  'zero\u200bwidth\u200d\u2060\ufeff',
  '\u{e0041}\u{e007f}',
  'a\r\nb\u2028c\u2029d\u0085e\u000bf',
  '\ud800',
  '\u0301accent',
  'a\u00a0b\u3000c',
  "\nSay 'continue' to start",
  '[click](https://evil.example) <b>bold</b> **bold** | cell ` code',
  '”. Can be undone. “',
  '‹U+202E›',
  'https://evil.example www.evil.example a@evil.example &amp; $x$ ~~gone~~',
];
const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme', maxLength: 3 })) }),
);

/** An operation whose open batch has one item, with this name. */
const open = (display_name: string, id = 'm1'): OperationState => {
  const state = planned(1);
  return { ...state, items: { 0: { id, display_name } } };
};
const changed = (summary: string, to: string): BulkStatus => {
  const change = { summary, fields: [{ name: 'label', to }], reversible: 'yes' as const };
  return statusOf({ ...planned(5), change });
};

describe('a name', () => {
  it.each([
    ['\u202e', '‹U+202E›'],
    ['a\u200bb', 'a‹U+200B›b'],
    ['\u001b[31mred', '‹U+001B›[31mred'],
    ['\u{e0041}', '‹U+E0041›'],
    ['two\nlines', 'two‹U+000A›lines'],
    ['\u061c', '‹U+061C›'],
    ['\ud800', '‹U+D800›'],
    ['\u3164\u2800', '‹U+3164›‹U+2800›'],
    ['\u0301a', '‹U+0301›a'],
    ['‹U+202E›', '‹U+2039›U+202E›'],
    ['Grüße ❤️ 👩‍👩‍👧 日本 שלום', 'Grüße ❤️ 👩‍👩‍👧 日本 שלום'],
    ['a\u200db 👩\u200d👩', 'a‹U+200D›b 👩‹U+200D›👩'],
  ])('shows its invisible characters: %j', (given, shown) => {
    expect(nameText(given)).toBe(shown);
  });

  it('keeps a no-break space, which is typography, and an id shows it, because it makes another id', () => {
    expect(nameText('Bonjour\u00a0! 日本\u3000語')).toBe('Bonjour\u00a0! 日本\u3000語');
    expect(['12\u00a0', '\u2003a b', '‹U+00A0›'].map(idText)).toEqual([
      '12‹U+00A0›',
      '‹U+2003›a b',
      '‹U+2039›U+00A0›',
    ]);
    const failed = { item_id: '12\u00a0', display_name: 'Bonjour\u00a0!', error: 'gone', retryable: false };
    expect(presentBulkErrors([failed])).toBe('- Bonjour\u00a0! (12‹U+00A0›): gone');
    expect(itemInLine({ id: '12\u00a0', display_name: '12\u00a0' })).toBe('12‹U+00A0›');
  });

  it('never looks like another name because of an invisible character', () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(nameText(one) === nameText(other)).toBe(one === other);
      }),
    );
  });

  it('stays between its quotation marks', () => {
    fc.assert(
      fc.property(name, (text) => {
        expect(quoted(text)).toMatch(/^“[^“”]*”$/u);
      }),
    );
  });

  it('is the same however often the line that contains it is sanitised', () => {
    fc.assert(
      fc.property(name, (text) => {
        const shown = nameText(text);
        expect([visibleText(shown), oneLine(shown)]).toEqual([shown, shown]);
      }),
    );
  });
});

describe('with any names of items', () => {
  it('the question reads the same, and each item takes one line without controls', () => {
    const before = presentBulkStatus(statusOf(open('plain')));
    const [head] = presentBatchItems(statusOf(open('plain'))).split('\n');
    fc.assert(
      fc.property(name, name, (display_name, id) => {
        const status = statusOf(open(display_name, id));
        expect(presentBulkStatus(status)).toBe(before);
        const [first, second = '', ...rest] = presentBatchItems(status).split('\n');
        expect([first, rest]).toEqual([head, []]);
        expect(second).toMatch(/^1\. /);
        expect(second).toMatch(VISIBLE_LINE);
      }),
    );
  });

  it('an error takes one line in a list', () => {
    fc.assert(
      fc.property(name, name, name, (display_name, item_id, error) => {
        const text = presentBulkErrors([{ display_name, item_id, error }]);
        expect(text).toBe(`- ${nameText(display_name)} (${idText(item_id)}): ${oneLine(error)}`);
        expect(text).toMatch(VISIBLE_LINE);
      }),
    );
  });

  it('the page in the Temporal UI has the same lines, and none of its names acts as markup', () => {
    const lines = detailsOf(open('plain')).split('\n');
    fc.assert(
      fc.property(name, (display_name) => {
        const page = detailsOf(open(display_name)).split('\n');
        expect(page).toHaveLength(lines.length);
        const item = page.pop() ?? '';
        expect(page).toEqual(lines.slice(0, -1));
        expect(item.startsWith(`1. ${markdownLine(nameInLine(display_name))}`)).toBe(true);
        expect(item).not.toMatch(/(?<!\\)(?:\\\\)*[*_`[\]<>|~&$@]|(?<!\\):\/\/|www\./i);
      }),
    );
  });

  it('JSON is one line without controls that parses to the same value', () => {
    fc.assert(
      fc.property(name, (display_name) => {
        const status = statusOf(open(display_name));
        const line = jsonLine(status);
        expect(line).toMatch(VISIBLE_LINE);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(status)));
      }),
    );
  });
});

it('shows what could move the cursor in a text of several lines, and keeps its line breaks', () => {
  expect(visibleText('Pay now\u001b[2J\r\nor\tlater\u202e')).toBe('Pay now‹U+001B›[2J\nor later‹U+202E›');
});

it('a label, a value, a reason or a reported error stays within its own part of a line', () => {
  const forced = (reason: string) =>
    statusOf(closeAs(ran(planned(20)), 'completed', START, { reason, at: '2026-11-21T12:00:00.000Z' }))
      .message;
  fc.assert(
    fc.property(name, (text) => {
      const status = changed(`Add the label ${quoted(text)}.`, text);
      const [line, question, ...rest] = presentBulkStatus(status).split('\n');
      expect([line, question, rest]).toEqual([
        `Add the label ${quoted(text)}. Can be undone.`,
        statusOf(planned(5)).message,
        [],
      ]);
      const error = { code: 'INVALID_INPUT', message: `Label '${text}' not found`, hint: '' } as const;
      const shown = [
        line,
        ...presentChangeFields({
          summary: 's',
          fields: [{ name: text, from: text, to: text }],
          reversible: 'no',
        }),
        forced(text),
        statusOf(rejected(preparing(), error, START)).message,
      ];
      for (const one of shown) expect(one).toMatch(VISIBLE_LINE);
    }),
  );
});

it('says whether the change can be undone, and until when', () => {
  const change = { summary: 'Move each email to the trash.', fields: [] };
  expect(
    [
      { reversible: 'yes' as const },
      { reversible: 'partly' as const, until: 'tomorrow' },
      { reversible: 'no' as const, until: 'tomorrow' },
      {
        reversible: 'partly' as const,
        scope: '2 rows, and 300 rows of 2 other tables',
        undoable: { items: 50, partly: 0, of: 60 },
      },
    ].map((undo) => presentChange({ ...change, ...undo })),
  ).toEqual([
    'Move each email to the trash. Can be undone.',
    'Move each email to the trash. Can be undone in part until tomorrow.',
    'Move each email to the trash. Cannot be undone.',
    'Move each email to the trash. 2 rows, and 300 rows of 2 other tables. 50 of 60 can be undone.',
  ]);
});

it('the page in the Temporal UI counts the items that do not fit', () => {
  const state = planned(20, { batch_size: 20 });
  const items = emails(20).map((item, index) => named({ ...item, index, display_name: '*'.repeat(500) }));
  const page = detailsOf(withKnown(state, items));
  expect(Buffer.byteLength(page)).toBeLessThan(20_000);
  expect(page).toMatch(/And \d+ more: the query `status` has them all\.$/);
});

it('treats no character as plain that it would show by its code', () => {
  const characters = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code));
  const isSame = (character: string) => `${oneLine(character)}‹U+202E›` === oneLine(`${character}\u202e`);
  expect(characters.filter((character) => !isSame(character))).toEqual([]);
});

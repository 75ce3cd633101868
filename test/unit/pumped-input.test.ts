import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { providerText } from '../../activities/adapters/shared/failure';
import { readAddress } from '../../activities/adapters/http/address';
import { unfenced } from '../../src/core/macro/prompt';
import { parseMacroText } from '../../src/core/macro/parse';
import { promptOf } from '../../src/core/macro/prompt';
import { render } from '../../src/core/macro/template';
import { readForeignJson, readJson } from '../../src/core/shared/json';
import { refusePlainSecrets } from '../../src/core/shared/plain-secrets';
import { redactAll } from '../../src/core/shared/redact';
import { readTemplate, renderJson } from '../../src/core/shared/template';
import { tableNameParts } from '../../src/postgres/databases/table-name';
import { excessiveGrowth, type Pump } from '../helpers/growth';

const ROOT = resolve(__dirname, '../..');
const filesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort();

const UNITS = [
  'a',
  ' ',
  '\n',
  '{',
  '{{ ',
  '"',
  '\\',
  '/',
  '.',
  '-',
  '=',
  '`',
  '0',
  'a ',
  'ref:',
  '👍🏽',
  '\u0301',
];
const MORE_UNITS = [
  ...[
    '\t',
    '\r\n',
    '\u00A0',
    '\uFEFF',
    '\u200D',
    '\u202E',
    '\0',
    'é',
    '}',
    '{{',
    '{{.a',
    '[',
    '(',
    '<',
    '&',
    "'",
  ],
  ...['```\n', '|', '#', '*', ',', '!', '%', '%2', '@', ':', ';', '$', '9.', '1e', 'A', 'a.', 'a b ', 'no '],
];
const SURROUNDINGS = [{}, { before: '{{', after: '!' }, { before: '```json\n', after: 'x' }];
const pumpsOf = (units: readonly string[]): Pump[] =>
  units.flatMap((unit) => SURROUNDINGS.map((around) => ({ unit, ...around })));
const ALL = pumpsOf([...UNITS, ...MORE_UNITS]);
/** For what is called without knowing what it is. */
const BLIND = UNITS.map((unit): Pump => ({ unit }));

/** The places where objects of ours hold texts. */
function objectOf(text: string): object {
  const names =
    'id item_id display_name name summary message error reason text action domain prompt type value to url';
  const flat = Object.fromEntries(names.split(' ').map((one) => [one, text]));
  const change = { ...flat, fields: [flat, flat] };
  const gate = { ...flat, number: 1, attempt: 1, items: [flat, flat], change };
  const lists = {
    items: [flat],
    errors: [flat],
    fields: [flat],
    results: [flat],
    steps: [flat],
    completed: [text],
  };
  return { ...flat, ...lists, next_batch: gate, change, failed: [flat], skipped: [flat] };
}

type Callable = (...args: unknown[]) => unknown;
const SHAPES: readonly ((text: string) => unknown[])[] = [
  (text) => [text],
  (text) => [text, objectOf(text)],
  (text) => [objectOf(text), text],
  (text) => [[text, text], text],
];

const slow = (name: string, work: (text: string) => unknown, pumps: readonly Pump[], atMost?: number) =>
  excessiveGrowth(work, pumps, atMost).map(
    ({ pump, growth }) => `${name}: ${JSON.stringify(pump)} ×${growth.toFixed(1)}`,
  );
/** An object holds the text many times. */
const IN_OBJECTS = 1_024;

describe.each(filesOf('src/core').concat(filesOf('src/contract')))('%s', (file) => {
  it('answers a text that repeats itself in time that grows with the text', () => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const module = require(join(ROOT, file)) as Record<string, unknown>;
    const found = Object.entries(module).flatMap(([name, value]) => {
      if (value instanceof z.ZodType)
        return slow(
          name,
          (text) => [value.safeParse(text), value.safeParse(objectOf(text))],
          BLIND,
          IN_OBJECTS,
        );
      // Classes and errors are called by what throws them.
      if (typeof value !== 'function' || /^[A-Z]/.test(name)) return [];
      return SHAPES.flatMap((shape, at) =>
        slow(name, (text) => (value as Callable)(...shape(text)), BLIND, at === 0 ? undefined : IN_OBJECTS),
      );
    });
    expect(found).toEqual([]);
  });
});

const READERS: Record<string, (text: string) => unknown> = {
  readTemplate,
  renderJson: (text) => renderJson({ a: text }, { a: text }),
  render: (text) => render({ a: text }, { a: text }),
  promptOf: (text) => promptOf(text, { a: text }, { cost: 0 }),
  unfenced,
  readJson,
  'readJson of a text': (text) => readJson(JSON.stringify([text, 1])),
  'readJson of a number': (text) => readJson(`[${text.replace(/\D/g, '') || '1'}.5]`),
  readForeignJson,
  parseMacroText: (text) => parseMacroText(`{"name": ${JSON.stringify(text)}} ${text}`, 'a'),
  refusePlainSecrets: (text) => refusePlainSecrets({ url: `https://a${text}`, headers: { a: text } }),
  'redactAll of a text': (text) => redactAll({ a: text }, ['secret']),
  'redactAll of a secret': (text) => redactAll({ a: 'text' }, [text]),
  providerText: (text) => providerText(text, ['secret']),
  readAddress: (text) => readAddress(`https://${text}`),
  tableNameParts,
};

it.each(Object.entries(READERS))(
  '%s reads a text that repeats itself in time that grows with it',
  (name, read) => {
    expect(slow(name, read, ALL)).toEqual([]);
  },
);

import fc from '../helpers/properties';
import type { Json } from '../../src/contract/macro';
import { selectRows } from '../../src/core/macro/select-rows';

const meets = (text: string, op: 'like' | 'in', value: Json) =>
  selectRows([{ text }], { source: '.', resource: 'r.json', filter: [{ column: 'text', op, value }] }, false)
    .length === 1;
const isLike = (text: string, pattern: string) => meets(text, 'like', pattern);

it('matches a pattern as SQL does: % is any text, _ is one letter, and everything else is itself', () => {
  const letters = (...more: string[]) =>
    fc.array(fc.constantFrom('a', 'b', 'A', '.', '\\', '%', '_', '\n', '😀', ...more), { maxLength: 8 });
  fc.assert(
    fc.property(letters(), letters('%', '%', '_'), (text, pattern) => {
      const parts = pattern.map((one) =>
        one === '%' ? '[^]*' : one === '_' ? '[^]' : one.replace(/[.\\]/, '\\$&'),
      );
      const expected = new RegExp(`^${parts.join('')}$`, 'u').test(text.join(''));
      expect(isLike(text.join(''), pattern.join(''))).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});

it('matches a date, and a long text against many %', () => {
  expect(isLike('2026-01-02', '2026-%')).toBe(true);
  expect(isLike('a'.repeat(100_000), '%a%a%a%a%a%a%b')).toBe(false);
});

it('takes a single value of `in` for a list of one, as a database does', () => {
  for (const value of ['a', ['a'], ['b', 'a']]) expect(meets('a', 'in', value)).toBe(true);
  for (const value of ['b', ['b'], []]) expect(meets('a', 'in', value)).toBe(false);
});

const sorted = (rows: Json[], direction: 'asc' | 'desc', textual: boolean) =>
  selectRows(rows, { source: '.', resource: 'r.json', order: [{ column: 'value', direction }] }, textual).map(
    (row) => (row as { value?: Json }).value,
  );

it('sorts the same values in the same way, whatever their order and their types are', () => {
  const cells = fc.constantFrom<Json>(
    '9',
    '41',
    '-3',
    '1e2',
    'n/a',
    'b',
    'B',
    '12 m',
    '0x1f',
    'Infinity',
    '',
  );
  const values = fc.oneof(cells, fc.constantFrom<Json>(null, 9, 41, -3, true, false));
  const permuted = (value: fc.Arbitrary<Json>) =>
    fc
      .array(value, { maxLength: 9 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
  const direction = fc.constantFrom('asc' as const, 'desc' as const);
  for (const [value, textual] of [
    [cells, true],
    [values, false],
  ] as const)
    fc.assert(
      fc.property(permuted(value), direction, ([all, others], way) => {
        const [rows, shuffled] = [all, others].map((list) => list.map((each) => ({ value: each })));
        expect(sorted(shuffled ?? [], way, textual)).toEqual(sorted(rows ?? [], way, textual));
      }),
      { numRuns: 500 },
    );
});

it('sorts numbers before texts, and empty cells last in both directions', () => {
  const rows = ['9', '', 'n/a', '41', ' '].map((value) => ({ value }));
  expect(sorted(rows, 'asc', true)).toEqual(['9', '41', 'n/a', '', ' ']);
  expect(sorted(rows, 'desc', true)).toEqual(['n/a', '41', '9', '', ' ']);
  const json: Json[] = [{ value: 'b' }, {}, { value: true }, { value: 2 }, { value: '' }, { value: null }];
  expect(sorted(json, 'asc', false)).toEqual([2, '', 'b', true, undefined, null]);
});

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

import fc from '../helpers/properties';
import { selectRows } from '../../src/core/macro/select-rows';

const isLike = (text: string, value: string) =>
  selectRows(
    [{ text }],
    { source: '.', resource: 'r.json', filter: [{ column: 'text', op: 'like', value }] },
    false,
  ).length === 1;

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

import fc from '../helpers/properties';
import { z } from 'zod';
import { characters, cutAt, idSchema, shortened, textSchema } from '../../src/contract/text';

const FAMILY = '👩‍👩‍👧';
const HALF = /\p{Cs}/u;

it('splits no surrogate pair, no letter from its mark, and no emoji of several parts', () => {
  expect(cutAt('ab😀', 3)).toBe('ab');
  expect(cutAt('abe\u0301', 3)).toBe('ab');
  expect(cutAt(`a${FAMILY}`, 4)).toBe('a');
  expect(cutAt('a👍🏽b', 3)).toBe('a');
  expect(cutAt('a👍🏽b', 5)).toBe('a👍🏽');
});

it('counts characters and not UTF-16 units', () => {
  expect(characters('😀😀')).toBe(2);
  expect(shortened('😀😀😀', 3)).toBe('😀😀😀');
  expect(shortened('😀😀😀😀', 3)).toBe('😀😀…');
  expect(shortened(`a${FAMILY}b`, 4)).toBe('a…');
});

it('keeps short texts, stays within the length, and never leaves half of a pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, length) => {
      const short = shortened(text, length);
      expect(characters(short)).toBeLessThanOrEqual(length);
      expect(short).not.toMatch(HALF);
      expect(cutAt(text, length)).not.toMatch(HALF);
      expect(text.startsWith(cutAt(text, length))).toBe(true);
      if (characters(text) <= length) expect(short).toBe(text);
    }),
  );
});

it('limits ids, texts and their JSON Schema by characters', () => {
  const thing = z.object({ id: idSchema(150), note: textSchema(3).optional() });
  expect(thing.safeParse({ id: '😀'.repeat(150), note: '😀😀😀' }).success).toBe(true);
  expect(thing.safeParse({ id: '😀'.repeat(151) }).error?.issues[0]).toMatchObject({
    code: 'too_big',
    maximum: 150,
  });
  expect(thing.safeParse({ id: '' }).success).toBe(false);
  expect(z.toJSONSchema(thing).properties).toMatchObject({
    id: { type: 'string', minLength: 1, maxLength: 150 },
    note: { type: 'string', maxLength: 3 },
  });
});

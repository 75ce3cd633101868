import { MAX_PART_LENGTH } from '../../src/contract/scratchpad';
import { entryBytes, pageOfText, partsOf } from '../../src/core/shared/scratchpad';

it.each([['"'], ['😀'], ['a😀'], ['\\'], ['語']])(
  'cuts a long value of %j into parts that join again, each small enough for a payload',
  (piece) => {
    const json = JSON.stringify(piece.repeat(Math.floor(150_000 / piece.length)));
    const parts = partsOf(json);
    expect(parts.join('')).toBe(json);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(Buffer.from(part).toString()).toBe(part);
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(190_000);
    }
  },
);

it('pages end between characters, and the last one names no next page', () => {
  expect(pageOfText('k', '"😀"', { offset: 0, limit: 2 })).toMatchObject({ text: '"', next_offset: 1 });
  expect(pageOfText('k', '"😀"', { offset: 1, limit: MAX_PART_LENGTH })).not.toHaveProperty('next_offset');
});

it('accepts a value of the maximum size and refuses one byte more', () => {
  expect(entryBytes(JSON.stringify('x'.repeat(999_998)))).toBe(1_000_000);
  expect(() => entryBytes(JSON.stringify('x'.repeat(999_999)))).toThrow('1000001 bytes, of at most 1000000');
});

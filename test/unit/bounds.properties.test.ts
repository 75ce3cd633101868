import fc from '../helpers/properties';
import { bytesOf, fitting, fittingLast } from '../../src/core/shared/bounds';

const rows = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.record({ id: fc.string() })), {
  maxLength: 12,
});
const sizeOf = (kept: readonly unknown[]) => kept.reduce<number>((sum, row) => sum + bytesOf(row) + 1, 0);

it('keeps as many of the first or last rows as fit, and not one more', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: -20, max: 20 }), fc.nat({ max: 12 }), (all, near, count) => {
      // The bound is exactly the size of `count` rows, or close to it.
      const first = fitting(all, sizeOf(all.slice(0, count)) + near);
      expect(first).toEqual(all.slice(0, first.length));
      const room = sizeOf(all.slice(0, count)) + near;
      expect(first.length === 0 || sizeOf(first) <= room).toBe(true);
      expect(first.length === all.length || sizeOf(all.slice(0, first.length + 1)) > room).toBe(true);
      const last = fittingLast(all, room);
      expect(last).toEqual([...fitting([...all].reverse(), room)].reverse());
    }),
  );
});

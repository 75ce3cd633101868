import { directedParts } from '../../src/core/shared/directions';

const apart = (text: string, names?: string[]) =>
  directedParts(text, names)
    .filter((part) => part.apart)
    .map((part) => part.text);

it('sets values apart that are written from right to left: names, quotations, and words', () => {
  expect(apart('Move “שלום” to “עולם (2)”.')).toEqual(['שלום', 'עולם (2)']);
  expect(apart('- שלום, עולם (פריט א.1): תקלה 5', ['שלום, עולם', 'פריט א.1'])).toEqual([
    ...['שלום, עולם', 'פריט א.1', 'תקלה'],
  ]);
  expect(apart('ישן → חדש')).toEqual(['ישן', 'חדש']);
  expect(apart('مرحبا بالعالم is full')).toEqual(['مرحبا بالعالم']);
});

it('leaves other text as it is, and loses nothing of any', () => {
  expect(directedParts('Move “a” to “b”.', ['a'])).toEqual([{ text: 'Move “a” to “b”.', apart: false }]);
  for (const text of ['- שלום (x.*+): “עולם”', 'א', 'a א', 'א b']) {
    const parts = directedParts(text, ['שלום', 'x.*+']);
    expect(parts.map((part) => part.text).join('')).toBe(text);
  }
});

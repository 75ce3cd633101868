import fc from '../helpers/properties';
import type { OutcomeCode } from '../../src/contract/items';
import {
  codeAt,
  countOutcomes,
  mergeOutcomes,
  OUTCOME_OF,
  packOutcomes,
  placesOf,
} from '../../src/core/bulk/outcomes';

const code = fc.constantFrom<OutcomeCode>('p', 's', 'f', 'k', 'd');

it('packs one letter per item, and text only where there is some', () => {
  expect(packOutcomes([])).toEqual({ codes: '' });
  expect(packOutcomes([{ code: 's' }, { code: 'p' }])).toEqual({ codes: 'sp' });
  expect(
    packOutcomes([{ code: 's' }, { code: 'f', error: 'gone', retryable: false }, { code: 'd' }]),
  ).toEqual({
    codes: 'sfd',
    details: { 1: { error: 'gone', retryable: false } },
  });
});

it('treats missing and unknown letters as pending', () => {
  expect(codeAt('s', 1)).toBe('p');
  expect(codeAt('x', 0)).toBe('p');
  expect(countOutcomes('sfkdp?')).toEqual({ succeeded: 1, failed: 1, skipped: 1, in_doubt: 1, pending: 2 });
  expect(countOutcomes('s€\u{1f600}').pending).toBe(3);
});

it('finds outcomes in the order of the plan', () => {
  expect(placesOf('dpfskf?d', ['f', 'd'])).toEqual([0, 2, 5, 7]);
  expect(placesOf('dpfskf?d', ['k'])).toEqual([4]);
  expect(placesOf('', ['f'])).toEqual([]);
});

it('merges a batch into the plan: pending changes nothing, a success removes an earlier error', () => {
  const whole = { codes: 'fpp', details: { 0: { error: 'once', retryable: true } } };
  expect(mergeOutcomes(whole, [1, 2], { codes: 'pf', details: { 1: { error: 'gone' } } })).toEqual({
    codes: 'fpf',
    details: { 0: { error: 'once', retryable: true }, 2: { error: 'gone' } },
  });
  expect(mergeOutcomes(whole, [0], { codes: 's' })).toEqual({ codes: 'spp', details: {} });
  expect(mergeOutcomes(whole, [0], { codes: 'p' })).toEqual(whole);
  expect(mergeOutcomes(whole, [], { codes: '' })).toEqual(whole);
});

it('treats items that a short answer does not cover as pending', () => {
  expect(mergeOutcomes({ codes: 'ppp', details: {} }, [0, 1, 2], { codes: 's' }).codes).toBe('spp');
});

it('keeps every item and its neighbours, whatever is merged into them', () => {
  const lay = fc.array(code, { maxLength: 30 }).chain((codes) =>
    fc.record({
      codes: fc.constant(codes),
      part: fc.uniqueArray(fc.nat({ max: Math.max(0, codes.length - 1) }), { maxLength: codes.length }),
      over: fc.array(code, { minLength: codes.length, maxLength: codes.length }),
    }),
  );
  fc.assert(
    fc.property(lay, ({ codes, part, over }) => {
      const whole = { codes: codes.join(''), details: {} };
      const error = (index: number) => ({ error: `item ${index}` });
      const entries = part.map((index, at) => ({ code: over[at] ?? 'p', ...error(index) }));
      const merged = mergeOutcomes(whole, part, packOutcomes(entries));
      const expected = codes.map((before, index) => {
        const laid = over[part.indexOf(index)];
        return part.includes(index) && laid !== 'p' ? laid : before;
      });
      expect(merged.codes).toBe(expected.join(''));
      const said = part.filter((_, at) => over[at] !== 'p');
      expect(merged.details).toEqual(Object.fromEntries(said.map((index) => [index, error(index)])));
      const counted: Record<string, number> = { ...countOutcomes(merged.codes) };
      for (const [code, outcome] of Object.entries(OUTCOME_OF))
        expect(counted[outcome]).toBe(expected.filter((found) => found === code).length);
    }),
    { seed: 20261121, numRuns: 500 },
  );
});

it('has a word for each letter', () => {
  expect(new Set(Object.values(OUTCOME_OF)).size).toBe(Object.keys(OUTCOME_OF).length);
});

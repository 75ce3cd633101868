import fc from '../helpers/properties';
import { settingsSchema, DEFAULT_SETTINGS } from '../../src/contract/settings';
import { limitError, parseOperationInput } from '../../src/core/bulk/input';
import {
  batchAt,
  batchesIn,
  fromOf,
  rampFrom,
  rampText,
  restartedAfter,
  sizesIn,
  sliceOf,
  startsAgain,
  type Ramp,
  type Slice,
} from '../../src/core/bulk/ramp';
import { inLongRun } from '../helpers/long-run';
import { confirmedItems, ramped } from './ramp.fixtures';

function refusalOf(input: object): unknown {
  try {
    return parseOperationInput(input);
  } catch (error) {
    return error;
  }
}

const numRuns = inLongRun(2_000, 200);
const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 });
const ramp: fc.Arbitrary<Ramp> = fc.record({
  sizes,
  restarts: fc
    .uniqueArray(fc.integer({ min: 2, max: 40 }), { maxLength: 8 })
    .map((batches) => batches.sort((a, b) => a - b)),
});
const total = fc.integer({ min: 1, max: 400 });

it('puts every place into exactly one batch, in order, each as large as its step says', () => {
  fc.assert(
    fc.property(ramp, total, (one, count) => {
      const batches = batchesIn(one, count);
      const expected: Slice[] = [];
      for (let [step, from, batch] = [0, 0, 1]; from < count; batch++, step++) {
        if (one.restarts.includes(batch)) step = 0;
        const to = Math.min(count, from + (one.sizes[step] ?? one.sizes.at(-1) ?? 0));
        expected.push({ from, to });
        from = to;
      }
      const numbers = expected.map((_, at) => at + 1);
      expect(numbers.map((batch) => sliceOf(one, count, batch))).toEqual(expected);
      expect(expected.map(({ from }) => batchAt(one, from))).toEqual(numbers);
      expect(expected.map(({ to }) => batchAt(one, to - 1))).toEqual(numbers);
      expect(batches).toBe(expected.length);
      expect(sliceOf(one, count, batches + 1)).toEqual({ from: count, to: count });
    }),
    { numRuns },
  );
});

it('changes only later batches when it starts again', () => {
  fc.assert(
    fc.property(ramp, total, fc.nat({ max: 30 }), (one, count, at) => {
      const batch = Math.max(at + 1, ...one.restarts);
      const again = restartedAfter(one, batch);
      const before = Array.from({ length: batch }, (_, index) => index + 1);
      expect(before.map((number) => sliceOf(again, count, number))).toEqual(
        before.map((number) => sliceOf(one, count, number)),
      );
      const from = Math.min(count, fromOf(one, batch + 1));
      expect(sliceOf(again, count, batch + 1)).toEqual({
        from,
        to: Math.min(count, from + (one.sizes[0] ?? 0)),
      });
    }),
    { numRuns },
  );
});

it('cuts a plan of one size as it always was', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), total, (size, count) => {
      const one = { sizes: [size], restarts: [] };
      expect(batchesIn(one, count)).toBe(Math.ceil(count / size));
      const places = [...Array(count).keys()];
      expect(places.map((place) => batchAt(one, place))).toEqual(
        places.map((place) => Math.floor(place / size) + 1),
      );
    }),
    { numRuns: numRuns / 4 },
  );
});

it('follows from what became of the items, so that a reset asks in the same batches', () => {
  fc.assert(
    fc.property(
      sizes,
      fc.constantFrom(undefined, 0, 0.5),
      fc.array(fc.constantFrom('s', 's', 's', 'f', 'd', 'k'), { minLength: 1, maxLength: 120 }),
      fc.nat({ max: 20 }),
      (given, threshold, letters, batches) => {
        const state = ramped(given, threshold, letters, batches);
        const found = rampFrom(given, confirmedItems(state), threshold);
        expect(found.restarts).toEqual(state.restarts ?? []);
      },
    ),
    { numRuns: numRuns / 4 },
  );
});

describe('a batch starts the ramp again', () => {
  const one = { sizes: [1, 5, 20], restarts: [] };
  it.each([
    ['ssssf', 2, undefined, true],
    ['sssss', 2, undefined, false],
    [`${'s'.repeat(18)}ff`, 3, undefined, false],
    [`${'s'.repeat(17)}fff`, 3, undefined, true],
    ['ssssd', 2, undefined, true],
    ['sssff', 2, 0.5, false],
    ['ssfff', 2, 0.5, true],
    ['ffffk', 2, 1, false],
    ['k', 1, undefined, true],
    ['kkkkk', 2, undefined, false],
  ])('after %s in batch %d with the threshold %s: %s', (codes, batch, threshold, expected) => {
    expect(startsAgain(one, { batch, codes, threshold })).toBe(expected);
    expect(startsAgain({ ...one, sizes: [5] }, { batch, codes, threshold })).toBe(false);
  });
});

it.each([
  [[1, 5, 20], 200, '1, then 5, then 20 at a time: 12 questions, not 40'],
  [[1, 5, 20], 6, '1, then 5 at a time: 2 questions'],
  [[1, 20], 1, '1 at a time: 1 question'],
  [[20, 5], 30, '20, then 5 at a time: 3 questions, not 6'],
])('says what %j means for %d items', (given, count, text) => {
  expect(rampText({ sizes: given }, count, 5)).toBe(text);
});

it.each([
  ['1,5,20', [1, 5, 20]],
  [' 1, 5 ,20 ', [1, 5, 20]],
  ['7', [7]],
  ['', undefined],
  ['1,five', undefined],
  ['1.5,5', undefined],
  ['-1,5', undefined],
])('reads %j', (text, expected) => expect(sizesIn(text)).toEqual(expected));

describe('the sizes of a start', () => {
  const BASE = { domain: 'gmail', action: 'label', params: { sender: 'ana' } };
  const limited = (batch_sizes: number[], settings = DEFAULT_SETTINGS) =>
    limitError(parseOperationInput({ ...BASE, batch_sizes }), settings);

  it.each([[[1, 5, 20]], [[20, 1, 5]], [[10]], [[1, 1, 1, 5]]])('may be %j', (batch_sizes) => {
    expect(limited(batch_sizes)).toBeUndefined();
  });

  it.each([
    [[1, 5, 21], 'batch_sizes contains 21, and a batch has at most 20 items.'],
    [[25, 5], 'batch_sizes contains 25, and a batch has at most 20 items.'],
    [[1, 4], 'batch_sizes ends with 4, which repeats, and a batch that repeats has 5 to 20 items.'],
  ])('may not be %j', (batch_sizes, message) => {
    expect(limited(batch_sizes)).toEqual({
      ...{ code: 'INVALID_INPUT', message },
      hint: 'Choose sizes from 1 to 20, the last one from 5 to 20: it repeats.',
    });
  });

  it("have the operator's limits", () => {
    const settings = settingsSchema.parse({ min_batch_size: 2, max_batch_size: 50 });
    expect(limited([1, 2], settings)).toBeUndefined();
    expect(limited([1, 50], settings)).toBeUndefined();
    expect(limited([1, 51], settings)).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it.each([
    ['an empty list', { batch_sizes: [] }],
    ['a size of 0', { batch_sizes: [0, 5] }],
    ['a part of an item', { batch_sizes: [1.5, 5] }],
    ['a text', { batch_sizes: '1,5,20' }],
    ['eleven sizes', { batch_sizes: Array<number>(11).fill(5) }],
    ['batch_size too', { batch_sizes: [1, 5], batch_size: 5 }],
  ])('are refused with %s', (_, given) => {
    expect(refusalOf({ ...BASE, ...given })).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/batch_sizes/) as string,
      hint: expect.stringMatching(/\w+ \w+/) as string,
    });
  });
});

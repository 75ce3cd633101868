import { createHash } from 'node:crypto';
import fc from '../helpers/properties';
import { canonicalJson, digestOf } from '../../src/core/shared/canonical';
import { openGate } from '../../src/core/bulk/operation';
import { planned } from './lifecycle.fixtures';
import { inLongRun } from '../helpers/long-run';

/** The same value with the members of each object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

it('writes members in one order, however they were inserted', () => {
  expect(canonicalJson({ b: 1, a: { d: [1, { f: 2, e: 3 }], c: null } })).toBe(
    '{"a":{"c":null,"d":[1,{"e":3,"f":2}]},"b":1}',
  );
});

it('orders keys by their code units, as RFC 8785 does', () => {
  expect(canonicalJson({ '\u20ac': 1, '\r': 2, '\ud83d\ude00': 3, '1': 4, '\ufb33': 5, ö: 6 })).toBe(
    '{"\\r":2,"1":4,"ö":6,"€":1,"😀":3,"\ufb33":5}',
  );
});

it('leaves out what JSON leaves out, and nothing else', () => {
  expect(canonicalJson({ a: undefined, b: null, c: [undefined], d: '', e: 0, f: false })).toBe(
    '{"b":null,"c":[null],"d":"","e":0,"f":false}',
  );
});

it('is the same text after a round trip through JSON and with its members in any order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(JSON.stringify(value)))).toBe(text);
      expect(canonicalJson(reversed(value))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { seed: 20261121, numRuns: inLongRun(500, 100) },
  );
});

it('is SHA-256 over the canonical JSON in UTF-8, lower-case hex', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
      const expected = createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');
      expect(digestOf(value)).toBe(expected);
    }),
    { seed: 20261121, numRuns: inLongRun(500, 100) },
  );
});

it('distinguishes composed from decomposed letters, which are two different ids', () => {
  expect(digestOf({ id: '\u00e9' })).not.toBe(digestOf({ id: 'e\u0301' }));
});

it('keeps the digest of a known question: recorded histories and printed approvals contain it', () => {
  const value = {
    operation_id: 'bulk-1',
    run_id: 'run-1',
    batch: 1,
    attempt: 1,
    context: { tool_name: 'gmail', action: 'label', query_params: {}, action_params: { label_id: 'L1' } },
    change: { summary: 'Add the label “Later”.', fields: [], reversible: 'yes' },
    items: [1, 2, 3].map((at) => [
      at - 1,
      digestOf({ id: `m${at}`, display_name: `Message ${at}` }).slice(0, 32),
    ]),
  };
  const digest = '3e0745c71ba53e00fdab101d41d9763beb6f9004cfc71d0e2be220fef9de7900';
  expect(digestOf(value)).toBe(digest);
  expect(openGate(planned(3))?.digest).toBe(
    '1bd4b831b3455a0acfae3568116a666f90fcb71b5edd0ce33295c068539abc17',
  );
});

import fc from '../helpers/properties';
import { z } from 'zod';
import type { Json } from '../../src/contract/macro';
import { clampArguments } from '../../src/core/gateway/clamps';
import { guardOutput } from '../../src/core/gateway/output';
import { findRefs, injectRefs, writtenRefs } from '../../src/core/gateway/refs';
import { render } from '../../src/core/macro/template';

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const key = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => /^[^\s\p{Cc}\p{Cs}]+$/u.test(text));
const fields = fc.dictionary(
  fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__'),
  json,
);
const tool = { name: 'any', args: z.looseObject({}) };

/** A tree of arguments whose leaves are references and other values. */
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      key.map((it) => `ref:${it}`),
      fc.integer(),
      fc.string({ maxLength: 10 }).filter((text) => !text.startsWith('ref:')),
      fc.constant(null),
    ),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('node'), { maxKeys: 4 }),
  ),
})).node;

/** The simplest definition of what resolving references does. */
function expected(value: unknown, data: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string' && /^ref:\S+$/.test(value)) return data.get(value.slice(4));
  if (Array.isArray(value)) return value.map((it) => expected(it, data));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, expected(it, data)]));
}

it('replaces each reference with its data and nothing else, and resolves nothing within data', () => {
  fc.assert(
    fc.property(tree, fc.infiniteStream(fc.oneof(json, tree)), (args, values) => {
      const keys = findRefs('any', { args });
      const data = new Map(keys.map((it) => [it, values.next().value as unknown]));
      const before = JSON.stringify([...data]);
      const injected = injectRefs('any', { args }, data);
      expect(injected.args).toEqual({ args: expected(args, data) });
      expect(new Set(injected.resolved.map(({ ref }) => ref))).toEqual(
        new Set(keys.map((it) => `ref:${it}`)),
      );
      expect(JSON.stringify([...data])).toBe(before);
    }),
  );
});

/** Macro texts over data that looks like references, with the value of each once it is rendered and resolved. */
const texts = {
  'ref:saved': { resolved: 'saved' },
  'ref:{{.key}}': { resolved: 'saved' },
  'ref:{{.key}}{{.empty}}': { resolved: 'saved' },
  '{{.evil}}': 'ref:saved',
  ' {{.evil}}': ' ref:saved',
  '{{.empty}}{{.evil}}': 'ref:saved',
  '{{.prefix}}{{.key}}': 'ref:saved',
  '{{.row}}': { note: 'ref:saved', more: ['ref:saved'] },
  'see ref:saved': 'see ref:saved',
};
const variables = {
  ...{ key: 'saved', evil: 'ref:saved', prefix: 'ref:', empty: '' },
  row: { note: 'ref:saved', more: ['ref:saved'] },
};

it('resolves the references in a macro that its author wrote, in any place, and none that a template inserted', () => {
  const leaf = fc.constantFrom(...(Object.keys(texts) as (keyof typeof texts)[]));
  const { node: template } = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(fc.stringMatching(/^[a-z.0-9]{1,3}$/), tie('node'), { maxKeys: 4 }),
    ),
  }));
  const wanted = (value: Json): unknown => {
    if (typeof value === 'string') return texts[value as keyof typeof texts];
    if (Array.isArray(value)) return value.map(wanted);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, wanted(it)]));
  };
  fc.assert(
    fc.property(template, (args) => {
      const filled = render({ args }, variables);
      const places = writtenRefs({ args });
      const data = new Map(findRefs('any', filled, places).map((it) => [it, { resolved: it }]));
      expect(injectRefs('any', filled, data, places).args).toEqual({ args: wanted(args) });
    }),
  );
});

it('refuses every call with a missing key, and names the key', () => {
  fc.assert(
    fc.property(fields, key, fc.string({ minLength: 1, maxLength: 8 }), (args, missing, name) => {
      fc.pre(name !== '__proto__');
      const given = { ...args, [name]: { deep: [`ref:${missing}`] } };
      expect(() => injectRefs('any', given, new Map())).toThrow(
        expect.objectContaining({ code: 'TOOL_FAILED', message: expect.stringContaining('ref:') }) as Error,
      );
    }),
  );
});

it('passes arguments on unchanged except for limits, or refuses them: nothing is ever cut', () => {
  const named = fc.constantFrom('id', 'user_id', 'keys', 'title', 'displayName', 'limit', 'body');
  const value = fc.oneof(
    fc.integer({ min: -5, max: 1_000 }),
    fc.integer({ min: 0, max: 600 }).map((length) => 'x'.repeat(length)),
    fc.array(
      fc.integer({ min: 0, max: 600 }).map((length) => 'y'.repeat(length)),
      { maxLength: 3 },
    ),
  );
  const longestOf = (name: string) =>
    /id$|keys/.test(name) ? 150 : /title|Name/.test(name) ? 500 : Infinity;
  fc.assert(
    fc.property(fc.dictionary(named, value), (args) => {
      const tooLong = Object.entries(args).some(([name, it]) =>
        [it].flat().some((text) => typeof text === 'string' && text.length > longestOf(name)),
      );
      const clamp = () => clampArguments(tool, { rows: [args] }, [], 100);
      if (tooLong) return expect(clamp).toThrow(/\[GATEWAY ERROR\] any: rows\[0\]\./);
      const { limit } = args;
      const lowered = typeof limit === 'number' ? { limit: Math.min(limit, 100) } : {};
      expect(clamp()).toEqual({ rows: [{ ...args, ...lowered }] });
    }),
  );
});

it('keeps every result within its limit, as JSON, and does not change one that fits', () => {
  const large = fc.oneof(
    fc.array(json, { minLength: 20, maxLength: 200 }),
    fc.dictionary(fc.string(), fc.array(json, { maxLength: 60 }), { minKeys: 1, maxKeys: 30 }),
    fc.string({ minLength: 300, maxLength: 3_000, unit: 'grapheme' }),
    fc.array(fc.string({ minLength: 500, maxLength: 900 }), { minLength: 1, maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.oneof(json, large), fc.integer({ min: 100, max: 400 }), (value, tokens) => {
      const guarded = guardOutput(value, tokens);
      const text = JSON.stringify(guarded);
      expect(text.length).toBeLessThanOrEqual(tokens * 4);
      expect(JSON.parse(text)).toEqual(guarded);
      if (JSON.stringify(value).length <= tokens * 4) expect(guarded).toBe(value);
      else expect(guarded).toMatchObject({ truncated: true, marker: expect.stringContaining('[TRUNCATED]') });
    }),
  );
});

it('counts the characters of an id; an emoji is one character', () => {
  const longest = '😀'.repeat(150);
  expect(clampArguments(tool, { id: longest }, [], 200)).toEqual({ id: longest });
  expect(() => clampArguments(tool, { id: `${longest}😀` }, [], 200)).toThrow(
    'any: id: it has 151 characters, of at most 150.',
  );
});

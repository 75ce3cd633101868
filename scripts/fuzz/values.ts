import fc from 'fast-check';
import { oneOf, type AnyStep } from './hostile';

/** The parameters of the main macro, which most generated values refer to, so that most programs are valid. */
export const NAMES = ['n', 's', 'l', 'rows', 'x', 'y', 'err'];
export const SUB_NAMES = ['p', 'q', 'x'];

export const of = fc.constantFrom;
export const maybe = (weight: number, value: fc.Arbitrary<unknown>) =>
  oneOf([10 - weight, fc.constant(undefined)], [weight, value]);

/** Invalid values, each of which makes a program be refused, with the valid values that most programs get instead. */
const REFUSED = new Map<unknown, unknown>([
  ['{{.missing}}', '{{.x}}'],
  ['{{x}}', '{{.x}}'],
  ['{{.x', '{{.x}}'],
  ['{{if .x}}', '{{.x}}'],
  ['{{.constructor}}', '{{.x}}'],
  ['__proto__', 'x'],
  ['a b', 'x'],
  ['n +', 'x'],
  ['n >', 'x == x'],
  ['type(n)', 'x'],
  ['missing > 1', 'has(x.a)'],
  ['s.matches("(a+)+$")', 'x'],
  ['no_such_tool', 'boom'],
  ['bogin', 'begin'],
  ['nothing', 'object'],
  ['many', '1'],
  ['0', '2'],
  ['{{.n}}', '{{.x}}'],
]);

export function mended(tree: unknown): unknown {
  if (REFUSED.has(tree)) return REFUSED.get(tree);
  if (typeof tree === 'string')
    return [...REFUSED].reduce(
      (text, [bad, good]) =>
        String(bad).startsWith('{{') ? text.replaceAll(bad as string, good as string) : text,
      tree,
    );
  if (Array.isArray(tree)) return tree.map(mended);
  if (typeof tree !== 'object' || tree === null) return tree;
  const made: AnyStep = Object.fromEntries(
    Object.entries(tree).map(([key, member]) => [key, mended(member)]),
  );
  if (made['command'] === 'echo') made['args'] = isEcho(made['args']) ? made['args'] : { x: made['args'] };
  if (made['command'] === 'put') made['args'] = { id: 'a', title: '{{.x}}' };
  for (const field of ['prompt', 'message']) if (made[field] === '') made[field] = 'a';
  if (made['type'] === 'ask' && /ref:/.test(String(made['prompt']))) made['of'] = 'model';
  if (made['type'] === 'macro') made['macro_args'] = { q: 1, ...(made['macro_args'] as object) };
  return made;
}

const isEcho = (args: unknown): boolean =>
  typeof args === 'object' && args !== null && Object.keys(args).join() === 'x';

export function placeholder(names: readonly string[]): fc.Arbitrary<string> {
  const name = of(...names);
  return oneOf<string>(
    [20, name.map((one) => `{{.${one}}}`)],
    [1, name.map((one) => `{{.${one}.0}}`)],
    [1, name.map((one) => `{{ .${one}.id }}`)],
    [
      1,
      of(
        '{{.missing}}',
        '{{x}}',
        '{{.x',
        '{{.x.y.z}}',
        '{{if .x}}',
        '{{.constructor}}',
        '{{.rows.0.__proto__}}',
      ),
    ],
  );
}

export function text(names: readonly string[]): fc.Arbitrary<string> {
  const one = placeholder(names);
  return oneOf<string>(
    [4, one],
    [3, fc.tuple(one, one).map(([a, b]) => `of ${a} and ${b}`)],
    [2, one.map((a) => a + a)],
    [3, of('a', '', 'ref:key', 'ää€😀', '"quoted"\n', `ref:{{.${names[0]}}}`)],
    [1, fc.integer({ min: 140, max: 700 }).map((length) => 'i'.repeat(length))],
    [1, of(5_000, 100_000).map((length) => 't'.repeat(length))],
  );
}

export function value(names: readonly string[]): fc.Arbitrary<unknown> {
  const leaf = oneOf<unknown>(
    [6, placeholder(names)],
    [4, text(names)],
    [3, fc.integer({ min: -3, max: 9 })],
    [2, of(null, true, 1.5, [], {})],
  );
  return oneOf<unknown>(
    [8, leaf],
    [3, fc.array(leaf, { maxLength: 3 })],
    [3, fc.dictionary(of('id', 'all', 'note', 'a'), leaf, { maxKeys: 3 })],
    [1, fc.integer({ min: 1, max: 12 }).map(nested)],
  );
}

export const nested = (levels: number): unknown => {
  let inner: unknown = 'inner';
  for (let at = 0; at < levels; at++) inner = at % 2 ? [inner] : { in: inner };
  return inner;
};

export const EXPRESSIONS = [
  ...['n + 1', 'size(rows)', 'rows.map(r, r.id)', 's + s', 'l + l', '[x]', '{"a": x, "b": y}', 'rows + rows'],
  ...[
    'rows.filter(r, r.id == "3")',
    'rows.map(a, rows.map(b, a.id + b.id))',
    'n / 0',
    'n % 2',
    'int(s)',
    'x == y',
  ],
  ...[
    's.substring(3)',
    'n +',
    'double("NaN")',
    'has(x.a) ? x.a : null',
    '"😀" + s',
    's.matches("(a+)+$")',
    'string(n)',
  ],
  ...[
    '[1, 2, 3].map(i, rows)',
    'l.map(i, s)',
    '9007199254740993',
    'timestamp("2026-01-01T00:00:00Z")',
    'bytes(s)',
    'type(n)',
  ],
];
export const SUB_EXPRESSIONS = ['p + 1', 'size(p)', '[p, q]', 'p == q', 'x', 'p + p'];
export const CONDITIONS = [
  ...[
    'n > 3',
    's == "a"',
    'size(rows) > 10',
    'true',
    'x',
    'n',
    'err != null',
    'l.all(e, e > 0)',
    'x == y',
    'n in l',
  ],
  ...[
    'rows.exists(r, rows.exists(t, t.id == r.id + "x"))',
    'has(x.a) && x.a == 1',
    'missing > 1',
    'n >',
    '!(n > 1)',
  ],
];
export const SUB_CONDITIONS = ['p == 3', 'true', 'size(p) > 2', 'p == q', 'p'];

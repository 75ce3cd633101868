import fc from 'fast-check';

export type AnyStep = Record<string, unknown>;

export const oneOf = <T>(...weighted: [number, fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...weighted.map(([share, arbitrary]) => ({ weight: Math.round(10 * share), arbitrary })));

const hundred = Array.from({ length: 101 }, (_, at) => at);

/** Shapes that once killed a worker, or that are built to do so. */
export const hostile: fc.Arbitrary<AnyStep[]> = oneOf<AnyStep[]>(
  [
    3,
    fc.constant([
      each([
        {
          type: 'macro',
          macro_name: 'sub',
          macro_args: { p: '{{.rows}}', q: '{{.r.id}}' },
          output_variable: 'x',
        },
      ]),
    ]),
  ],
  [3, fc.constant([each([{ type: 'set', variable: 'x', value: ['{{.x}}', '{{.r.id}}'] }])])],
  [2, fc.constant([each([{ type: 'set', variable: 'x', append: '{{.r}}' }])])],
  [2, fc.constant([each([{ type: 'set', variable: 'x', value: 'all: {{.rows}}' }])])],
  [2, fc.constant([each([{ type: 'command', command: 'echo', args: { x: '{{.r}}' }, is_async: true }])])],
  [2, fc.integer({ min: 10, max: 3_000 }).map((levels) => [ifs(levels)])],
  [1, fc.integer({ min: 900, max: 1_100 }).map((count) => Array.from({ length: count }, () => set('x', 1)))],
  [1, fc.integer({ min: 400_000, max: 600_000 }).map((length) => [set('x', 'x'.repeat(length))])],
  [
    1,
    fc.constant([
      set('x', 'ab'),
      each(
        [set('x', '{{.x}}{{.x}}')],
        Array.from({ length: 40 }, (_, at) => at),
      ),
    ]),
  ],
  [1, fc.constant([each([each([each([set('x', 1)], hundred)], hundred)], hundred)])],
  [1, fc.constant([{ type: 'set', variable: 'x', expression: products(3) }])],
  [1, fc.constant([{ type: 'macro', macro_name: 'main', macro_args: {} }])],
);

function each(steps: AnyStep[], list: unknown = 'rows'): AnyStep {
  return { type: 'loop', list, iterator: 'r', steps };
}
export function set(variable: string, content: unknown): AnyStep {
  return { type: 'set', variable, value: content };
}
function ifs(levels: number): AnyStep {
  let inner: AnyStep = set('x', 1);
  for (let at = 1; at < levels; at++) inner = { type: 'if', condition: 'true', then: [inner] };
  return inner;
}
function products(levels: number): string {
  const list = `[${Array.from({ length: 900 }, () => 1).join(',')}]`;
  let inner = 'true';
  for (let at = 0; at < levels; at++) inner = `${list}.all(e${at}, ${inner})`;
  return inner;
}

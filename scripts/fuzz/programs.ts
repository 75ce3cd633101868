import fc from 'fast-check';
import { hostile, oneOf, set, type AnyStep } from './hostile';
import { isTooDeep } from '../../src/contract/depth';
import type { Json, Variables } from '../../src/contract/macro';

/** A macro run as a user may send it: anything but the names of the tools may be wrong with it. */
export interface Program {
  macro: unknown;
  macros: Record<string, unknown>;
  args: Variables;
}

/** All are parameters of the main macro, so that most programs are valid. */
const NAMES = ['n', 's', 'l', 'rows', 'x', 'y', 'err'];
const SUB_NAMES = ['p', 'q', 'x'];

const of = fc.constantFrom;
const maybe = (weight: number, value: fc.Arbitrary<unknown>) =>
  oneOf([10 - weight, fc.constant(undefined)], [weight, value]);

/** Each of these alone has a program refused: most programs get what stands behind it instead. */
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

function mended(given: unknown): unknown {
  if (REFUSED.has(given)) return REFUSED.get(given);
  if (typeof given === 'string')
    return [...REFUSED].reduce(
      (text, [bad, good]) =>
        String(bad).startsWith('{{') ? text.replaceAll(bad as string, good as string) : text,
      given,
    );
  if (Array.isArray(given)) return given.map(mended);
  if (typeof given !== 'object' || given === null) return given;
  const made: AnyStep = Object.fromEntries(
    Object.entries(given).map(([key, member]) => [key, mended(member)]),
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

function placeholder(names: readonly string[]): fc.Arbitrary<string> {
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

function text(names: readonly string[]): fc.Arbitrary<string> {
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

function value(names: readonly string[]): fc.Arbitrary<unknown> {
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

const nested = (levels: number): unknown => {
  let inner: unknown = 'inner';
  for (let at = 0; at < levels; at++) inner = at % 2 ? [inner] : { in: inner };
  return inner;
};

const EXPRESSIONS = [
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
const SUB_EXPRESSIONS = ['p + 1', 'size(p)', '[p, q]', 'p == q', 'x', 'p + p'];
const CONDITIONS = [
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
const SUB_CONDITIONS = ['p == 3', 'true', 'size(p) > 2', 'p == q', 'p'];

interface Place {
  names: readonly string[];
  expressions: readonly string[];
  conditions: readonly string[];
  /** Variables that most likely hold a list. */
  lists: readonly string[];
  /** The macros that may be called from here. */
  callees: readonly string[];
}

function leafStep({ names, expressions, callees }: Place): fc.Arbitrary<AnyStep> {
  const variable = oneOf<string>([20, of(...names)], [1, of('fresh', '__proto__', 'a b', 'constructor')]);
  const output = maybe(6, variable);
  const any = value(names);
  const step = (type: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record({ type: fc.constant(type), ...fields });
  const command = (name: string, args: fc.Arbitrary<unknown>) =>
    step('command', { command: fc.constant(name), args, output_variable: output });
  const number = (...numbers: number[]) => oneOf<unknown>([8, of(...numbers)], [1, placeholder(names)]);
  const call = (name: string) =>
    step('macro', {
      macro_name: fc.constant(name),
      macro_args: oneOf<unknown>([12, fc.record({ p: any, q: any })], [1, fc.record({ p: any })]),
      output_variable: output,
    });
  return oneOf<AnyStep>(
    [6, step('set', { variable, value: any })],
    [3, step('set', { variable, append: any })],
    [3, step('set', { variable, expression: of(...expressions) })],
    [4, command('echo', fc.record({ x: any }))],
    [1, command('echo', any)],
    [2, command('rows', fc.record({ count: number(0, 3, 50, 800, 4_000), bytes: number(10, 200) }))],
    [1, command('big', fc.record({ bytes: number(10, 300_000, 900_000, 1_100_000) }))],
    [1, command('deep', fc.record({ levels: number(2, 50, 63, 64, 80) }))],
    [2, command('boom', fc.constant({}))],
    [1, command('put', fc.record({ id: text(names), title: text(names) }))],
    [2, command('note', fc.record({ text: text(names) }))],
    [2, command('manage_transaction', fc.record({ action: of('begin', 'commit', 'rollback', 'bogin') }))],
    [0.2, command('no_such_tool', fc.constant({}))],
    [2, step('ask', { prompt: text(names), of: of('model', 'person'), output_variable: output })],
    [
      0.5,
      step('ask', {
        prompt: text(names),
        output_schema: of({ type: 'object' }, { type: 'nothing' }),
        output_variable: output,
      }),
    ],
    [
      2,
      step('fetch', {
        source: of('.', 'nowhere', 'main'),
        resource: of('rows.csv', 'one.json', 'none.csv', 'items'),
        variable,
        limit: maybe(3, of<unknown>(1, '{{.n}}', '0', 'many')),
      }),
    ],
    [1, step('fail', { message: text(names) })],
    ...callees.map((name): [number, fc.Arbitrary<AnyStep>] => [3, call(name)]),
  ).chain((made) => flags(variable).map((more) => clean({ ...made, ...more })));
}

const flags = (variable: fc.Arbitrary<string>) =>
  fc.record({
    is_async: maybe(1.5, fc.constant(true)),
    continue_on_error: maybe(4, fc.boolean()),
    error_variable: maybe(2, variable),
  });

const clean = (step: AnyStep): AnyStep =>
  Object.fromEntries(Object.entries(step).filter(([, member]) => member !== undefined));

function stepsOf(place: Place): fc.Arbitrary<AnyStep[]> {
  const { names, conditions, lists } = place;
  const list = oneOf<unknown>(
    [2, of(...names)],
    [6, of(...lists)],
    [1, placeholder(names)],
    [3, fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 })],
    [1, fc.array(value(names), { maxLength: 3 })],
  );
  const variable = of(...names);
  return fc.letrec<{ steps: AnyStep[]; step: AnyStep }>((tie) => ({
    steps: fc.array(tie('step'), { maxLength: 6, size: 'max' }),
    step: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 6, arbitrary: leafStep(place) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            fc.record({
              type: fc.constant('if'),
              condition: of(...conditions),
              then: tie('steps'),
              else: tie('steps'),
            }),
            flags(variable),
          )
          .map(([step, more]) => clean({ ...step, ...more })),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.record({
              type: fc.constant('loop'),
              list,
              iterator: oneOf([9, of(...names)], [1, fc.constant('i')]),
              steps: tie('steps'),
            }),
            flags(variable),
          )
          .map(([step, more]) => clean({ ...step, ...more })),
      },
    ),
  })).steps;
}

/** How many loops stand within one another, at most. */
function loopsIn(given: unknown): number {
  if (typeof given !== 'object' || given === null) return 0;
  const inner = Math.max(0, ...Object.values(given).map(loopsIn));
  return inner + ('type' in given && given.type === 'loop' ? 1 : 0);
}

const LONG = [0, 3, 50, 300, 1_500];
/** Loops within one another multiply; a program is to end within the fuzzer's patience. */
const rowCounts = (loops: number): number[] => (loops <= 1 ? LONG : loops === 2 ? [0, 3, 40] : [0, 3, 8]);

const rowsOf = (count: number): Json[] =>
  Array.from({ length: count }, (_, at) => ({ id: String(at), note: `${at} ${'lorem ipsum '.repeat(10)}` }));

export const programs: fc.Arbitrary<Program> = fc
  .record({
    main: stepsOf({
      names: NAMES,
      expressions: EXPRESSIONS,
      conditions: CONDITIONS,
      lists: ['rows', 'l'],
      callees: ['sub', 'held'],
    }),
    extra: oneOf<AnyStep[]>([9, fc.constant([])], [1, hostile]),
    sub: stepsOf({
      names: SUB_NAMES,
      expressions: SUB_EXPRESSIONS,
      conditions: SUB_CONDITIONS,
      lists: ['p'],
      callees: ['held'],
    }),
    held: stepsOf({
      names: SUB_NAMES,
      expressions: SUB_EXPRESSIONS,
      conditions: SUB_CONDITIONS,
      lists: ['p'],
      callees: [],
    }),
    database: maybe(3, oneOf([9, of('main', 'other')], [1, fc.constant('no_such')])),
    args: fc.record({
      n: fc.integer({ min: 0, max: 9 }),
      s: oneOf<string>(
        [8, of('a', 'ref:key', '{{.n}}', 'ä😀')],
        [1, of(2_000, 100_000, 600_000).map((length) => 's'.repeat(length))],
      ),
      l: fc.array(fc.integer({ min: -2, max: 9 }), { maxLength: 5 }),
      x: oneOf<unknown>(
        [6, of(1, 'a', null, [], { a: 1 })],
        [1, fc.integer({ min: 1, max: 70 }).map(nested)],
      ),
      y: of<unknown>(1, 'a', [1], { id: 'y' }),
      err: fc.constant(null),
    }),
    rows: fc.nat(),
    bad: oneOf([8, fc.constant(false)], [2, fc.constant(true)]),
    spoilt: maybe(4, of('name', 'type', 'extra', 'parameters')),
  })
  .map(({ main, extra, sub, held, database, args, rows, spoilt, bad }) => {
    const right = (given: AnyStep[]) => (bad ? given : (mended(given) as AnyStep[]));
    const steps = [...right(main), ...extra];
    const inner = loopsIn(sub) + loopsIn(held);
    const loops = loopsIn(main) + (isTooDeep(extra) ? 0 : loopsIn(extra));
    const counts = rowCounts(loops + inner);
    const root = clean({
      name: 'main',
      parameters: NAMES,
      database: bad || database !== 'no_such' ? database : undefined,
      steps,
    });
    const begin = [set('x', '{{.p}}')];
    const made = {
      macro: spoil(root, bad ? (spoilt as string | undefined) : undefined),
      macros: {
        sub: { name: 'sub', parameters: ['p', 'q'], steps: [...begin, ...right(sub)] },
        held: { name: 'held', parameters: ['p', 'q'], database: 'other', steps: [...begin, ...right(held)] },
      },
      args: { ...args, rows: rowsOf(counts[rows % counts.length] ?? 0) } as Variables,
    };
    return made;
  });

function spoil(macro: AnyStep, how: string | undefined): unknown {
  if (how === 'name') return { ...macro, name: '../evil' };
  if (how === 'type') return { ...macro, steps: [{ type: 'unknown' }] };
  if (how === 'extra') return { ...macro, stepps: [] };
  if (how === 'parameters') return { ...macro, parameters: ['n', 'n'] };
  return macro;
}

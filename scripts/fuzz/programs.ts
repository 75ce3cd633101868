import fc from 'fast-check';
import { hostile, oneOf, set, type AnyStep } from './hostile';
import { isTooDeep } from '../../src/contract/text';
import type { Json, Variables } from '../../src/contract/macro';
import {
  NAMES,
  SUB_NAMES,
  of,
  maybe,
  mended,
  placeholder,
  text,
  value,
  nested,
  EXPRESSIONS,
  SUB_EXPRESSIONS,
  CONDITIONS,
  SUB_CONDITIONS,
} from './values';

/** A macro run as a user may send it: anything except the names of the tools may be wrong. */
export interface Program {
  macro: unknown;
  macros: Record<string, unknown>;
  args: Variables;
}

interface Place {
  names: readonly string[];
  expressions: readonly string[];
  conditions: readonly string[];
  /** Variables that most likely contain a list. */
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

/** The maximum depth of nested loops. */
function loopsIn(tree: unknown): number {
  if (typeof tree !== 'object' || tree === null) return 0;
  const inner = Math.max(0, ...Object.values(tree).map(loopsIn));
  return inner + ('type' in tree && tree.type === 'loop' ? 1 : 0);
}

const LONG = [0, 3, 50, 300, 1_500];
/** The numbers of rows. Nested loops multiply, and a program should end within the fuzzer's time limit. */
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
    const right = (list: AnyStep[]) => (bad ? list : (mended(list) as AnyStep[]));
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

import fc from '../helpers/properties';
import type { Json, MacroBundle, Step, Variables } from '../../src/contract/macro';
import { advance, settle, type Action } from '../../src/core/macro/machine';
import { beginMachine, MAIN, type Machine } from '../../src/core/macro/machine-state';
import { handOver, takeOver, type Handover } from '../../src/core/macro/handover';
import { measure } from '../../src/core/macro/size';
import { render } from '../../src/core/macro/template';
import { MAX_DEPTH } from '../../src/contract/text';
import type { MacroRun } from '../../src/core/macro/view';
import { inLongRun } from '../helpers/long-run';

const LIMITS = { at_once: 3, calls: 10_000 };
const SUB = 'sub';
const names = fc.constantFrom('a', 'b', 'c');

/** The tool's answer or failure, which depends only on its arguments. */
function answer(args: Variables): { ok: true; value: Json } | { ok: false } {
  return args['fails'] === true ? { ok: false } : { ok: true, value: { got: args['x'] ?? null } };
}

const errors = { continue_on_error: fc.option(fc.boolean(), { nil: undefined }) };
const leaf = (async: boolean): fc.Arbitrary<Step> => {
  const common = { ...errors, ...(async && { is_async: fc.option(fc.boolean(), { nil: undefined }) }) };
  const value = fc.oneof(
    fc.integer(),
    names.map((name) => `{{.${name}}}`),
    fc.constant({ deep: ['{{.a}}', 1] }),
  );
  return fc.oneof(
    fc.record({ type: fc.constant('set' as const), variable: names, value, ...common }),
    fc.record({
      type: fc.constant('command' as const),
      command: fc.constant('tool'),
      args: fc.record({
        x: value,
        fails: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
      }),
      output_variable: fc.option(names, { nil: undefined }),
      ...common,
    }),
    fc.record({
      type: fc.constant('macro' as const),
      macro_name: fc.constant(SUB),
      macro_args: fc.record({ p: value }),
      output_variable: fc.option(names, { nil: undefined }),
      ...common,
    }),
  ) as fc.Arbitrary<Step>;
};

const stepsOf = (async: boolean) =>
  fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
    steps: fc.array(tie('step'), { maxLength: 4 }),
    step: fc.oneof(
      { maxDepth: 3 },
      leaf(async),
      fc.record({
        type: fc.constant('if' as const),
        condition: fc.constantFrom('a == b', 'a > 1', 'c'),
        then: tie('steps'),
        else: tie('steps'),
        ...errors,
      }) as fc.Arbitrary<Step>,
      fc.record({
        type: fc.constant('loop' as const),
        list: fc.oneof(fc.array(fc.integer(), { maxLength: 3 }), fc.constant('a')),
        iterator: names,
        steps: tie('steps'),
        ...errors,
      }) as fc.Arbitrary<Step>,
    ),
  })).steps;

/**
 * The subroutine of all programs. Its argument decides whether it fails. It returns its argument once: if it did twice,
 * values would double with each call, and reach the limits of size, which the plain interpreter lacks.
 */
const sub: Step[] = [
  { type: 'set', variable: 'a', value: '{{.p}}' },
  { type: 'if', condition: 'p == 3', then: [{ type: 'set', variable: 'x', value: '{{.missing}}' }] },
  { type: 'set', variable: 'p', value: null },
];
const bundleOf = (steps: Step[]): MacroBundle => ({
  root: 'main',
  macros: {
    main: { name: 'main', parameters: ['a', 'b', 'c'], steps },
    [SUB]: { name: SUB, parameters: ['p'], steps: sub },
  },
});
const args: fc.Arbitrary<Variables> = fc.record({
  a: fc.oneof<fc.Arbitrary<Json>[]>(fc.integer(), fc.constant([1, 2])),
  b: fc.integer(),
  c: fc.boolean(),
});

class Failed extends Error {}
class TooDeep extends Error {}

/** Sets a variable. A program whose values come near the limit of depth is left out: other tests cover the limit. */
function put(variables: Variables, name: string, value: Json): void {
  if (measure(value).depth > MAX_DEPTH - 10) throw new TooDeep();
  variables[name] = value;
}

/** The simplest possible interpreter, for programs without async steps. */
function interpret(steps: Step[], variables: Variables, calls: Json[]): void {
  for (const step of steps) {
    try {
      one(step, variables, calls);
    } catch (error) {
      if (error instanceof TooDeep || !step.continue_on_error) throw error;
    }
  }
}

function one(step: Step, variables: Variables, calls: Json[]): void {
  if (step.type === 'set') put(variables, step.variable, render(step.value ?? null, variables));
  if (step.type === 'if') {
    const { a, b, c, p } = variables;
    const values = {
      'a == b': same(a, b),
      'a > 1': typeof a === 'number' ? a > 1 : undefined,
      'p == 3': same(p, 3),
      c,
    };
    const value = values[step.condition as keyof typeof values];
    if (typeof value !== 'boolean') throw new Failed();
    interpret(value ? step.then : (step.else ?? []), variables, calls);
  }
  if (step.type === 'loop') loop(step, variables, calls);
  if (step.type === 'macro') {
    const inner = { ...(render(step.macro_args ?? {}, variables) as Variables) };
    interpret(sub, inner, calls);
    if (step.output_variable) put(variables, step.output_variable, inner);
  }
  if (step.type === 'command') {
    const given = render(step.args ?? {}, variables) as Variables;
    calls.push(given);
    const found = answer(given);
    if (!found.ok) throw new Failed();
    if (step.output_variable) put(variables, step.output_variable, found.value);
  }
}

function loop(step: Extract<Step, { type: 'loop' }>, variables: Variables, calls: Json[]): void {
  const list = typeof step.list === 'string' ? variables[step.list] : step.list;
  if (!Array.isArray(list)) throw new Failed();
  if (list.length === 0 || step.steps.length === 0) return;
  const had = Object.hasOwn(variables, step.iterator);
  const before = variables[step.iterator] as Json;
  try {
    for (const element of list) {
      variables[step.iterator] = element;
      interpret(step.steps, variables, calls);
    }
  } finally {
    if (had) variables[step.iterator] = before;
    else delete variables[step.iterator];
  }
}

/** The equality of CEL, for the values of these programs. */
function same(a: Json | undefined, b: Json | undefined): boolean | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Drives a machine to its end. `choose` picks the next thread; `between` may replace the machine between moves. */
function driven(
  bundle: MacroBundle,
  begin: Variables,
  choose: (count: number) => number = () => 0,
  between: (machine: Machine) => Machine = (machine) => machine,
): { machine: Machine; calls: Json[] } {
  let machine = beginMachine(bundle, begin, LIMITS);
  const calls: Json[] = [];
  const open = new Map<number, Extract<Action, { kind: 'call' }>>();
  /** Threads that wait until the number of changes grows. */
  const waiting = new Map<number, number>();
  for (let moves = 0; Object.keys(machine.threads).length > 0; moves++) {
    if (moves > 50_000) throw new Error('it does not end');
    const ids = Object.keys(machine.threads)
      .map(Number)
      .filter((one) => waiting.get(one) !== machine.changes);
    if (ids.length === 0) throw new Error('all wait for each other');
    const id = ids[choose(ids.length)] ?? MAIN;
    const call = open.get(id);
    if (call) {
      open.delete(id);
      const given = call.call.do === 'tool' ? call.call.args : {};
      const found = answer(given);
      const error = { code: 'TOOL_FAILED' as const, message: 'no', hint: '' };
      settle(machine, id, found.ok ? found : { ok: false, error }, 0);
      continue;
    }
    const action = advance(machine, bundle, id, 0);
    if (action.kind === 'wait') waiting.set(id, action.changes);
    if (action.kind === 'call') {
      open.set(id, action);
      if (action.call.do === 'tool') calls.push(action.call.args);
    }
    if (open.size === 0) machine = between(machine);
    // A thread outlives the threads that it forked.
    for (const { parent } of Object.values(machine.threads))
      if (parent && !machine.threads[parent.thread]) throw new Error('a thread was left behind');
  }
  return { machine, calls };
}

it('does what a plain interpreter does, whatever the program without async steps', () => {
  fc.assert(
    fc.property(stepsOf(false), args, (steps, begin) => {
      const variables: Variables = { ...begin };
      const expected: Json[] = [];
      let state = 'completed';
      try {
        interpret(steps, variables, expected);
      } catch (error) {
        fc.pre(!(error instanceof TooDeep));
        state = 'failed';
      }
      const { machine, calls } = driven(bundleOf(steps), begin);
      expect(calls).toEqual(expected);
      expect(machine.outcome).toMatchObject({ state, variables });
    }),
    { numRuns: inLongRun(1_000, 300) },
  );
});

/** The machine as the next workflow run receives it. */
function handedOver(machine: Machine): Machine {
  const begun = { machine, resolved: {}, settings: {} } as unknown as MacroRun['begun'];
  const run = { run_id: 'r', macro: 'm', state: 'running', created_at: 0, updated_at: 0, begun } as MacroRun;
  const handed = handOver(run);
  if ('refusal' in handed) throw new Error(handed.refusal.message);
  const taken = takeOver(JSON.parse(JSON.stringify(handed.handover)) as Handover);
  return taken.begun?.machine as Machine;
}

it('continues in the same way after any handover as JSON', () => {
  fc.assert(
    fc.property(stepsOf(true), args, fc.infiniteStream(fc.nat()), (steps, begin, stream) => {
      const turns = [...stream.take(5_000)];
      const chooser = () => {
        let at = 0;
        return (count: number) => (turns[at++ % turns.length] ?? 0) % count;
      };
      const bundle = bundleOf(steps);
      const whole = driven(bundle, begin, chooser());
      const handed = driven(bundle, begin, chooser(), handedOver);
      expect(handed.machine.outcome).toEqual(whole.machine.outcome);
      expect(handed.calls).toEqual(whole.calls);
    }),
    { numRuns: inLongRun(200, 50) },
  );
});

it('ends every thread and every step, with one outcome, in any order of execution', () => {
  fc.assert(
    fc.property(
      stepsOf(true),
      args,
      fc.array(fc.nat(), { minLength: 1, maxLength: 200 }),
      (steps, begin, turns) => {
        let at = 0;
        const { machine } = driven(
          bundleOf(steps),
          begin,
          (count) => (turns[at++ % turns.length] ?? 0) % count,
        );
        expect(machine.outcome?.state).toMatch(/^(completed|failed)$/);
        expect(machine.threads).toEqual({});
        expect(machine.trace.filter(({ state }) => state === 'running')).toEqual([]);
      },
    ),
    { numRuns: inLongRun(500, 150) },
  );
});

it('gives one result for parallel steps that do not fail, whichever ends first', () => {
  const safe = (async: boolean) =>
    stepsOf(async).filter((steps) => !JSON.stringify(steps).includes('"fails":true'));
  fc.assert(
    fc.property(
      safe(true),
      args,
      fc.array(fc.nat(), { minLength: 1, maxLength: 100 }),
      (steps, begin, turns) => {
        let at = 0;
        const bundle = bundleOf(steps);
        const one = driven(bundle, begin).machine.outcome;
        const other = driven(bundle, begin, (count) => (turns[at++ % turns.length] ?? 0) % count).machine
          .outcome;
        fc.pre(one?.state === 'completed' && other?.state === 'completed');
        expect(other).toEqual(one);
      },
    ),
    { numRuns: inLongRun(500, 150) },
  );
});

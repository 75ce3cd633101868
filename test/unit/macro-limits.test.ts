import type { Json, Macro, MacroBundle, Step, Variables } from '../../src/contract/macro';
import { isTooDeep } from '../../src/contract/text';
import { holds } from '../../src/core/macro/condition';
import { advance, settle, type Action } from '../../src/core/macro/machine';
import { beginMachine, type Machine } from '../../src/core/macro/machine-state';
import { parseMacro, parseMacroText } from '../../src/core/macro/parse';
import { measure } from '../../src/core/macro/size';
import { validateBundle } from '../../src/core/macro/validate';
import { parseMacroRunInput } from '../../src/core/macro/view';

const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: String(at), note: `${at} ${'lorem ipsum '.repeat(12)}` }));
const set = (variable: string, value: Json): Step => ({ type: 'set', variable, value });
const each = (steps: Step[], list: string | Json[] = 'rows'): Step => ({
  type: 'loop',
  list,
  iterator: 'r',
  steps,
});
const bundleOf = (steps: Step[], args: Variables, others: Macro[] = []): MacroBundle => ({
  root: 'main',
  macros: {
    main: { name: 'main', parameters: Object.keys(args), steps },
    ...Object.fromEntries(others.map((one) => [one.name, one])),
  },
});

/** Drives a machine to its end. Returns the cost of its most expensive task and the number of its yields. */
function driven(
  bundle: MacroBundle,
  args: Variables,
): { machine: Machine; dearest: number; breaths: number } {
  const machine = beginMachine(bundle, args, { at_once: 10, calls: 1_000 });
  let [dearest, breaths] = [0, 0];
  while (Object.keys(machine.threads).length > 0) {
    for (const id of Object.keys(machine.threads).map(Number)) {
      const before = machine.cost;
      const action: Action = advance(machine, bundle, id, 0);
      dearest = Math.max(dearest, before, machine.cost);
      if (action.kind === 'yield') breaths++;
      if (action.kind === 'call') settle(machine, id, { ok: true, value: 1 }, 0);
    }
  }
  return { machine, dearest, breaths };
}

describe('the work of one task', () => {
  const sub: Macro = { name: 'sub', parameters: ['all', 'id'], steps: [set('x', '{{.id}}')] };
  const nested: Step = {
    type: 'macro',
    macro_name: 'sub',
    macro_args: { all: '{{.rows}}', id: '{{.r.id}}' },
  };

  it.each([
    ['passes all rows to a macro for each', [each([nested])], 1_500, 20],
    ['writes all rows into a text for each', [each([set('text', 'rows: {{.rows}}')])], 300, 40],
    [
      'looks through all rows for each',
      [each([{ type: 'if', condition: 'rows.exists(s, s.note == r.note + "x")', then: [] }])],
      200,
      40,
    ],
    ['copies many variables for each step beside', [each([{ ...set('x', 1), is_async: true }])], 1_500, 10],
  ] as [string, Step[], number, number][])('ends in time where a loop %s', (_, steps, count, atMost) => {
    const args = { rows: rows(count) };
    const { machine, dearest, breaths } = driven(bundleOf(steps, args, [sub]), args);
    expect(machine.outcome).toMatchObject({ state: 'completed' });
    // The last step of a task may exceed the budget by its own cost.
    expect(dearest).toBeLessThan(8_000_000);
    expect(breaths).toBeGreaterThan(0);
    expect(breaths).toBeLessThan(atMost);
  });

  it('copies nothing if a whole value is passed on', () => {
    const args = { rows: rows(10) };
    const { machine } = driven(bundleOf([set('again', { all: '{{.rows}}' })], args), args);
    expect((machine.outcome?.variables['again'] as Variables)['all']).toBe(args.rows);
  });

  it('refuses a condition whose lists multiply, however they are nested', () => {
    const list = rows(2_000);
    for (const condition of [
      'rows.exists(a, rows.exists(b, a.id == b.id + "x"))',
      'rows.map(a, rows).map(b, rows).size() == 0',
      'cel.bind(a, rows + rows, cel.bind(b, a + a, cel.bind(c, b + b, cel.bind(d, c + c, cel.bind(e, d + d, e + e == e)))))',
    ])
      expect(() => holds(condition, { rows: list })).toThrow('iterates over nested long lists');
  });
});

describe('the values that a run may hold', () => {
  it('ends a collection that nests deeper in each round, and suggests another way to collect', () => {
    const args = { rows: rows(200), all: [] };
    const { machine } = driven(bundleOf([each([set('all', ['{{.all}}', '{{.r.id}}'])])], args), args);
    expect(machine.outcome?.error).toMatchObject({
      code: 'MACRO_FAILED',
      message: expect.stringContaining('nested deeper than 64 levels'),
      hint: expect.stringContaining('"append"'),
    });
  });

  it('ends a macro that is called with its previous result, over and over', () => {
    const sub: Macro = { name: 'sub', parameters: ['before'], steps: [] };
    const call: Step = {
      type: 'macro',
      macro_name: 'sub',
      macro_args: { before: '{{.x}}' },
      output_variable: 'x',
    };
    const args = { rows: rows(200), x: 0 };
    const { machine } = driven(bundleOf([each([call])], args, [sub]), args);
    expect(machine.outcome?.error?.message).toContain('nested deeper than 64 levels');
  });

  it('counts a value that is held in several places once, and ends a run that holds too much', () => {
    const args = { text: 'x'.repeat(400_000) };
    const shared = driven(
      bundleOf(
        ['a', 'b', 'c', 'd', 'e'].map((name) => set(name, '{{.text}}')),
        args,
      ),
      args,
    );
    expect(shared.machine.outcome).toMatchObject({ state: 'completed' });
    const copied = driven(
      bundleOf(
        ['a', 'b', 'c', 'd', 'e'].map((name) => set(name, `${name}{{.text}}`)),
        args,
      ),
      args,
    );
    expect(copied.machine.outcome).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('more than 1700000 bytes'), details: { path: 'steps[3]' } },
    });
  });

  it('carries over only the final values of a long swarm', () => {
    const args = { rows: rows(2_000) };
    const step: Step = { ...set('constructor', '{{.r.id}}'), is_async: true };
    const bundle = bundleOf([each([step]), { type: 'command', command: 'work' }], args);
    const machine = beginMachine(bundle, args, { at_once: 10, calls: 1_000 });
    const open = new Set<number>();
    // The call is the last step. The parallel steps before it are not joined yet.
    while (open.size === 0)
      for (const id of Object.keys(machine.threads).map(Number))
        if (advance(machine, bundle, id, 0).kind === 'call') open.add(id);
    expect(machine.threads[0]?.frames[0]).toMatchObject({ joined: { constructor: { value: '1999' } } });
    settle(machine, 0, { ok: true, value: 1 }, 0);
    while (machine.outcome === undefined)
      for (const id of Object.keys(machine.threads).map(Number)) advance(machine, bundle, id, 0);
    expect(machine.outcome.variables['constructor']).toBe('1999');
  });

  it('ends a run of nested loops after the maximum number of steps', () => {
    const args = { rows: rows(1_000) };
    const bundle = bundleOf([each([each([set('x', 1)])])], args);
    const machine = beginMachine(bundle, args, { at_once: 10, calls: 1_000 });
    machine.steps_total = 999_000;
    while (machine.outcome === undefined) advance(machine, bundle, 0, 0);
    expect(machine.outcome.error?.message).toContain('The run took 1000000 steps');
  });

  it('ends a run of nested swarms with too many threads', () => {
    const call = (macro_name: string): Step => ({ type: 'macro', macro_name, is_async: true });
    const level = (name: string, below: Step[]): Macro => ({ name, steps: [each(below, rows(10))] });
    const others = [
      level('one', [call('two')]),
      level('two', [call('three')]),
      level('three', [call('four')]),
    ];
    const four: Macro = { name: 'four', steps: [{ type: 'command', command: 'work', is_async: true }] };
    const bundle = bundleOf([call('one')], {}, [...others, four]);
    const machine = beginMachine(bundle, {}, { at_once: 10, calls: 1_000 });
    let most = 0;
    const open = new Set<number>();
    while (Object.keys(machine.threads).length > 0) {
      for (const id of Object.keys(machine.threads).map(Number)) {
        // A call stays open until its thread unwinds.
        if (open.has(id) && !machine.threads[id]?.unwinding) continue;
        if (open.delete(id)) settle(machine, id, { ok: true }, 0);
        if (advance(machine, bundle, id, 0).kind === 'call') open.add(id);
      }
      most = Math.max(most, Object.keys(machine.threads).length);
    }
    expect(machine.outcome?.error?.message).toContain('500 steps are running in parallel');
    expect(most).toBe(500);
  });
});

describe('a macro that is nested too deep', () => {
  const ifs = (count: number): Step[] => {
    let steps: Step[] = [];
    for (let at = 0; at < count; at++) steps = [{ type: 'if', condition: 'true', then: steps }];
    return steps;
  };
  const deepText = (levels: number) => `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`;

  it('is refused with the same words from its file, from code and by the workflow', () => {
    const macro = { name: 'main', steps: ifs(3_000) };
    const words = { message: 'is nested deeper than 64 levels' };
    expect(parseMacro(macro, 'main')).toMatchObject({ mistakes: [words] });
    expect(parseMacroText(deepText(200_000), 'deep.json')).toMatchObject({ mistakes: [words] });
    expect(() => parseMacroRunInput({ macro })).toThrow(words.message);
    expect(() => parseMacroRunInput({ macro: 'main', macros: { sub: macro } })).toThrow(words.message);
    const args = JSON.parse(deepText(200_000)) as Variables;
    expect(() => parseMacroRunInput({ macro: 'main', args })).toThrow('nested deeper than 64 levels');
    expect(parseMacro({ name: 'main', steps: ifs(30) }, 'main')).toMatchObject({ macro: { name: 'main' } });
  });

  it('is refused if macros call macros on too many levels', () => {
    const chain = (length: number): MacroBundle => ({
      root: 'm0',
      macros: Object.fromEntries(
        Array.from({ length }, (_, at) => {
          const steps: Step[] = at + 1 < length ? [{ type: 'macro', macro_name: `m${at + 1}` }] : [];
          return [`m${at}`, { name: `m${at}`, steps }];
        }),
      ),
    });
    expect(validateBundle(chain(32))).toEqual([]);
    expect(validateBundle(chain(33))).toMatchObject([
      { macro: 'm0', message: 'it calls macros within macros on more than 32 levels' },
    ]);
    expect(validateBundle(chain(5_000))).toHaveLength(1);
  });
});

it('is refused before a run if its file is too large for one, with the words of the run', () => {
  const large = { name: 'main', steps: [set('x', 'x'.repeat(500_000))] };
  const said = 'macro is larger than 500000 bytes';
  expect(validateBundle({ root: 'main', macros: { main: large } })).toMatchObject([{ message: said }]);
  expect(() => parseMacroRunInput({ macro: large })).toThrow(said);
});

it('measures a shared value once per level, however often it occurs', () => {
  const circle: Record<string, unknown> = {};
  circle['a'] = circle;
  circle['b'] = circle;
  expect(isTooDeep(circle)).toBe(true);
  const shared = Array.from({ length: 60 }).reduce<unknown[]>((inner) => [inner, inner], []);
  expect(isTooDeep(shared)).toBe(false);
});

it('finds no size for an endless value, and gives up quickly', () => {
  const circle: Record<string, unknown> = {};
  circle['a'] = circle;
  circle['b'] = circle;
  expect(measure(circle)).toEqual({ bytes: Infinity, depth: Infinity });
});

import type { Macro, Step, Variables } from '../../src/contract/macro';
import { advance, settle, type Action, type Settled } from '../../src/core/macro/machine';
import { beginMachine, type Machine } from '../../src/core/macro/machine-state';

const call = (id: string, more: object = {}): Step => ({
  type: 'command',
  command: 'tool',
  args: { id },
  ...more,
});
const set = (variable: string, value: string | number, more: object = {}): Step => ({
  type: 'set',
  variable,
  value,
  ...more,
});
const loop = (iterator: string, steps: Step[], more: object = {}): Step => ({
  type: 'loop',
  list: [1, 2],
  iterator,
  steps,
  ...more,
});
const nested = (macro_name: string, more: object = {}): Step => ({ type: 'macro', macro_name, ...more });

interface Driven {
  machine: Machine;
  /** The ids of the calls that were made, in order. */
  made: string[];
}

/** Drives a machine to its end, one thread after the other; `fails` names the calls that fail. */
function driven(
  steps: Step[],
  { fails = [], others = [], calls = 100, args = {} }: Options = {},
  first: (ids: number[]) => number | undefined = (ids) => ids[0],
): Driven {
  const main: Macro = { name: 'main', parameters: Object.keys(args), steps };
  const bundle = {
    root: 'main',
    macros: Object.fromEntries([main, ...others].map((one) => [one.name, one])),
  };
  const machine = beginMachine(bundle, args, { at_once: 3, calls });
  const made: string[] = [];
  const open = new Map<number, string>();
  const waiting = new Map<number, number>();
  const move = (id: number): void => {
    const asked = open.get(id);
    if (asked === undefined) return take(id, advance(machine, bundle, id, 0));
    open.delete(id);
    const failed: Settled = { ok: false, error: { code: 'TOOL_FAILED', message: asked, hint: 'none' } };
    settle(machine, id, fails.includes(asked) ? failed : { ok: true, value: asked }, 0);
  };
  const take = (id: number, action: Action): void => {
    if (action.kind === 'wait') waiting.set(id, action.changes);
    if (action.kind !== 'call' || action.call.do !== 'tool') return;
    made.push(action.call.args['id'] as string);
    open.set(id, action.call.args['id'] as string);
  };
  for (let moves = 0; Object.keys(machine.threads).length > 0; moves++) {
    const ids = Object.keys(machine.threads)
      .map(Number)
      .filter((id) => waiting.get(id) !== machine.changes);
    const next = first(ids);
    if (next === undefined || moves > 10_000) throw new Error('it does not end');
    move(next);
  }
  return { machine, made };
}

interface Options {
  fails?: string[];
  others?: Macro[];
  calls?: number;
  args?: Variables;
}

describe('a parallel step that may fail', () => {
  const own = { is_async: true, continue_on_error: true };

  it.each([
    ['loop', loop('i', [set('begun', '{{.i}}'), call('bad', { is_async: true })], own)],
    [
      'if',
      { type: 'if', condition: 'true', then: [set('begun', 1), call('bad', { is_async: true })], ...own },
    ],
  ] as [string, Step][])('ends alone when what a %s forked fails, and keeps what it had set', (_, step) => {
    const ended = driven([step, call('after')], { fails: ['bad'] });
    expect(ended.machine.outcome).toMatchObject({
      state: 'completed',
      variables: { begun: expect.any(Number) as number },
    });
    expect(ended.made).toContain('after');
  });

  it('still stops with its macro', () => {
    const ended = driven(
      [loop('i', [call('slow', { is_async: true })], own), call('bad')],
      { fails: ['bad'] },
      (ids) => ids.at(0),
    );
    expect(ended.machine.outcome).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('bad') as string },
    });
  });
});

it('lets no step catch that the calls are spent, wherever the last call was made', () => {
  const others: Macro[] = [
    { name: 'swarm', steps: [call('one', { is_async: true }), call('two', { is_async: true })] },
  ];
  const ended = driven([nested('swarm', { continue_on_error: true }), set('after', 1)], { others, calls: 1 });
  expect(ended.machine.outcome).toMatchObject({
    state: 'failed',
    variables: {},
    error: { message: expect.stringContaining('The run made 1 calls') as string },
  });
  expect(ended.made).toEqual(['one']);
});

it('traces each step of a swarm with the loop round in which it began', () => {
  const { machine } = driven([loop('i', [loop('j', [call('x', { is_async: true })])])]);
  const rounds = machine.trace.flatMap(({ type, iterations }) => (type === 'command' ? [iterations] : []));
  expect(rounds.sort()).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
});

it('returns no iterator from a parallel loop', () => {
  const beside = loop('i', [set('i', '{{.i}}')], { is_async: true });
  const args = { i: 'kept' };
  expect(driven([beside], { args }).machine.outcome?.variables).toEqual({ i: 'kept' });
  const later = driven([beside, set('i', 'later')], { args }).machine.outcome?.variables;
  expect(later).toEqual({ i: 'later' });
  expect(Object.keys(driven([beside]).machine.outcome?.variables ?? {})).toEqual([]);
});

it('fails a run that makes too many calls without a commit, and none that commits in between', () => {
  const list = Array.from({ length: 10_002 }, (_, at) => at);
  const outcomeOf = (steps: Step[]) => {
    const main: Macro = { name: 'main', database: 'shop', steps };
    const bundle = { root: 'main', macros: { main } };
    const machine = beginMachine(bundle, {}, { at_once: 3, calls: 100_000 });
    while (Object.keys(machine.threads).length > 0) {
      const action = advance(machine, bundle, 0, 0);
      if ('transaction' in action || action.kind === 'call')
        settle(machine, 0, { ok: true, opened: action.kind === 'call' }, 0);
    }
    return machine.outcome;
  };
  const each: Step = {
    type: 'loop',
    list,
    iterator: 'id',
    steps: [call('{{.id}}', { continue_on_error: true })],
  };
  const commit: Step = { type: 'command', command: 'manage_transaction', args: { action: 'commit' } };
  expect(outcomeOf([each])).toMatchObject({
    state: 'failed',
    error: {
      message: expect.stringContaining('More than 10000 calls were made while a transaction was open'),
    },
  });
  const batches = [list.slice(0, 6_000), list.slice(6_000)];
  expect(outcomeOf(batches.flatMap((part) => [{ ...each, list: part }, commit]))).toMatchObject({
    state: 'completed',
  });
});

it('continues after a subroutine whose savepoint could not be set, and does not try to roll back to it', () => {
  const sub: Macro = { name: 'sub', steps: [call('a')] };
  const main: Macro = {
    name: 'main',
    database: 'shop',
    steps: [nested('sub', { continue_on_error: true }), call('b')],
  };
  const machine = beginMachine({ root: 'main', macros: { main, sub } }, {}, { at_once: 3, calls: 100 });
  const seen: string[] = [];
  while (Object.keys(machine.threads).length > 0) {
    const action = advance(machine, { root: 'main', macros: { main, sub } }, 0, 0);
    if (action.kind === 'savepoint') {
      seen.push(action.move);
      settle(machine, 0, { ok: false, error: { code: 'TOOL_FAILED', message: 'down', hint: '' } }, 0);
    } else if (action.kind === 'call') {
      seen.push('call');
      settle(machine, 0, { ok: true }, 0);
    }
  }
  expect(seen).toEqual(['set', 'call']);
  expect(machine.outcome).toMatchObject({ state: 'completed' });
});

describe('how a macro handles failures and values', () => {
  const computed = (variable: string, expression: string): Step => ({ type: 'set', variable, expression });
  const appended = (variable: string, append: string): Step => ({ type: 'set', variable, append });
  const outcome = (steps: Step[], options: Options = {}) => driven(steps, options).machine.outcome;

  it('stores the error of any step that may fail in its variable, or null if it succeeded', () => {
    const kept = { error_variable: 'why' };
    const failing: [string, Step][] = [
      ['a call', call('a', kept)],
      ['a step beside the others', nested('swarm_branch')],
      ['a loop', loop('i', [call('a')], kept)],
      ['a branch', { type: 'if', condition: 'true', then: [call('a')], ...kept }],
      ['a macro', nested('inner', kept)],
      ['a fail', { type: 'fail', message: 'enough', ...kept }],
      ['an expression', { type: 'set', variable: 'x', expression: '1 / "a"', ...kept }],
    ];
    const others: Macro[] = [
      { name: 'inner', steps: [call('a')] },
      { name: 'swarm_branch', steps: [call('a', { is_async: true, ...kept })] },
    ];
    for (const [what, step] of failing) {
      const at = what === 'a step beside the others' ? { ...step, output_variable: 'inner' } : step;
      const { state, variables = {} } = outcome([at], { fails: ['a'], others }) ?? {};
      const held =
        what === 'a step beside the others' ? (variables['inner'] as Variables)['why'] : variables['why'];
      expect([what, state, held]).toEqual([
        what,
        'completed',
        expect.objectContaining({ code: 'MACRO_FAILED' }),
      ]);
    }
    expect(outcome([call('b', kept)])?.variables).toEqual({ why: null });
  });

  it('fails with the message of a step, and catches that like any other failure', () => {
    const fail: Step = { type: 'fail', message: 'No {{.what}} left' };
    expect(outcome([set('what', 'room'), fail, call('never')])).toMatchObject({
      state: 'failed',
      error: {
        message: '[TOOL ERROR] No room left (main steps[1]).',
        hint: expect.stringMatching(/^\[HINT\]: /) as string,
      },
    });
    expect(outcome([{ ...fail, message: 'no', continue_on_error: true }])).toMatchObject({
      state: 'completed',
    });
  });

  it('counts, computes and collects in a loop', () => {
    const steps = [
      set('n', 0),
      { type: 'set' as const, variable: 'all', value: [] },
      loop('i', [computed('n', 'n + i * 10'), appended('all', '{{.i}}'), appended('fresh', 'x')]),
      computed('size', 'size(all)'),
      computed('shape', '{"n": n, "has": n > 20, "twice": all.map(one, one * 2)}'),
    ];
    expect(outcome(steps)?.variables).toEqual({
      ...{ n: 30, all: [1, 2], fresh: ['x', 'x'], size: 2 },
      shape: { n: 30, has: true, twice: [2, 4] },
    });
    expect(outcome([set('n', 0), appended('n', 'x')])).toMatchObject({
      error: { message: expect.stringContaining("'n' is not a list") as string },
    });
    expect(outcome([computed('n', '1.0 / 0.0')])).toMatchObject({
      error: { message: expect.stringContaining('is not JSON') as string },
    });
  });

  it('collects the results of a swarm in a loop, in the order in which its steps began', () => {
    const into = (id: string): Step => call(id, { output_variable: 'all', append: true, is_async: true });
    const swarm: Macro = {
      name: 'swarm',
      steps: [{ type: 'set', variable: 'all', value: ['first'] }, loop('i', [into('{{.i}}')])],
    };
    const last = (ids: number[]) => ids.at(-1);
    const steps = [nested('swarm', { output_variable: 'got' })];
    for (const order of [undefined, last]) {
      const { variables } = driven(steps, { others: [swarm] }, order).machine.outcome ?? {};
      expect(variables?.['got']).toEqual({ all: ['first', 1, 2] });
    }
  });

  it('collects from nested swarms, and from macros that append their variables', () => {
    const one: Macro = { name: 'one', parameters: ['i'], steps: [] };
    const inner = nested('one', {
      ...{ macro_args: { i: '{{.j}}' }, output_variable: 'all', append: true, is_async: true },
    });
    const steps = [loop('i', [loop('j', [inner], { is_async: true }), appended('all', 'x')])];
    const { variables } = outcome(steps, { others: [one] }) ?? {};
    expect(variables?.['all']).toEqual(['x', 'x', { i: 1 }, { i: 2 }, { i: 1 }, { i: 2 }]);
  });

  it('makes no call whose result could not be appended', () => {
    const ended = driven([set('n', 0), call('a', { output_variable: 'n', append: true })]);
    expect(ended.made).toEqual([]);
    expect(ended.machine.outcome).toMatchObject({ state: 'failed' });
  });

  it('does not change a list that another variable holds too', () => {
    const steps = [
      { type: 'set' as const, variable: 'a', value: [1] },
      { type: 'set' as const, variable: 'b', value: '{{.a}}' },
      appended('b', 'x'),
    ];
    expect(outcome(steps)?.variables).toEqual({ a: [1], b: [1, 'x'] });
  });
});

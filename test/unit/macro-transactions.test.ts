import type { Macro, Step } from '../../src/contract/macro';
import type { TransactionRef } from '../../src/contract/macro-activities';
import { advance, settle, type Action } from '../../src/core/macro/machine';
import { beginMachine, type Machine } from '../../src/core/macro/machine-state';
import { inTransaction } from '../../src/core/macro/transaction';

const command = (name: string, args: Record<string, string>, more: object = {}): Step => ({
  ...{ type: 'command', command: name, args },
  ...more,
});
const manage = (action: string, more: object = {}): Step => command('manage_transaction', { action }, more);
const write = (id: string, more: object = {}): Step => command('write', { id }, more);
const ask = (prompt: string, more: object = {}): Step => ({ type: 'ask', prompt, ...more });
const nested = (macro_name: string, more: object = {}): Step => ({ type: 'macro', macro_name, ...more });
const read: Step = { type: 'fetch', source: 'shop', resource: 'users', variable: 'rows' };
const [begin, commit, rollback] = ['begin', 'commit', 'rollback'].map((action) => manage(action)) as [
  Step,
  Step,
  Step,
];

interface Run {
  outcome: Machine['outcome'];
  /** What the shell was asked to do, in order: each with its transaction, and a model's call with `held` under one. */
  seen: string[];
  /** The most calls at one time. */
  at_once: number;
}

interface Options {
  others?: Macro[];
  database?: string;
  /** The database that the macro is given: `shop`, unless it is null. */
  given?: null;
}

/** Every thread begins its next call before any call ends. */
function run(steps: Step[], { others = [], given, ...own }: Options = {}): Run {
  const main: Macro = { name: 'main', steps, ...own };
  const bundle = {
    root: 'main',
    macros: Object.fromEntries([main, ...others].map((one) => [one.name, one])),
  };
  const machine = beginMachine(bundle, {}, { at_once: 3, calls: 100 }, given === null ? undefined : 'shop');
  const seen: string[] = [];
  let at_once = 0;
  const asked = new Map<number, { opened: boolean }>();
  for (let turns = 0; Object.keys(machine.threads).length > 0; turns++) {
    if (turns > 1_000) throw new Error('it does not end');
    const free = Object.keys(machine.threads).filter((id) => !asked.has(Number(id)));
    let stepped = false;
    for (const id of free.map(Number)) {
      const action = advance(machine, bundle, id, 0);
      stepped ||= !['wait', 'call'].includes(action.kind);
      const what = described(action, machine);
      if (what === undefined) continue;
      seen.push(what.text);
      asked.set(id, { opened: what.opened });
    }
    at_once = Math.max(at_once, asked.size);
    const [first] = asked;
    if (stepped || first === undefined) continue;
    asked.delete(first[0]);
    settle(machine, first[0], { ok: true, opened: first[1].opened }, 0);
  }
  return { outcome: machine.outcome, seen, at_once };
}

/** A request to the shell, and whether it opens its transaction. */
function described(action: Action, machine: Machine): { text: string; opened: boolean } | undefined {
  const at = (what: string, { id, database }: TransactionRef) => `${what} in ${id} on ${database}`;
  if (action.kind === 'savepoint')
    return { text: at(`${action.move} savepoint`, action.transaction), opened: true };
  if ('transaction' in action) return { text: at(action.kind, action.transaction), opened: true };
  if (action.kind !== 'call') return undefined;
  const { call } = action;
  if (call.do === 'ask') {
    const held = inTransaction(machine) ? ', held' : '';
    return { text: `ask ${call.input.prompt.toString()}${held}`, opened: false };
  }
  if (call.do === 'end') return { text: at(call.how, call.transaction), opened: true };
  if (call.do !== 'tool' && call.do !== 'fetch') throw new Error(call.do);
  const text = call.do === 'tool' ? `write ${call.args['id'] as string}` : 'read';
  return { text: call.transaction ? at(text, call.transaction) : `${text} outside`, opened: true };
}

const refusal = (message: string) => ({
  state: 'failed',
  error: { message: expect.stringContaining(message) as string },
});

describe.each([
  ['of its own', { database: 'shop' }],
  ['given at run time', {}],
])('a macro with a database %s', (_, own) => {
  it('begins its transaction where it says, with slow work outside', () => {
    const { outcome, seen } = run(
      [ask('a'), begin, write('1'), write('2'), commit, ask('b'), begin, write('3'), commit, ask('c')],
      own,
    );
    expect(outcome).toMatchObject({ state: 'completed' });
    expect(seen).toEqual([
      'ask a',
      ...['write 1 in t2 on shop', 'write 2 in t2 on shop', 'commit in t2 on shop'],
      'ask b',
      ...['write 3 in t4 on shop', 'commit in t4 on shop'],
      'ask c',
    ]);
  });

  it('commits at its end the writes after an explicit commit, and those without any begin', () => {
    expect(run([begin, write('1'), commit, ask('a'), write('2')], own).seen).toEqual([
      ...['write 1 in t2 on shop', 'commit in t2 on shop'],
      'ask a',
      ...['write 2 in t3 on shop', 'commit in t3 on shop'],
    ]);
    expect(run([write('1'), ask('a')], own).seen).toEqual([
      'write 1 in t1 on shop',
      'ask a, held',
      'commit in t1 on shop',
    ]);
  });

  it.each([
    ['a write', [write('1'), begin]],
    ['a read', [read, begin]],
    ['a macro whose failure is caught', [nested('sub', { continue_on_error: true }), begin]],
    ['another begin', [begin, begin]],
    ['another begin after a rollback', [rollback, begin, begin]],
    ['another begin after a commit', [begin, write('1'), commit, begin, begin]],
  ])('refuses to begin after %s', (_what, steps) => {
    const { outcome } = run(steps, { ...own, others: [{ name: 'sub', steps: [] }] });
    expect(outcome).toMatchObject(refusal('A transaction on shop is open here already'));
    expect(outcome?.error?.hint).toMatch(/Commit it or roll it back before this step/);
  });

  it('begins again after a commit or a rollback of nothing', () => {
    const { outcome, seen } = run([begin, commit, begin, rollback, begin, write('1')], own);
    expect(outcome).toMatchObject({ state: 'completed' });
    expect(seen).toEqual(['write 1 in t4 on shop', 'commit in t4 on shop']);
  });

  it('lets a subroutine begin and commit', () => {
    const sub: Macro = { name: 'sub', steps: [ask('a'), begin, write('1'), commit] };
    expect(run([nested('sub'), nested('sub')], { ...own, others: [sub] }).seen).toEqual([
      ...['ask a', 'write 1 in t2 on shop', 'commit in t2 on shop'],
      ...['ask a', 'write 1 in t4 on shop', 'commit in t4 on shop'],
    ]);
  });

  it('asks in parallel once a rollback ended its automatic transaction, and not before', () => {
    const each = (prompt: string) => ask(prompt, { is_async: true });
    const others: Macro[] = [{ name: 'swarm', steps: [each('a'), each('b')] }];
    const steps = [nested('swarm'), begin, write('1'), commit];
    expect(run(steps, { ...own, others }).at_once).toBe(1);
    const { seen, at_once } = run([rollback, ...steps], { ...own, others });
    expect(at_once).toBe(2);
    expect(seen).toEqual(['ask a', 'ask b', 'write 1 in t2 on shop', 'commit in t2 on shop']);
  });
});

describe('a macro that runs in parallel without a database', () => {
  const aside = nested('aside', { is_async: true });
  const withAside = (steps: Step[], main: Step[] = [write('1'), aside], more: Macro[] = []) =>
    run(main, { others: [{ name: 'aside', steps }, ...more] });

  it("has no transaction before it begins its own on its caller's database", () => {
    const { outcome, seen } = withAside([write('2'), begin, write('3'), commit]);
    expect(outcome).toMatchObject({ state: 'completed' });
    expect(seen).toEqual(expect.arrayContaining(['write 1 in t1 on shop', 'write 2 outside']));
    expect(seen).toEqual(expect.arrayContaining(['write 3 in t2 on shop', 'commit in t2 on shop']));
    expect(seen.filter((what) => what.includes('t1'))).toHaveLength(2);
  });

  it('may begin in a subroutine, and in a parallel macro within', () => {
    const sub: Macro = { name: 'sub', steps: [begin, write('2')] };
    for (const steps of [[nested('sub')], [nested('sub', { is_async: true })]])
      expect(withAside(steps, [aside], [sub]).seen).toEqual([
        'write 2 in t2 on shop',
        'commit in t2 on shop',
      ]);
  });

  it('still asks in parallel, and refuses what only a transaction allows', () => {
    expect(withAside([ask('a', { is_async: true }), ask('b', { is_async: true })]).at_once).toBe(2);
    expect(withAside([commit]).outcome).toMatchObject(refusal('No transaction is open here'));
  });

  it('rolls back its own transaction when it fails, and commits it when it ends', () => {
    const fail: Step = { type: 'fail', message: 'no' };
    const main = [write('1'), { ...aside, continue_on_error: true }];
    const failed = withAside([begin, write('2'), fail], main);
    expect(failed.outcome).toMatchObject({ state: 'completed' });
    expect(failed.seen).toEqual(expect.arrayContaining(['rollback in t2 on shop', 'commit in t1 on shop']));
    expect(withAside([begin, write('2')]).seen).toContain('commit in t2 on shop');
  });
});

it('refuses to begin in a subroutine whose branches are joined before the transaction can end', () => {
  const others: Macro[] = [
    { name: 'sub', steps: [nested('aside', { is_async: true }), begin, write('1')] },
    { name: 'aside', steps: [begin, write('2')] },
  ];
  const { outcome, seen } = run([rollback, nested('sub')], { others });
  expect(outcome).toMatchObject(
    refusal('The macro sub has parallel steps that end before the transaction of'),
  );
  expect(seen).not.toContain('write 1 in t2 on shop');
  // In the macro that owns the transaction, they are joined after its end.
  const fine = run([rollback, nested('aside', { is_async: true }), begin, write('1')], { others });
  expect(fine.outcome).toMatchObject({ state: 'completed' });
});

it('refuses to begin in a parallel step that is not a macro, and says how', () => {
  const { outcome } = run([rollback, manage('begin', { is_async: true })]);
  expect(outcome).toMatchObject(refusal('This step runs in parallel, outside of every transaction'));
  expect(outcome?.error?.hint).toContain('Move it into a macro');
});

describe('a branch beside a transaction', () => {
  const aside = nested('aside', { is_async: true });
  const fails: Step = { type: 'fail', message: 'no' };
  const branch = (steps: Step[], database?: string): { database: string; others: Macro[] } => ({
    database: 'shop',
    others: [{ name: 'aside', steps, ...(database !== undefined && { database }) }],
  });

  it.each([
    ['another database', branch([ask('slow')], 'other')],
    ['no database', branch([ask('slow')])],
  ])('on %s ends before the commit', (_, own) => {
    const { outcome, seen } = run([aside, write('1')], own);
    expect(outcome).toMatchObject({ state: 'completed' });
    expect(seen.at(-1)).toBe('commit in t1 on shop');
  });

  it.each([
    ['another database', branch([ask('slow'), fails], 'other')],
    ['no database', branch([ask('slow'), fails])],
  ])('on %s that fails after the last step rolls the transaction back', (_, own) => {
    const { outcome, seen } = run([aside, write('1')], own);
    expect(outcome).toMatchObject(refusal('no'));
    expect(outcome?.error?.message).not.toContain('Committed');
    expect(seen.at(-1)).toBe('rollback in t1 on shop');
  });

  it.each([
    ['the same database', branch([write('2'), fails], 'shop')],
    ['a transaction that it begins there', branch([begin, write('2'), fails])],
    [
      'a nested macro',
      {
        ...branch([nested('inner')]),
        others: [
          { name: 'aside', steps: [nested('inner')] },
          { name: 'inner', database: 'shop', steps: [write('2'), fails] },
        ],
      },
    ],
  ])(
    'that may wait for it, by %s, is joined after the commit, and its failure says what was committed',
    (_, own) => {
      const { outcome, seen } = run([write('1'), aside], own);
      expect(seen).toContain('commit in t1 on shop');
      expect(outcome).toMatchObject(refusal('Committed before: main on shop.'));
      expect(outcome?.error?.details).toMatchObject({ committed: [{ macro: 'main', database: 'shop' }] });
    },
  );
});

describe('a branch that a subroutine began, and that never waits for the transaction', () => {
  const fails: Step = { type: 'fail', message: 'no' };
  const aside = nested('aside', { is_async: true });
  const five = (steps: Step[]): Step => ({ type: 'loop', list: [1, 2, 3, 4, 5], iterator: 'id', steps });

  it('sets its variables, as without a database', () => {
    const value = { macro_args: { id: '{{.id}}' }, output_variable: 'values', append: true, is_async: true };
    const others: Macro[] = [
      { name: 'value', parameters: ['id'], steps: [ask('{{.id}}')] },
      { name: 'swarm', steps: [five([nested('value', value)])] },
    ];
    const steps: Step[] = [
      nested('swarm', { output_variable: 'swarm' }),
      { type: 'set', variable: 'count', expression: 'size(swarm.values)' },
    ];
    const { outcome, at_once } = run(steps, { others });
    expect({ outcome, at_once }).toEqual({
      outcome: run(steps, { others, given: null }).outcome,
      at_once: 3,
    });
    expect(outcome?.variables).toMatchObject({ count: 5 });
  });

  it('is not held up by any number of branches that may wait', () => {
    const others: Macro[] = [
      { name: 'waits', steps: [begin, write('2')] },
      { name: 'aside', steps: [ask('slow')] },
      { name: 'part', steps: [five([nested('waits', { is_async: true })]), aside] },
    ];
    for (const name of ['part', 'main']) {
      const steps = name === 'main' ? (others[2]?.steps ?? []) : [nested('part')];
      expect(run(steps, { others })).toMatchObject({ outcome: { state: 'completed' }, at_once: 6 });
    }
  });

  it('rolls back only the part of the subroutine, if it fails and that is caught', () => {
    const others: Macro[] = [
      { name: 'part', steps: [write('2'), aside] },
      { name: 'aside', steps: [ask('slow'), fails] },
    ];
    const steps = [write('1'), nested('part', { continue_on_error: true }), write('3')];
    const { outcome, seen } = run(steps, { others });
    expect(outcome).toMatchObject({ state: 'completed' });
    expect(seen).toEqual([
      ...['write 1 in t1 on shop', 'set savepoint in t1 on shop', 'write 2 in t1 on shop'],
      ...['ask slow, held', 'restore savepoint in t1 on shop'],
      ...['write 3 in t1 on shop', 'commit in t1 on shop'],
    ]);
  });

  it('does not keep the subroutine from beginning another transaction', () => {
    const others: Macro[] = [
      { name: 'part', steps: [aside, rollback, begin, write('1')] },
      { name: 'aside', steps: [ask('slow')] },
    ];
    const { outcome, seen } = run([nested('part')], { others });
    expect(outcome).toMatchObject({ state: 'completed' });
    expect(seen.at(-1)).toBe('commit in t2 on shop');
  });
});

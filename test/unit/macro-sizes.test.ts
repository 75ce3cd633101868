import { z } from 'zod';
import type { Json, Macro, MacroBundle, Step, Variables } from '../../src/contract/macro';
import { clampArguments } from '../../src/core/gateway/clamps';
import { advance, settle } from '../../src/core/macro/machine';
import { beginMachine, MAIN } from '../../src/core/macro/machine-state';
import { validateBundle } from '../../src/core/macro/validate';
import { parseMacroRunInput } from '../../src/core/macro/view';

const put = { name: 'put', args: z.strictObject({ id: z.string() }) };
const work = { name: 'work', args: z.strictObject({}) };
const set = (variable: string, value: Json): Step => ({ type: 'set', variable, value });
const each = (steps: Step[], rounds: number): Step => ({
  type: 'loop',
  list: Array.from({ length: rounds }, (_, at) => at),
  iterator: 'i',
  steps,
});
const call = (command: string, args: Variables = {}): Step => ({ type: 'command', command, args });
const product = (levels: number): string =>
  Array.from({ length: levels }).reduce<string>(
    (inner, _, at) => `[${Array.from({ length: 300 }, () => 1).join(',')}].all(e${at}, ${inner})`,
    'true',
  );
const nested = (levels: number): Json => Array.from({ length: levels }).reduce<Json>((inner) => [inner], 1);

const bundleOf = (steps: Step[], args: Variables = {}): MacroBundle => {
  const main: Macro = { name: 'main', parameters: Object.keys(args), steps };
  return { root: 'main', macros: { main } };
};
const LIMITS = { at_once: 10, calls: 1_000 };
const validated = (steps: Step[], args: Variables = {}) =>
  validateBundle(bundleOf(steps, args), { tools: [put, work], args, limits: LIMITS });

/** The error message of a run that was not validated. */
function refusalOf(steps: Step[], done: { steps_total?: number } = {}): string | undefined {
  const bundle = bundleOf(steps);
  const machine = Object.assign(beginMachine(bundle, {}, LIMITS), done);
  while (machine.outcome === undefined)
    if (advance(machine, bundle, MAIN, 0).kind === 'call') settle(machine, MAIN, { ok: true }, 0);
  return machine.outcome.error?.message;
}

it.each<[string, Step[], string]>([
  [
    'a text that doubles',
    [set('x', 'ab'), each([set('x', '{{.x}}{{.x}}')], 40)],
    'Filled in, it is larger than 1700000 bytes',
  ],
  [
    'a value that grows a level each round',
    [set('x', 1), each([set('x', ['{{.x}}'])], 70)],
    'The value is nested deeper than 64 levels',
  ],
  [
    'variables that are too much together',
    [set('t', 'x'.repeat(90_000)), each([{ type: 'set', variable: 'all', append: '{{.i}}{{.t}}' }], 30)],
    'The variables and lists of the macro are more than 1700000 bytes',
  ],
  [
    'a condition whose lists multiply',
    [{ type: 'if', condition: product(4), then: [] }],
    'iterates over nested long lists',
  ],
  ['more calls than a run may make', [each([call('work')], 1_001)], 'The run made 1000 calls, the maximum'],
])('validate refuses %s, with the words of the run', (_, steps, words) => {
  expect(validated(steps)).toMatchObject([{ message: expect.stringContaining(words) as string }]);
  expect(refusalOf(steps)).toContain(words);
});

it('validate refuses more steps than a run may take, with the words of the run', () => {
  const words = 'The run took 1000000 steps, the maximum';
  const steps = [each([each([each([set('x', 1)], 101)], 101)], 101)];
  expect(validated(steps)).toMatchObject([{ message: `${words}.` }]);
  expect(refusalOf(steps, { steps_total: 999_000 })).toContain(words);
});

it('validate refuses an id that is too long whatever is filled in, with the words of the gateway', () => {
  const id = 'x'.repeat(151);
  expect(() => clampArguments(put, { id }, [], 200)).toThrow(
    'put: id: it has 151 characters, of at most 150',
  );
  const words = { message: 'put: id: it has 151 characters, of at most 150.' };
  expect(validated([call('put', { id })])).toMatchObject([words]);
  expect(validated([set('x', 1), call('put', { id: `${id}{{.x}}` })])).toMatchObject([words]);
  expect(validated([set('x', 1), call('put', { id: '{{.x}}' })])).toEqual([]);
});

it('validate refuses an invalid limit, with the words of the run', () => {
  const fetch: Step = { type: 'fetch', source: '.', resource: 'a.csv', variable: 'x', limit: '0' };
  expect(validated([fetch])).toMatchObject([{ message: 'The limit is not a whole number above 0.' }]);
  expect(refusalOf([fetch])).toContain('The limit is not a whole number above 0');
});

it.each<[string, Variables, string]>([
  ['are too large', { x: 'x'.repeat(500_001) }, 'args is larger than 500000 bytes'],
  ['are nested too deep', { x: nested(70) }, 'one of its args is nested deeper than 64 levels'],
])('validate refuses arguments that %s, with the words of the run', (_, args, words) => {
  const { macros } = bundleOf([], args);
  expect(validated([], args)).toMatchObject([{ message: words }]);
  expect(() => parseMacroRunInput({ macro: macros['main'], args })).toThrow(words);
});

it.each<[string, Step[]]>([
  ['is caught', [set('x', 1), { ...each([set('x', ['{{.x}}'])], 70), continue_on_error: true }]],
  ['comes after a call, which may fail', [call('work'), set('x', 1), each([set('x', ['{{.x}}'])], 70)]],
  ['stands behind a step that fails', [{ type: 'fail', message: 'no' }, each([call('work')], 1_001)]],
  [
    'stands in one branch',
    [set('n', 1), { type: 'if', condition: 'n > 3', then: [each([call('work')], 1_001)], else: [] }],
  ],
])('validate accepts a size that the run refuses only possibly: it %s', (_, steps) => {
  expect(validated(steps)).toEqual([]);
});

import { z } from 'zod';
import { awaitMacro, getMacroTrace, startMacro } from '../../src/client';
import type { Macro, Step, Variables } from '../../src/contract/macro';
import { startHarness, type Harness } from '../helpers/harness';
import { macrosOf, tool } from '../helpers/macro-tools';

let harness: Harness;
let calls: string[] = [];

beforeAll(async () => {
  const fail = tool('fail', z.strictObject({}), () => Promise.reject(new Error('broke')));
  const work = tool('work', z.strictObject({ id: z.string() }), ({ id }) => void calls.push(id as string));
  const model = { ask: () => Promise.reject(new Error('no model')) };
  harness = await startHarness({ adapters: [], macros: macrosOf([fail, work], { model }) });
});
afterAll(() => harness.close());
beforeEach(() => (calls = []));

const failing: Macro = { name: 'failing', steps: [{ type: 'command', command: 'fail' }] };
const work = (id: string, more: object = {}): Step => ({
  type: 'command',
  command: 'work',
  args: { id },
  ...more,
});
const fail: Step = { type: 'command', command: 'fail' };

/** One failing step per type. Most fail because of `given`, which is `{}`, so that validation cannot foresee it. */
const kinds: [which: string, step: Step][] = [
  ['an ask', { type: 'ask', prompt: '{{.given.none}}', output_variable: 'x' }],
  ['a set', { type: 'set', variable: 'x', value: '{{.given.none}}' }],
  ['an if, by its condition', { type: 'if', condition: 'given.none', then: [] }],
  ['an if, within', { type: 'if', condition: 'given == {}', then: [fail, work('never')] }],
  ['a loop, by its list', { type: 'loop', list: 'given', iterator: 'i', steps: [work('never')] }],
  ['a loop, within', { type: 'loop', list: [1, 2], iterator: 'i', steps: [fail, work('never')] }],
  ['a fetch', { type: 'fetch', source: '.', resource: 'none.json', variable: 'x' }],
  ['a command', { ...fail, output_variable: 'x' }],
  ['a macro', { type: 'macro', macro_name: 'failing', output_variable: 'x' }],
];

async function run(steps: Step[], args: Variables = { given: {} }) {
  const macro = { name: 'main', parameters: ['given'], steps };
  const options = { task_queue: harness.taskQueue };
  const { run_id } = await startMacro(harness.client, { macro, macros: { failing }, args }, options);
  const result = await awaitMacro(harness.client, run_id);
  return { ...result, trace: await getMacroTrace(harness.client, run_id) };
}

describe.each(kinds)('a failure of %s', (_, step) => {
  const { type } = step;
  it('ends the macro', async () => {
    const { state, error, variables, trace } = await run([step, work('after')]);
    expect({ state, error }).toMatchObject({
      state: 'failed',
      error: {
        code: 'MACRO_FAILED',
        message: expect.stringMatching(
          /^\[(GATEWAY|TOOL) ERROR\] .*\((main steps\[0\]|failing steps)/,
        ) as string,
        hint: expect.stringMatching(/^\[HINT\]: .+/) as string,
      },
    });
    expect(variables).toEqual({ given: {} });
    expect(trace.steps[0]).toMatchObject({ type, path: 'steps[0]', state: 'failed' });
    expect(calls).toEqual([]);
  });

  it('ends nothing else if it may fail, in sequence or in parallel', async () => {
    for (const is_async of [false, true]) {
      calls = [];
      const { state, variables, trace } = await run([
        { ...step, continue_on_error: true, is_async },
        work('after'),
      ]);
      expect({ state, variables }).toEqual({ state: 'completed', variables: { given: {} } });
      const failed = trace.steps.find(({ path }) => path === 'steps[0]');
      expect(failed).toMatchObject({ type, state: 'failed', error: { code: 'MACRO_FAILED' } });
      expect(calls).toEqual(['after']);
    }
  });

  it('also ends the other branches if it is parallel', async () => {
    const { state, trace } = await run([{ ...step, is_async: true }, work('beside')]);
    expect(state).toBe('failed');
    expect(trace.steps.find(({ path }) => path === 'steps[0]')).toMatchObject({ type, state: 'failed' });
  });
});

it('names the place of a deeply nested failure, and closes every step around it', async () => {
  const deep: Step[] = [
    {
      type: 'loop',
      list: [1, 2, 3],
      iterator: 'i',
      steps: [
        { type: 'if', condition: 'i == 2', then: [{ type: 'macro', macro_name: 'failing' }], else: [] },
      ],
    },
  ];
  const { error, trace } = await run(deep);
  expect(error).toMatchObject({
    message: '[TOOL ERROR] fail: broke (failing steps[0]).',
    details: { macro: 'failing', path: 'steps[0]', code: 'TOOL_FAILED' },
  });
  expect(trace.steps.map(({ path, iterations, state }) => [path, iterations, state])).toEqual([
    ['steps[0]', undefined, 'failed'],
    ['steps[0].steps[0]', [0], 'completed'],
    ['steps[0].steps[0]', [1], 'failed'],
    ['steps[0].steps[0].then[0]', [1], 'failed'],
    ['steps[0]', [1], 'failed'],
  ]);
});

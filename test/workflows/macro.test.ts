import { z } from 'zod';
import {
  awaitMacro,
  cancelMacro,
  getMacroTrace,
  pauseMacro,
  resumeMacro,
  startMacro,
} from '../../src/client';
import type { Macro, Step, Variables } from '../../src/contract/macro';
import { codeOf, countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { macrosOf, tool } from '../helpers/macro-tools';

const id = z.strictObject({ id: z.string() });
/** The ids that the tool `work` was called with, in order. `hold` delays a call. */
let calls: string[] = [];
let hold: (id: string, signal: AbortSignal) => Promise<void> | void = () => undefined;
let harness: Harness;

beforeAll(async () => {
  const tools = [
    tool('work', id, async (args, { signal }) => {
      calls.push(args['id'] as string);
      await hold(args['id'] as string, signal);
      return { did: args['id'] };
    }),
    tool('echo', z.looseObject({}), (args) => args),
    tool('fail', z.strictObject({ why: z.string() }), ({ why }) => Promise.reject(new Error(why as string))),
  ];
  harness = await startHarness({ adapters: [countingTool(1).adapter], macros: macrosOf(tools) });
});
afterAll(() => harness.close());
beforeEach(() => {
  calls = [];
  hold = () => undefined;
});

const macro = (steps: Step[], more: Partial<Macro> = {}): Macro => ({ name: 'main', steps, ...more });
const work = (id: string, more: object = {}): Step => ({
  type: 'command',
  command: 'work',
  args: { id },
  ...more,
});
const start = (steps: Step[], more: { args?: Variables; macros?: Macro[]; macro?: Partial<Macro> } = {}) =>
  startMacro(
    harness.client,
    {
      macro: macro(steps, more.macro),
      args: more.args ?? {},
      ...(more.macros && { macros: Object.fromEntries(more.macros.map((one) => [one.name, one])) }),
    },
    { task_queue: harness.taskQueue },
  );
const run = async (...input: Parameters<typeof start>) =>
  awaitMacro(harness.client, (await start(...input)).run_id);

it('runs its steps in order, with templates filled in by value, and returns its variables', async () => {
  const ended = await run(
    [
      { type: 'set', variable: 'ids', value: ['{{.first}}', '2', 3] },
      {
        type: 'loop',
        list: '{{.ids}}',
        iterator: 'id',
        steps: [
          {
            type: 'if',
            condition: 'id == "2"',
            then: [work('two')],
            else: [{ type: 'command', command: 'echo', args: { got: '{{.id}}' }, output_variable: 'last' }],
          },
        ],
      },
    ],
    { args: { first: 'one' }, macro: { parameters: ['first'] } },
  );
  expect(ended).toMatchObject({ state: 'completed' });
  expect(ended.variables).toEqual({ first: 'one', ids: ['one', '2', 3], last: { got: 3 } });
  expect(calls).toEqual(['two']);
});

it('fails with the place, the prefix and a hint, and reports the variables set until then', async () => {
  const ended = await run([
    { type: 'set', variable: 'a', value: 1 },
    { type: 'if', condition: 'a == 1', then: [{ type: 'command', command: 'fail', args: { why: 'no' } }] },
    work('never'),
  ]);
  expect(ended).toMatchObject({
    state: 'failed',
    variables: { a: 1 },
    error: {
      code: 'MACRO_FAILED',
      message: '[TOOL ERROR] fail: no (main steps[1].then[0]).',
      hint: expect.stringMatching(/^\[HINT\]: /) as string,
      details: { macro: 'main', path: 'steps[1].then[0]', code: 'TOOL_FAILED' },
    },
  });
  expect(calls).toEqual([]);
});

it('continues after a step that may fail, and traces each step with its outcome', async () => {
  const { run_id } = await start([
    { type: 'command', command: 'fail', args: { why: 'no' }, continue_on_error: true },
    work('next'),
  ]);
  expect(await awaitMacro(harness.client, run_id)).toMatchObject({ state: 'completed' });
  expect(await getMacroTrace(harness.client, run_id)).toMatchObject({
    state: 'completed',
    calls: 2,
    steps: [
      { number: 1, path: 'steps[0]', what: 'fail', state: 'failed', error: { code: 'MACRO_FAILED' } },
      {
        number: 2,
        path: 'steps[1]',
        what: 'work',
        state: 'completed',
        duration_ms: expect.any(Number) as number,
      },
    ],
  });
});

it('lets a nested macro see only its arguments, and returns its variables', async () => {
  const inner = macro([{ type: 'set', variable: 'twice', value: '{{.x}}{{.x}}' }], {
    name: 'inner',
    parameters: ['x'],
  });
  const ended = await run(
    [
      { type: 'set', variable: 'twice', value: 'kept' },
      { type: 'macro', macro_name: 'inner', macro_args: { x: 'ab' }, output_variable: 'out' },
    ],
    { macros: [inner] },
  );
  expect(ended.variables).toEqual({ twice: 'kept', out: { x: 'ab', twice: 'abab' } });
});

it('runs parallel steps, joins all before it ends, and sets their variables in order', async () => {
  const both = gateway();
  hold = () => {
    if (calls.length === 2) both.open();
    return both.opened;
  };
  const ended = await run([
    work('1', { is_async: true, output_variable: 'one' }),
    work('2', { is_async: true, output_variable: 'two' }),
  ]);
  expect(ended).toMatchObject({ state: 'completed', variables: { one: { did: '1' }, two: { did: '2' } } });
});

it('cancels the whole group if one step fails, including the main line, and waits until all have stopped', async () => {
  const stopped: string[] = [];
  const begun = gateway();
  hold = (name, signal) => {
    if (name === 'slow') begun.open();
    if (name === 'bad') return begun.opened.then(() => Promise.reject(new Error('broke')));
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        stopped.push(name);
        reject(new Error('stopped'));
      }),
    );
  };
  const { run_id } = await start([
    work('slow', { is_async: true }),
    work('bad', { is_async: true }),
    work('main'),
  ]);
  const ended = await awaitMacro(harness.client, run_id);
  expect(ended).toMatchObject({
    state: 'failed',
    error: { message: '[TOOL ERROR] work: broke (main steps[1]).' },
  });
  expect(stopped).toContain('slow');
  const { steps } = await getMacroTrace(harness.client, run_id);
  expect(steps.map(({ state }) => state).sort()).toEqual(['cancelled', 'cancelled', 'failed']);
});

it('continues during a parallel step that may fail', async () => {
  hold = (name) => (name === 'bad' ? Promise.reject(new Error('broke')) : undefined);
  const ended = await run([
    work('bad', { is_async: true, continue_on_error: true, output_variable: 'bad' }),
    work('good', { is_async: true, output_variable: 'good' }),
  ]);
  expect(ended).toMatchObject({ state: 'completed', variables: { good: { did: 'good' } } });
});

it('pauses before the next step, and continues on request', async () => {
  const first = gateway();
  const reached = gateway();
  hold = (name) => {
    if (name !== 'one') return;
    reached.open();
    return first.opened;
  };
  const { run_id } = await start([work('one'), work('two')]);
  await reached.opened;
  expect(await pauseMacro(harness.client, run_id)).toMatchObject({ state: 'pausing' });
  first.open();
  for (;;) if ((await getMacroTrace(harness.client, run_id)).state === 'paused') break;
  expect(calls).toEqual(['one']);
  expect(await resumeMacro(harness.client, run_id)).toMatchObject({ state: 'running' });
  expect(await awaitMacro(harness.client, run_id)).toMatchObject({ state: 'completed' });
  expect(calls).toEqual(['one', 'two']);
  expect(await codeOf(pauseMacro(harness.client, run_id))).toBe('OPERATION_CLOSED');
});

it('stops at once when it is cancelled, and lets nothing catch that', async () => {
  const reached = gateway();
  hold = (name, signal) => {
    reached.open();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(name))));
  };
  const { run_id } = await start([
    {
      type: 'loop',
      list: [1, 2],
      iterator: 'i',
      continue_on_error: true,
      steps: [work('x', { continue_on_error: true })],
    },
    work('after'),
  ]);
  await reached.opened;
  await cancelMacro(harness.client, run_id);
  expect(await awaitMacro(harness.client, run_id)).toMatchObject({
    state: 'cancelled',
    error: { code: 'MACRO_FAILED' },
  });
  expect(calls).toEqual(['x']);
});

it('names every mistake before anything runs, also to clients without our code', async () => {
  const wrong = macro([
    work('{{.nobody}}'),
    { type: 'command', command: 'wrok', args: {} },
    { type: 'macro', macro_name: 'none' },
  ]);
  const refused = await harness.client.workflow.execute('macro', {
    workflowId: `raw-${harness.taskQueue}`,
    taskQueue: harness.taskQueue,
    args: [{ macro: wrong, args: { extra: 1 } }],
  });
  expect(refused).toMatchObject({ state: 'rejected', error: { code: 'INVALID_INPUT' } });
  const { mistakes } = refused.error.details as { mistakes: { path: string }[] };
  expect(mistakes.map(({ path }) => path).sort()).toEqual([
    'parameters',
    'steps[0].args',
    'steps[1].command',
    'steps[2].macro_name',
  ]);
  expect(calls).toEqual([]);
});

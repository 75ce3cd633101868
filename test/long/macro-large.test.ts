import { z } from 'zod';
import { awaitMacro, startMacro } from '../../src/client';
import type { MacroResult } from '../../src/contract/macro-run';
import type { Step } from '../../src/contract/macro';
import { startHarness, type Harness } from '../helpers/harness';
import { macrosOf, tool } from '../helpers/macro-tools';

let harness: Harness;
let given: number[] = [];

beforeAll(async () => {
  const tools = [
    tool('page', z.strictObject({ bytes: z.number() }), ({ bytes }) => 'ä'.repeat((bytes as number) / 2)),
    tool(
      'take',
      z.strictObject({ text: z.string() }),
      ({ text }) => void given.push((text as string).length),
    ),
    tool('work', z.strictObject({}), () => null),
    tool('rows', z.strictObject({ count: z.number() }), ({ count }) =>
      Array.from({ length: count as number }, (_, at) => ({
        id: String(at),
        note: `${at} ${'lorem ipsum '.repeat(12)}`,
      })),
    ),
  ];
  harness = await startHarness({ adapters: [], macros: macrosOf(tools) });
});
afterAll(() => harness.close());
beforeEach(() => (given = []));

async function run(steps: Step[]): Promise<MacroResult> {
  const macro = { name: 'large', steps };
  const { run_id } = await startMacro(harness.client, { macro }, { task_queue: harness.taskQueue });
  return awaitMacro(harness.client, run_id);
}
const page = (output_variable: string, bytes: number): Step => ({
  type: 'command',
  command: 'page',
  args: { bytes },
  output_variable,
});
const take = (text: string): Step => ({ type: 'command', command: 'take', args: { text } });
const failsWith = (message: string) => ({
  state: 'failed',
  error: { code: 'MACRO_FAILED', message: expect.stringContaining(message) as string },
});

it('hands over what fits, and fails the step whose arguments would not fit', async () => {
  expect(await run([page('a', 900_000), take('{{.a}}')])).toMatchObject({ state: 'completed' });
  expect(given).toEqual([450_000]);
  const twice = [page('a', 900_000), take('{{.a}}{{.a}}'), take('never')];
  expect(await run(twice)).toMatchObject(
    failsWith('Filled in, it is larger than 1700000 bytes (large steps[1])'),
  );
  expect(given).toEqual([450_000]);
});

it('fails the step whose tool returns more than fits', async () => {
  expect(await run([page('a', 1_000_002)])).toMatchObject(failsWith('What page answered is 1000004 bytes'));
});

it('ends a loop that doubles a value', async () => {
  const double = (value: string | string[]): Step[] => [
    // The value comes from a tool, so that no check before the run knows its size.
    page('x', 2),
    {
      type: 'loop',
      list: Array.from({ length: 60 }, (_, at) => at),
      iterator: 'i',
      steps: [{ type: 'set', variable: 'x', value }],
    },
  ];
  expect(await run(double('{{.x}}{{.x}}'))).toMatchObject(failsWith('Filled in, it is larger'));
  expect(await run(double(['{{.x}}', '{{.x}}']))).toMatchObject(failsWith('Filled in, it is larger'));
});

it('says that the variables are too large to return, and returns none', async () => {
  expect(await run([page('a', 900_000), page('b', 900_000)])).toMatchObject({
    ...failsWith('The variables are more than 1700000 bytes'),
    variables: {},
  });
});

it('fails the step that reads more than a run can hold', async () => {
  const work: Step = { type: 'command', command: 'work' };
  expect(await run([page('a', 900_000), page('b', 900_002), work])).toMatchObject({
    ...failsWith('The variables and lists of the macro are more than 1700000 bytes'),
    error: { details: { path: 'steps[1]' } },
    variables: { a: expect.any(String) as string },
  });
});

it('sends the calls of a swarm in as many messages as the server’s limit requires', async () => {
  const texts = Array.from({ length: 10 }, (_, at) => at);
  const each: Step = { ...take('{{.at}}{{.a}}'), is_async: true };
  const swarm: Step = { type: 'loop', list: texts, iterator: 'at', steps: [each] };
  expect(await run([page('a', 900_000), swarm])).toMatchObject({ state: 'completed' });
  expect(given).toEqual(texts.map(() => 450_001));
});

it('passes all rows to a macro for each of them, and other jobs end too', async () => {
  const rows: Step = { type: 'command', command: 'rows', args: { count: 1_500 }, output_variable: 'rows' };
  const each: Step = {
    type: 'macro',
    macro_name: 'sub',
    macro_args: { all: '{{.rows}}', id: '{{.r.id}}' },
    output_variable: 'last',
  };
  const sub = { name: 'sub', parameters: ['all', 'id'], steps: [] };
  const macro = {
    name: 'heavy',
    steps: [rows, { type: 'loop', list: 'rows', iterator: 'r', steps: [each] } as Step],
  };
  const options = { task_queue: harness.taskQueue };
  const heavy = await startMacro(harness.client, { macro, macros: { sub } }, options);
  const small = { name: 'small', steps: [{ type: 'command', command: 'work' } as Step] };
  const beside = await Promise.all(
    Array.from({ length: 20 }, () => startMacro(harness.client, { macro: small }, options)),
  );
  const ids = [heavy, ...beside].map(({ run_id }) => run_id);
  const ended = await Promise.all(ids.map((id) => awaitMacro(harness.client, id)));
  expect(ended.map(({ state }) => state)).toEqual(ids.map(() => 'completed'));
});

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

it('hands on what fits, and fails the step whose arguments would not', async () => {
  expect(await run([page('a', 900_000), take('{{.a}}')])).toMatchObject({ state: 'completed' });
  expect(given).toEqual([450_000]);
  const twice = [page('a', 900_000), take('{{.a}}{{.a}}'), take('never')];
  expect(await run(twice)).toMatchObject(
    failsWith('Filled in, it is larger than 1700000 bytes (large steps[1])'),
  );
  expect(given).toEqual([450_000]);
});

it('fails the step that takes more of a tool than fits', async () => {
  expect(await run([page('a', 1_000_002)])).toMatchObject(failsWith('What page answered are 1000004 bytes'));
});

it('ends a loop that doubles a value', async () => {
  const double = (value: string | string[]): Step[] => [
    { type: 'set', variable: 'x', value: 'ab' },
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

it('says that the variables are too large to be answered, and answers none', async () => {
  expect(await run([page('a', 900_000), page('b', 900_000)])).toMatchObject({
    ...failsWith('The variables are more than 1700000 bytes'),
    variables: {},
  });
});

it('fails where it would continue as new and holds too much for that', async () => {
  const ids = Array.from({ length: 800 }, (_, at) => at);
  const many: Step = {
    type: 'loop',
    list: ids,
    iterator: 'i',
    steps: [{ type: 'command', command: 'work' }],
    continue_on_error: true,
  };
  expect(await run([page('a', 900_000), page('b', 900_000), many])).toMatchObject(
    failsWith('The variables and lists of the macro are more than 1700000 bytes'),
  );
});

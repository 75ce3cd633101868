import { LLMock } from '@copilotkit/aimock';
import { createModel } from '../../activities/macro/model';
import { awaitMacro, getMacroTrace, startMacro } from '../../src/client';
import type { Step } from '../../src/contract/macro';
import { codeOf, startHarness, type Harness } from '../helpers/harness';
import { macrosOf } from '../helpers/macro-tools';

const KEY = 'a-key-that-nobody-may-see';
const model = new LLMock({ port: 0 });
let harness: Harness;
let without: Harness;

beforeAll(async () => {
  await model.start();
  const config = { baseUrl: `${model.url}/v1`, name: 'local', apiKey: KEY };
  harness = await startHarness({ adapters: [], macros: macrosOf([], { model: createModel(config) }) });
  without = await startHarness({ adapters: [], macros: macrosOf([]) });
});
afterAll(async () => {
  await harness.close();
  await without.close();
  await model.stop();
});
beforeEach(() => model.reset());

const start = (steps: Step[], on: Harness = harness) =>
  startMacro(on.client, { macro: { name: 'asking', steps } }, { task_queue: on.taskQueue });
const asked = (prompt: string, more: object = {}): Step => ({
  type: 'ask',
  prompt,
  output_variable: 'answer',
  ...more,
});
const run = async (steps: Step[]) => {
  const { run_id } = await start(steps);
  const result = await awaitMacro(harness.client, run_id);
  return { ...result, trace: await getMacroTrace(harness.client, run_id) };
};
const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };

it('asks with the prompt filled in, keeps the answer, and counts its tokens', async () => {
  model.onMessage('How many in ["a","b"]?', {
    content: 'Two.',
    usage: { prompt_tokens: 11, completion_tokens: 3 },
  });
  const { variables, trace } = await run([
    { type: 'set', variable: 'rows', value: ['a', 'b'] },
    asked('How many in {{.rows}}?'),
  ]);
  expect(variables['answer']).toBe('Two.');
  expect(trace.steps[1]?.tokens).toEqual({ input: 11, output: 3 });
  expect(trace.tokens).toEqual({ input: 11, output: 3 });
});

it('takes JSON that fits the schema as a value, and tells the model what is wrong with an answer that does not', async () => {
  model.on({ userMessage: 'sum' }, { content: 'It is 7.' });
  model.on({ userMessage: 'it is not valid JSON' }, { content: '{"total": "7"}' });
  model.on({ userMessage: 'total: ' }, { content: '```json\n{"total": 7}\n```' });
  const { state, variables } = await run([
    asked('sum', { output_schema: schema }),
    {
      type: 'if',
      condition: 'answer.total + 1 == 8',
      then: [{ type: 'set', variable: 'right', value: true }],
    },
  ]);
  expect({ state, variables }).toMatchObject({
    state: 'completed',
    variables: { answer: { total: 7 }, right: true },
  });
});

it('waits as long as the provider says, and asks again', async () => {
  const busy = (sequenceIndex: number) => ({ userMessage: 'busy', sequenceIndex });
  model.on(busy(0), { error: { message: 'slow down' }, status: 429, retryAfter: 2 });
  model.on(busy(1), { error: { message: 'down' }, status: 503 });
  model.on(busy(2), { content: 'now' });
  const { state, variables, trace } = await run([asked('busy')]);
  // Of its own it would have tried again after half a second, and then one.
  expect(trace.steps[0]?.duration_ms).toBeGreaterThanOrEqual(3_000);
  expect({ state, variables }).toMatchObject({ state: 'completed', variables: { answer: 'now' } });
  expect(model.getRequests()).toHaveLength(3);
});

it('fails at once where another try would not help, and shows no key', async () => {
  model.nextRequestError(401, { message: `wrong key ${KEY}` });
  const { state, error } = await run([asked('hello')]);
  expect({ state, error }).toMatchObject({
    state: 'failed',
    error: { details: { code: 'CREDENTIALS_INVALID' } },
  });
  expect(JSON.stringify(error)).not.toContain(KEY);
  expect(model.getRequests()).toHaveLength(1);
});

it('is refused before it starts where no model is configured, and says what to set', async () => {
  const refused = start([asked('hello')], without);
  await expect(refused).rejects.toMatchObject({
    code: 'NOT_CONFIGURED',
    hint: expect.stringContaining('BATCHGATE_MODEL_BASE_URL') as string,
  });
  expect(await codeOf(start([asked('{{.who}}')], without))).toBe('INVALID_INPUT');
});

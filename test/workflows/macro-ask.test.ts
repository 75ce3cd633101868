import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModel } from '../../activities/macro/model';
import { awaitMacro, getMacroTrace, handleMessage, startMacro } from '../../src/client';
import type { Step } from '../../src/contract/macro';
import { codeOf, startHarness, type Harness } from '../helpers/harness';
import { macrosOf } from '../helpers/macro-tools';
import { startModelServer, type ModelServer } from '../helpers/model-server';

const KEY = 'a-key/that-nobody-may-see';
let model: ModelServer;
let harness: Harness;
let without: Harness;

beforeAll(async () => {
  model = await startModelServer();
  const config = { baseUrl: `${model.url}/v1`, name: 'local', apiKey: KEY };
  // Without a scratchpad here, the worker uses its own.
  const { scratchpad: _, ...macros } = macrosOf([], { model: createModel(config) });
  harness = await startHarness({ adapters: [], macros });
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

it('asks with the prompt filled in, stores the answer, and counts its tokens', async () => {
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

it('accepts JSON that matches the schema as a value, and tells the model what is wrong with any other answer', async () => {
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

it('waits as long as the provider asks, and retries', async () => {
  const busy = (sequenceIndex: number) => ({ userMessage: 'busy', sequenceIndex });
  model.on(busy(0), { error: { message: 'slow down' }, status: 429, retryAfter: 2 });
  model.on(busy(1), { error: { message: 'down' }, status: 503 });
  model.on(busy(2), { content: 'now' });
  const { state, variables, trace } = await run([asked('busy')]);
  // Without the provider's Retry-After, the waits would be half a second and one second.
  expect(trace.steps[0]?.duration_ms).toBeGreaterThanOrEqual(3_000);
  expect({ state, variables }).toMatchObject({ state: 'completed', variables: { answer: 'now' } });
  expect(model.getRequests()).toHaveLength(3);
});

it('fails at once if another try would not help, and shows no key', async () => {
  model.nextRequestError(401, { message: `wrong key ${KEY}` });
  const { state, error } = await run([asked('hello')]);
  expect({ state, error }).toMatchObject({
    state: 'failed',
    error: { details: { code: 'CREDENTIALS_INVALID' } },
  });
  expect(JSON.stringify(error)).not.toContain(KEY);
  expect(model.getRequests()).toHaveLength(1);
});

it.each([
  ['plain', KEY],
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in an address', encodeURIComponent(KEY)],
])('shows the text of a refusal without the key, %s', async (_form, written) => {
  model.nextRequestError(400, { message: `cannot use ${written} here` });
  const { error } = await run([asked('hello')]);
  expect(error?.message).toContain('The model refused with 400: cannot use … here');
});

it('gives up on a provider that never answers within the time of one tool', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  let asks = 0;
  silent.on('request', () => asks++);
  const { port } = silent.address() as AddressInfo;
  const config = { baseUrl: `http://127.0.0.1:${port}/v1`, name: 'local', apiKey: KEY };
  const macros = macrosOf([], { model: createModel(config) });
  const own = await startHarness({ adapters: [], macros, settings: { tool_timeout_ms: 2_000 } });
  try {
    const { run_id } = await start([asked('hello')], own);
    const { state, error } = await awaitMacro(own.client, run_id);
    expect({ state, error }).toMatchObject({
      state: 'failed',
      error: { details: { code: 'ADAPTER_UNAVAILABLE' } },
    });
    expect(asks).toBeLessThanOrEqual(2);
  } finally {
    await own.close();
    silent.closeAllConnections();
    silent.close();
  }
});

it('is refused before it starts if no model is configured, and says what to set', async () => {
  const refused = start([asked('hello')], without);
  await expect(refused).rejects.toMatchObject({
    code: 'NOT_CONFIGURED',
    hint: expect.stringContaining('BATCHGATE_MODEL_BASE_URL') as string,
  });
  expect(await codeOf(start([asked('{{.who}}')], without))).toBe('INVALID_INPUT');
});

it('takes a message of the session as the answer to its only open question, and a repeated message once', async () => {
  const session_id = 'talks';
  const person = (prompt: string, more: object = {}) => asked(prompt, { of: 'person', ...more });
  const steps = [
    person('Who?', { output_variable: 'who' }),
    person('How many?', { output_variable: 'n', output_schema: { type: 'integer' } }),
  ];
  const { run_id } = await startMacro(
    harness.client,
    { macro: { name: 'asking', steps }, session_id },
    { task_queue: harness.taskQueue },
  );
  const say = (text: string, more: object = {}) =>
    handleMessage(harness.client, session_id, text, { task_queue: harness.taskQueue, ...more });
  // The person saw the question of an operation, so the open question is shown first.
  const shown = await say('Ana', { seen: { digest: 'another' } });
  expect(shown).toMatchObject({ handled: true, reply: 'Who?' });
  const first = await say('Ana', { message_id: 'm1', seen: shown.asked });
  expect(first).toMatchObject({ handled: true, reply: 'Answered question 1 of asking.\nHow many?' });
  expect(await say('Ana', { message_id: 'm1' })).toMatchObject({ handled: true, reply: 'How many?' });
  expect(await say('many', { seen: first.asked })).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  expect(await say('3', { seen: first.asked })).toMatchObject({ reply: 'Answered question 2 of asking.' });
  const { state, variables } = await awaitMacro(harness.client, run_id);
  expect({ state, variables }).toEqual({ state: 'completed', variables: { who: 'Ana', n: 3 } });
});

it("puts the scratchpad's value into a prompt in place of ref:, and names a missing key", async () => {
  await harness.store.scratchpad.save('S', 'notes', 'forty-two');
  model.onMessage('Sum up forty-two.', { content: 'Short.' });
  const inSession = async (prompt: string) => {
    const input = { macro: { name: 'asking', steps: [asked(prompt)] }, session_id: 'S' };
    const { run_id } = await startMacro(harness.client, input, { task_queue: harness.taskQueue });
    return awaitMacro(harness.client, run_id);
  };
  expect((await inSession('Sum up ref:notes.')).variables['answer']).toBe('Short.');
  expect((await inSession('Sum up ref:gone.')).error?.message).toContain('nothing is saved for ref:gone');
});

import { HTTP_STATUS, BatchgateError, type ErrorCode } from '../../src/contract/errors';
import { errorsForAgent, failureForAgent, forAgent } from '../../src/core/shared/agent-errors';
import { echo, gatewayTo } from '../helpers/tools';

const CODES = Object.keys(HTTP_STATUS) as ErrorCode[];
const told = {
  message: expect.stringMatching(/^\[(GATEWAY|TOOL) ERROR\] \S/) as string,
  hint: expect.stringMatching(/^\[HINT\]: \S/) as string,
};
const store = { scratchpad: { read: () => Promise.resolve(new Map()) } } as never;

describe.each(CODES)('an error %s', (code) => {
  const body = { code, message: 'Words.', hint: 'Do this.' };

  it('has a prefix and a hint for an agent, with its own words or without', () => {
    expect(forAgent(body)).toEqual({ code, ...told });
    expect(forAgent(body).hint).toBe('[HINT]: Do this.');
    expect(forAgent({ ...body, hint: '' })).toEqual({ code, ...told });
    expect(forAgent(forAgent(body))).toEqual(forAgent(body));
  });

  it('has them as the refusal of a tool, with its own code, hint and details, and within the result of a tool', async () => {
    const thrown = new BatchgateError(code, 'Words.', 'Do this.', { who: 'she' });
    const failing = gatewayTo(store, [echo({ handler: () => Promise.reject(thrown) })]);
    const { body: refusal } = await failing.refused({});
    const own = { code, hint: '[HINT]: Do this.', details: { who: 'she', tool: 'echo' } };
    // A defect within a tool is a failure of that tool.
    expect(refusal).toMatchObject(code === 'INTERNAL' ? { code: 'TOOL_FAILED', ...told } : own);
    expect(refusal.message).toBe(`${forAgent(body).message.replace('Words.', '')}echo: ${code}: Words.`);
    const status = { state: 'rejected', error: body, all: [{ error: { ...body, hint: '' } }] };
    const answering = gatewayTo(store, [echo({ handler: () => Promise.resolve(status) })]);
    expect(await answering.call({})).toMatchObject({ error: { code, ...told }, all: [{ error: told }] });
    // A macro passes the unchanged value to its next step.
    expect(await answering.call({}, { caller: 'macro' })).toEqual(status);
  });
});

it.each([
  ['missing_parameter', 'This field is mandatory.'],
  ['type_mismatch_string', 'Enclose the value in quotes.'],
  ['type_mismatch_array', 'Use [item1, item2] format.'],
])('puts the hint of the gateway before that of a refusal whose details say %s', (scenario, published) => {
  const refusal = { code: 'INVALID_INPUT' as const, message: 'Words.', details: { scenario } };
  const told = forAgent({ ...refusal, hint: 'label takes: sender.' });
  expect(told).toMatchObject({
    message: '[GATEWAY ERROR] Words.',
    hint: `[HINT]: ${published} label takes: sender.`,
  });
  expect(forAgent(told)).toEqual(told);
});

it('gives each failed item a hint that depends on whether it may succeed later', () => {
  const item = { item_id: 'a', display_name: 'A', error: 'it is gone' };
  expect(errorsForAgent({ errors: [{ ...item, retryable: true }, item] })).toEqual({
    errors: [
      {
        ...item,
        retryable: true,
        hint: expect.stringContaining('[HINT]: The item may succeed later') as string,
      },
      { ...item, hint: expect.stringContaining('[HINT]: Trying again alone') as string },
    ],
  });
});

it('tells an agent about a defect of ours only that the call was not made', () => {
  const { body } = failureForAgent('echo', new Error('connect ECONNREFUSED /secret'));
  expect(body).toEqual({ code: 'TOOL_FAILED', ...told });
  expect(body.message).not.toContain('secret');
});

it('is notified of each call, including refused ones', async () => {
  let calls = 0;
  const gateway = gatewayTo(store, [echo({})], { onCall: () => calls++ });
  await gateway.refused({}, { tool: 'none' });
  await gateway.refused({}, { tool: 'none', caller: 'macro' });
  expect(calls).toBe(2);
});

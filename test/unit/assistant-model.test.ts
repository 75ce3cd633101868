import type { Entry } from '../../src/contract/assistant';
import { askModel } from '../helpers/ask-model';

const HELLO: Entry[] = [{ role: 'person', text: 'hello', tokens: 1 }];
const delta = (part: object) => ({ choices: [{ index: 0, delta: part }] });
const call = (index: number, part: object) => delta({ tool_calls: [{ index, ...part }] });
const called = (index: number, id: string, args: string) =>
  call(index, { id, type: 'function', function: { name: 'save', arguments: args } });
const finish = (finish_reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason }] });

it('marks an answer that the model did not finish', async () => {
  const chunks = (reason: string) => [delta({ content: 'The first three are' }), finish(reason)];
  expect((await askModel(HELLO, chunks('stop'))).answer.text).toBe('The first three are');
  expect((await askModel(HELLO, chunks('length'))).answer.text).toBe(
    'The first three are\n[The answer was cut here: it is over the limit of an answer.]',
  );
  const { answer } = await askModel(HELLO, [delta({ content: 'x'.repeat(60_000) }), finish('stop')]);
  expect(answer.text).toMatch(/^x{50000}\n\[The answer was cut here/);
});

it('marks the calls of an answer that the model did not finish, and of no other', async () => {
  const calls = [called(0, 'a', '{"n":1}'), called(1, 'b', '{"n":')];
  const { answer } = await askModel(HELLO, [...calls, finish('length')]);
  expect(answer.calls).toEqual([
    { id: 'a', tool: 'save', args: { n: 1 }, cut: true },
    { id: 'b', tool: 'save', unreadable: expect.any(String) as string, cut: true },
  ]);
  const whole = await askModel(HELLO, [...calls.slice(0, 1), finish('tool_calls')]);
  expect(whole.answer.calls).toEqual([{ id: 'a', tool: 'save', args: { n: 1 } }]);
});

it('keeps the digits of large numbers if two calls have the same id', async () => {
  const chunks = ['9007199254740993', '9007199254740995'].map((n, at) => called(at, 'same', `{"n":${n}}`));
  const { answer } = await askModel(HELLO, [...chunks, finish('tool_calls')]);
  expect(answer.calls.map(({ args }) => args)).toEqual([
    { n: '9007199254740993' },
    { n: '9007199254740995' },
  ]);
});

it.each([
  [{ message: 'Quota is over\nfor key-of-the-model' }, 'ADAPTER_UNAVAILABLE', 'Quota is over for …', false],
  [{ message: 'Too long', code: 400 }, 'TOOL_FAILED', 'The model refused with 400: Too long', true],
  [{ message: 'Overloaded', code: '503' }, 'ADAPTER_UNAVAILABLE', 'failed with 503: Overloaded', false],
  [{ message: 'Slow down', code: 429 }, 'RATE_LIMITED', 'The model is asked too often.', false],
  [{ message: 'Slow down', type: 'rate_limit_error' }, 'RATE_LIMITED', 'asked too often', false],
  [{ message: 'No such key', code: 401 }, 'CREDENTIALS_INVALID', 'The model refuses our key.', true],
])('gives the reason of an error within the stream: %j', async (error, type, message, nonRetryable) => {
  const failed = askModel(HELLO, [delta({ content: 'One' }), { error }, finish('stop')]);
  await expect(failed).rejects.toMatchObject({
    ...{ type, nonRetryable },
    message: expect.stringContaining(message) as string,
  });
});

it('sends a provider no message without content, which it would refuse', async () => {
  const { sent } = await askModel(
    [
      ...HELLO,
      { role: 'model', text: '', calls: [], tokens: 1 },
      { role: 'notice', text: 'Your answer was empty.', tokens: 1 },
      { role: 'model', text: ' \n', calls: [{ id: 'c', tool: 'save', args: {} }], tokens: 1 },
      { role: 'tool', call_id: 'c', tool: 'save', output: 'done', tokens: 1 },
    ],
    [finish('stop')],
  );
  const { messages } = JSON.parse(sent) as { messages: { role: string; content?: unknown }[] };
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'assistant', 'tool']);
  expect(messages[3]?.content ?? '').toBe('');
});

it('gives a model the date, the time and the zone below what the person says', async () => {
  const at = Date.parse('2026-11-28T20:10:00Z');
  const { sent } = await askModel(
    [
      { role: 'person', text: 'move it to Friday', at, zone: 'Europe/Berlin', tokens: 40 },
      { role: 'notice', text: 'The operation has ended.', at, tokens: 40 },
    ],
    [finish('stop')],
  );
  const { messages } = JSON.parse(sent) as { messages: { content: string }[] };
  expect(messages.slice(1).map(({ content }) => content)).toEqual([
    'move it to Friday\n[batchgate] It is 2026-11-28 21:10 (Saturday), Europe/Berlin (UTC+01:00).',
    '[batchgate] The operation has ended.\n[batchgate] It is 2026-11-28 20:10 (Saturday), UTC.',
  ]);
});

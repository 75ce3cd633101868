import { followTurn, getAssistant, setProfile } from '../../src/client';
import { MAX_ENTRIES } from '../../src/contract/scratchpad';
import {
  SECRET,
  answering,
  calls,
  choose,
  harness,
  lose,
  replies,
  requests,
  say,
  told,
  turnOf,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { gateway } from '../helpers/harness';

// Only its timeout shows that a call was lost, so the timeout is short.
useAssistantStage(undefined, undefined, () => Promise.resolve({ settings: { tool_timeout_ms: 4_000 } }));

it('tells the model what is wrong with its arguments, and accepts the corrected call', async () => {
  replies(
    choose('archive'),
    use('lookup_slowly', '{"q": '),
    use('lookup_slowly', { q: 1 }),
    use('lookup_slowly', { q: 'pear' }),
    { text: 'found' },
  );
  const turn = await turnOf('malformed', 'look a pear up');
  expect(turn).toMatchObject({
    state: 'answered',
    calls: [{ state: 'failed' }, { state: 'failed' }, { state: 'done' }],
  });
  expect(turn.calls[0]?.said).toContain('[GATEWAY ERROR]');
  expect(turn.calls[1]?.said).toContain('[HINT]: Enclose the value in quotes.');
});

it('uses the declared fallback if a tool is not available', async () => {
  replies(choose('web'), use('lookup', { q: 'plum' }), { text: 'about plums' });
  expect(await turnOf('fallback', 'look a plum up')).toMatchObject({
    state: 'answered',
    calls: [
      { tool: 'lookup', state: 'failed' },
      { tool: 'lookup_slowly', state: 'done' },
    ],
  });
  expect(told()).toContain('about plum');
});

it('does not fall back to a call that failed, if two tools are fallbacks of each other', async () => {
  replies(choose('web'), use('lookup', { q: 'nothing' }), { text: 'Neither of the two answers.' });
  expect(await turnOf('mutual', 'look it up')).toMatchObject({
    ...{ state: 'answered', answer: 'Neither of the two answers.' },
    calls: [
      { tool: 'lookup', state: 'failed' },
      { tool: 'lookup_slowly', state: 'failed' },
    ],
  });
  expect(told()).toContain('the archive is closed');
});

it('uses the fallback of a tool that changes data only if that tool cannot have changed anything', async () => {
  replies(choose('web'), use('post', { to: 'bob' }), use('post', { to: 'ana' }), { text: 'One is sent.' });
  expect(await turnOf('changing-fallback', 'send it')).toMatchObject({
    state: 'answered',
    calls: [
      { tool: 'post', state: 'failed', said: expect.stringContaining('the connection broke') as string },
      { tool: 'post', state: 'failed', said: expect.stringContaining('The gate is closed.') as string },
      { tool: 'send_once', state: 'done' },
    ],
  });
  expect(calls).toEqual(['send_once ana']);
});

it('asks the person if a reference is missing, and continues with the answer', async () => {
  replies(choose('archive'), use('lookup_slowly', { q: 'ref:list' }), { text: 'thanks' });
  expect(await turnOf('reference', 'look my list up')).toMatchObject({
    state: 'asks',
    answer: expect.stringContaining("'ref:list'") as string,
  });
  expect(await turnOf('reference', 'it is: pears')).toMatchObject({ answer: 'thanks' });
  expect(requests.at(-1)?.messages.at(-2)).toMatchObject({
    role: 'assistant',
    content: expect.stringContaining("'ref:list' is not saved in this session") as string,
  });
});

it('ends gracefully when the same call fails twice', async () => {
  replies(choose('bulk'), use('get_bulk_status', { operation_id: 'none' }));
  const { state, answer } = await turnOf('persistent', 'how is none?');
  expect(state).toBe('ended');
  expect(answer).toMatch(
    /^I stopped: the same call of get_bulk_status failed twice\.\nFound: nothing\.\nDone: nothing/,
  );
  expect(requests).toHaveLength(3);
});

it('takes two malformed calls with different arguments for two calls, and two equal ones for one', async () => {
  replies(
    choose('archive'),
    use('lookup_slowly', '{"q": '),
    use('lookup_slowly', '{"q": "pe'),
    use('lookup_slowly', '["pear"]'),
    use('lookup_slowly', { q: 'pear' }),
    { text: 'found' },
  );
  expect(await turnOf('two-malformed', 'look a pear up')).toMatchObject({ state: 'answered' });
  replies(choose('archive'), use('lookup_slowly', '{"q": '), use('lookup_slowly', '{"q": '));
  expect(await turnOf('one-malformed', 'look a pear up')).toMatchObject({
    ...{
      state: 'ended',
      answer: expect.stringContaining('the same call of lookup_slowly failed twice') as string,
    },
  });
});

it('never repeats a call whose effect is unknown', async () => {
  lose.next = true;
  const send = use('send_once', { to: 'ana' });
  replies(choose('web'), send, send, { text: 'I do not know whether it was sent.' });
  const { calls: made } = await turnOf('unknown', 'send it');
  expect(made.map(({ state }) => state)).toEqual(['failed', 'refused']);
  expect(made[0]?.said).toContain('Its effect is unknown');
  expect(calls).toEqual(['send_once ana']);
});

it('does not fall back to a call whose effect is unknown', async () => {
  lose.next = true;
  const to = { to: 'ana' };
  replies(choose('web'), use('send_once', to), use('post', to), {
    text: 'I do not know whether it was sent.',
  });
  const { state, calls: made } = await turnOf('unknown-fallback', 'send it');
  expect(state).toBe('answered');
  expect(made.map((call) => [call.tool, call.state])).toEqual([
    ['send_once', 'failed'],
    ['post', 'failed'],
  ]);
  expect(calls).toEqual(['send_once ana']);
});

it('waits as long as a provider asks, survives malformed answers and a broken stream, and shows no key', async () => {
  replies(
    { status: 429, retry_after: 1 },
    { garbage: 'data: {"not": \n\n' },
    { text: 'a b c', break_after: 2 },
    { text: 'here' },
  );
  expect(await turnOf('provider', 'hello')).toMatchObject({ state: 'answered', answer: 'here' });
  expect(requests).toHaveLength(4);
  replies({ status: 401 });
  const refused = await turnOf('provider', 'hello again');
  expect(refused).toMatchObject({ state: 'ended', error: { code: 'CREDENTIALS_INVALID' } });
  expect(JSON.stringify(refused)).not.toContain('key-of-the-model');
});

it("keeps a turn within the limits of its session's profile, and refuses each call beyond them with a hint", async () => {
  await setProfile(
    harness.client,
    { op_max_steps: 4, op_max_tool_calls_per_step: 2, op_max_total_tool_calls: 3 },
    'narrow',
    harness.taskQueue,
  );
  const three = { calls: ['a', 'b', 'c'].map((q) => ({ tool: 'lookup_slowly', args: { q } })) };
  replies(choose('archive'), three);
  const { state, answer, calls: made } = await turnOf('narrow', 'look them up', { profile: 'narrow' });
  expect(made.map(({ state: one }) => one)).toEqual([
    'refused',
    'done',
    'done',
    'refused',
    'refused',
    'done',
    'refused',
    'refused',
    'refused',
  ]);
  expect(made.filter(({ said }) => said?.includes('op_max_tool_calls_per_step'))).toHaveLength(3);
  expect(made.filter(({ said }) => said?.includes('op_max_total_tool_calls'))).toHaveLength(3);
  expect(state).toBe('ended');
  expect(answer).toContain('the 4 steps of one request are used up (op_max_steps)');
  expect(answer).toContain('Found:\n- lookup_slowly: {"found":"about a"}');
});

it('keeps a long message, a long result and a long history in the scratchpad, and shows the model their ref', async () => {
  const limits = {
    op_user_input_limit_tokens: 100,
    op_tool_output_limit_tokens: 200,
    op_context_limit_tokens: 1_000,
  };
  await setProfile(harness.client, limits, 'short', harness.taskQueue);
  const text = `Summarise: ${'orange '.repeat(300)}`;
  replies(choose('archive'), use('lookup_slowly', { q: 'much' }), { text: 'done' });
  expect(await turnOf('short', text, { profile: 'short' })).toMatchObject({ answer: 'done' });
  const shown = requests.at(-1)?.messages.find(({ role }) => role === 'user')?.content ?? '';
  expect(shown).toMatch(
    /^ref:message-1 \(30\d tokens, kept in the scratchpad\)\. It begins:\nSummarise: orange/,
  );
  expect(shown.length).toBeLessThan(400);
  expect(told()).toContain('[TRUNCATED]');
  const key = /ref:(output-\S+?)\./.exec(told())?.[1] ?? '';
  const kept = await harness.store.scratchpad.read('short', ['message-1', key]);
  expect(kept.get('message-1')).toBe(text);
  expect(kept.get(key)).toEqual({ found: 'word '.repeat(2_000) });
  answering(({ messages, tools: offered }) =>
    messages[0]?.content?.startsWith('You condense')
      ? { text: 'They asked about fruit.' }
      : (offered.length > 0 && { text: 'apple '.repeat(300) }) || {},
  );
  for (let turn = 0; turn < 6; turn++) await turnOf('short', `and more, ${turn}`);
  const { context_tokens } = await getAssistant(harness.client, 'short');
  expect(context_tokens).toBeLessThan(1_500);
  const summary = requests
    .at(-1)
    ?.messages.find(({ content }) => content?.includes('They asked about fruit.'));
  const ref = /ref:(history-\S+)/.exec(summary?.content ?? '')?.[1] ?? '';
  expect(String((await harness.store.scratchpad.read('short', [ref])).get(ref))).toContain('PERSON: ');
});

it('condenses the conversation if the scratchpad is full, and tells the model that the original was not kept', async () => {
  await setProfile(harness.client, { op_context_limit_tokens: 1_000 }, 'full', harness.taskQueue);
  const { scratchpad } = harness.store;
  for (let at = 0; at < MAX_ENTRIES; at++) await scratchpad.save('full', `note-${at}`, 'full');
  answering(({ messages, tools: offered }) =>
    messages[0]?.content?.startsWith('You condense')
      ? { text: 'They asked about fruit.' }
      : (offered.length > 0 && { text: 'apple '.repeat(400) }) || {},
  );
  for (const text of ['one', 'two', 'three', 'four', 'five'])
    expect(await turnOf('full', text, { profile: 'full' })).toMatchObject({ state: 'answered' });
  const asked = requests.filter(({ tools: offered }) => offered.length > 0).at(-1)?.messages;
  expect(asked?.map(({ content }) => content)).toContainEqual(
    expect.stringMatching(/condensed; the originals were not kept\nThey asked about fruit/),
  );
});

/** Condenses what it is given, and otherwise answers with a word. */
const condensing = () =>
  answering(({ messages }) => ({
    text: messages[0]?.content?.startsWith('You condense') ? 'They sent words.' : 'Thanks.',
  }));

const promptBytes = () => Buffer.byteLength(JSON.stringify(requests.at(-1)?.messages));

it('condenses a conversation that is large in bytes before it is large in tokens', async () => {
  const wide = { op_user_input_limit_tokens: 1_000_000, op_context_limit_tokens: 2_000_000 };
  await setProfile(harness.client, wide, 'bytes', harness.taskQueue);
  condensing();
  for (const word of ['pear ', 'plum ', 'lime ', 'kiwi '])
    expect(await turnOf('bytes', word.repeat(38_000), { profile: 'bytes' })).toMatchObject({
      answer: 'Thanks.',
    });
  expect(promptBytes()).toBeLessThan(500_000);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain('They sent words.');
  const kept = await harness.store.scratchpad.read('bytes', ['history-4-0']);
  expect(String(kept.get('history-4-0'))).toContain('PERSON: pear pear');
});

it('answers a message that would fill the whole conversation, and the next one', async () => {
  await setProfile(harness.client, { op_context_limit_tokens: 1_000 }, 'filled', harness.taskQueue);
  condensing();
  const long = 'pear '.repeat(3_000);
  expect(await turnOf('filled', long, { profile: 'filled' })).toMatchObject({ answer: 'Thanks.' });
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain('ref:message-1 (');
  expect(await turnOf('filled', 'and now?')).toMatchObject({ answer: 'Thanks.' });
});

it('puts no secret into a prompt, whoever wrote it', async () => {
  replies(choose('archive'), use('lookup_slowly', { q: SECRET }), { text: `it is ${SECRET}` });
  const { answer } = await turnOf('secret', `my key is ${SECRET}`);
  expect(answer).toBe('it is …');
  expect(JSON.stringify(requests)).not.toContain(SECRET);
});

it('streams no beginning of a secret', async () => {
  const { opened, open } = gateway();
  replies({ text: `It is ${SECRET.slice(0, 10)}`, until: opened });
  const receipt = await say('secret-stream', 'what is it?');
  if (receipt.to !== 'assistant') throw new Error('no turn');
  const texts: string[] = [];
  for await (const event of followTurn(harness.client, 'secret-stream', receipt.number)) {
    if (!('text' in event)) continue;
    texts.push(event.text);
    if (event.text === 'It is ') open();
  }
  expect(texts.at(-1)).toBe('It is ');
});

it('puts no part of a secret into a prompt if a long message or history is cut', async () => {
  const { client, taskQueue } = harness;
  await setProfile(client, { op_user_input_limit_tokens: 100 }, 'cut', taskQueue);
  await setProfile(client, { op_context_limit_tokens: 1_000 }, 'fold', taskQueue);
  answering(({ messages, tools: offered }) =>
    messages[0]?.content?.startsWith('You condense')
      ? { text: 'They sent keys.' }
      : (offered.length > 0 && { text: 'I see.' }) || {},
  );
  // For some of these lengths, the part that is shown ends within the secret.
  for (const words of [9, 11, 13, 15, 17, 19])
    await turnOf('cut', `${'key '.repeat(words)}${SECRET} ${'and so on '.repeat(60)}`, { profile: 'cut' });
  // The history is condensed in parts, and the middle of the first message is within the secret.
  const many = 'word '.repeat(320);
  await turnOf('fold', `${many}${SECRET}, which ${many}`, { profile: 'fold' });
  await turnOf('fold', `${many}${many}`);
  const condensed = requests.filter(({ tools: offered }) => offered.length === 0);
  expect(condensed.length).toBeGreaterThanOrEqual(2);
  expect(JSON.stringify(requests)).not.toContain(SECRET.slice(0, 4));
});

import {
  getAssistant,
  getBulkStatus,
  getJobs,
  getMacroTurn,
  getProposedMacro,
  listJobs,
  setProfile,
} from '../../src/client';
import {
  calls,
  choose,
  ended,
  harness,
  replies,
  requests,
  say,
  told,
  tool,
  turnOf,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { caughtUp } from '../helpers/look-again';

useAssistantStage();

const send = (to: string) => ({ type: 'command', command: 'send_once', args: { to } });
const propose = (steps: object[], more: object = {}, args?: object) =>
  use('propose_macro', { macro: { name: 'letters', steps, ...more }, ...(args && { args }) });
const runOf = (session: string) =>
  caughtUp(async () => {
    const jobs = await listJobs(harness.client, { session_id: session, task_queue: harness.taskQueue });
    const macro = jobs.find((job) => job.kind === 'macro');
    if (!macro) throw new Error(`The list shows no macro of ${session}.`);
    return macro.run_id;
  });
/** Answers the question with which the turn ended. */
const answer = (session: string, text: string, asked?: { digest: string }) =>
  say(session, text, asked ? { seen: asked } : {});

it('shows the whole macro before anything runs, runs it when the person agrees, and reports its end', async () => {
  const steps = [
    { type: 'loop', list: '{{.people}}', iterator: 'one', steps: [send('{{.one}}')] },
    { type: 'if', condition: 'size(people) > 1', then: [send('boss')], else: [send('nobody')] },
  ];
  replies(
    choose('macros'),
    propose(steps, { parameters: ['people'], description: 'Writes' }, { people: ['ann', 'bob'] }),
    { text: 'It ran.' },
  );
  const turn = await turnOf('macro-of-mails', 'write to ann and bob, and to the boss');
  expect(turn.state).toBe('asks');
  for (const part of [
    'the macro “letters”',
    '“Writes”',
    'args {"people":["ann","bob"]}',
    'loop one {"list":"{{.people}}","iterator":"one"}',
    'command send_once {"command":"send_once","args":{"to":"{{.one}}"}}',
    'if size(people) > 1',
    '{"command":"send_once","args":{"to":"nobody"}}',
    "Say 'run' to run it",
  ])
    expect(turn.answer).toContain(part);
  expect(calls).toEqual([]);
  expect(await getProposedMacro(harness.client, await runOf('macro-of-mails'))).toMatchObject({
    name: 'letters',
    steps,
  });
  const before = requests.length;
  expect(await answer('macro-of-mails', 'run', turn.asked)).toMatchObject({ to: 'question' });
  expect(await ended('macro-of-mails', turn.number + 1)).toMatchObject({
    about: 'outcome',
    answer: 'It ran.',
  });
  expect(calls).toEqual(['send_once ann', 'send_once bob', 'send_once boss']);
  expect(requests.slice(before)).toHaveLength(1);
  expect(requests.at(-1)?.messages.at(-1)?.content).toMatch(
    /^\[batchgate\] The macro run macro-\w+ has ended: it was run to its end/,
  );
});

it('shares the slot of its assistant, and runs nothing that the person rejects', async () => {
  replies(choose('macros'), propose([send('ann')]), { text: 'Dropped.' });
  const turn = await turnOf('drop', 'write to ann');
  const jobs = (await getJobs(harness.client, harness.taskQueue)).filter(
    ({ session_id }) => session_id === 'drop',
  );
  expect(jobs).toMatchObject([
    { kind: 'assistant' },
    { kind: 'macro', parent: { job_id: 'assistant-drop' } },
  ]);
  expect(await answer('drop', 'no', turn.asked)).toMatchObject({ to: 'question' });
  expect(await ended('drop', turn.number + 1)).toMatchObject({ answer: 'Dropped.' });
  expect(requests.at(-1)?.messages.at(-1)?.content).toContain('the person dropped it, and nothing was run');
  // A late yes answers nothing.
  const late = await answer('drop', 'run', turn.asked);
  if (late.to !== 'assistant') throw new Error('the late yes was taken for an answer');
  await ended('drop', late.number);
  expect(calls).toEqual([]);
});

it('drops an unanswered macro once the session is idle, and frees the slot', async () => {
  await setProfile(harness.client, { op_idle_threshold_seconds: 1 }, 'brief', harness.taskQueue);
  replies(choose('macros'), propose([send('ann')]), { text: 'Nobody was there.' });
  const turn = await turnOf('away', 'write to ann', { profile: 'brief' });
  const outcome = await ended('away', turn.number + 1);
  expect(outcome).toMatchObject({ about: 'outcome', answer: 'Nobody was there.' });
  expect(outcome.text).toContain('nobody answered in time, and nothing was run');
  expect(await harness.client.workflow.getHandle('assistant-away').result()).toMatchObject({
    state: 'cleared',
  });
  const jobs = await getJobs(harness.client, harness.taskQueue);
  expect(jobs.filter(({ session_id }) => session_id === 'away')).toEqual([]);
  expect(calls).toEqual([]);
});

it('asks again after an unclear answer, or one for another question, and does not ask the model', async () => {
  replies(choose('macros'), propose([send('ann')]));
  const turn = await turnOf('unclear', 'write to ann');
  const before = requests.length;
  expect(await answer('unclear', 'run', { digest: 'another' })).toMatchObject({
    turn: { reply: turn.answer, asked: turn.asked },
  });
  expect(await answer('unclear', 'why not tomorrow?', turn.asked)).toMatchObject({
    turn: { error: { code: 'INVALID_INPUT' }, asked: turn.asked },
  });
  expect(requests).toHaveLength(before);
  // An agent cannot answer for a person.
  replies({ text: 'Only the person may say so.' });
  const asAgent = await say('unclear', 'run', { seen: turn.asked, may_decide: false });
  if (asAgent.to !== 'assistant') throw new Error('an agent answered');
  await ended('unclear', asAgent.number);
  expect(await getMacroTurn(harness.client, await runOf('unclear'))).toMatchObject({
    state: 'awaiting_answer',
  });
  expect(calls).toEqual([]);
});

it('asks before each batch of an operation in the macro, as always', async () => {
  const args = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 20 };
  replies(choose('macros'), propose([{ type: 'command', command: 'start_bulk_operation', args }]), {
    text: 'Marked.',
  });
  const turn = await turnOf('within', 'mark them by a macro');
  await answer('within', 'run', turn.asked);
  const run = await runOf('within');
  for (let asks = false; !asks;) {
    const { operations: [id] = [], error } = await getMacroTurn(harness.client, run);
    if (error) throw new Error(error.message);
    asks = id !== undefined && (await getBulkStatus(harness.client, id)).needs_confirmation;
  }
  expect(tool.touched.size).toBe(0);
  for (const reply of ['(20/25 total)', 'Processed 25/25'])
    expect(await say('within', 'continue')).toMatchObject({
      turn: { reply: expect.stringContaining(reply) as string },
    });
  expect(await ended('within', turn.number + 1)).toMatchObject({ answer: 'Marked.' });
  expect(tool.touched.size).toBe(25);
});

it('counts the calls of the macro and of all macros in it against the limit of the session’s profile', async () => {
  await setProfile(harness.client, { op_max_total_tool_calls: 4 }, 'few', harness.taskQueue);
  // Only the run knows how long this list is. A list that validation can count is refused before the run.
  const steps = [
    { type: 'set', variable: 'people', expression: '["a", "b", "c", "d", "e", "f"]' },
    { type: 'loop', list: 'people', iterator: 'one', steps: [send('{{.one}}')] },
  ];
  replies(choose('macros'), propose(steps), { text: 'It failed.' });
  const turn = await turnOf('budget', 'write to six', { profile: 'few' });
  await answer('budget', 'run', turn.asked);
  const outcome = await ended('budget', turn.number + 1);
  expect(outcome.text).toContain('failed (MACRO_FAILED)');
  expect(await getMacroTurn(harness.client, await runOf('budget'))).toMatchObject({
    ...{ state: 'failed', calls: 4, calls_limit: 4 },
    error: { message: expect.stringContaining('4 calls, the maximum') as string },
  });
  expect(calls).toHaveLength(4);
});

it.each([
  ['an unknown tool', [{ type: 'command', command: 'format_disk' }], {}, 'format_disk'],
  ['a step of no kind', [{ type: 'set' }], {}, 'steps\\[0\\].variable'],
  ['too much to show', [send('a'.repeat(2_000))], {}, 'a person is shown 2000'],
  ['a name that is too long', [send('ann')], { name: 'x'.repeat(145) }, 'its name has more than'],
])('tells the model what is wrong with %s, and asks nobody', async (what, steps, more, said) => {
  const session = what.replaceAll(' ', '-');
  replies(choose('macros'), propose(steps, more), { text: 'I cannot.' });
  expect(await turnOf(session, 'do it')).toMatchObject({
    ...{ state: 'answered', calls: [{ tool: 'propose_macro', state: 'failed' }] },
  });
  expect(told()).toMatch(new RegExp(said));
  expect((await getAssistant(harness.client, session)).state).toBe('idle');
});

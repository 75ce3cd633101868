import {
  cancelJob,
  findAssistant,
  followTurn,
  getAssistant,
  getBulkStatus,
  getCooldown,
  handleMessage,
  sayInSession,
  setProfile,
  stopAssistant,
  type TurnEvent,
} from '../../src/client';
import {
  answering,
  calls,
  choose,
  ended,
  harness,
  lose,
  options,
  replies,
  requests,
  say,
  start,
  tool,
  turnOf,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { gateway, startHarness } from '../helpers/harness';

// Only its timeout shows that a call was lost, so the timeout is short.
useAssistantStage(undefined, undefined, () => Promise.resolve({ settings: { tool_timeout_ms: 4_000 } }));

it('turns a request into an operation of its session, whose questions only the person answers, and reports its end', async () => {
  replies(choose('bulk'), start, { text: 'All 25 are marked.' });
  const turn = await turnOf('wish', 'mark everything');
  const [id = ''] = turn.operations;
  expect(turn).toMatchObject({ state: 'waits', calls: [{ tool: 'start_bulk_operation', state: 'done' }] });
  expect(await getBulkStatus(harness.client, id)).toMatchObject({
    session_id: 'wish',
    state: 'awaiting_confirmation',
  });
  expect(tool.touched.size).toBe(0);
  // An open question of the session gets the message before the model does.
  for (const reply of ['(10/25 total)', '(20/25 total)', 'Completed! Processed 25/25']) {
    const said = await say('wish', 'continue');
    expect(said).toMatchObject({ to: 'question', turn: { reply: expect.stringContaining(reply) as string } });
  }
  expect(requests).toHaveLength(2);
  const outcome = await ended('wish', turn.number + 1);
  expect(outcome).toMatchObject({ about: 'outcome', state: 'answered', answer: 'All 25 are marked.' });
  expect(requests.at(-1)?.messages.at(-1)?.content).toMatch(/^\[batchgate\] The operation .* Completed!/);
  expect(new Set(tool.touched.values())).toEqual(new Set([1]));
});

it('ends only once the calls that were made with the start of an operation have their results too', async () => {
  lose.next = true;
  replies(choose('bulk', 'web'), {
    calls: [...(start.calls ?? []), { tool: 'send_once', args: { to: 'ana' } }],
  });
  const turn = await turnOf('beside', 'mark everything, and tell ana');
  expect(turn).toMatchObject({
    state: 'waits',
    calls: [
      { tool: 'start_bulk_operation', state: 'done' },
      { tool: 'send_once', state: 'failed' },
    ],
  });
  await handleMessage(harness.client, 'beside', 'cancel', options());
  await ended('beside', turn.number + 1);
});

it('continues while an operation waits, and passes the model only messages about something else', async () => {
  replies(choose('bulk'), start, { text: 'It is a fruit.' });
  const { operations } = await turnOf('apart', 'mark everything');
  expect(await turnOf('apart', 'what is a quince?')).toMatchObject({ answer: 'It is a fruit.' });
  // After a message about something else, a bare yes is asked back and does not reach the model.
  const before = requests.length;
  expect(await say('apart', 'yes')).toMatchObject({ to: 'question', turn: { intent: 'unknown' } });
  expect(requests).toHaveLength(before);
  expect((await getAssistant(harness.client, 'apart')).operations).toEqual(operations);
  const { turns } = await getAssistant(harness.client, 'apart');
  await handleMessage(harness.client, 'apart', 'cancel', options());
  expect(await ended('apart', (turns.at(-1)?.number ?? 0) + 1)).toMatchObject({ about: 'outcome' });
});

it('offers the model only the tools of the categories that it chose', async () => {
  replies(use('lookup_slowly', { q: 'x' }), choose('archive'), use('lookup_slowly', { q: 'x' }), {
    text: 'ok',
  });
  expect(await turnOf('routing', 'look x up')).toMatchObject({
    state: 'answered',
    calls: [
      { state: 'failed', said: expect.stringContaining('which was not requested') as string },
      { state: 'done' },
    ],
  });
  expect(requests[0]?.tools).toEqual(['choose_tools', 'ask_person']);
  expect(requests[2]?.tools).toEqual(['choose_tools', 'ask_person', 'lookup_slowly']);
  expect(calls).toEqual(['lookup_slowly x']);
});

it('refuses a choice of categories that no tool has, and names them', async () => {
  replies(choose('archive', 'post_office'), choose('archive'), use('lookup_slowly', { q: 'z' }), {
    text: 'ok',
  });
  expect(await turnOf('unheard-of', 'look z up')).toMatchObject({ state: 'answered' });
  const [, second, third] = requests;
  expect(JSON.stringify(second?.messages)).toContain(
    "no tool has the category 'post_office'. [HINT]: Use only",
  );
  expect(second?.tools).toEqual(['choose_tools', 'ask_person']);
  expect(third?.tools).toContain('lookup_slowly');
});

it('offers the tools of a choice from the next step on, and makes no earlier calls of them', async () => {
  const look = { tool: 'lookup_slowly', args: { q: 'early' } };
  const choice = { tool: 'choose_tools', args: { categories: ['archive'] } };
  replies({ calls: [choice, look] }, { calls: [look] }, { text: 'ok' });
  const { calls: made } = await turnOf('early', 'look it up');
  expect(made.map(({ state }) => state)).toEqual(['failed', 'done']);
  expect(made[0]?.said).toContain("of the category 'archive', which was not requested");
  expect(calls).toEqual(['lookup_slowly early']);
});

it('streams the text while the model writes it, and keeps no step of it in the history', async () => {
  const { opened, open } = gateway();
  replies({ text: 'One two three.', until: opened });
  const said = await say('stream', 'count');
  if (said.to !== 'assistant') throw new Error('no turn');
  const seen: TurnEvent[] = [];
  for await (const event of followTurn(harness.client, 'stream', said.number)) {
    seen.push(event);
    if ('text' in event && event.text === 'One two three.') open();
  }
  expect(seen.at(-1)).toMatchObject({ turn: { answer: 'One two three.' } });
  expect(seen.length).toBeGreaterThan(1);
});

it('stops the turn and not the operation, and accepts the next message', async () => {
  replies(choose('bulk'), start, { text: 'later', until: gateway().opened });
  const { operations } = await turnOf('stop', 'mark everything');
  const said = await say('stop', 'tell me a story');
  if (said.to !== 'assistant') throw new Error('no turn');
  await stopAssistant(harness.client, 'stop', said.number);
  expect(await ended('stop', said.number)).toMatchObject({ state: 'stopped' });
  expect(await getBulkStatus(harness.client, operations[0] ?? '')).toMatchObject({
    needs_confirmation: true,
  });
  replies({ text: 'hello' });
  expect(await turnOf('stop', 'hello?')).toMatchObject({ answer: 'hello' });
  const texts = requests.at(-1)?.messages.map(({ content }) => content ?? '') ?? [];
  expect(texts.at(-2)).toMatch(/^\[batchgate\] The person stopped this turn\. Do not go on with it/);
});

it('gives the model the date, the time and the zone of the person who writes', async () => {
  replies({ text: 'Sunday.' });
  await turnOf('clock', 'which day is tomorrow?', { zone: 'Asia/Tokyo' });
  expect(requests.at(-1)?.messages.at(-1)?.content).toMatch(
    /^which day is tomorrow\?\n\[batchgate\] It is \d{4}-\d\d-\d\d \d\d:\d\d \(\w+day\), Asia\/Tokyo \(UTC\+09:00\)\.$/,
  );
});

it('shows the text beside a question, and the question below it', async () => {
  const question = { tool: 'ask_person', args: { question: 'Which one?' } };
  replies({ text: 'There are two Anas.', calls: [question] }, { text: 'Thanks.' });
  expect(await turnOf('beside-question', 'write to Ana')).toMatchObject({
    ...{ state: 'asks', answer: 'There are two Anas.\n\nWhich one?' },
  });
});

it('continues in the middle of a turn on another worker, and accepts a repeated message once', async () => {
  const { opened, open } = gateway();
  const heard = gateway();
  let asked = 0;
  answering(() => {
    heard.open();
    return asked++ === 0 ? { text: 'lost', until: opened } : { text: 'here again' };
  });
  const first = await say('restart', 'hello', { message_id: 'm1' });
  await heard.opened;
  await harness.restartWorker();
  open();
  if (first.to !== 'assistant') throw new Error('no turn');
  expect(await ended('restart', first.number)).toMatchObject({ state: 'answered', answer: 'here again' });
  expect(await say('restart', 'hello', { message_id: 'm1' })).toEqual(first);
  expect((await getAssistant(harness.client, 'restart')).turns).toHaveLength(1);
});

it('is one of the jobs, releases its slot when it is cancelled, and begins again with the next message', async () => {
  replies({ text: 'hello' });
  await turnOf('again', 'hello');
  expect(await cancelJob(harness.client, 'assistant-again')).toMatchObject({
    kind: 'assistant',
    status: { state: 'cancelled' },
  });
  expect(await turnOf('again', 'hello')).toMatchObject({ number: 1 });
  await setProfile(harness.client, { op_idle_threshold_seconds: 1 }, 'brief', harness.taskQueue);
  await turnOf('brief', 'hello', { profile: 'brief' });
  await harness.client.workflow.getHandle('assistant-brief').result();
  expect(await findAssistant(harness.client, 'brief')).toMatchObject({ state: 'cleared' });
  expect((await getCooldown(harness.client, harness.taskQueue))?.active).toBe(true);
});

it('says what to set if no model is configured', async () => {
  const without = await startHarness({ adapters: [tool.adapter] });
  try {
    const said = await sayInSession(without.client, 'no-model', 'hello', { task_queue: without.taskQueue });
    if (said.to !== 'assistant') throw new Error('no turn');
    for await (const event of followTurn(without.client, 'no-model', said.number)) {
      if ('turn' in event)
        expect(event.turn).toMatchObject({ state: 'ended', error: { code: 'NOT_CONFIGURED' } });
    }
  } finally {
    await without.close();
  }
});

import { randomUUID } from 'node:crypto';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import { noModel } from '../../src/contract/assistant';
import { demoScript } from '../../src/host/demo-model';
import {
  answering,
  choose,
  ended,
  harness,
  replies,
  requests,
  start,
  tool,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { readEvents, type EventReader, type SeenEvent } from './event-reader';
import { LABEL, SENDER, startGoogle } from '../helpers/google';
import { gateway } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

let google: Awaited<ReturnType<typeof startGoogle>>;
let http: HttpApi;

useAssistantStage(async () => {
  google = await startGoogle();
  const accessToken = () => Promise.resolve('reader');
  return [createGmailAdapter({ rootUrl: google.url, accessToken })];
});
beforeAll(async () => {
  http = await startHttpApi(harness, { hasModel: true });
});
afterAll(async () => {
  await http?.close();
  await google?.close();
});
afterEach(() => expect(http.failures.splice(0)).toEqual([]));

const say = (session: string, text: string, more: object = {}, key?: string) =>
  http.ask('POST', `/v1/sessions/${session}/messages`, {
    body: { text, assistant: true, ...more },
    ...(key !== undefined && { key }),
  });

async function listen(session: string, query = '', lastEventId?: string): Promise<EventReader> {
  const authorization = `Bearer ${await http.key('viewer')}`;
  const url = `${http.url}/v1/sessions/${session}/assistant/events${query}`;
  return readEvents(url, { authorization }, lastEventId);
}

const isEndOf = (turn: number) => (seen: SeenEvent[]) =>
  seen.some(({ event, data }) => event === 'turn' && data.number === turn);

/** The text of a step as a reader assembles it: each part replaces everything from its `at` on. */
const textOf = (seen: readonly SeenEvent[], step: number): string =>
  seen
    .filter(({ event, data }) => event === 'text' && data.step === step)
    .reduce((text, { data }) => text.slice(0, data.at) + data.text, '');

it('goes from a request to the question, the confirmations and the report, over HTTP alone', async () => {
  answering(demoScript);
  const { body: said } = await say('mail', `label all emails from ${SENDER} as ${LABEL}`, { by: 'Ada' });
  expect(said).toEqual({ handled: true, intent: 'unknown', reply: '', assistant: { turn: 1 } });
  const events = await listen('mail', '?turn=1');
  await events.until(isEndOf(1));
  const [question, end] = events.seen.slice(-2);
  expect(end).toMatchObject({ event: 'turn', data: { state: 'waits', about: 'message' } });
  expect(textOf(events.seen, 1)).toBe(`I plan to label the emails from ${SENDER}.`);
  expect(events.seen.find(({ event }) => event === 'call')?.data).toMatchObject({
    tool: 'start_bulk_operation',
  });
  expect(question).toMatchObject({
    event: 'question',
    data: { turn: 1, status: { total: 12, needs_confirmation: true, session_id: 'mail' } },
  });
  expect(await google.labelled()).toBe(0);
  const seenOf = (gate: any) => ({ batch: gate.number, attempt: gate.attempt, digest: gate.digest });
  const first = seenOf(question?.data.status.next_batch);
  const { body: turn } = await say('mail', 'continue', { seen: first, by: 'Ada' });
  expect(turn).toMatchObject({ handled: true, intent: 'continue', status: { processed: 10 } });
  expect(turn.assistant).toBeUndefined();
  expect(await google.labelled()).toBe(10);
  // The first question was for another batch.
  const late = await say('mail', 'continue', { seen: first });
  expect(late.body.error.code).toBe('STALE_CONFIRMATION');
  expect(await google.labelled()).toBe(10);
  const { body: last } = await say('mail', 'continue', { seen: turn.asked, by: 'Ada' });
  expect(last.status).toMatchObject({ state: 'completed', processed: 12 });
  await events.until(isEndOf(2));
  expect(events.seen.at(-1)?.data).toMatchObject({
    about: 'outcome',
    answer: 'That operation is over: ✅ Completed! Processed 12/12 items.',
  });
  events.leave();
  expect(await google.labelled()).toBe(12);
  const { operation_id, confirmations } = await harness.status(last.status.operation_id);
  expect(confirmations.filter(({ outcome }) => outcome === 'accepted').map(({ by }) => by)).toEqual([
    'Ada',
    'Ada',
  ]);
  const report = await http.ask('GET', `/v1/operations/${operation_id}/report?format=csv`);
  expect(report.body.split('\n').filter((row: string) => row.includes(',succeeded,'))).toHaveLength(12);
});

it('sends the answer while it is written, and a reader that reconnects gets the rest', async () => {
  const [half, whole] = [gateway(), gateway()];
  const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
  answering(() => ({ text: words, until: whole.opened }));
  await say('written', 'tell me much');
  const first = await listen('written', '?turn=1');
  await first.until((seen) => textOf(seen, 0).endsWith('word39'));
  expect(first.seen.some(({ event }) => event === 'turn')).toBe(false);
  first.leave();
  half.open();
  const { id } = first.seen.at(-1) ?? {};
  const second = await listen('written', '', id);
  whole.open();
  await second.until(isEndOf(1));
  // The stream does not repeat what was read before.
  expect(textOf([...first.seen, ...second.seen], 0)).toBe(words);
  expect(second.seen.map(({ event }) => event)).toEqual(['turn']);
  expect(second.seen[0]?.data).toMatchObject({ state: 'answered', answer: words });
  second.leave();
  // The end of the turn was read, so the stream continues with the next turn.
  replies({ text: 'and more' });
  const third = await listen('written', '', second.seen.at(-1)?.id);
  await say('written', 'go on');
  await third.until(isEndOf(2));
  expect(third.seen.every(({ event, data }) => (event === 'turn' ? data.number : data.turn) === 2)).toBe(
    true,
  );
  third.leave();
});

it('reports the calls of tools, and counts a repeated message once', async () => {
  replies(choose('archive'), use('lookup_slowly', { q: 'quinces' }), { text: 'They are fruit.' });
  const message_id = randomUUID();
  const [once, again] = [
    await say('calls', 'what are quinces?', { message_id }),
    await say('calls', 'what are quinces?', { message_id }),
  ];
  expect([once.body.assistant, again.body.assistant]).toEqual([{ turn: 1 }, { turn: 1 }]);
  const events = await listen('calls', '?turn=1');
  await events.until(isEndOf(1));
  const calls = events.seen.filter(({ event }) => event === 'call').map(({ data }) => data);
  expect(calls.at(-1)).toMatchObject({ turn: 1, number: 0, tool: 'lookup_slowly', state: 'done' });
  events.leave();
  const { body: status } = await http.ask('GET', '/v1/sessions/calls/assistant');
  expect(status).toMatchObject({ state: 'idle', turns: [{ answer: 'They are fruit.', state: 'answered' }] });
});

it('stops a turn and keeps the waiting operation', async () => {
  replies(choose('bulk'), start);
  await say('stopped', 'mark everything');
  const { operations } = await ended('stopped', 1);
  const held = gateway();
  answering(() => ({ text: 'a long story', until: held.opened }));
  await say('stopped', 'tell me a story');
  const events = await listen('stopped', '?turn=2');
  await events.until((seen) => textOf(seen, 0) === 'a long story');
  const stop = await http.ask('POST', '/v1/sessions/stopped/assistant/stop', { body: { turn: 2 } });
  expect(stop.status).toBe(200);
  await events.until(isEndOf(2));
  expect(events.seen.at(-1)?.data).toMatchObject({ number: 2, state: 'stopped' });
  held.open();
  expect(await harness.status(operations[0] ?? '')).toMatchObject({ state: 'awaiting_confirmation' });
  // Dismissing the assistant keeps the operation, too, and ends the stream.
  const cancelled = await http.ask('POST', '/v1/sessions/stopped/assistant/cancel');
  expect(cancelled.body.state).toBe('cancelled');
  await events.until((seen) => seen.at(-1)?.event === 'end');
  expect((await harness.status(operations[0] ?? '')).state).toBe('awaiting_confirmation');
  await http.ask('POST', `/v1/operations/${operations[0]}/cancel`);
});

it('lets an agent talk but not confirm, and accepts instructions only from roles that may start operations everywhere', async () => {
  replies(choose('bulk'), start, { text: 'I have noted that.' });
  const agent = await http.key('agent');
  const before = tool.touched.size;
  const { body: said } = await say('agent', 'mark everything', {}, agent);
  const { operations } = await ended('agent', said.assistant.turn);
  const asked = requests.length;
  const { body: turn } = await say('agent', 'continue', {}, agent);
  expect(turn).toMatchObject({ handled: true, intent: 'continue', error: { code: 'FORBIDDEN' } });
  expect([tool.touched.size, requests.length]).toEqual([before, asked]);
  for (const key of [await http.key('approver'), await http.key('operator', 'agent')]) {
    const refused = await say('agent', 'start something', {}, key);
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(refused.body.hint).toMatch(/^Leave `assistant` out/);
  }
  await http.ask('POST', `/v1/operations/${operations[0]}/cancel`);
});

it('says how to configure a model if there is none, after the open question got the message', async () => {
  const without = await startHttpApi(harness);
  const { operation_id } = await harness.start({ session_id: 'none' });
  const send = (text: string) =>
    without.ask('POST', '/v1/sessions/none/messages', { body: { text, assistant: true } });
  const refused = await send('what is a quince?');
  expect([refused.status, refused.body.code]).toEqual([422, 'NOT_CONFIGURED']);
  expect(refused.body).toMatchObject(noModel().body);
  expect(refused.body.hint).toContain('BATCHGATE_MODEL_NAME=demo');
  expect((await send('cancel')).body).toMatchObject({ handled: true, intent: 'cancel' });
  expect((await harness.status(operation_id)).state).toBe('cancelled');
  for (const path of ['', '/events']) {
    const { status, body } = await without.ask('GET', `/v1/sessions/none/assistant${path}`);
    expect([status, body.message]).toEqual([404, 'This session has no assistant.']);
  }
  await without.close();
});

it('keeps a message over the limit of the profile whole, in the scratchpad, whatever its length', async () => {
  replies({ text: 'a long one' });
  const text = `Read this: ${'pears and plums, '.repeat(2_000)}`;
  expect(text.length).toBeGreaterThan(30_000);
  const { body } = await say('long', text);
  expect(body).toMatchObject({ handled: true, assistant: { turn: 1 } });
  expect(await ended('long', 1)).toMatchObject({ state: 'answered', answer: 'a long one' });
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain('ref:message-1');
  const kept = await harness.store.scratchpad.read('long', ['message-1']);
  expect(kept.get('message-1')).toBe(text);
});

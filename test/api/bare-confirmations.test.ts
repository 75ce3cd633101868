import { setTimeout as pause } from 'node:timers/promises';
import { continueBulkOperation } from '../../src/client';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { hurriedly } from '../helpers/hurry';

/** Confirmations over HTTP that name no question: each caller confirms only what that caller was shown. */
let hold = gateway();
let isHeld = false;
const tool = countingTool(30, {
  apply: async ({ id }) => {
    if (isHeld) await hold.opened;
    tool.touched.set(id, (tool.touched.get(id) ?? 0) + 1);
    return undefined;
  },
});
let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http.close();
  await harness.close();
});

const INPUT = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 5 };
/** A question must be open for two seconds before a confirmation without its name counts. */
const readIt = () => pause(2_100);

async function started(session_id?: string): Promise<{ id: string; path: string }> {
  const { status, body } = await http.ask('POST', '/v1/operations', { body: { ...INPUT, session_id } });
  expect(status).toBe(201);
  return { id: body.operation_id, path: `/v1/operations/${body.operation_id}` };
}

const batchesOf = async (id: string) =>
  (await harness.status(id)).confirmations.filter(({ outcome }) => outcome === 'accepted').length;

it('runs one batch for three requests, at once or one after the other, and answers the others truthfully', async () => {
  const [{ id, path }, other] = await Promise.all([started(), started()]);
  const tooSoon = await hurriedly(async () => {
    const since = performance.now();
    const { path } = await started();
    const answer = await http.ask('POST', `${path}/continue`, { body: {} });
    return { took: performance.now() - since, answer };
  });
  expect([tooSoon.status, tooSoon.body.code]).toEqual([409, 'STALE_CONFIRMATION']);
  await readIt();
  const send = (to: string) => http.ask('POST', `${to}/continue`, { body: { by: 'ana' } });
  const answers = [await send(path), await send(path), await send(path)];
  expect(answers.map(({ status, body }) => body.code ?? status)).toEqual([
    200,
    'QUESTION_NOT_SEEN',
    'QUESTION_NOT_SEEN',
  ]);
  expect(answers[1]?.body).toMatchObject({
    hint: expect.stringMatching(/^Read GET .*"digest".* Nothing was run\.$/),
    details: {
      next_batch: { number: 2, items: [{ id: 'item-006' }, {}, {}, {}, {}] },
      last_batch: { number: 1 },
    },
  });
  isHeld = true;
  hold = gateway();
  const crossed = [1, 2, 3].map(() => send(other.path));
  await pause(300);
  hold.open();
  isHeld = false;
  for (const { status, body } of await Promise.all(crossed)) {
    // A repetition during the batch is the same decision, and gets its answer.
    if (status === 200) expect(body).toMatchObject({ processed: 5, next_batch: { number: 2 } });
    else expect(body.code).toBe('QUESTION_NOT_SEEN');
  }
  expect([await batchesOf(id), await batchesOf(other.id)]).toEqual([1, 1]);
  await http.ask('GET', path);
  await readIt();
  expect((await send(path)).body).toMatchObject({ processed: 10 });
});

it('confirms only for the caller who was shown the question, by reading it or by the start', async () => {
  const { path } = await started();
  await readIt();
  const key = await http.key('approver');
  const foreign = await http.ask('POST', `${path}/continue`, { key, body: {} });
  expect([foreign.status, foreign.body.code]).toEqual([409, 'QUESTION_NOT_SEEN']);
  const keyed = (name: string) =>
    http.ask('POST', `${path}/continue`, { key, headers: { 'idempotency-key': name } });
  const unseen = await keyed('k');
  expect([unseen.status, unseen.body.code]).toEqual([409, 'QUESTION_NOT_SEEN']);
  expect(unseen.body.hint).toMatch(/ another Idempotency-Key or decision_id, .* Nothing was run\.$/);
  await http.ask('GET', path, { key });
  // It may be the same delivery once more, of a person who had not read the question.
  const again = await keyed('k');
  expect([again.status, again.body.code]).toEqual([409, 'STALE_CONFIRMATION']);
  expect(again.body.hint).toContain('as a new decision');
  expect((await keyed('as the hint says')).body).toMatchObject({ processed: 5 });
  const headers = { 'idempotency-key': 'lost' };
  await http.ask('GET', path);
  const answers = [1, 2].map(() => http.ask('POST', `${path}/continue`, { headers, body: {} }));
  for (const { body } of await Promise.all(answers)) expect(body).toMatchObject({ processed: 10 });
  expect((await http.ask('POST', `${path}/continue`, { headers, body: {} })).body.processed).toBe(10);
});

it('answers a message whose sender was not shown the question with the question', async () => {
  const stranger = await http.key('approver');
  const sayIn = (session: string) => async (text: string, key?: string) => {
    const asked = { body: { text }, ...(key && { key }) };
    return (await http.ask('POST', `/v1/sessions/${session}/messages`, asked)).body;
  };
  const { turns, session, id } = await hurriedly(async (tries) => {
    const session = `talk-${tries}`;
    const { id } = await started(session);
    const say = sayIn(session);
    await readIt();
    const unseen = await say('yes', stranger);
    expect(unseen).toMatchObject({ handled: true, intent: 'continue', error: { code: 'QUESTION_NOT_SEEN' } });
    expect(unseen.reply).toContain("Say 'continue' to start, or 'cancel' to abort.");
    const since = performance.now();
    const turns = [await say('yes'), await say('yes'), await say('yes')];
    return { took: performance.now() - since, answer: { turns, session, id } };
  });
  const say = sayIn(session);
  expect(turns.map(({ error, status }) => [error?.code, status.processed])).toEqual([
    [undefined, 5],
    ['STALE_CONFIRMATION', 5],
    ['STALE_CONFIRMATION', 5],
  ]);
  await readIt();
  expect(await say('yes', stranger)).toMatchObject({ error: { code: 'QUESTION_NOT_SEEN' } });
  expect(await say('yes', stranger)).toMatchObject({ status: { processed: 10 } });
  expect(await batchesOf(id)).toBe(2);
});

it('shows a stranger the question with the answer to an unclear message, and with that of an earlier question', async () => {
  const { path, id } = await started('unclear');
  const key = await http.key('approver');
  const say = async (text: string, seen?: object) =>
    (await http.ask('POST', '/v1/sessions/unclear/messages', { key, body: { text, seen } })).body;
  const question = "Ready to mark 30 items in batches of 5. Say 'continue' to start, or 'cancel' to abort.\n";
  const unclear = await say('maybe');
  expect([unclear.reply, unclear.asked.batch]).toEqual([expect.stringContaining(question), 1]);
  expect((await say('maybe')).reply).not.toContain(question);
  const saw = await say('maybe', { digest: 'none' });
  expect([saw.reply, saw.asked]).toEqual([expect.stringContaining(question), unclear.asked]);
  await http.ask('GET', path);
  await readIt();
  expect((await http.ask('POST', `${path}/continue`, { body: {} })).body).toMatchObject({ processed: 5 });
  const later = await say('what is left?');
  expect(later.reply).toContain('Processed 5 items (5/30 total).');
  expect(await batchesOf(id)).toBe(1);
});

it('gives a repeated decision its first answer without an idempotency key, whatever the decision', async () => {
  const { path } = await started();
  const { body } = await http.ask('GET', path);
  const { number: batch, attempt, digest } = body.next_batch;
  const twice = async (verb: string, said: object) => [
    await http.ask('POST', `${path}/${verb}`, { body: said }),
    await http.ask('POST', `${path}/${verb}`, { body: said }),
  ];
  const [first, again] = await twice('continue', { batch, attempt, digest });
  expect([again?.status, again?.body]).toEqual([200, first?.body]);
  const [later, same] = await twice('extend', { seconds: 7_200 });
  expect(same?.body.expires_at).toBe(later?.body.expires_at);
  const [ended, also] = await twice('complete', { force: true, reason: 'enough' });
  expect([ended?.body.allowed, also?.body.allowed]).toEqual([true, true]);
  const { body: status } = await http.ask('GET', path);
  expect(status.confirmations.map(({ decision, outcome }: any) => [decision, outcome])).toEqual([
    ['continue', 'accepted'],
    ['extend', 'accepted'],
    ['complete', 'accepted'],
  ]);
  const other = await started();
  const cancel = () => http.ask('POST', `${other.path}/cancel`, { body: { reason: 'enough' } });
  const [stopped, still] = [await cancel(), await cancel()];
  expect([still.status, still.body]).toEqual([200, stopped.body]);
});

it('tells of its own batch after the end as well, although other batches have run since', async () => {
  const { id, path } = await started();
  const taken: { batch: number; by: string }[] = [];
  for (const by of ['Ana', 'Bob']) {
    const { body } = await http.ask('GET', path);
    const { number: batch, attempt, digest } = body.next_batch;
    taken.push({ batch, attempt, digest, by } as { batch: number; by: string });
    await continueBulkOperation(harness.client, id, taken.at(-1));
  }
  await http.ask('POST', `${path}/complete`, { body: { force: true, reason: 'enough' } });
  await harness.client.workflow.getHandle(id).result();
  for (const said of taken) {
    const its = { number: said.batch, attempt: 1, succeeded: 5, failed: 0, in_doubt: 0 };
    expect(await continueBulkOperation(harness.client, id, said)).toMatchObject({
      ...{ state: 'completed', processed: 10, last_batch: its },
    });
    const { status, body } = await http.ask('POST', `${path}/continue`, { body: said });
    expect([status, body.last_batch]).toMatchObject([200, its]);
    const other = await http.ask('POST', `${path}/continue`, { body: { ...said, by: 'Eve' } });
    expect([other.status, other.body.code]).toEqual([409, 'OPERATION_CLOSED']);
  }
});

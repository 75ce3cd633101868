import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { handleMessage, type MessageContext } from '../../src/client';
import { sentinelId } from '../../src/contract/sentinel';
import { countingTool, gateway, startHarness, testServer, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

/** The last topic of a session decides what a bare answer refers to. */
const touched = new Map<string, number>();
const tool = countingTool(15, {
  apply: ({ id }) => {
    touched.set(id, (touched.get(id) ?? 0) + 1);
    const failed = { item_id: id, success: false, error: 'rate limited', retryable: true };
    return Promise.resolve(id === 'item-003' ? failed : undefined);
  },
});

let harness: Harness;
let session: string;
let sessions = 0;
beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
});
afterAll(() => harness.close());
beforeEach(() => {
  session = `session-${++sessions}`;
  touched.clear();
});

const start = () => harness.start({ batch_size: 5, session_id: session });
const say = (text: string, context: MessageContext = {}) =>
  handleMessage(harness.client, session, text, {
    task_queue: harness.taskQueue,
    message_id: randomUUID(),
    ...context,
  });
const CLARIFY = "Did you mean to continue the bulk operation? Say 'continue' or 'cancel'.";
const STILL_WAITS = 'OK, nothing was done. The operation still waits.';

describe('after a message about something else', () => {
  it('asks back at a bare yes or no, which may be an answer to that', async () => {
    const { operation_id } = await start();
    for (const bare of ['ok', 'yes', 'sure', 'fine', '👍', 'go ahead', 'sí', 'no', 'nein danke']) {
      expect((await say('what is the weather like?')).handled).toBe(false);
      expect(await say(bare)).toMatchObject({ handled: true, intent: 'unknown', reply: CLARIFY });
    }
    expect(await harness.status(operation_id)).toMatchObject({
      processed: 0,
      state: 'awaiting_confirmation',
    });
  });

  it('confirms with a word that names the action', async () => {
    await start();
    for (const [at, act] of ['continue', 'go ahead with the batch', 'weiter'].entries()) {
      await say('tell me a joke');
      expect((await say(act)).status).toMatchObject({ processed: 5 * (at + 1) });
    }
  });

  it('cancels with a word that names the cancellation', async () => {
    await start();
    await say('tell me a joke');
    expect((await say('stop')).status).toMatchObject({ state: 'cancelled' });
  });

  it('accepts a bare yes for the next question, once that was asked', async () => {
    const { operation_id } = await start();
    await say('tell me a joke');
    await confirmOpen(harness.client, operation_id, {});
    expect((await say('yes')).status).toMatchObject({ processed: 10 });
    await say('tell me a joke');
    expect((await say('how many are left?')).reply).toContain("Say 'continue'");
    expect((await say('yes')).status).toMatchObject({ processed: 15 });
  });

  it('remembers it only in its own session', async () => {
    const other = session;
    await start();
    session = `session-${++sessions}`;
    await start();
    session = other;
    await say('tell me a joke');
    session = `session-${sessions}`;
    expect((await say('yes')).status).toMatchObject({ processed: 5 });
  });

  it('remembers it after a restart of the worker and the client', async () => {
    await start();
    await say('tell me a joke');
    await harness.restartWorker();
    const connection = await Connection.connect({ address: testServer().address });
    const anew = await handleMessage(new Client({ connection }), session, 'yes', {
      task_queue: harness.taskQueue,
    });
    await connection.close();
    expect(anew.reply).toBe(CLARIFY);
    expect((await say('yes')).status).toMatchObject({ processed: 5 });
  });

  it('asks back once if the sentinel that remembered it was replaced', async () => {
    await start();
    await say('tell me a joke');
    await harness.client.workflow.getHandle(sentinelId(harness.taskQueue)).terminate('replaced');
    // The new sentinel knows the running jobs once it admits a job.
    await harness.start({});
    expect((await say('yes')).reply).toBe(CLARIFY);
    // After the question was shown again, a yes answers it, and the next yes answers the next question.
    expect((await say('what is left?')).reply).toContain("Say 'continue'");
    expect((await say('yes')).status).toMatchObject({ processed: 5 });
    expect((await say('yes')).status).toMatchObject({ processed: 10 });
  });
});

describe('the answer to our own question', () => {
  it('keeps the operation waiting if it is a plain no', async () => {
    const { operation_id } = await start();
    const refusals = [
      'no',
      'No, thanks.',
      'nein',
      'non merci',
      'no gracias',
      'não',
      'nee',
      '👎',
      "don't",
      'not yet',
    ];
    for (const no of refusals) {
      await say('maybe');
      expect(await say(no)).toMatchObject({ handled: true, intent: 'unknown', reply: STILL_WAITS });
      expect(await harness.status(operation_id)).toMatchObject({ state: 'awaiting_confirmation' });
    }
    // The last reply was not a question, so an "ok" confirms nothing.
    expect((await say('ok')).reply).toBe(CLARIFY);
    expect((await say('ok')).status).toMatchObject({ processed: 5 });
  });

  it.each(['no, cancel', 'abbrechen'])('cancels with %j', async (end) => {
    await start();
    await say('maybe');
    expect((await say(end)).status).toMatchObject({ state: 'cancelled' });
  });

  it('names both answers if a message contradicts itself or starts over', async () => {
    await start();
    for (const text of [
      'ok stop',
      'start from scratch',
      'continue but skip the party',
      'yeah, sure',
      'suuuure…',
    ]) {
      const turn = await say(text);
      expect([turn.handled, turn.reply.split('\n')[0], turn.status?.processed]).toEqual([true, CLARIFY, 0]);
    }
  });

  it('decides nothing if a message that was asked back is delivered again, whatever is open by then', async () => {
    const { operation_id } = await start();
    await say('tell me a joke', { message_id: 'joke' });
    expect((await say('ok', { message_id: 'ok' })).reply).toBe(CLARIFY);
    expect((await say('ok', { message_id: 'ok' })).reply).toBe(CLARIFY);
    expect((await say('no', { message_id: 'no' })).reply).toBe(STILL_WAITS);
    expect((await say('no', { message_id: 'no' })).reply).toBe(STILL_WAITS);
    expect((await say('tell me a joke', { message_id: 'joke' })).handled).toBe(false);
    await say('continue', { message_id: 'go' });
    expect((await say('ok', { message_id: 'ok' })).reply).toBe(CLARIFY);
    expect((await say('no', { message_id: 'no' })).reply).toBe(STILL_WAITS);
    expect((await say('continue', { message_id: 'go' })).reply).toContain('Processed 5 items (5/15');
    expect(await harness.status(operation_id)).toMatchObject({
      processed: 5,
      state: 'awaiting_confirmation',
    });
  });
});

describe('a question about the operation', () => {
  it('is answered, and the open question is asked again', async () => {
    await start();
    await say('continue', { by: 'ana' });
    const shown = (await say('which ones?')).reply.split('\n');
    expect(shown.slice(0, 3)).toEqual([
      'Batch 2 of 3, 5 items:',
      '1. Item 6 (item-006)',
      '2. Item 7 (item-007)',
    ]);
    expect(shown).toHaveLength(8);
    expect(shown.at(-1)).toContain("Say 'continue'");
    expect((await say('how many are left?')).reply).toContain('10 of 15 items are left, in 2 batches.');
    expect((await say('show the errors')).reply).toContain('- Item 3 (item-003): rate limited');
    expect((await say('how is it going?')).reply).toContain('5/15 items: 4 succeeded, 1 failed');
    expect((await say('what will you do?')).reply).toContain('Mark each item');
    expect((await say('who confirmed?')).reply).toMatch(/- batch 1: ana, 20/);
    const turn = await say('retry the failed ones');
    expect(turn).toMatchObject({ handled: true, intent: 'unknown', status: { processed: 5 } });
    expect(turn.reply).toContain("when this operation has ended: say 'retry the failed ones' then.");
  });

  it.each(['retry the failed ones', 'undo that', 'undo the last batch', 'revert'])(
    'that asks for something else owns the next yes: %s',
    async (wish) => {
      const { operation_id: id } = await start();
      await say('continue');
      for (const yes of ['yes', 'ok', 'sure', 'do it', 'go ahead', 'yes please', '👍', 'sí', 'fine']) {
        const proposed = await say(wish);
        expect(proposed).toMatchObject({ handled: true, intent: 'unknown' });
        expect((await say(yes, { seen: proposed.asked })).reply).toBe(CLARIFY);
      }
      await say(wish);
      expect((await say('no')).reply).toBe(STILL_WAITS);
      expect(await harness.status(id)).toMatchObject({ state: 'awaiting_confirmation', processed: 5 });
      await say(wish);
      expect((await say('continue')).status).toMatchObject({ processed: 10 });
    },
  );

  it('promises no undo of a change that cannot be undone', async () => {
    await start();
    await say('continue');
    const { reply } = await say('undo that');
    expect(reply).toContain("This change cannot be undone. Say 'cancel' to leave the rest unchanged.");
    expect(reply).not.toContain("'undo' takes back");
  });

  it('is answered after the end, and then a retry starts a new operation', async () => {
    await harness.start({ params: {}, items: [{ id: 'item-003' }, { id: 'item-001' }], session_id: session });
    await say('continue');
    expect((await say('how is it going?')).handled).toBe(false);
    expect((await say('show the errors')).reply).toContain('(item-003): rate limited');
    const turn = await say('retry the failed ones');
    expect(turn).toMatchObject({ handled: true, status: { state: 'awaiting_confirmation', total: 1 } });
    expect(turn.status?.next_batch).toMatchObject({ items: [{ id: 'item-003' }] });
    expect((await say('yes', { seen: turn.asked })).status).toMatchObject({ state: 'completed', failed: 1 });
  });
});

it('answers a message as its other delivery, if the operation has ended before its status is read', async () => {
  const { operation_id } = await harness.start({
    params: {},
    session_id: session,
    items: [{ id: 'item-001' }],
  });
  const [read, mayRead] = [gateway(), gateway()];
  const slow = new Client({
    connection: await Connection.connect({ address: testServer().address }),
    interceptors: {
      workflow: [
        {
          query: async (input, next) => {
            read.open();
            await mayRead.opened;
            return next(input);
          },
        },
      ],
    },
  });
  const message_id = randomUUID();
  const late = handleMessage(slow, session, 'yes', { task_queue: harness.taskQueue, message_id });
  await read.opened;
  const first = await say('yes', { message_id });
  expect(first).toMatchObject({ intent: 'continue', status: { state: 'completed' } });
  await harness.client.workflow.getHandle(operation_id).result();
  mayRead.open();
  expect(await late).toMatchObject({ handled: true, intent: 'continue', status: { state: 'completed' } });
  expect(await late).not.toHaveProperty('error');
  await slow.connection.close();
});

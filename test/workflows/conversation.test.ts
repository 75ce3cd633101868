import { randomUUID } from 'node:crypto';
import {
  cancelBulkOperation,
  handleMessage,
  listBulkOperations,
  startTaskRun,
  getCooldown,
  type MessageContext,
} from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkStatus } from '../../src/contract/operation';
import { sentinelId } from '../../src/contract/sentinel';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';
import { confirmOpen } from '../helpers/confirm';

/** Messages of a person in a session, on a real server. They apply to the operation that the sentinel knows. */
const held = new Map<string, Promise<void>>();
const touched = new Map<string, number>();
const tool = countingTool(15, {
  apply: async ({ id }) => {
    await held.get(id);
    if (id === 'item-003') return { item_id: id, success: false, error: 'rate limited', retryable: true };
    touched.set(id, (touched.get(id) ?? 0) + 1);
    return undefined;
  },
});

let broken = true;
const breaking = countingTool(10, {
  toolName: 'broken',
  onCall: (method) => {
    if (broken && method === 'executeBatch') {
      throw new BatchgateError('ADAPTER_UNAVAILABLE', 'The tool cannot be reached.', 'Try again later.');
    }
  },
});

let harness: Harness;
let session: string;
let sessions = 0;
beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter, breaking.adapter] });
});
afterAll(() => harness.close());
beforeEach(() => {
  session = `session-${++sessions}`;
  touched.clear();
  held.clear();
});

const start = () => harness.start({ batch_size: 5, session_id: session });
const say = (text: string, context: MessageContext = {}) =>
  handleMessage(harness.client, session, text, {
    task_queue: harness.taskQueue,
    message_id: randomUUID(),
    ...context,
  });
const CLARIFY = "Did you mean to continue the bulk operation? Say 'continue' or 'cancel'.";
const seenOf = ({ next_batch }: BulkStatus) => {
  const { number: batch = 0, attempt = 0, digest = '' } = next_batch ?? {};
  return { batch, attempt, digest };
};

it('takes an operation from its question to its end, with one batch per message', async () => {
  await start();
  const first = await say('continue');
  expect(first).toMatchObject({ handled: true, intent: 'continue', status: { processed: 5, failed: 1 } });
  expect(first.reply).toBe(
    "Mark each item of the group “all”. Cannot be undone.\nProcessed 5 items (5/15 total). 10 items remaining. Say 'continue' to process the next batch, or 'cancel' to stop." +
      '\n1 item(s) had errors.\n- Item 3 (item-003): rate limited',
  );
  await say('yes, go ahead');
  const last = await say('continue');
  expect(last.reply).toBe(
    '✅ Completed! Processed 15/15 items. 1 item(s) had errors.\n- Item 3 (item-003): rate limited',
  );
  expect((await harness.status(last.status?.operation_id ?? '')).errors).toEqual([
    expect.objectContaining({ item_id: 'item-003', error: 'rate limited' }),
  ]);
  expect([...touched.values()].every((times) => times === 1)).toBe(true);
});

it('keeps nothing of an operation in its session after completion, cancel and expiry', async () => {
  const client = harness.client;
  const completed = await start();
  for (let batch = 1; batch <= 3; batch++) await confirmOpen(client, completed.operation_id, {});
  expect(await say('continue')).toEqual({ handled: false, intent: 'continue', reply: '' });
  await start();
  expect((await say('cancel')).reply).toBe(
    'Bulk mark on fake cancelled. 0/15 items were processed before cancellation.',
  );
  expect(await say('cancel')).toEqual({ handled: false, intent: 'cancel', reply: '' });
  const expiring = await harness.start({ session_id: session, idle_timeout_seconds: 1 });
  await client.workflow.getHandle(expiring.operation_id).result();
  expect(await say('continue')).toEqual({ handled: false, intent: 'continue', reply: '' });
  expect(await start()).toMatchObject({ state: 'awaiting_confirmation' });
});

it('asks back only if the message is plausibly about the operation', async () => {
  await start();
  expect(await say('what is the weather like in Lisbon?')).toEqual({
    handled: false,
    intent: 'unknown',
    reply: '',
  });
  const unclear = await say('maybe continue with the items?');
  expect(unclear).toMatchObject({
    handled: true,
    intent: 'unknown',
    reply: CLARIFY,
    status: { processed: 0, state: 'awaiting_confirmation' },
  });
  expect(touched.size).toBe(0);
});

it('runs one batch for a message that is delivered twice, at once and later', async () => {
  const shown = seenOf(await start());
  const message = { message_id: 'm1', seen: shown };
  const [one, two] = await Promise.all([say('continue', message), say('continue', message)]);
  const later = await say('continue', message);
  for (const turn of [one, two, later]) expect(turn).toMatchObject({ handled: true, intent: 'continue' });
  expect([one, two, later].map(({ reply }) => reply)).toEqual(Array(3).fill(one.reply));
  expect(touched.size).toBe(4);
});

it('runs nothing for a repeated message when its operation has ended and another one waits', async () => {
  const message = { message_id: 'm1' };
  await start();
  await say('continue');
  await say('continue');
  expect((await say('yes', message)).status?.state).toBe('completed');
  const { operation_id } = await start();
  const again = await say('yes', message);
  expect(again).toMatchObject({ handled: true, status: { state: 'completed' } });
  expect(again.reply).toContain('✅ Completed!');
  expect(await harness.status(operation_id)).toMatchObject({ processed: 0, state: 'awaiting_confirmation' });
  const early = { message_id: 'm2' };
  session = `session-${++sessions}`;
  expect((await say('continue', early)).handled).toBe(false);
  const later = await start();
  expect((await say('continue', early)).handled).toBe(false);
  expect(await harness.status(later.operation_id)).toMatchObject({ processed: 0 });
});

it('tells whoever repeats a message after the end whether that message decided', async () => {
  const shown = seenOf(await start());
  const [yes, late] = ['m-yes', 'm-late'].map((message_id) => ({ message_id, seen: shown }));
  await say('yes', yes);
  const { status, asked } = await say('yes', late);
  expect(status?.processed).toBe(5);
  expect((await say('cancel', { message_id: 'm-end', seen: asked })).status?.state).toBe('cancelled');
  expect(await say('yes', yes)).not.toHaveProperty('error');
  expect(await say('yes', late)).toMatchObject({ error: { code: expect.any(String) as string } });
  expect(await say('cancel', { message_id: 'm-end' })).not.toHaveProperty('error');
});

it('cancels nothing for a person who was shown another operation', async () => {
  const shown = await start();
  await say('cancel');
  const { operation_id } = await start();
  const late = await say('cancel', { seen: seenOf(shown) });
  expect(late).toMatchObject({ handled: true, error: { code: 'STALE_CONFIRMATION' } });
  expect(await harness.status(operation_id)).toMatchObject({ state: 'awaiting_confirmation' });
  const first = await say('continue');
  expect(first.asked).toMatchObject({ batch: 2, attempt: 1 });
  await say('continue', { seen: first.asked });
  // A person who saw the second question, and cancels while the third is open, means the same operation.
  expect((await say('cancel', { seen: first.asked })).status).toMatchObject({
    state: 'cancelled',
    processed: 10,
  });
});

it('applies a yes to the question that was shown, and to no later one', async () => {
  const shown = await start();
  await confirmOpen(harness.client, shown.operation_id, {});
  const late = await say('continue', { seen: seenOf(shown) });
  expect(late).toMatchObject({ handled: true, intent: 'continue', error: { code: 'STALE_CONFIRMATION' } });
  expect(late.status?.processed).toBe(5);
});

it('does nothing on a yes while a batch runs, and stops the batch on a cancel', async () => {
  const { opened, open } = gateway();
  held.set('item-001', opened);
  const { operation_id: id } = await start();
  const running = say('continue');
  while ((await harness.status(id)).state !== 'running_batch');
  const early = await say('continue');
  expect(early.error?.code).toMatch(/^(NOT_AWAITING|STALE)_CONFIRMATION$/);
  const cancelled = say('cancel');
  open();
  await running;
  expect((await cancelled).reply).toMatch(/^Bulk mark on fake cancelled\. \d+\/15 items were processed/);
});

it('cancels nothing on a bare no to a question that someone else has answered', async () => {
  const { opened, open } = gateway();
  held.set('item-001', opened);
  const shown = await start();
  const { operation_id: id } = shown;
  const { reply, asked } = await say('maybe', { seen: seenOf(shown) });
  expect(reply).toBe(CLARIFY);
  const running = confirmOpen(harness.client, id, {});
  while ((await harness.status(id)).state !== 'running_batch');
  const early = await say('no', { seen: asked });
  expect(early).toMatchObject({ handled: true, intent: 'unknown', reply: 'Running batch 1 of 3.' });
  open();
  await running;
  const late = await say('no', { seen: asked });
  expect(late).toMatchObject({ handled: true, status: { state: 'awaiting_confirmation', processed: 5 } });
  expect(late.reply).toContain("Say 'continue' to process the next batch, or 'cancel' to stop.");
  // That showed the open question, which the next no answers.
  expect((await say('no', { seen: late.asked })).status).toMatchObject({ state: 'cancelled', processed: 5 });
});

it.each(['continue', 'yes', 'no', 'cancel'])(
  'tells a person where it stands who answers after somebody else ended it: %s',
  async (text) => {
    const shown = await start();
    await say('continue');
    const { asked } = await say('what is left?');
    await cancelBulkOperation(harness.client, shown.operation_id);
    let late = await say(text, { seen: asked });
    // The list of ended operations lags briefly.
    while (!late.handled) late = await say(text, { seen: asked });
    // A second cancellation gets the answer to the first one.
    const opening = ['no', 'cancel'].includes(text) ? [] : ['That question is no longer open.'];
    expect(late.reply.split('\n')).toEqual([
      ...opening,
      'Bulk mark on fake cancelled. 5/15 items were processed before cancellation.',
      '1 item(s) had errors.',
      '- Item 3 (item-003): rate limited',
    ]);
    expect(late.status).toMatchObject({ operation_id: shown.operation_id, state: 'cancelled' });
  },
);

it.each([
  'please stop marking',
  "don't touch my mailbox",
  'forget it, cancel',
  'cancle',
  'bitte stoppen',
  'para ya',
])('ends with a refusal of the action itself, in other words: %s', async (text) => {
  await start();
  expect((await say(text)).status).toMatchObject({ state: 'cancelled', processed: 0 });
});

it('confirms with the number of the open batch, and with what remains', async () => {
  await start();
  await say('continue');
  expect((await say('batch 1')).status).toMatchObject({ processed: 5 });
  expect((await say('batch 2')).status).toMatchObject({ processed: 10 });
  expect((await say('please proceed with the remaining items')).status).toMatchObject({ processed: 15 });
});

it('finds the operation at once, and only of this session', async () => {
  const other = session;
  const { operation_id } = await start();
  session = `session-${++sessions}`;
  expect((await say('continue')).handled).toBe(false);
  session = other;
  expect((await say('continue')).status?.operation_id).toBe(operation_id);
  expect(touched.size).toBe(4);
});

it('finds it while the sentinel does not yet know the running jobs', async () => {
  const { operation_id } = await start();
  // Until it knows them, they are found by the list.
  await caughtUp(async () =>
    expect(await listBulkOperations(harness.client, { session_id: session })).toMatchObject([
      { operation_id },
    ]),
  );
  await harness.client.workflow.getHandle(sentinelId(harness.taskQueue)).terminate();
  expect((await say('continue')).status).toMatchObject({ operation_id, processed: 5 });
});

it('leaves a task run of the session alone', async () => {
  await startTaskRun(
    harness.client,
    { goal: 'Visit three sites', session_id: session },
    { task_queue: harness.taskQueue },
  );
  expect(await say('continue')).toEqual({ handled: false, intent: 'continue', reply: '' });
});

it('delays hygiene after any message', async () => {
  await say('what is the weather like?', { by: 'ana' });
  expect(await getCooldown(harness.client, harness.taskQueue)).toMatchObject({ active: true, by: 'ana' });
});

it('reports a batch that died in the words of the contract, and keeps its state for another try', async () => {
  const input = { domain: 'broken', batch_size: 5, session_id: session };
  await harness.start(input);
  const turn = await say('continue');
  expect(turn).toMatchObject({
    handled: true,
    reply:
      'Mark each item of the group “all”. Cannot be undone.\nAn error occurred while processing this batch. Please try again or cancel.',
    status: { state: 'batch_failed', processed: 0, error: { code: 'ADAPTER_UNAVAILABLE' } },
  });
  const why = await say('why did it fail?');
  expect(why.reply).toMatch(/^The batch stopped: The tool cannot be reached\. Try again later\.\n/);
  broken = false;
  expect((await say('try again')).status).toMatchObject({ processed: 5, failed: 0 });
});

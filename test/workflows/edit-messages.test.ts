import { randomUUID } from 'node:crypto';
import { cancelBulkOperation, handleMessage, type MessageContext } from '../../src/client';
import type { BulkStatus } from '../../src/contract/operation';
import { harness, marks, reading, touched, useEditedTools } from './edits.stage';

/** Messages of a person who wants another change, in a session. */
useEditedTools();

let session: string;
beforeEach(() => (session = `edits-${randomUUID()}`));
const start = (domain = 'fake') => {
  const params = { group: 'all', mark: 'Later' };
  return harness.start({ domain, action: 'mark', params, batch_size: 5, session_id: session });
};
const say = (text: string, context: MessageContext = {}) =>
  handleMessage(harness.client, session, text, {
    task_queue: harness.taskQueue,
    message_id: randomUUID(),
    ...context,
  });
const seenOf = ({ next_batch: gate }: BulkStatus) => ({
  ...{ batch: gate?.number ?? 0, attempt: gate?.attempt ?? 0, digest: gate?.digest ?? '' },
});
const end = () => say('cancel');

it('asks the new question, and only a yes to that one runs its batch', async () => {
  const asked = await start();
  const message = { message_id: 'm1', seen: seenOf(asked), by: 'Ana' };
  const edited = await say('no, mark them Archive instead', message);
  expect(edited).toMatchObject({
    ...{ handled: true, intent: 'edit', status: { state: 'awaiting_confirmation', processed: 0 } },
    reply:
      'The change was edited, and nothing was run. This is the question now:\n' +
      "Mark each item with “Archive”. Can be undone.\nReady to mark 12 items in batches of 5. Say 'continue' to start, or 'cancel' to abort.",
  });
  const now = await harness.status(asked.operation_id);
  expect(edited.asked).toEqual(seenOf(now));
  expect(edited.asked?.digest).not.toBe(asked.next_batch?.digest);
  expect(now.edits).toMatchObject([
    { by: 'Ana', note: 'no, mark them Archive instead', parameters: ['mark'] },
  ]);
  // A yes to the question before it.
  const old = await say('yes', { seen: seenOf(asked) });
  expect(old.error?.code).toBe('STALE_CONFIRMATION');
  expect(touched).toEqual([]);
  // The same message again.
  expect(await say('no, mark them Archive instead', message)).toMatchObject({ reply: edited.reply });
  expect((await harness.status(asked.operation_id)).edits).toHaveLength(1);
  const ran = await say('yes', { seen: edited.asked });
  expect(ran).toMatchObject({ intent: 'continue', status: { processed: 5 } });
  expect([...new Set(marks.values())]).toEqual(['Archive']);
  await end();
});

it('runs nothing by a bare yes after an edit that failed', async () => {
  const asked = await start();
  reading.away = true;
  const failed = await say('mark them Archive instead');
  reading.away = false;
  expect(failed).toMatchObject({ intent: 'edit', error: { code: 'ADAPTER_UNAVAILABLE' } });
  expect((await say('ok')).reply).toMatch(/^Did you mean to continue/);
  expect(touched).toEqual([]);
  expect((await harness.status(asked.operation_id)).next_batch).toEqual(asked.next_batch);
  await say('continue');
  expect([...new Set(marks.values())]).toEqual(['Later']);
  await end();
});

it('refuses what the operator has fixed, what is asked already, and a sender who may not decide', async () => {
  const fixed = await start('fixed');
  const refused = await say('mark them Archive instead');
  expect(refused).toMatchObject({ intent: 'edit', error: { code: 'INVALID_INPUT' } });
  expect(refused.reply).toContain('The operator has fixed mark, so it cannot be edited.');
  await cancelBulkOperation(harness.client, fixed.operation_id);
  const asked = await start();
  expect((await say('mark them Later instead')).reply).toContain('The question asks exactly that already.');
  const agent = await say('mark them Archive instead', { may_decide: false });
  expect(agent).toMatchObject({ intent: 'edit', error: { code: 'FORBIDDEN' } });
  expect((await harness.status(asked.operation_id)).next_batch).toEqual(asked.next_batch);
  await end();
});

it('edits only the question that its sender was shown', async () => {
  const asked = await start();
  await say('do the first 5');
  const late = await say('mark them Archive instead', { seen: seenOf(asked) });
  expect(late).toMatchObject({ intent: 'edit', error: { code: 'STALE_CONFIRMATION' } });
  const unseen = await say('mark them Archive instead', { message_id: undefined, given: () => 'another' });
  expect(unseen).toMatchObject({ intent: 'edit', error: { code: 'QUESTION_NOT_SEEN' } });
  expect((await harness.status(asked.operation_id)).edits).toBeUndefined();
  expect((await say('mark them Archive instead')).status).toMatchObject({
    processed: 5,
    next_batch: { number: 2 },
  });
  await end();
});

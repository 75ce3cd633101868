import { randomUUID } from 'node:crypto';
import { getBulkItems, handleMessage, type MessageContext } from '../../src/client';
import type { BulkStatus } from '../../src/contract/operation';
import { countingTool, startHarness, type Harness } from '../helpers/harness';

/** Messages that ask for a part of the open batch. */
const tool = countingTool(15);
const { touched } = tool;

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
const seenOf = ({ next_batch }: BulkStatus) => {
  const { number: batch = 0, attempt = 0, digest = '' } = next_batch ?? {};
  return { batch, attempt, digest };
};

describe('a request to exclude items', () => {
  it('is asked back by their names, and a yes runs the batch without them', async () => {
    await start();
    const asked = await say('skip the second one and continue');
    expect(asked).toMatchObject({ handled: true, intent: 'unknown', status: { processed: 0 } });
    expect(asked.reply).toBe(
      "Continue batch 1 without “Item 2” (item-002)? 4 of its 5 items will run. Say 'continue' or 'cancel'.",
    );
    expect(asked.asked?.digest).not.toBe(asked.status?.next_batch?.digest);
    const turn = await say('yes', { seen: asked.asked });
    expect(turn.status).toMatchObject({ processed: 4, skipped: 1 });
    expect(touched.has('item-002')).toBe(false);
  });

  it('is not accepted from a person who was shown the whole batch in another window', async () => {
    const { operation_id, ...status } = await start();
    const whole = seenOf({ operation_id, ...status });
    await say('skip Item 2 and continue', { seen: whole });
    expect((await say('yes', { seen: whole })).reply).toContain('without “Item 2”');
    expect((await say('yes')).status).toMatchObject({ processed: 4, skipped: 1 });
  });

  it('is asked again after something else, and dropped by a no', async () => {
    await start();
    const asked = await say('everything but item 2 and item 4');
    expect(asked.reply).toContain('without “Item 2” (item-002) and “Item 4” (item-004)? 3 of its 5');
    await say('tell me a joke');
    expect((await say('continue', { seen: asked.asked })).reply).toBe(asked.reply);
    const no = await say('no', { seen: asked.asked });
    expect(no.reply).toBe(STILL_WAITS);
    expect((await say('yes', { seen: asked.asked })).status).toMatchObject({ processed: 0 });
    expect((await say('continue', { seen: no.asked })).status).toMatchObject({ processed: 5, skipped: 0 });
  });

  it('survives a question about the operation, and an answer that postpones it', async () => {
    await start();
    const asked = await say('skip item 2 and continue');
    const shown = await say('how many are left?', { seen: asked.asked });
    expect(shown.reply).toBe(
      `15 of 15 items are left, in 3 batches.\nMark each item of the group “all”. Cannot be undone.\n${asked.reply}`,
    );
    expect(shown.asked).toEqual(asked.asked);
    const wait = await say('wait', { seen: shown.asked });
    expect(wait.reply).toBe(STILL_WAITS);
    expect((await say('continue', { seen: wait.asked })).reply).toBe(asked.reply);
    await say('which ones?');
    expect((await say('yes')).status).toMatchObject({ processed: 4, skipped: 1 });
    expect(touched.has('item-002')).toBe(false);
  });

  it('reports a name that matches no item, or more than one', async () => {
    await start();
    expect((await say('skip Bob and continue')).reply).toBe(
      `${CLARIFY}\n“bob” is not exactly one item of batch 1; 'continue' runs all of them, and a plain yes is not enough.`,
    );
  });

  it.each<[string, string[], string[]]>([
    ['continue with only the first two', ['Item 1', 'Item 2'], ['Item 3', 'Item 4', 'Item 5']],
    ['all except the first and the last', ['Item 2', 'Item 3', 'Item 4'], ['Item 1', 'Item 5']],
    ['do the next 3', ['Item 1', 'Item 2', 'Item 3'], ['Item 4', 'Item 5']],
    ['half of them', ['Item 1', 'Item 2'], ['Item 3', 'Item 4', 'Item 5']],
    ['continue, but leave Item 4 alone', ['Item 1', 'Item 2', 'Item 3', 'Item 5'], ['Item 4']],
  ])('runs exactly what it was asked back with: %s', async (text, run, left) => {
    const { operation_id: id } = await start();
    const asked = await say(text);
    for (const name of left) expect(asked.reply.split(' without ')[1]).toContain(`“${name}”`);
    if (left.length > 1)
      for (const name of run) expect(asked.reply.split(' without ')[0]).toContain(`“${name}”`);
    expect(touched.size).toBe(0);
    await say('yes', { seen: asked.asked });
    const { items } = await getBulkItems(harness.client, id, { outcome: 'skipped' });
    expect(items.map(({ display_name }) => display_name)).toEqual(left);
    expect(await harness.status(id)).toMatchObject({ processed: run.length, skipped: left.length });
  });

  it('adds to an earlier one', async () => {
    await start();
    const first = await say('skip the second one');
    const both = await say('also skip the third one', { seen: first.asked });
    expect(both.reply).toContain('without “Item 2” (item-002) and “Item 3” (item-003)? 3 of its 5');
    const unknown = await say('also skip Bob', { seen: both.asked });
    expect(unknown.reply).toContain("'continue' runs all of them but these, and a plain yes is not enough.");
    expect((await say('yes', { seen: unknown.asked })).status).toMatchObject({ processed: 0 });
    expect((await say('continue', { seen: unknown.asked })).status).toMatchObject({
      processed: 3,
      skipped: 2,
    });
  });

  it.each(['only these two', 'skip Bob', 'do the next 40', 'continue if Anna agrees', 'ja, aber ohne Bob'])(
    'that is not understood is not dropped by a bare yes: %s',
    async (text) => {
      const { operation_id: id } = await start();
      await say(text);
      for (const yes of ['yes', 'ok', 'sure', 'yes please']) {
        expect((await say(yes)).reply).toContain(
          "'continue' runs all of them, and a plain yes is not enough.",
        );
      }
      await say('tell me a joke');
      expect((await say('yes')).reply).toContain('a plain yes is not enough');
      await say('no');
      expect((await say('go ahead')).reply).toContain('a plain yes is not enough');
      expect((await say('which ones?')).reply).toContain('a plain yes is not enough');
      expect(await harness.status(id)).toMatchObject({ processed: 0 });
      expect((await say('yes, continue')).status).toMatchObject({ processed: 5, skipped: 0 });
      // It was about that batch only.
      expect((await say('yes')).status).toMatchObject({ processed: 10 });
    },
  );
});

import { randomUUID } from 'node:crypto';
import { handleMessage } from '../../src/client';
import { presentBulkStatus } from '../../src/core/bulk/presenter';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { startHarness, type Harness } from '../helpers/harness';
import { blocksOf } from './markdown';

/** Replays the dialogues of docs/conversation.md with a real server, and compares them word for word. */
const PAGE = 'docs/conversation.md';
const APART = '(not about the operation)';
const letters = Array.from({ length: 12 }, (_, at) => ({
  id: `l-${at + 1}`,
  display_name: `Letter ${at + 1}`,
}));
const adapter = createFakeAdapter({
  toolName: 'letters',
  itemNoun: { one: 'letter', many: 'letters' },
  items: () => letters,
  apply: ({ id }) => {
    const failed = { item_id: id, success: false, error: 'rate limited', retryable: true };
    const lost = { item_id: id, success: false, error: 'the answer never came', outcome_unknown: true };
    return Promise.resolve(id === 'l-3' ? failed : id === 'l-12' ? lost : undefined);
  },
});
/** For the dialogues that undo something. */
const drafts = createFakeAdapter({
  toolName: 'drafts',
  itemNoun: { one: 'letter', many: 'letters' },
  items: () => letters,
  apply: () => Promise.resolve(),
  marks: new Map(),
});
const dialogues = blocksOf(PAGE).filter(({ language }) => language === 'dialogue');

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [adapter, drafts] });
});
afterAll(() => harness.close());

it.each(dialogues.map(({ words, body }, at) => ({ number: at + 1, words, body })))(
  'dialogue $number runs as written',
  async ({ number, words, body }) => {
    const session = `dialogue-${number}`;
    const domain = words === 'undoable' ? 'drafts' : 'letters';
    const input = { domain, batch_size: 5, session_id: session };
    const status = await harness.start(input, session);
    const said = [presentBulkStatus(status)];
    for (const [line, text] of [...body.matchAll(/^> (.*)$/gm)].map(
      ([whole, spoken = '']) => [whole, spoken] as const,
    )) {
      const turn = await handleMessage(harness.client, session, text, {
        task_queue: harness.taskQueue,
        message_id: randomUUID(),
      });
      said.push(line, turn.handled ? turn.reply : APART);
    }
    expect(said.join('\n')).toBe(body.trimEnd());
  },
);

it('exist, each with several turns', () => {
  expect(dialogues.map(({ body }) => (body.match(/^> /gm) ?? []).length > 4)).toEqual(Array(7).fill(true));
});

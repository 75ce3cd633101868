import { randomUUID } from 'node:crypto';
import { cancelBulkOperation, gateOf, getBulkStatus } from '../../src/client';
import {
  answering,
  choose,
  ended,
  harness,
  say,
  start,
  turnOf,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { gateway } from '../helpers/harness';
import type { BulkStatus } from '../../src/contract/operation';

/** A question of the assistant that comes after the question of an operation: a bare yes may be for either. */
useAssistantStage();

// Assistants of one session are the same for all tests that run at once.
const QUEUED = `queued-${randomUUID()}`;
const OUTCOME = `outcome-${randomUUID()}`;

const joke = use('ask_person', { question: 'Shall I tell you a joke? Say yes.' });

/** The model's replies in order. Each request waits until the test opens its gate. */
function heldReplies(...all: (typeof joke)[]) {
  const gates = all.map(() => gateway());
  let next = 0;
  answering(async () => {
    const at = next++;
    await gates[at]?.opened;
    return all[at] ?? { text: 'nothing is left to say' };
  });
  return (...places: number[]) => places.forEach((at) => gates[at]?.open());
}

async function isAskedBack(session: string, status: BulkStatus): Promise<void> {
  const seen = gateOf(status);
  const yes = await say(session, 'yes', { seen });
  expect(yes).toMatchObject({
    to: 'question',
    turn: { intent: 'unknown', reply: expect.stringContaining('Did you mean to continue') as string },
  });
  expect(await getBulkStatus(harness.client, status.operation_id)).toMatchObject({ processed: 0 });
  const again = await say(session, 'yes', { seen });
  expect(again).toMatchObject({ to: 'question', turn: { intent: 'continue', status: { processed: 10 } } });
  await cancelBulkOperation(harness.client, status.operation_id);
}

it('is not answered by confirming a batch, if its message came before the operation', async () => {
  const open = heldReplies(choose('bulk'), start, joke);
  const first = await say(QUEUED, 'mark everything');
  const second = await say(QUEUED, 'and tell me a joke');
  if (first.to !== 'assistant' || second.to !== 'assistant') throw new Error('a question took a message');
  open(0, 1, 2);
  const [operation_id = ''] = (await ended(QUEUED, first.number)).operations;
  expect(await ended(QUEUED, second.number)).toMatchObject({ state: 'asks' });
  await isAskedBack(QUEUED, await getBulkStatus(harness.client, operation_id));
  // The turn about its end asks the model too.
  expect(await ended(QUEUED, second.number + 1)).toMatchObject({ about: 'outcome' });
});

it('is not answered by confirming a batch of the next operation, if its turn began before that', async () => {
  const open = heldReplies(choose('bulk'), start, joke);
  open(0, 1);
  const { operations, number } = await turnOf(OUTCOME, 'mark everything');
  await cancelBulkOperation(harness.client, operations[0] ?? '');
  const next = await harness.start({ session_id: OUTCOME });
  open(2);
  expect(await ended(OUTCOME, number + 1)).toMatchObject({ about: 'outcome', state: 'asks' });
  await isAskedBack(OUTCOME, next);
});

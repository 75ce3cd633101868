import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cancelBulkOperation, continueBulkOperation, getAssistant } from '../../src/client';
import { answering, choose, harness, replies, start, useAssistantStage } from '../helpers/assistant-stage';
import { runBatchgate, startBatchgate, startOnTerminal } from '../helpers/command-line';
import { gateway, testServer } from '../helpers/harness';

/** What a person at `batchgate chat` is told of what happens elsewhere, and the keys of a terminal. */
jest.setTimeout(120_000);
useAssistantStage();

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-chat-news-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const settings = () => ({
  dataDir,
  env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
});
const operationOf = async (session: string) =>
  (await getAssistant(harness.client, session)).turns.flatMap(({ operations }) => operations).at(-1) ?? '';

it('tells an idle person what was answered elsewhere, what ended, and what the assistant says to it', async () => {
  replies(choose('bulk'), start, { text: 'All of that is over now.' });
  const chat = startBatchgate(['chat', '--session', 'news'], settings());
  chat.write('mark everything');
  await chat.says('Ready to mark 25 items');
  const id = await operationOf('news');
  await continueBulkOperation(harness.client, id, { by: 'Grace' });
  await chat.says('Answered elsewhere by Grace:');
  await chat.says('(10/25 total)');
  await cancelBulkOperation(harness.client, id, { by: 'Grace' });
  await chat.says('Bulk mark on fake cancelled. 10/25 items were processed');
  await chat.says('All of that is over now.');
  // A message in another window is shown here too.
  answering(() => ({ text: 'Hello from the other window.' }));
  await runBatchgate(['chat', '--session', 'news'], { ...settings(), input: 'hello' });
  await chat.says('Said elsewhere: hello');
  await chat.says('Hello from the other window.');
  chat.endInput();
  expect((await chat.ended).code).toBe(0);
});

it('stops the turn at Ctrl-C and not the operation, leaves at the next one, and shows what was left', async () => {
  replies(choose('bulk'), start);
  const chat = startOnTerminal(['chat', '--session', 'keys'], settings());
  chat.write('mark everything');
  await chat.says('Ready to mark 25 items');
  const held = gateway();
  answering(() => ({ text: 'Once upon a time', until: held.opened }));
  chat.write('tell me a story');
  await chat.says('Once upon a time');
  const { stdout: listed } = await runBatchgate(['list', '--session', 'keys'], settings());
  expect(listed).toMatch(/^assistant-keys +assistant +working +keys$/m);
  const { stdout: left } = await runBatchgate(['resume', '--session', 'keys'], settings());
  expect(left).toContain('you said   tell me a story');
  expect(left).toMatch(/^left {7}\d+ steps, \d+ calls$/m);
  expect(left).toMatch(/^waits {6}bulk-\S+: .*Ready to mark 25 items/m);
  chat.type('\x03');
  await chat.says('Stopping the turn; operations go on. Ctrl-C again leaves.');
  await chat.says('Stopped.');
  held.open();
  const id = await operationOf('keys');
  expect((await harness.status(id)).state).toBe('awaiting_confirmation');
  chat.type('\x03');
  const { code, stdout } = await chat.ended;
  expect(code).toBe(0);
  expect(stdout).toContain(`Still waiting for your answer: ${id}`);
  const { stdout: resumed } = await runBatchgate(['resume', '--session', 'keys'], settings());
  expect(resumed).toContain('you said   tell me a story');
  expect(resumed).toMatch(/^waits {6}bulk-\S+: .*Ready to mark 25 items/m);
  await cancelBulkOperation(harness.client, id, {});
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cancelBulkOperation, getAssistant } from '../../src/client';
import {
  answering,
  choose,
  harness,
  replies,
  start,
  use,
  useAssistantStage,
} from '../helpers/assistant-stage';
import { runBatchgate, startBatchgate, startOnTerminal } from '../helpers/command-line';
import { gateway, testServer } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';
import { caughtUp } from '../helpers/look-again';

/** What `batchgate chat` shows of events elsewhere, and the keys of a terminal. */
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

it("reports to an idle person what was answered elsewhere, what ended, and the assistant's reaction", async () => {
  replies(choose('bulk'), start, { text: 'All of that is over now.' });
  const chat = startBatchgate(['chat', '--session', 'news'], settings());
  chat.write('mark everything');
  await chat.says('Ready to mark 25 items');
  const id = await operationOf('news');
  await confirmOpen(harness.client, id, { by: 'Grace' });
  await chat.says('Answered elsewhere by Grace:');
  await chat.says('(10/25 total)');
  await cancelBulkOperation(harness.client, id, { by: 'Grace' });
  await chat.says('Bulk mark on fake cancelled. 10/25 items were processed');
  await chat.says('All of that is over now.');
  // A message that is sent in another window is shown here too.
  answering(() => ({ text: 'Hello from the other window.' }));
  await runBatchgate(['chat', '--session', 'news'], { ...settings(), input: 'hello' });
  await chat.says('Said elsewhere: hello');
  await chat.says('Hello from the other window.');
  chat.endInput();
  expect((await chat.ended).code).toBe(0);
});

it('shows a proposed macro, runs it after a yes, asks before its batches, and saves it as a file', async () => {
  const args = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 20 };
  const macro = { name: 'marking', steps: [{ type: 'command', command: 'start_bulk_operation', args }] };
  replies(choose('macros'), use('propose_macro', { macro }), { text: 'The macro is over.' });
  const chat = startBatchgate(['chat', '--session', 'macro'], settings());
  chat.write('mark everything by a macro');
  await chat.says('The assistant proposes to run the macro “marking”. Nothing has run.');
  await chat.says("Say 'run' to run it, or 'no' to drop it.");
  const [kept = ''] = /macro show macro-\w+/.exec(chat.output) ?? [];
  const shown = await runBatchgate([...kept.split(' '), '--json'], settings());
  expect(JSON.parse(shown.stdout)).toEqual(macro);
  chat.write('run');
  await chat.says('The macro asks:');
  await chat.says('Ready to mark 25 items in batches of 20.');
  // A line that arrives right after a question does not answer it, so this one only asks.
  chat.write('how many are left?');
  await chat.says('25 of 25 items are left, in 2 batches.');
  chat.write('continue');
  await chat.says('(20/25 total)');
  chat.write('continue');
  await chat.says('✅ Completed! Processed 25/25 items.');
  await chat.says('The macro is over.');
  chat.endInput();
  expect((await chat.ended).code).toBe(0);
});

it('stops the turn at Ctrl-C and not the operation, ends at the next one, and shows what remained', async () => {
  replies(choose('bulk'), start);
  const chat = startOnTerminal(['chat', '--session', 'keys'], settings());
  chat.write('mark everything');
  await chat.says('Ready to mark 25 items');
  const held = gateway();
  answering(() => ({ text: 'Once upon a time', until: held.opened }));
  chat.write('tell me a story');
  await chat.says('Once upon a time');
  await caughtUp(async () => {
    const { stdout: listed } = await runBatchgate(['list', '--session', 'keys'], settings());
    expect(listed).toMatch(/^assistant-keys +assistant +working +\d+ s ago +keys$/m);
  });
  const { stdout: left } = await runBatchgate(['resume', '--session', 'keys'], settings());
  expect(left).toContain('you said   tell me a story');
  expect(left).toMatch(/^left {7}\d+ steps, \d+ calls$/m);
  expect(left).toMatch(/^waits {6}bulk-\S+: .*Ready to mark 25 items/m);
  chat.type('\x03');
  await chat.says('Stopping the turn; operations continue. Press Ctrl-C again to leave.');
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedBackend } from '../helpers/backend';
import { startBatchgate, type RunningVerb } from '../helpers/command-line';
import { MailboxReader } from '../helpers/mailbox-reader';

/** `npm start` as a newcomer runs it: on a pipe or a terminal, in an empty folder, and with interruptions. */
// The first test starts a new server, store and mailbox, which takes long on a small machine.
let dataDir: string;
let env: Record<string, string>;
const running = new Set<RunningVerb>();

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-demo-'));
  env = {};
});
afterEach(async () => {
  if (running.size > 0) {
    for (const demo of running) demo.kill();
    // A demo without input stops the processes that a killed one left behind.
    const last = demo();
    last.endInput();
    await last.ended;
  }
  await rm(dataDir, { recursive: true, force: true });
});

function demo(...flags: string[]): RunningVerb {
  const started = startBatchgate(['demo', ...flags], { dataDir, env });
  running.add(started);
  void started.ended.then(() => running.delete(started));
  return started;
}

const asked = (done: number) =>
  `Processed 10 items (${done}/50 total). ${50 - done} items remaining. Say 'continue' to process the next batch, or 'cancel' to stop.`;
const ready = "Ready to label 50 emails in batches of 10. Say 'continue' to start, or 'cancel' to abort.";
const labelled = async () => (await MailboxReader.of(dataDir)).withLabel('Newsletters');

it('labels the 50 emails of one sender, ten per confirmation, across Ctrl-C, kill -9 and the end of input, and undoes it', async () => {
  const first = demo();
  await first.says(ready);
  expect(first.output).toContain('the local mailbox');
  const before = await (await MailboxReader.of(dataDir)).state();
  first.write('what is the weather like?');
  await first.says('not about the operation');
  first.write('maybe');
  await first.says('Did you mean to continue the bulk operation?');
  expect(await labelled()).toHaveLength(0);
  first.write('continue');
  await first.says(asked(10));
  const ten = await labelled();
  expect(ten).toHaveLength(10);
  const interrupted = await first.interrupt();
  expect(interrupted.code).toBe(0);
  expect(interrupted.stderr).toContain('Still waiting for a person');

  const second = demo();
  await second.says(asked(10));
  second.write('yes please');
  await second.says(asked(20));
  second.kill();
  await second.ended;

  const third = demo();
  await third.says(asked(20));
  third.endInput();
  expect(await third.ended).toMatchObject({ code: 0 });
  expect((await third.ended).stderr).toContain('npm start');

  const fourth = demo();
  await fourth.says(asked(20));
  // Written at once: after an operation ends, the demo reads only the lines that have already arrived.
  ['go ahead', 'next', 'continue', 'undo'].forEach((line) => fourth.write(line));
  await fourth.says('✅ Completed! Processed 50/50 items.');
  await fourth.says('Ready to undo “label” on 50 emails in batches of 10.');
  const all = await labelled();
  expect(all).toHaveLength(50);
  expect(all).toEqual(expect.arrayContaining(ten));
  Array.from({ length: 5 }, () => fourth.write('continue'));
  const undone = await fourth.ended;
  expect(undone.code).toBe(0);
  expect(undone.stdout.match(/^Undo: Add the label/gm)).toHaveLength(5);
  expect(undone.stderr).toContain("Say 'undo' to take it back.");
  expect(undone.stderr).toContain("Say 'undo' to make the change again.");

  const fifth = demo();
  await fifth.says(ready);
  expect(await (await MailboxReader.of(dataDir)).state()).toEqual({ ...before, Newsletters: [] });
  fifth.endInput();
  await fifth.ended;
});

it('passes messages about something else to the assistant if a model is configured', async () => {
  env['BATCHGATE_MODEL_NAME'] = 'demo';
  const talking = demo();
  await talking.says(ready);
  expect(talking.output).toContain('The assistant is ready');
  talking.write('what is the weather like?');
  await talking.says('I am the demo model');
  talking.write('please cancel the operation');
  await talking.says('Bulk label on gmail cancelled. 0/50 items were processed before cancellation.');
  talking.write('archive all emails from news@northwind-weekly.example');
  await talking.says('Ready to archive 50 emails in batches of 10.');
  expect(await labelled()).toHaveLength(0);
  talking.write('cancel');
  await talking.says('Bulk archive on gmail cancelled.');
  talking.endInput();
  expect((await talking.ended).code).toBe(0);
});

it('prints one status per turn with --json, and its sentences separately', async () => {
  env = await sharedBackend();
  const only = demo('--json');
  await only.says(ready);
  ['maybe', 'continue', 'stop'].forEach((line) => only.write(line));
  const { code, stdout, stderr } = await only.ended;
  expect(code).toBe(0);
  const turns = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { state: string; processed: number });
  expect(turns.map(({ state, processed }) => [state, processed])).toEqual([
    ['awaiting_confirmation', 0],
    ['awaiting_confirmation', 0],
    ['awaiting_confirmation', 10],
    ['cancelled', 10],
  ]);
  for (const sentence of [ready, 'Did you mean to continue the bulk operation?', asked(10)])
    expect(stderr).toContain(sentence);
});

it('ends by itself on a pipe if its operation was cancelled', async () => {
  env = await sharedBackend();
  const only = demo();
  await only.says(ready);
  ['continue', 'stop'].forEach((line) => only.write(line));
  const { code, stdout } = await only.ended;
  expect(code).toBe(0);
  const lines = stdout.trim().split('\n');
  const items = lines.filter((line) => /^\d+\. .+ \(.+\): .+$/.test(line));
  expect(new Set(items).size).toBe(20);
  const change = 'Add the label “Newsletters” to mail from news@northwind-weekly.example. Can be undone.';
  expect(lines.filter((line) => !items.includes(line))).toEqual([
    'Batch 1 of 5, 10 items:',
    change,
    ready,
    'Batch 2 of 5, 10 items:',
    change,
    asked(10),
    'Bulk label on gmail cancelled. 10/50 items were processed before cancellation.',
  ]);
});

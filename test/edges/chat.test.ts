import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TurnView } from '../../src/contract/assistant';
import type { BulkStatus } from '../../src/contract/operation';
import type { ReportRow } from '../../src/contract/report';
import { ensureMailboxProcess, type MailboxProcess } from '../../src/host/local-google/process';
import { NEWSLETTER_SENDER } from '../../src/host/local-google/record';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { testServer } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';

/** The assistant at a terminal: the demo model, a worker in a separate process, and the local mailbox. */
const taskQueue = `chat-${randomUUID()}`;
/** A session's assistant is one workflow of the server, which other tests use too. */
const sessionOf = (name: string) => `${name}-${taskQueue}`;
let dataDir: string;
let mailbox: MailboxProcess;
let worker: RunningVerb;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-chat-'));
  const entry = join(__dirname, '../../dist/dev/google/main.js');
  mailbox = await ensureMailboxProcess({ dataDir, entry });
  worker = await startWorker();
});
afterAll(async () => {
  worker.kill();
  await worker.ended;
  await mailbox.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const settings = () => ({
  dataDir,
  env: {
    TEMPORAL_ADDRESS: testServer().address,
    BATCHGATE_TASK_QUEUE: taskQueue,
    BATCHGATE_GMAIL_BASE_URL: mailbox.url,
    BATCHGATE_GOOGLE_ACCESS_TOKEN: 'local',
    BATCHGATE_MODEL_NAME: 'demo',
  },
});

async function startWorker(): Promise<RunningVerb> {
  const started = startBatchgate(['worker'], settings());
  await started.says('The worker serves');
  return started;
}

const run = (...args: string[]) => runBatchgate(args, settings());

it('goes from a request through five confirmations to the report, with the worker killed on the way', async () => {
  const session = sessionOf('report');
  const chat = startBatchgate(['chat', '--session', session], settings());
  chat.write(`label all emails from ${NEWSLETTER_SENDER} as Later`);
  await chat.says(`I plan to label the emails from ${NEWSLETTER_SENDER}.`);
  await chat.says('Ready to label 50 emails in batches of 10.');
  chat.write('continue');
  await chat.says('(10/50 total)');
  chat.write('continue');
  await chat.says('(20/50 total)');
  worker.kill();
  await worker.ended;
  chat.write('continue');
  worker = await startWorker();
  await chat.says('(30/50 total)');
  chat.write('what is the capital of France?');
  await chat.says('I am the demo model');
  chat.write('continue the operation');
  await chat.says('(40/50 total)');
  chat.write('continue');
  await chat.says('✅ Completed! Processed 50/50 items.');
  await chat.says('That operation is over: ✅ Completed! Processed 50/50 items.');
  chat.endInput();
  const { code, stdout } = await chat.ended;
  expect(code).toBe(0);
  const operation_id = await caughtUp(async () => {
    const { stdout: listed } = await run('list', '--session', session, '--json');
    const rows = listed
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as Partial<BulkStatus>);
    expect(rows).toMatchObject([{ kind: 'assistant', state: 'idle' }, { domain: 'gmail' }]);
    return rows[1]?.operation_id ?? '';
  });
  const { stdout: shown } = await run('status', operation_id, '--json');
  const { confirmations, succeeded, failed } = JSON.parse(shown) as BulkStatus;
  expect({ succeeded, failed }).toEqual({ succeeded: 50, failed: 0 });
  expect(confirmations.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(5);
  expect(stdout).toContain('Add the label “Later” (it will be created) to mail from');
  const file = join(dataDir, 'report.jsonl');
  expect((await run('report', operation_id, '--format', 'jsonl', '--out', file)).code).toBe(0);
  const report = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row) as ReportRow);
  expect(new Set(report.map(({ id }) => id)).size).toBe(50);
  expect(report.filter(({ outcome }) => outcome !== 'succeeded')).toEqual([]);
  const answers = report.map(({ batch, confirmed_by: by, confirmed_at: at }) => `${batch} ${by} ${at}`);
  const decided = confirmations.filter(({ outcome }) => outcome === 'accepted');
  expect([...new Set(answers)]).toEqual(decided.map(({ batch, at }) => `${batch} terminal ${at}`));
});

it('shows after a closed window the conversation, what waits and how to continue, and accepts answers there', async () => {
  const session = sessionOf('window');
  const args = ['chat', '--session', session];
  const first = startBatchgate(args, settings());
  first.write(`archive all emails from ${NEWSLETTER_SENDER}`);
  await first.says('Ready to archive 50 emails');
  first.kill();
  await first.ended;
  const left = await run('resume', '--session', session);
  expect(left.stdout).toContain(`Assistant of session ${session}: idle`);
  expect(left.stdout).toContain(`you said   archive all emails from ${NEWSLETTER_SENDER}`);
  expect(left.stdout).toContain('it did     start_bulk_operation (done)');
  expect(left.stdout).toMatch(/^waits {6}bulk-\S+: .*Ready to archive 50 emails/m);
  expect(left.stdout).toContain(`dismiss    npx batchgate cancel assistant-${session}`);
  worker.kill();
  await worker.ended;
  const again = startBatchgate(args, settings());
  await again.says('No worker answers; looking again.');
  worker = await startWorker();
  await again.says('Ready to archive 50 emails');
  again.write('cancel');
  await again.says('Bulk archive on gmail cancelled.');
  await again.says('That operation is over: Bulk archive on gmail cancelled.');
  again.endInput();
  expect((await again.ended).code).toBe(0);
  expect((await run('cancel', `assistant-${session}`)).stdout).toContain(
    `Assistant of session ${session}: cancelled`,
  );
  expect((await run('watch', `assistant-${session}`)).stdout).toContain('cancelled');
});

it('asks back if something is missing, and prints one object per turn for a program', async () => {
  const { stdout, code } = await runBatchgate(['chat', '--session', sessionOf('json'), '--json'], {
    ...settings(),
    input: 'label my newsletters',
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout) as TurnView).toMatchObject({
    state: 'asks',
    answer: expect.stringMatching('Whose emails?') as string,
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cancelBulkOperation,
  completeTaskRun,
  extendBulkOperation,
  getJobs,
  listBulkOperations,
  recordTaskRun,
  startTaskRun,
} from '../../src/client';
import type { Ledger } from '../../src/contract/ledger';
import { jsonLines, runBatchgate } from '../helpers/command-line';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { lookAgain } from '../helpers/look-again';
import { openTestStore } from '../helpers/store';
import { confirmOpen } from '../helpers/confirm';

/** `batchgate resume`, which continues the interrupted work of a session. */
let harness: Harness;
let folder: string;
/** The expired operations of these sessions. */
const old = { home: '', busy: '', lost: '' };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-resume-'));
  harness = await startHarness({ adapters: [countingTool(10).adapter] });
  // At once, because each waits for its end for as long as its tests may take.
  const sessions = Object.keys(old) as (keyof typeof old)[];
  await Promise.all(sessions.map(async (session) => (old[session] = await expired(session))));
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  runBatchgate(args, {
    dataDir: folder,
    env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
  });
const next = (id: string) => confirmOpen(harness.client, id, {});

const resume = async (session: string, ...more: string[]) => {
  const { code, stdout } = await run('resume', '--session', session, ...more, '--json');
  return { code, found: jsonLines(stdout) };
};
const expired = async (session_id: string) => {
  const { operation_id: id } = await harness.start({
    batch_size: 5,
    session_id,
    // The batch, and then what is asked of the rest, must fit into this.
    idle_timeout_seconds: 10,
  });
  await next(id);
  const isListed = async () =>
    (await listBulkOperations(harness.client, { session_id, state: 'expired' })).some(
      (row) => row.operation_id === id,
    );
  while (!(await isListed())) await lookAgain();
  return id;
};

it('shows what waits', async () => {
  const live = await harness.start({ session_id: 'away' });
  expect(await resume('away')).toEqual({
    code: 0,
    found: [expect.objectContaining({ operation_id: live.operation_id, state: 'awaiting_confirmation' })],
  });
  const words = await run('resume', '--session', 'away');
  const [facts, ...sentence] = words.stdout.split('\n\n');
  expect(facts).toMatch(
    new RegExp(`^operation  ${live.operation_id}\naction     \\w+ on \\w+\nstate      awaiting_`),
  );
  expect(sentence.join('\n\n')).toMatch(
    `${live.message}\n\nNext: npx batchgate continue ${live.operation_id}\n      npx batchgate cancel ${live.operation_id}`,
  );
  expect((await run('resume', '--since', 'soon')).code).toBe(2);
});

it('continues with the rest of an expired operation once', async () => {
  const rest = {
    code: 0,
    found: [
      expect.objectContaining({ operation_id: `${old.home}.rest`, total: 5, state: 'awaiting_confirmation' }),
    ],
  };
  expect(await resume('home', '--requested-by', 'ana')).toEqual(rest);
  // It has the short time of the first one.
  await extendBulkOperation(harness.client, `${old.home}.rest`, { seconds: 600 });
  const { memo } = await harness.client.workflow.getHandle(`${old.home}.rest`).describe();
  expect(memo).toMatchObject({ via: 'terminal' });
  expect(await harness.status(`${old.home}.rest`)).toMatchObject({ requested_by: 'ana' });
  expect(await resume('home')).toEqual(rest);
  await next(`${old.home}.rest`);
  expect(await resume('home')).toEqual({ code: 0, found: [] });
});

it('continues with the rest of an expired operation whose end is still being written', async () => {
  const { ledger } = harness.store;
  const began = new Date().toISOString();
  let release = () => {};
  const written = new Promise<void>((resolve) => (release = resolve));
  const close: Ledger['close'] = async (...end) => {
    await ledger.close(...end);
    await written;
  };
  await harness.restartWorker({ ...ledger, close });
  try {
    const closing = await expired('closing');
    while ((await getJobs(harness.client, harness.taskQueue)).some(({ job_id }) => job_id === closing))
      await lookAgain();
    const ended = { session_id: 'closing', state: 'expired', closed_after: began } as const;
    expect(await listBulkOperations(harness.client, ended)).toEqual([
      expect.objectContaining({ operation_id: closing }),
    ]);
  } finally {
    release();
  }
  expect((await resume('closing')).found).toEqual([
    expect.objectContaining({
      operation_id: expect.stringMatching(/\.rest$/),
      state: 'awaiting_confirmation',
    }),
  ]);
});

it('continues one operation by its id, as the answer to a late decision says', async () => {
  const live = await harness.start({ session_id: 'one' });
  const resumed = async (id: string) => {
    const { code, stdout } = await run('resume', id, '--json');
    return [code, ...jsonLines(stdout)];
  };
  expect(await resumed(live.operation_id)).toEqual([
    0,
    expect.objectContaining({ operation_id: live.operation_id, state: 'awaiting_confirmation' }),
  ]);
  await cancelBulkOperation(harness.client, live.operation_id);
  const rest = `${live.operation_id}.rest`;
  expect(await resumed(live.operation_id)).toEqual([
    0,
    expect.objectContaining({ operation_id: rest, total: 10, state: 'awaiting_confirmation' }),
  ]);
  await cancelBulkOperation(harness.client, rest);
  // The one that took over the rest has ended too.
  expect(await resumed(live.operation_id)).toEqual([
    0,
    expect.objectContaining({ operation_id: `${rest}.rest`, total: 10, state: 'awaiting_confirmation' }),
  ]);
  await cancelBulkOperation(harness.client, `${rest}.rest`);
  expect((await run('resume', 'any', '--session', 'one', '--json')).code).toBe(2);
  expect(await resumed('nothing')).toEqual([1, { error: expect.objectContaining({ code: 'NOT_FOUND' }) }]);
});

it('shows a task run of the session with its records', async () => {
  const input = { goal: 'Visit three sites', session_id: 'agent', contract: { expected_total: 3 } };
  const { task_run_id } = await startTaskRun(harness.client, input, { task_queue: harness.taskQueue });
  await recordTaskRun(harness.client, task_run_id, { completed: ['one'], cursor: 'two' });
  expect((await resume('agent')).found).toEqual([
    expect.objectContaining({ task_run_id, state: 'running', completed_count: 1, cursor: 'two' }),
  ]);
  expect((await run('resume', '--session', 'agent')).stdout).toContain('1 of 3 completed');
  await completeTaskRun(harness.client, task_run_id, { force: true, reason: 'enough' });
  expect((await resume('agent')).found).toEqual([]);
});

it('leaves the rest until the session has no other operation', async () => {
  const live = await harness.start({ session_id: 'busy' });
  const first = await resume('busy');
  expect(first.code).toBe(1);
  expect(first.found).toEqual([
    expect.objectContaining({ operation_id: live.operation_id }),
    { error: expect.objectContaining({ code: 'SESSION_LOCKED', details: { operation_id: old.busy } }) },
  ]);
  await next(live.operation_id);
  expect((await resume('busy')).found).toEqual([
    expect.objectContaining({ operation_id: `${old.busy}.rest`, state: 'awaiting_confirmation' }),
  ]);
});

it('names the one that cannot be resumed, and continues with the others', async () => {
  const live = await harness.start({ session_id: 'lost' });
  const emptied = await openTestStore();
  await harness.restartWorker(emptied.ledger);
  const { code, found } = await resume('lost');
  expect(code).toBe(1);
  expect(found).toEqual([
    expect.objectContaining({ operation_id: live.operation_id }),
    {
      error: {
        code: 'NOT_FOUND',
        message: expect.stringContaining(`${old.lost} could not be resumed`),
        hint: expect.any(String),
        details: { operation_id: old.lost },
      },
    },
  ]);
  await harness.restartWorker();
  await emptied.close();
});

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { cancelBulkOperation, getCooldown, getJobs, touch } from '../../src/client';
import { createSentinel } from '../../src/client/sentinel';
import { BatchgateError } from '../../src/contract/errors';
import { sentinelId, type AdmitAnswer, type Job } from '../../src/contract/sentinel';
import { codeOf, countingTool, gateway, startHarness, testServer, type Harness } from '../helpers/harness';
import { inLongRun, itInLongRun } from '../helpers/long-run';
import { watched } from '../helpers/watched-connection';
import { confirmOpen } from '../helpers/confirm';

/** The slots on the real server, however a job was started and however it ended. */
const LIMIT = 10;
/** Each start runs the whole bundle again in one thread, so many starts at once take long on a busy machine. */
const STARTS = inLongRun(50, 20);

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness({ adapters: [countingTool(5).adapter], settings: { max_active_jobs: LIMIT } });
});
afterEach(() => harness.close());

const sentinel = () => harness.client.workflow.getHandle(sentinelId(harness.taskQueue));
const jobs = async () => (await getJobs(harness.client, harness.taskQueue)).map(({ job_id }) => job_id);
/** The jobs that the sentinel holds, or `before` while the server answers no query because a task is late. */
const heldJobs = <T>(before: T[]) =>
  sentinel()
    .query<Job[]>('jobs')
    .catch(() => before);
const id = () => `job-${randomUUID()}`;

async function errorOf(work: Promise<unknown>): Promise<BatchgateError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof BatchgateError) return error;
  throw new Error(`it was not refused: ${String(error)}`);
}

async function fill(count = LIMIT): Promise<string[]> {
  const ids = Array.from({ length: count }, id);
  await Promise.all(ids.map((it) => harness.start({}, it)));
  return ids;
}

/** Starts many operations at once. */
async function crowd(): Promise<{ open: string[]; refused: string[] }> {
  const ids = Array.from({ length: STARTS }, id);
  const states = await Promise.all(
    ids.map(async (it) => {
      try {
        return (await harness.start({}, it)).state;
      } catch (error) {
        return (error as BatchgateError).code;
      }
    }),
  );
  const those = (wanted: string) => ids.filter((_, at) => states[at] === wanted);
  const refused = those('JOB_LIMIT_REACHED');
  const open = those('awaiting_confirmation');
  expect(open.length + refused.length).toBe(STARTS);
  return { open, refused };
}

it(`admits ten of ${STARTS} concurrent starts, and names them to the others`, async () => {
  const { open } = await crowd();
  expect(open).toHaveLength(LIMIT);
  expect((await jobs()).sort()).toEqual([...open].sort());
  const refusal = await errorOf(harness.start({}));
  expect(refusal).toMatchObject({ code: 'JOB_LIMIT_REACHED', details: { limit: LIMIT } });
  const { holders } = refusal.details as { holders: { job_id: string; state: string }[] };
  expect(holders.map(({ job_id }) => job_id).sort()).toEqual([...open].sort());
  expect(refusal.message).toContain(`The oldest is ${holders[0]?.job_id} (waits for an answer, since `);
  // The slots are shared with people who may not see each other's work.
  const foreign = await errorOf(harness.start({ session_id: 'somebody-else' }));
  expect(foreign).toMatchObject({
    code: 'JOB_LIMIT_REACHED',
    details: { limit: LIMIT, active: LIMIT, holders: [] },
  });
  for (const id of open) expect(JSON.stringify(foreign.body)).not.toContain(id);
});

itInLongRun('needs one call to the server for a start and one for an end', async () => {
  const calls: string[] = [];
  const connection = await Connection.connect({ address: testServer().address });
  const client = new Client({ connection: watched(connection, (method) => calls.push(method)) });
  const places = createSentinel(client, harness.taskQueue);
  const [first, second] = [id(), id()].map((job_id) => ({
    job_id,
    run_id: 'r',
    kind: 'bulk_operation' as const,
  }));
  if (!first || !second) throw new Error('two jobs');
  await places.admit(first, LIMIT);
  calls.length = 0;
  expect(await places.admit(second, LIMIT)).toBeUndefined();
  expect(calls).toEqual(['executeMultiOperation']);
  await places.release(second);
  expect(calls).toEqual(['executeMultiOperation', 'signalWorkflowExecution']);
  await connection.close();
});

itInLongRun(`admits no eleventh job when it is terminated during ${STARTS} starts`, async () => {
  const before = await fill(LIMIT - 3);
  const crowding = crowd();
  // One query at a time, with pauses, because the sentinel admits the crowd meanwhile.
  while ((await heldJobs(before)).length === before.length) await pause(20);
  await sentinel().terminate('by an operator');
  const { open } = await crowding;
  expect(open).toHaveLength(3);
  expect((await jobs()).sort()).toEqual([...before, ...open].sort());
});

itInLongRun('frees a slot however its job ends: done, cancelled, terminated, timed out', async () => {
  const [done = '', cancelled = '', terminated = '', live = ''] = await fill(LIMIT - 1);
  const short = id();
  const { client, taskQueue } = harness;
  await client.workflow.start('bulkOperation', {
    workflowId: short,
    taskQueue,
    args: [{ domain: 'fake', action: 'mark', params: { group: 'all' } }],
    workflowExecutionTimeout: '8s',
  });
  while (!(await heldJobs<Job>([])).some(({ job_id }) => job_id === short)) await pause(20);
  await expect(client.workflow.getHandle(short).result()).rejects.toThrow();
  await confirmOpen(client, done, {});
  await cancelBulkOperation(client, cancelled, {});
  await client.workflow.getHandle(terminated).terminate();
  await fill(4);
  const holders = await jobs();
  expect(holders).toHaveLength(LIMIT);
  for (const over of [done, cancelled, terminated, short]) expect(holders).not.toContain(over);
  expect(holders).toContain(live);
  expect(await codeOf(harness.start({}))).toBe('JOB_LIMIT_REACHED');
});

itInLongRun('stops listing a terminated job even if no start needs its slot', async () => {
  const [terminated = '', live = ''] = await fill(2);
  await harness.client.workflow.getHandle(terminated).terminate();
  expect(await jobs()).toEqual([live]);
});

itInLongRun('keeps the messages that it receives while it reads the limit', async () => {
  const { address, bundlePath } = testServer();
  const connection = await NativeConnection.connect({ address });
  const taskQueue = `test-${randomUUID()}`;
  const [reading, read] = [gateway(), gateway()];
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: { code: readFileSync(bundlePath, 'utf8') },
    activities: {
      slotLimit: async () => {
        reading.open();
        await read.opened;
        return LIMIT;
      },
    },
  });
  await worker.runUntil(async () => {
    const { client } = harness;
    const workflowId = sentinelId(taskQueue);
    const job = { job_id: id(), run_id: 'r', kind: 'bulk_operation' };
    const alone = await client.workflow.start('sentinel', {
      workflowId,
      taskQueue,
      args: [{ settle_ms: 0 }],
    });
    const asked = alone.executeUpdate<AdmitAnswer, [object]>('admit', { args: [{ job, limit: LIMIT }] });
    await reading.opened;
    await touch(client, { by: 'ana' }, taskQueue);
    read.open();
    await asked;
    expect(await getCooldown(client, taskQueue)).toMatchObject({ by: 'ana' });
    await alone.terminate();
  });
  await connection.close();
});

it('allows one live job per session, and the next one as soon as the first has ended', async () => {
  const first = await harness.start({ session_id: 's1' });
  const refusal = await errorOf(harness.start({ session_id: 's1' }));
  expect(refusal).toMatchObject({
    code: 'SESSION_LOCKED',
    details: { holders: [{ job_id: first.operation_id, session_id: 's1', state: 'awaiting_confirmation' }] },
  });
  expect(refusal.message).toContain(first.operation_id);
  await harness.start({ session_id: 's2' });
  for (let round = 0; round < 5; round++) {
    const { job } = await touch(harness.client, { session_id: 's1' }, harness.taskQueue);
    await confirmOpen(harness.client, job?.job_id ?? '', {});
    await harness.start({ session_id: 's1' });
  }
  expect(await jobs()).toHaveLength(2);
});

itInLongRun('applies to operations that a foreign client started', async () => {
  await fill();
  const handle = await harness.client.workflow.start('bulkOperation', {
    workflowId: id(),
    taskQueue: harness.taskQueue,
    args: [{ domain: 'fake', action: 'mark', params: { group: 'all' } }],
  });
  expect(await handle.result()).toMatchObject({ state: 'rejected', error: { code: 'JOB_LIMIT_REACHED' } });
});

itInLongRun('lets an operation that was refused a slot start again under its id', async () => {
  const [first = ''] = await fill();
  const again = id();
  expect(await codeOf(harness.start({}, again))).toBe('JOB_LIMIT_REACHED');
  await cancelBulkOperation(harness.client, first, {});
  expect(await harness.start({}, again)).toMatchObject({ state: 'awaiting_confirmation' });
  expect(await codeOf(harness.start({ batch_size: 7 }, again))).toBe('IDEMPOTENCY_CONFLICT');
});

itInLongRun('still knows the live jobs after its own termination, and refuses one too many', async () => {
  const ids = await fill();
  await sentinel().terminate();
  expect(await codeOf(harness.start({}))).toBe('JOB_LIMIT_REACHED');
  expect((await jobs()).sort()).toEqual(ids.sort());
});

itInLongRun('keeps its slots and its cooldown when it continues as new', async () => {
  const [first = ''] = await fill(3);
  const { runId } = await sentinel().describe();
  const current = async () => (await sentinel().describe()).runId;
  while ((await current()) === runId) {
    const touches = Array.from({ length: 6 }, () => touch(harness.client, { by: 'ana' }, harness.taskQueue));
    const passing = harness.start({ session_id: 'passing' });
    await Promise.all([...touches, passing]);
    await cancelBulkOperation(harness.client, (await passing).operation_id, {});
  }
  // The run must end even if its callers never pause, because they all wait while it is replayed.
  const { historyLength } = await harness.client.workflow
    .getHandle(sentinelId(harness.taskQueue), runId)
    .describe();
  expect(historyLength).toBeLessThan(1_000);
  expect(await jobs()).toHaveLength(3);
  expect(await getCooldown(harness.client, harness.taskQueue)).toMatchObject({ active: true });
  await cancelBulkOperation(harness.client, first, {});
  await fill(LIMIT - 2);
  expect(await codeOf(harness.start({}))).toBe('JOB_LIMIT_REACHED');
});

import { Writable } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { PayloadCodec } from '@temporalio/common';
import { pino } from 'pino';
import {
  cancelBulkOperation,
  continueBulkOperation,
  endQuarantined,
  findQuarantined,
  getBulkErrors,
  getBulkItems,
  getBulkStatus,
  getCompletionGuard,
  getJobs,
  getProfile,
  getReport,
  handleMessage,
  listBulkOperations,
  listKeys,
  previewBulkOperation,
  startBulkOperation,
  startTaskRun,
  touch,
} from '../../src/client';
import type { BulkTurn } from '../../src/contract/operation';
import { sentinelId } from '../../src/contract/sentinel';
import { probeQuarantine } from '../../src/cli/doctor';
import { watchQuarantine } from '../../src/worker/quarantine-watch';
import { runRestarting } from '../../src/worker/worker-restarts';
import { codeOf, countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

const POISON = 'poison';
const LOOK_MS = 100;
let keyService: 'away' | 'back' = 'away';
/** While the key service is away, the workflow task of a run that receives the poison fails. */
const codec: PayloadCodec = {
  encode: (payloads) => Promise.resolve(payloads),
  decode: (payloads) =>
    keyService === 'away' &&
    payloads.some(({ data }) => Buffer.from(data ?? []).toString() === JSON.stringify(POISON))
      ? Promise.reject(Object.assign(new Error('the key service is away'), { retryable: true }))
      : Promise.resolve(payloads),
};

let harness: Harness;
const tool = countingTool(10);
beforeAll(async () => {
  harness = await startHarness({
    adapters: [tool.adapter],
    settings: { max_active_jobs: 2 },
    dataConverter: { payloadCodecs: [codec] },
  });
});
afterAll(() => harness.close());

const handle = (id: string) => harness.client.workflow.getHandle(id);

/** Makes a run's task fail, and waits until it has failed often enough. */
async function quarantine(id: string): Promise<void> {
  await handle(id).signal('unknown', POISON);
  for (;;) {
    const found = await findQuarantined(harness.client, harness.taskQueue);
    if (found.some(({ workflow_id }) => workflow_id === id)) return;
    await pause(LOOK_MS);
  }
}

async function recovered(id: string): Promise<void> {
  while ((await findQuarantined(harness.client, harness.taskQueue)).some((run) => run.workflow_id === id))
    await pause(LOOK_MS);
}

it('refuses a confirmation of a quarantined run, says how to end the run, and whether the batch may still run', async () => {
  const { client } = harness;
  const [bare, named] = [await harness.start({}), await harness.start({})];
  await Promise.all([quarantine(bare.operation_id), quarantine(named.operation_id)]);
  const refusal = async ({ operation_id: id }: BulkTurn, confirmation: object) => {
    const error = await continueBulkOperation(client, id, confirmation).catch((refused: unknown) => refused);
    expect(error).toMatchObject({
      code: 'TEMPORAL_UNAVAILABLE',
      message: expect.stringContaining(`${id} is quarantined`) as string,
      hint: expect.stringMatching(
        new RegExp(
          `npx batchgate end ${id}.*What you sent may still be carried out once the run recovers, unless you end it\\.$`,
        ),
      ) as string,
    });
  };
  await Promise.all([
    refusal(bare, {}),
    refusal(named, { batch: 1, attempt: 1, digest: named.next_batch?.digest }),
  ]);
  await endQuarantined(client, named.operation_id, { reason: 'not confirmed after all' });
  expect(await getBulkStatus(client, named.operation_id)).toMatchObject({
    ...{ state: 'cancelled', processed: 0, confirmations: [] },
  });
  keyService = 'back';
  await recovered(bare.operation_id);
  keyService = 'away';
  // The server may have kept the confirmation for the run, or not.
  const { processed, confirmations } = await cancelBulkOperation(client, bare.operation_id).then(() =>
    getBulkStatus(client, bare.operation_id),
  );
  const accepted = confirmations.filter(
    ({ decision, outcome }) => decision === 'continue' && outcome === 'accepted',
  );
  expect(accepted.length).toBeLessThanOrEqual(1);
  expect(processed).toBe(accepted.length * 10);
});

it('says that no worker polls the task queue of an operation, at every call, and ends such an operation', async () => {
  const { client } = harness;
  const id = `nobody-${randomUUID()}`;
  const taskQueue = `nobody-${randomUUID()}`;
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  await client.workflow.start('bulkOperation', { workflowId: id, taskQueue, args: [input] });
  const calls = [getBulkStatus, getBulkItems, getCompletionGuard, cancelBulkOperation].map((ask) =>
    ask(client, id),
  );
  for (const refused of await Promise.allSettled([...calls, continueBulkOperation(client, id, { batch: 1 })]))
    expect(refused).toMatchObject({
      reason: {
        code: 'TEMPORAL_UNAVAILABLE',
        message: `No worker polls the task queue ${taskQueue}, so nothing answers for ${id}.`,
        hint: expect.stringMatching(/^Start one: `npx batchgate up`.*`npx batchgate end nobody-/) as string,
      },
    });
  const elsewhere = { task_queue: taskQueue, wait_ms: 1_000 };
  const others = [
    startBulkOperation(client, input, elsewhere),
    previewBulkOperation(client, input, elsewhere),
    touch(client, {}, taskQueue),
    handleMessage(client, 'nobody', 'yes', { task_queue: taskQueue }),
    getProfile(client, undefined, taskQueue),
    listKeys(client, taskQueue),
  ];
  for (const refused of await Promise.allSettled(others)) {
    const words = new RegExp(`(No worker polls|none polls) the task queue ${taskQueue}`);
    expect(refused).toMatchObject({
      reason: { code: 'TEMPORAL_UNAVAILABLE', message: expect.stringMatching(words) as string },
    });
  }
  expect(await endQuarantined(client, id, { reason: 'started on the wrong queue' })).toMatchObject({
    ...{ workflow_id: id, failure: `No worker polls the task queue ${taskQueue}.` },
  });
  expect((await handle(id).describe()).status.name).toBe('TERMINATED');
});

it('lists a run whose task keeps failing with the reason, and ends it with a report from the ledger', async () => {
  const { client, taskQueue } = harness;
  const { operation_id: id } = await harness.start({ batch_size: 5 }, `broken-${randomUUID()}`);
  await confirmOpen(client, id);
  expect(await codeOf(endQuarantined(client, id, { reason: 'not yet' }))).toBe('INVALID_INPUT');
  await quarantine(id);

  const rows = await listBulkOperations(client, { task_queue: taskQueue });
  expect(rows.find((row) => row.operation_id === id)?.quarantined).toContain('the key service is away');
  const { connection } = client;
  expect(await probeQuarantine(connection as Connection, 'default', taskQueue)).toMatchObject({
    status: 'problem',
    detail: expect.stringMatching(new RegExp(`${id} .*the key service is away`)) as string,
  });
  const lines = logged();
  const watch = watchQuarantine(client, taskQueue, lines.log, { everyMs: 10 });
  expect(await lines.first()).toMatchObject({
    workflow_id: id,
    reason: expect.stringContaining('key service') as string,
  });
  watch.stop();
  await expect(getBulkStatus(client, id)).rejects.toThrow(/quarantined.*the key service is away/);

  // Other operations go on, and the end of this one frees its slot.
  const other = await harness.start({});
  expect(await codeOf(harness.start({}))).toBe('JOB_LIMIT_REACHED');
  await endQuarantined(client, id, { reason: 'the key is lost' });
  expect((await getJobs(client, taskQueue)).map(({ job_id }) => job_id)).toEqual([other.operation_id]);
  await harness.start({});

  expect(await getBulkStatus(client, id)).toMatchObject({
    state: 'cancelled',
    succeeded: 5,
    remaining: 5,
    error: { message: expect.stringContaining('the key is lost') as string },
  });
  expect(await getBulkErrors(client, id)).toEqual({ errors: [], total: 0 });
  expect(await getBulkItems(client, id, { outcome: 'succeeded' })).toMatchObject({ total: 5 });
  expect(await getCompletionGuard(client, id)).toMatchObject({ allowed: false });
  expect((await getReport(client, id)).rows).toHaveLength(10);
  expect(await codeOf(endQuarantined(client, id, { reason: 'again' }))).toBe('OPERATION_CLOSED');
});

it('ends a task run and a start that cannot be decoded like an operation', async () => {
  const { client, taskQueue } = harness;
  const task = await startTaskRun(client, { goal: 'count' }, { task_queue: taskQueue });
  const id = `never-${randomUUID()}`;
  await client.workflow.start('bulkOperation', { workflowId: id, taskQueue, args: [POISON] });
  await Promise.all([quarantine(task.task_run_id), quarantine(id)]);
  expect(await endQuarantined(client, task.task_run_id, { reason: 'lost' })).toMatchObject({
    type: 'taskRun',
  });
  await endQuarantined(client, id, { reason: 'lost' });
  expect(await getBulkStatus(client, id)).toMatchObject({ state: 'cancelled', total: 0 });
  expect(await findQuarantined(client, taskQueue)).toEqual([]);
});

it('replaces a sentinel that cannot answer with one that knows the live jobs and takes its limit from its worker', async () => {
  const { client, taskQueue } = harness;
  const held = await getJobs(client, taskQueue);
  expect(held).toHaveLength(2);
  const ghost = { job_id: 'ghost', run_id: 'none', kind: 'macro' };
  const claim = { job: ghost, limit: 1_000 };
  const sentinel = handle(sentinelId(taskQueue));
  expect(await sentinel.executeUpdate('admit', { args: [claim] })).toMatchObject({ because: 'limit' });
  const { runId } = await sentinel.describe();
  await quarantine(sentinelId(taskQueue));
  await cancelBulkOperation(client, held[0]?.job_id ?? '');
  // The admission gets no answer from the sentinel, ends it, and waits until a new one knows the live jobs.
  await harness.start({});
  expect((await sentinel.describe()).runId).not.toBe(runId);
  expect((await getJobs(client, taskQueue)).map(({ job_id }) => job_id)).toContain(held[1]?.job_id);
  expect(await codeOf(harness.start({}))).toBe('JOB_LIMIT_REACHED');
});

it('quarantines no run for a few workers that were lost with its task, but one whose task is lost repeatedly', async () => {
  const { client } = harness;
  const taskQueue = `lost-${randomUUID()}`;
  const run = await client.workflow.start('taskRun', {
    ...{ workflowId: taskQueue, taskQueue, workflowTaskTimeout: '1 second' },
    args: [{ goal: 'outlive its workers' }],
  });
  const request = { namespace: 'default', identity: 'lost worker', taskQueue: { name: taskQueue } };
  const loseTask = () =>
    client.withDeadline(Date.now() + 60_000, () => client.workflowService.pollWorkflowTaskQueue(request));
  const found = async (failures: number) => {
    while (((await run.describe()).raw.pendingWorkflowTask?.attempt ?? 1) <= failures) await pause(LOOK_MS);
    return findQuarantined(client, taskQueue);
  };
  for (let lost = 0; lost < 4; lost++) await loseTask();
  expect(await found(4)).toEqual([]);
  await loseTask();
  expect(await found(5)).toMatchObject([{ failures: 5, reason: 'Its workflow task timed out.' }]);
  await run.terminate();
});

it('restarts a worker whose workflow thread dies', async () => {
  const { address, bundlePath } = testServer();
  const connection = await NativeConnection.connect({ address });
  const taskQueue = `thread-${randomUUID()}`;
  const made: Worker[] = [];
  const lines = logged();
  const supervised = await runRestarting(async () => {
    const workflowBundle = { code: readFileSync(bundlePath, 'utf8') };
    const worker = await Worker.create({ connection, taskQueue, workflowBundle });
    made.push(worker);
    return worker;
  }, lines.log);
  try {
    const client = new Client({ connection: await Connection.connect({ address }) });
    const run = await client.workflow.start('taskRun', {
      workflowId: `thread-${randomUUID()}`,
      taskQueue,
      args: [{ goal: 'outlive the thread' }],
    });
    await run.executeUpdate('ready');
    await threadOf(made[0]).terminate();
    expect(await run.executeUpdate('record', { args: [{ completed: ['a'] }] })).toMatchObject({
      completed_count: 1,
    });
    expect(made).toHaveLength(2);
    expect(await lines.first()).toMatchObject({ error: { type: 'UnexpectedError' } });
    await client.connection.close();
  } finally {
    await supervised.stop();
    await connection.close();
  }
});

/** The thread that runs a worker's workflows, which the SDK does not expose. */
function threadOf(worker: Worker | undefined): { terminate(): Promise<number> } {
  const { workflowCreator } = worker as unknown as {
    workflowCreator: { workerThreadClients: { workerThread: { terminate(): Promise<number> } }[] };
  };
  const [client] = workflowCreator.workerThreadClients;
  if (!client) throw new Error('the worker has no workflow thread');
  return client.workerThread;
}

/** A log, and a promise of its first line. */
function logged() {
  let say: (line: unknown) => void = () => undefined;
  const first = new Promise<unknown>((resolve) => (say = resolve));
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      say(JSON.parse(chunk.toString()));
      done();
    },
  });
  return { log: pino({ serializers: { error: pino.stdSerializers.err } }, sink), first: () => first };
}

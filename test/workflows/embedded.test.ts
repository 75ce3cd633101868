import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { Batchgate, startWorker } from '../../src';
import { hygieneScheduleId } from '../../src/contract/hygiene';

import { countingTool, testServer } from '../helpers/harness';
import { newStoreUrl } from '../helpers/store';
import { caughtUp } from '../helpers/look-again';

/** What a project of somebody else does with `startWorker` and `Batchgate`. */
const taskQueue = 'embedded';
const { address, bundlePath } = testServer();
let native: NativeConnection;
let connection: Connection;
let worker: Awaited<ReturnType<typeof startWorker>>;
let batchgate: Batchgate;

beforeAll(async () => {
  const [nativeConnection, ownConnection, databaseUrl] = await Promise.all([
    NativeConnection.connect({ address }),
    Connection.connect({ address }),
    newStoreUrl(),
  ]);
  [native, connection] = [nativeConnection, ownConnection];
  worker = await startWorker({
    ...{ connection: native, store: { databaseUrl }, taskQueue },
    adapters: [countingTool(10).adapter],
    workflowBundle: { codePath: bundlePath },
  });
  batchgate = new Batchgate({ client: new Client({ connection }), taskQueue });
});
afterAll(async () => {
  await worker.stop();
  await Promise.all([native.close(), connection.close()]);
});

const input = {
  domain: 'fake',
  action: 'mark',
  params: { group: 'all' },
  batch_size: 5,
  session_id: 'embedded',
};

it('previews, starts exactly that, confirms one batch, and reports it', async () => {
  const { digest: expect_digest } = await batchgate.preview(input);
  const { operation_id, next_batch } = await batchgate.start({ ...input, expect_digest });
  const { number: batch, attempt, digest } = next_batch!;
  const seen = { batch, attempt, digest };
  expect(await batchgate.continue(operation_id, { ...seen, by: 'ana' })).toMatchObject({ succeeded: 5 });
  const extended = await batchgate.extend(operation_id, { seconds: 7_200 });
  expect(Date.parse(extended.expires_at!) - Date.now()).toBeGreaterThan(3_600_000);
  expect(await batchgate.complete(operation_id)).toMatchObject({ allowed: false });
  expect(await batchgate.say('embedded', 'continue?')).toMatchObject({
    reply: expect.stringContaining('Did you mean to continue') as string,
  });
  await batchgate.cancel(operation_id, { reason: 'enough' });
  expect(await batchgate.status(operation_id)).toMatchObject({ state: 'cancelled', succeeded: 5 });
  const rows = (await batchgate.report(operation_id)).rows.map(({ outcome }) => outcome);
  expect(rows.filter((outcome) => outcome === 'succeeded')).toHaveLength(5);
  const states = [];
  for await (const { state } of batchgate.watch(operation_id)) states.push(state);
  expect(states.at(-1)).toBe('cancelled');
  await caughtUp(async () => {
    const listed = await batchgate.list({ session_id: 'embedded' });
    expect(listed.map((row) => row.operation_id)).toContain(operation_id);
  });
});

it('rejects with the code and the hint of the refusal', async () => {
  await expect(batchgate.start({ ...input, domain: 'none' })).rejects.toMatchObject({
    code: 'UNKNOWN_ADAPTER',
    hint: 'Use one of: fake.',
  });
  await expect(batchgate.retryFailed('bulk-none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('counts a task run, and refuses to complete it too early', async () => {
  const { taskRuns } = batchgate;
  const { task_run_id } = await taskRuns.start({ goal: 'two letters', contract: { expected_total: 2 } });
  await taskRuns.record(task_run_id, { completed: ['one'] });
  expect(await taskRuns.complete(task_run_id)).toMatchObject({ allowed: false, missing_count: 1 });
  expect(await taskRuns.cancel(task_run_id)).toMatchObject({ state: 'cancelled', completed_count: 1 });
});

it('runs a macro to its end', async () => {
  const macro = { name: 'nothing', steps: [] };
  const { run_id } = await batchgate.macros.start({ macro, args: {} });
  expect(await batchgate.macros.wait(run_id)).toMatchObject({ state: 'completed' });
});

it('schedules the hygiene of idle data', async () => {
  const scheduleId = hygieneScheduleId(taskQueue);
  const { schedule } = await connection.workflowService.describeSchedule({
    namespace: 'default',
    scheduleId,
  });
  expect(schedule?.action?.startWorkflow?.taskQueue?.name).toBe(taskQueue);
});

it('signs the audit record of one database with the key that each worker is given', async () => {
  const databaseUrl = await newStoreUrl();
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-embedded-'));
  const warned: object[] = [];
  const none = () => undefined;
  const log = { info: none, error: none, warn: (fields: object) => void warned.push(fields) };
  const deployed = async (name: string, audit?: { key: string }) => {
    const own = await startWorker({
      ...{ connection: native, adapters: [countingTool(1).adapter], taskQueue: `embedded-${name}` },
      ...{ store: { databaseUrl, dataDir: join(folder, name) }, log, ...(audit && { audit }) },
      workflowBundle: { codePath: bundlePath },
    });
    await own.stop();
  };
  try {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await deployed('first', { key });
    await deployed('second', { key });
    expect(warned).toEqual([]);
    await deployed('without');
    expect(warned).toEqual([{ reason: expect.stringContaining('is signed by the key') as string }]);
    await expect(deployed('wrong', { key: 'no key' })).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('starts no worker with a policy that does not compile', async () => {
  const refused = startWorker({
    ...{ connection: native, taskQueue: 'refused', adapters: [countingTool(1).adapter] },
    policies: [{ name: 'broken', when: 'total >', refuse: 'never' }],
  });
  await expect(refused).rejects.toMatchObject({
    code: 'NOT_CONFIGURED',
    message: expect.stringContaining('policies[0].when: is not valid CEL') as string,
  });
});

it('starts no worker over an embedded store with a policy that asks for people who signed in', async () => {
  const refused = startWorker({
    ...{ connection: native, taskQueue: 'refused', adapters: [countingTool(1).adapter] },
    policies: [{ name: 'signed', when: 'true', require: { assurance: 'signed' } }],
  });
  await expect(refused).rejects.toMatchObject({
    code: 'NOT_CONFIGURED',
    message: expect.stringContaining('nobody can sign in where this worker runs') as string,
  });
});

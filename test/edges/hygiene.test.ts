import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Connection, type ScheduleHandle } from '@temporalio/client';
import { getCooldown } from '../../src/client';
import type { HygieneReport } from '../../src/contract/hygiene';
import type { TouchAnswer } from '../../src/contract/sentinel';
import { connectClient } from '../../src/host/temporal/connection';
import { ensureNamespace } from '../../src/host/temporal/dev-server';
import { ensureSearchAttributes } from '../../src/host/temporal/search-attributes';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { seedStore } from '../helpers/embedded';

/** The schedule that workers create, and the verb that holds it off, as an operator uses them. */
const temporal = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';
const namespace = `hygiene-${process.pid}`;
const env = { TEMPORAL_ADDRESS: temporal, TEMPORAL_NAMESPACE: namespace };

let folder: string;
let connection: Connection;
let client: Client;
let schedule: ScheduleHandle;
let workers: RunningVerb[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-hygiene-'));
  await Promise.all(['one', 'two'].map((name) => seedStore(join(folder, name))));
  connection = await connectClient({ address: temporal });
  await ensureNamespace(connection, namespace);
  await ensureSearchAttributes(connection, namespace);
  client = new Client({ connection, namespace });
  schedule = client.schedule.getHandle('batchgate-hygiene');
});
afterAll(async () => {
  await stopWorkers();
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts workers, each with its own store. */
async function startWorkers(...names: string[]): Promise<void> {
  workers = names.map((name) => startBatchgate(['worker'], { dataDir: join(folder, name), env }));
  await Promise.all(workers.map((worker) => worker.says('The worker serves')));
}

async function stopWorkers(): Promise<void> {
  await Promise.all(workers.map((worker) => worker.interrupt()));
  workers = [];
}

/** Triggers the schedule, and returns the report of that run. */
async function triggered(): Promise<HygieneReport> {
  const { numActionsTaken } = (await schedule.describe()).info;
  await schedule.trigger();
  for (;;) {
    const { info } = await schedule.describe();
    const last = info.recentActions.at(-1);
    if (info.numActionsTaken === numActionsTaken || !last) continue;
    const { workflowId } = last.action.workflow;
    return client.workflow.getHandle(workflowId).result() as Promise<HygieneReport>;
  }
}

it('is created once when two workers start together, runs every 15 minutes and never overlaps', async () => {
  await startWorkers('one', 'two');
  const { spec, action, policies, state } = await schedule.describe();
  expect(spec.intervals).toEqual([expect.objectContaining({ every: 900_000 })]);
  expect(action).toMatchObject({ workflowType: 'hygiene', taskQueue: 'batchgate' });
  expect(policies.overlap).toBe('SKIP');
  expect(state.paused).toBe(false);
  expect(workers.map(({ output }) => output).join('')).not.toContain('not scheduled');
});

it("keeps an operator's changes when workers restart, and doctor shows them", async () => {
  await schedule.pause('until the migration is over');
  await schedule.update((current) => ({ ...current, spec: { intervals: [{ every: '2 hours' }] } }));
  await stopWorkers();
  await startWorkers('one');
  const { state, spec } = await schedule.describe();
  expect(state).toMatchObject({ paused: true, note: 'until the migration is over' });
  expect(spec.intervals).toEqual([expect.objectContaining({ every: 7_200_000 })]);
  const doctor = await runBatchgate(['doctor', '--json'], { dataDir: join(folder, 'one'), env });
  expect(JSON.parse(doctor.stdout).checks).toContainEqual({
    ...{ name: 'hygiene', status: 'ok' },
    detail: 'schedule batchgate-hygiene, paused (until the migration is over)',
  });
});

it('runs when it is triggered, and not for 15 minutes after a touch', async () => {
  const none = { expired: [], expired_count: 0, skipped: [], skipped_count: 0 };
  const dropped = { scratchpad: 0, operations: 0, markers: 0 };
  expect(await triggered()).toEqual({ ran: true, dropped, ...none });

  const touched = await runBatchgate(['touch', '--by', 'ana', '--session', 'S', '--json'], {
    ...{ dataDir: join(folder, 'one'), env },
  });
  const answer = JSON.parse(touched.stdout) as TouchAnswer;
  expect(touched.code).toBe(0);
  expect(answer).toMatchObject({ active: true, by: 'ana' });
  expect(await triggered()).toEqual({ ran: false, paused_until: answer.cron_pause_until, dropped, ...none });

  const { stdout } = await runBatchgate(['touch', '--session', 'S'], { dataDir: join(folder, 'one'), env });
  expect(stdout).toMatch(/^Hygiene is held off until \d{4}-.*Z\.\nS has no live job\.\n$/);
});

it('counts a verb that a person uses as activity, at most once a minute', async () => {
  const lastActivity = async () => (await getCooldown(client))?.last_activity_at;
  const list = () => runBatchgate(['list', '--json'], { dataDir: join(folder, 'one'), env });
  const before = await lastActivity();
  expect((await list()).code).toBe(0);
  const first = await lastActivity();
  expect(first).not.toBe(before);
  await list();
  expect(await lastActivity()).toBe(first);
});

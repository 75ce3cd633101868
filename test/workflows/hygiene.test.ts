import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  cancelBulkOperation,
  extendBulkOperation,
  getCooldown,
  getJobs,
  getReport,
  setProfile,
  startTaskRun,
  touch,
} from '../../src/client';
import { endedBefore, observe } from '../../src/client/sentinel';
import type { HygieneReport } from '../../src/contract/hygiene';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import { sentinelId } from '../../src/contract/sentinel';
import { jsonb } from '../../src/postgres/store/schema';
import { ensureHygieneSchedule } from '../../src/host/temporal/hygiene-schedule';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startTimeSkipping } from '../helpers/time-skipping';
import { confirmOpen } from '../helpers/confirm';

/** The cooldown and the hygiene that follows it, on a server that skips time. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let env: TestWorkflowEnvironment;
let harness: Harness;
/** Skips no time while it waits for a result. */
let client: Client;
beforeAll(async () => {
  env = await startTimeSkipping();
  client = new Client({ connection: env.connection });
  harness = await startHarness({
    adapters: [countingTool(10).adapter],
    connect: { client, connection: env.nativeConnection },
  });
});
afterAll(async () => {
  await harness.close();
  await env.teardown();
});

/** Each test starts without jobs and with an empty store. */
afterEach(async () => {
  for (const { job_id } of await getJobs(client, harness.taskQueue))
    await client.workflow
      .getHandle(job_id)
      .terminate()
      .catch(() => undefined);
  for (const table of ['scratchpad', 'items', 'batches', 'operations'] as const)
    await harness.store.db.deleteFrom(table).execute();
});

const cooldown = () => getCooldown(client, harness.taskQueue);
const sentinel = () => client.workflow.getHandle(sentinelId(harness.taskQueue));
const touched = () => touch(client, { by: 'ana' }, harness.taskQueue);
const hygiene = (): Promise<HygieneReport> =>
  client.workflow.execute(WORKFLOW_TYPES.hygiene, {
    workflowId: `hygiene-${randomUUID()}`,
    taskQueue: harness.taskQueue,
  });

/** Advances the server's clock to this offset from a moment. */
async function passTo(moment: string | undefined, offsetMs: number): Promise<void> {
  await env.sleep(Math.max(0, Date.parse(moment ?? '') + offsetMs - (await env.currentTimeMs())));
}

/** A signal that nothing waited for may have begun another one, and a query is answered ahead of a timer that has fired. */
async function passCooldown(): Promise<void> {
  for (let now = await cooldown(); now?.active; now = await cooldown())
    await passTo(now.cron_pause_until, SECOND);
}

/** Writes an entry to a session's scratchpad, now. */
async function note(session_id: string): Promise<void> {
  const at = new Date(await env.currentTimeMs());
  await harness.store.db
    .insertInto('scratchpad')
    .values({ session_id, key: 'found', value: jsonb([1, 2]), created_at: at, updated_at: at })
    .execute();
}

async function sessionsWithNotes(): Promise<string[]> {
  const rows = await harness.store.db.selectFrom('scratchpad').select('session_id').execute();
  return rows.map(({ session_id }) => session_id).sort();
}

it('does not run for 15 minutes after a touch, and no longer than that', async () => {
  const { cron_pause_until, last_activity_at } = await touched();
  expect(Date.parse(cron_pause_until) - Date.parse(last_activity_at)).toBe(900 * SECOND);
  // The server's clock goes on while it answers.
  await passTo(cron_pause_until, -MINUTE);
  expect(await cooldown()).toMatchObject({ active: true, cron_pause_until, by: 'ana' });
  expect(await hygiene()).toMatchObject({ ran: false, paused_until: cron_pause_until });
  await passCooldown();
  expect(await cooldown()).toMatchObject({ active: false, cron_pause_until });
  expect(await hygiene()).toMatchObject({ ran: true });
});

it.each<[string, (open: { operation_id: string }) => Promise<unknown>]>([
  ['a touch by another client', () => touched()],
  ['a touch by signal', () => sentinel().signal('touch', {})],
  ['a batch', ({ operation_id }) => confirmOpen(client, operation_id, { by: 'ben' })],
  ['the start of an operation', () => harness.start({})],
  ['the end of an operation', ({ operation_id }) => cancelBulkOperation(client, operation_id)],
  [
    'the start of a task run',
    () => startTaskRun(client, { goal: 'look', session_id: 's' }, { task_queue: harness.taskQueue }),
  ],
])('restarts its 15 minutes with %s', async (_, act) => {
  const open = await harness.start({ idle_timeout_seconds: 86_400 });
  await passCooldown();
  expect(await cooldown()).toMatchObject({ active: false });
  const before = await env.currentTimeMs();
  await act(open);
  // Releases and progress reports are signals, which nothing waits for.
  let now = await cooldown();
  while (!now?.active) now = await cooldown();
  expect(Date.parse(now.last_activity_at)).toBeGreaterThanOrEqual(before - SECOND);
  expect(await hygiene()).toMatchObject({ ran: false });
});

it('is no interaction itself: it runs repeatedly without a pause', async () => {
  await touched();
  await passCooldown();
  const before = await cooldown();
  for (let run = 0; run < 2; run += 1) expect(await hygiene()).toMatchObject({ ran: true });
  expect(await cooldown()).toEqual(before);
});

it('drops nothing during the cooldown and says why, then drops what is idle and belongs to no live job', async () => {
  const waiting = await harness.start({ session_id: 'busy', idle_timeout_seconds: 86_400 });
  for (const session of ['busy', 'idle', 'other']) await note(session);
  await passTo(waiting.created_at, HOUR + 600 * SECOND);
  await note('awake');
  const { cron_pause_until: until } = await touched();
  const live = { session_id: 'busy', reason: 'live_job', job_id: waiting.operation_id };

  const paused = await hygiene();
  expect(paused).toMatchObject({ ran: false, paused_until: until, expired: [], expired_count: 0 });
  expect(paused.dropped).toEqual({ scratchpad: 0, operations: 0, markers: 0 });
  expect(paused.skipped).toEqual([
    live,
    { session_id: 'idle', reason: 'cooldown', until },
    { session_id: 'other', reason: 'cooldown', until },
    { session_id: 'awake', reason: 'active', last_activity_at: expect.any(String) },
  ]);
  expect(await sessionsWithNotes()).toEqual(['awake', 'busy', 'idle', 'other']);

  await passCooldown();
  const report = await hygiene();
  expect(report).toEqual({
    ...{
      ran: true,
      expired_count: 2,
      dropped: { scratchpad: 2, operations: 0, markers: 0 },
      skipped_count: 2,
    },
    expired: expect.arrayContaining(['idle', 'other']),
    skipped: [live, { session_id: 'awake', reason: 'active', last_activity_at: expect.any(String) }],
  });
  expect(await sessionsWithNotes()).toEqual(['awake', 'busy']);

  await confirmOpen(client, waiting.operation_id);
  // The operation releases its slot after its last answer.
  await client.workflow.getHandle(waiting.operation_id).result();
  await passTo(until, 3 * HOUR);
  expect(await hygiene()).toMatchObject({ ran: true, expired: expect.arrayContaining(['awake', 'busy']) });
  expect(await sessionsWithNotes()).toEqual([]);
});

it('uses the idle threshold of the default profile', async () => {
  const longer = { op_idle_threshold_seconds: (3 * HOUR) / SECOND };
  const { taskQueue } = harness;
  await note('patient');
  try {
    await setProfile(client, longer, undefined, taskQueue);
    await setProfile(client, { op_idle_threshold_seconds: 1 }, 'another', taskQueue);
    await env.sleep(2 * HOUR);
    expect(await hygiene()).toMatchObject({
      ran: true,
      skipped: [{ session_id: 'patient', reason: 'active' }],
    });
    await env.sleep(2 * HOUR);
    expect(await hygiene()).toMatchObject({ ran: true, expired: ['patient'] });
  } finally {
    await setProfile(client, { op_idle_threshold_seconds: null }, undefined, taskQueue);
  }
});

it('does not count a terminated job that kept its slot as live', async () => {
  const dead = await harness.start({ session_id: 'left', idle_timeout_seconds: 86_400 });
  await note('left');
  await client.workflow.getHandle(dead.operation_id).terminate();
  await passTo(dead.created_at, 2 * HOUR);
  expect(await hygiene()).toMatchObject({ ran: true, expired: ['left'], skipped: [] });
});

it('drops the rows of an operation 30 days after its end, and never those of a live one', async () => {
  const { ledger } = harness.store;
  const [open, over, long] = await Promise.all([1, 2, 3].map(() => harness.start({})));
  for (const { operation_id } of [open, long].flatMap((it) => it ?? []))
    await extendBulkOperation(client, operation_id, { seconds: (100 * DAY) / SECOND });
  const ids = [open, over, long].map((it) => it?.operation_id ?? '');
  const [openId = '', overId = '', longId = ''] = ids;
  const rows = async () => (await Promise.all(ids.map((id) => ledger.read(id)))).map((row) => row !== null);
  await cancelBulkOperation(client, overId);

  await passTo(over?.created_at, 30 * DAY - HOUR);
  expect(await hygiene()).toMatchObject({ ran: true, dropped: { operations: 0 } });
  // This operation ends a month after its last ledger write, and its termination writes nothing.
  await client.workflow.getHandle(longId).terminate();
  await passTo(over?.created_at, 30 * DAY + HOUR);
  expect(await hygiene()).toMatchObject({ ran: true, dropped: { operations: 1 } });
  expect(await rows()).toEqual([true, false, true]);
  expect((await getReport(client, longId)).rows).toHaveLength(10);
  expect(await confirmOpen(client, openId)).toMatchObject({ state: 'completed', succeeded: 10 });
});

it('is delayed for 15 minutes after the end of the sentinel itself', async () => {
  await touched();
  await passCooldown();
  await sentinel().terminate();
  const { closeTime } = await sentinel().describe();
  const paused_until = new Date((closeTime?.getTime() ?? 0) + 900 * SECOND).toISOString();
  expect(await hygiene()).toMatchObject({ ran: false, paused_until });
  await passTo(paused_until, SECOND);
  expect(await hygiene()).toMatchObject({ ran: true });
});

it('works without a schedule if the server has none, and says why', async () => {
  expect(await ensureHygieneSchedule(client, harness.taskQueue)).toMatch(/UNIMPLEMENTED/i);
});

describe('a query of the sentinel, on a server that lists', () => {
  let real: Harness;
  beforeAll(async () => {
    real = await startHarness({ adapters: [countingTool(10).adapter] });
  });
  afterAll(() => real.close());
  const look = () => observe(real.client, real.taskQueue);

  it('finds no activity if there was none, and starts no sentinel', async () => {
    expect(await look()).toEqual({ jobs: [] });
    expect(await getCooldown(real.client, real.taskQueue)).toBeUndefined();
  });

  it('finds the live jobs, also if the sentinel has ended, and names none while a new one is unsettled', async () => {
    const { operation_id: job_id } = await real.start({ session_id: 'busy' });
    const gone = await real.start({});
    const jobs = [expect.objectContaining({ job_id, session_id: 'busy' })];
    const paused_until = expect.any(String);
    await real.client.workflow.getHandle(gone.operation_id).terminate();
    expect(await look()).toEqual({ paused_until, jobs });
    const before = await getCooldown(real.client, real.taskQueue);
    await look();
    expect(await getCooldown(real.client, real.taskQueue)).toEqual(before);

    await real.client.workflow.getHandle(sentinelId(real.taskQueue)).terminate();
    let seen = await look();
    // Lists lag briefly.
    while (seen.jobs?.length === 0) seen = await look();
    expect(seen).toEqual({ paused_until, jobs });
    await touch(real.client, {}, real.taskQueue);
    expect(await look()).toEqual({ paused_until });
  });

  it('names the operations that ended before a time, or that are unknown', async () => {
    const open = await real.start({});
    const over = await real.start({});
    await cancelBulkOperation(real.client, over.operation_id);
    const handle = real.client.workflow.getHandle(over.operation_id);
    await handle.result();
    const { closeTime } = await handle.describe();
    const ids = [open.operation_id, over.operation_id, 'never-heard-of'];
    const endedBy = (offset: number) =>
      endedBefore(real.client, ids, new Date((closeTime?.getTime() ?? 0) + offset).toISOString());
    expect(await endedBy(0)).toEqual(['never-heard-of']);
    expect(await endedBy(1)).toEqual([over.operation_id, 'never-heard-of']);
  });
});

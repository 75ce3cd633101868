import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  cancelBulkOperation,
  completeTaskRun,
  continueBulkOperation,
  extendBulkOperation,
  getTaskRun,
  recordTaskRun,
  resolveItem,
  startTaskRun,
} from '../../src/client';
import type { BulkItem, BulkResult } from '../../src/contract/items';
import type { BulkStatus, BulkTurn, Confirmation } from '../../src/contract/operation';
import type { TaskRunStatus } from '../../src/contract/task-run';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { codeOf, gateway, manyItems, startHarness, type Harness } from '../helpers/harness';
import { lookAgain } from '../helpers/look-again';
import { unreplayableOf } from '../helpers/replayed';
import { startTimeSkipping } from '../helpers/time-skipping';
import { confirmOpen } from '../helpers/confirm';
import { itInLongRun } from '../helpers/long-run';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let apply: (item: BulkItem) => Promise<BulkResult | void>;
const touched: string[] = [];
const tool = createFakeAdapter({
  items: () => manyItems(20),
  apply: (item) => {
    touched.push(item.id);
    return apply(item);
  },
  readBack: () => Promise.resolve('unknown'),
});

let env: TestWorkflowEnvironment;
let harness: Harness;

beforeAll(async () => {
  env = await startTimeSkipping();
  harness = await startHarness({
    adapters: [tool],
    connect: { client: env.client, connection: env.nativeConnection },
  });
});
beforeEach(() => {
  apply = () => Promise.resolve();
  touched.length = 0;
});
afterAll(async () => {
  await harness.close();
  await env.teardown();
});

/** Advances the server's clock to this offset from a moment of a status. */
async function passTo(moment: string | undefined, offsetMs: number): Promise<void> {
  await env.sleep(Date.parse(moment ?? '') + offsetMs - (await env.currentTimeMs()));
}

/** How long a question waits that opened with the turn's last change. */
const waits = (turn: BulkTurn) => Date.parse(turn.expires_at ?? '') - Date.parse(turn.updated_at);

/** The decision on record at this index, once no batch runs. */
async function decision(operationId: string, at: number): Promise<Confirmation> {
  for (;;) {
    const { confirmations, state } = await harness.status(operationId);
    const found = confirmations[at];
    if (found && state !== 'running_batch') return found;
  }
}

/** The last status. While this awaits the result, the clock skips to the end of the operation. */
const ending = ({ operation_id }: BulkTurn) =>
  env.client.workflow.getHandle(operation_id).result() as Promise<BulkStatus>;

/** Expects an end at this moment, and not before. The clock also runs by itself, so it may be some minutes late. */
function expectEndedAt(end: BulkStatus, moment: string | undefined): void {
  const late = Date.parse(end.updated_at) - Date.parse(moment ?? '');
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(10 * MINUTE);
}

it('expires after one hour without a confirmation, not before, and reports that', async () => {
  const asked = await harness.start({});
  expect(waits(asked)).toBe(HOUR);
  await passTo(asked.expires_at, -MINUTE);
  expect(await harness.status(asked.operation_id)).toMatchObject({ state: 'awaiting_confirmation' });
  const end = await ending(asked);
  expect(end).toMatchObject({
    state: 'expired',
    needs_confirmation: false,
    message: 'Bulk mark on fake expired after 1 hour without a confirmation. 0/20 items were processed.',
  });
  expect(end.expires_at).toBeUndefined();
  expectEndedAt(end, asked.expires_at);
  expect(touched).toEqual([]);
});

/** When the operation reminded people, in minutes after the last change of a status. */
async function remindersOf({ operation_id, updated_at }: BulkTurn): Promise<number[]> {
  const { events } = await env.client.workflow.getHandle(operation_id).fetchHistory();
  return (events ?? [])
    .filter((event) => event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields?.['reminded_at'])
    .map(({ eventTime }) => (Number(eventTime?.seconds) * 1_000 - Date.parse(updated_at)) / MINUTE)
    .map(Math.round);
}

it('reminds once for each question, when half of its time has passed', async () => {
  const asked = await harness.start({});
  await passTo(asked.expires_at, -20 * MINUTE);
  const next = await confirmOpen(harness.client, asked.operation_id);
  await ending(asked);
  expect(await remindersOf(asked)).toEqual([30, 70]);
  expect(Date.parse(next.updated_at) - Date.parse(asked.updated_at)).toBeGreaterThanOrEqual(40 * MINUTE);
  expect(await unreplayableOf(env.client, [asked.operation_id])).toEqual([]);
});

itInLongRun(
  'reminds later of a question that was extended, and not again if it is extended after that',
  async () => {
    const asked = await harness.start({});
    await passTo(asked.expires_at, -50 * MINUTE);
    await extendBulkOperation(harness.client, asked.operation_id, { seconds: 7_200 });
    await passTo(asked.expires_at, 60 * MINUTE);
    await extendBulkOperation(harness.client, asked.operation_id, { seconds: 36_000 });
    await ending(asked);
    expect(await remindersOf(asked)).toEqual([90]);
    expect(await unreplayableOf(env.client, [asked.operation_id])).toEqual([]);
  },
);

it('gives each new question a whole hour, and one more after each accepted decision', async () => {
  apply = ({ id }) =>
    Promise.resolve(
      id === 'item-003'
        ? { item_id: id, success: false, outcome_unknown: true, error: 'no answer' }
        : undefined,
    );
  const first = await harness.start({});
  await passTo(first.expires_at, -10 * MINUTE);
  const second = await confirmOpen(harness.client, first.operation_id);
  expect(second).toMatchObject({ state: 'awaiting_confirmation', in_doubt: 1 });
  expect(waits(second)).toBe(HOUR);
  await passTo(second.expires_at, -10 * MINUTE);
  const request = { item_id: 'item-003', outcome: 'failed', reason: 'looked' } as const;
  const resolved = await resolveItem(harness.client, first.operation_id, request);
  expect(waits(resolved)).toBe(HOUR);
  await passTo(second.expires_at, 10 * MINUTE);
  expect(await harness.status(first.operation_id)).toMatchObject({ state: 'awaiting_confirmation' });
  const end = await ending(first);
  expect(end.message).toBe(
    'Bulk mark on fake expired after 1 hour without a confirmation. 10/20 items were processed.\n' +
      '1 item(s) had errors.\n- Item 3 (item-003): looked',
  );
  expectEndedAt(end, resolved.expires_at);
});

it('runs nothing on a bare confirmation of a question that has been open for less than two seconds', async () => {
  const { operation_id } = await harness.start({ batch_size: 5 });
  const handle = env.client.workflow.getHandle(operation_id);
  const bare: (() => Promise<unknown>)[] = [
    () => handle.signal('continue'),
    () => handle.signal('continue', null),
    () => handle.executeUpdate('continue').catch(() => undefined),
  ];
  const outcomes: string[] = [];
  for (const send of bare) {
    const opened = Date.parse((await harness.status(operation_id)).updated_at);
    await send();
    const { outcome, at } = await decision(operation_id, outcomes.length);
    // Two seconds pass only on a machine that stalls.
    expect(outcome).toBe(Date.parse(at) - opened < 2_000 ? 'STALE_CONFIRMATION' : 'accepted');
    outcomes.push(outcome);
    if (outcome === 'accepted') continue;
    await env.sleep(2_000);
    await send();
    outcomes.push((await decision(operation_id, outcomes.length)).outcome);
    expect(outcomes.at(-1)).toBe('accepted');
  }
  expect(outcomes).toContain('STALE_CONFIRMATION');
  const status = await harness.status(operation_id);
  expect(status).toMatchObject({ processed: 15, state: 'awaiting_confirmation' });
  expect(touched).toHaveLength(15);
  await cancelBulkOperation(harness.client, operation_id);
});

it('expires with items in doubt if nobody resolves them in time', async () => {
  apply = ({ id }) =>
    Promise.resolve({ item_id: id, success: id !== 'item-003', outcome_unknown: id === 'item-003' });
  const asked = await harness.start({ batch_size: 20 });
  const held = await confirmOpen(harness.client, asked.operation_id);
  expect(held).toMatchObject({ state: 'awaiting_resolution', in_doubt: 1 });
  expect(waits(held)).toBe(HOUR);
  const later = await extendBulkOperation(harness.client, asked.operation_id, { seconds: 3_600 });
  const end = await ending(held);
  expect(end).toMatchObject({ state: 'expired', in_doubt: 1 });
  expect(end.message).toContain('expired after 2 hours');
  expectEndedAt(end, later.expires_at);
});

itInLongRun('does not count a refused confirmation as activity', async () => {
  const asked = await harness.start({});
  await passTo(asked.expires_at, -10 * MINUTE);
  expect(await codeOf(continueBulkOperation(harness.client, asked.operation_id, { batch: 2 }))).toBe(
    'STALE_CONFIRMATION',
  );
  expectEndedAt(await ending(asked), asked.expires_at);
});

itInLongRun('waits for as long as the caller asked, and reports that', async () => {
  const asked = await harness.start({});
  const later = await extendBulkOperation(harness.client, asked.operation_id, { seconds: 8 * 3_600 });
  expect(Date.parse(later.expires_at ?? '')).toBe(Date.parse(asked.expires_at ?? '') + 8 * HOUR);
  await passTo(asked.expires_at, 7 * HOUR);
  expect(await harness.status(asked.operation_id)).toMatchObject({ state: 'awaiting_confirmation' });
  const end = await ending(asked);
  expect(end.message).toBe(
    'Bulk mark on fake expired after 9 hours without a confirmation. 0/20 items were processed.',
  );
  expectEndedAt(end, later.expires_at);
});

itInLongRun('gives the question after an extended one the usual hour, and ends on time', async () => {
  const asked = await harness.start({});
  await extendBulkOperation(harness.client, asked.operation_id, { seconds: 8 * 3_600 });
  // By now the timer is set for the long deadline.
  await passTo(asked.expires_at, 5 * MINUTE);
  const second = await confirmOpen(harness.client, asked.operation_id);
  expect(waits(second)).toBe(HOUR);
  const end = await ending(asked);
  expect(end.message).toContain('expired after 1 hour');
  expectEndedAt(end, second.expires_at);
});

it('does not expire while a batch runs, even if the time of its question passes', async () => {
  const begun = gateway();
  const held = gateway();
  apply = () => {
    begun.open();
    return held.opened;
  };
  // The server skips no time while an activity runs, so these seconds are real. Too few for a reminder and its timer.
  const asked = await harness.start({ idle_timeout_seconds: 9 });
  const answer = confirmOpen(harness.client, asked.operation_id);
  await begun.opened;
  const handle = env.client.workflow.getHandle(asked.operation_id);
  const timerFired = async () =>
    (await handle.fetchHistory()).events?.some((event) => event.timerFiredEventAttributes);
  while (!(await timerFired())) {
    expect(await harness.status(asked.operation_id)).toMatchObject({ state: 'running_batch' });
    await lookAgain();
  }
  held.open();
  const turn = await answer;
  expect(turn).toMatchObject({ state: 'awaiting_confirmation', succeeded: 10 });
  expect(waits(turn)).toBe(9_000);
  expect(Date.parse(turn.expires_at ?? '')).toBeGreaterThanOrEqual(
    Date.parse(asked.expires_at ?? '') + 9_000,
  );
  expectEndedAt(await ending(asked), turn.expires_at);
});

describe('the sentinel', () => {
  it('replays after a touch that arrived while its timer ran, and a refused admission after it', async () => {
    const workflowId = `sentinel-touched-${Date.now()}`;
    const { taskQueue } = harness;
    const input = { settle_ms: 0 };
    const sentinel = await env.client.workflow.start('sentinel', { workflowId, taskQueue, args: [input] });
    const job = (job_id: string) => ({ job_id, run_id: job_id, kind: 'bulk_operation', session_id: 'one' });
    const seen = { epoch: sentinel.firstExecutionRunId, jobs: [] };
    const admit = (id: string) =>
      sentinel.executeUpdate('admit', { args: [{ job: job(id), limit: 10, seen }] });
    expect(await admit('first')).toMatchObject({ admitted: true });
    await env.sleep(MINUTE);
    await sentinel.signal('touch', {});
    await env.sleep(4 * MINUTE);
    expect(await admit('second')).toMatchObject({ admitted: false, because: 'session' });
    await env.sleep(40 * MINUTE);
    expect(await sentinel.query('cooldown')).toMatchObject({ active: false });
    await sentinel.signal('touch', {});
    await env.sleep(40 * MINUTE);
    expect(await unreplayableOf(env.client, [workflowId])).toEqual([]);
    await sentinel.terminate();
  });
});

describe('a task run', () => {
  const begin = (more: object) =>
    startTaskRun(harness.client, { goal: 'Visit', ...more }, { task_queue: harness.taskQueue });
  const endOf = ({ task_run_id }: TaskRunStatus) =>
    env.client.workflow.getHandle(task_run_id).result() as Promise<TaskRunStatus>;

  it('with a session expires an hour after it was last worked on, and frees its slot', async () => {
    const run = await begin({ session_id: 'abandoned', contract: { expected_total: 2 } });
    expect(Date.parse(run.expires_at ?? '') - Date.parse(run.created_at)).toBeGreaterThanOrEqual(HOUR);
    await passTo(run.expires_at, -20 * MINUTE);
    const worked = await recordTaskRun(harness.client, run.task_run_id, { completed: ['a'] });
    expect(Date.parse(worked.expires_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(run.expires_at ?? '') + 30 * MINUTE,
    );
    await passTo(run.expires_at, MINUTE);
    expect(await getTaskRun(harness.client, run.task_run_id)).toMatchObject({ state: 'running' });
    expect(await endOf(run)).toMatchObject({ state: 'expired', completed: ['a'] });
    expect(await codeOf(recordTaskRun(harness.client, run.task_run_id, { completed: ['b'] }))).toBe(
      'OPERATION_CLOSED',
    );
    const again = await begin({ session_id: 'abandoned', idle_timeout_seconds: 5 });
    expect(await endOf(again)).toMatchObject({ state: 'expired' });
    expect(await unreplayableOf(env.client, [run.task_run_id, again.task_run_id])).toEqual([]);
  });

  it('without a session never expires by itself', async () => {
    const run = await begin({});
    expect(run.expires_at).toBeUndefined();
    await env.sleep(3 * HOUR);
    expect(await completeTaskRun(harness.client, run.task_run_id)).toEqual({ allowed: true });
  });
});

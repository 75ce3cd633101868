import { setTimeout as pause } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  cancelBulkOperation,
  continueBulkOperation,
  getReport,
  withdrawBulkOperation,
} from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkStatus, BulkTurn } from '../../src/contract/operation';
import { DAY_MS, offsetAt } from '../../src/core/shared/zoned-time';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { confirmOpen } from '../helpers/confirm';
import { codeOf, manyItems, startHarness, type Harness } from '../helpers/harness';
import { lookAgain } from '../helpers/look-again';
import { unreplayableOf } from '../helpers/replayed';
import { startTimeSkipping } from '../helpers/time-skipping';

const HOUR = 3_600_000;
/** Its clocks change on Sundays, at night. */
const ZONE = 'Europe/Berlin';
const clock = (instant: number) => new Date(instant).toISOString().slice(11, 16);

const touched: string[] = [];
/** Thrown by the next call that changes items. */
let refusal: BatchgateError | undefined;
const tool = (toolName: string) =>
  createFakeAdapter({
    toolName,
    items: () => manyItems(20),
    sliceSize: 10,
    apply: ({ id }) => {
      touched.push(id);
      return Promise.resolve();
    },
    onCall: (method) => {
      const thrown = method === 'executeBatch' ? refusal : undefined;
      refusal = undefined;
      if (thrown) throw thrown;
    },
  });

let env: TestWorkflowEnvironment;
let harness: Harness;
/** A daily window of two hours that begins in four hours. */
let opens: number;

beforeAll(async () => {
  env = await startTimeSkipping();
  opens = Math.ceil(((await env.currentTimeMs()) + 4 * HOUR) / HOUR) * HOUR;
  harness = await startHarness({
    adapters: [tool('fake'), tool('nightly'), tool('sundays')],
    connect: { client: env.client, connection: env.nativeConnection },
    windows: {
      nightly: [{ from: clock(opens), to: clock(opens + 2 * HOUR), zone: 'UTC' }],
      sundays: [{ days: ['sun'], from: '12:00', to: '13:00', zone: ZONE }],
    },
  });
});
beforeEach(() => {
  touched.length = 0;
  refusal = undefined;
});
afterAll(async () => {
  await harness.close();
  await env.teardown();
});

const now = () => env.currentTimeMs();
const passTo = async (instant: number) => env.sleep(Math.max(0, instant - (await now())));
const after = async (ms: number) => new Date((await now()) + ms).toISOString();

/** The status once the operation is in this state. */
async function inState(id: string, state: BulkStatus['state']): Promise<BulkStatus> {
  for (;;) {
    const status = await harness.status(id);
    if (status.state === state) return status;
  }
}

const scheduledFor = ({ scheduled_for = '' }: BulkTurn) => Date.parse(scheduled_for);

it('runs exactly the confirmed batch at its time, after the time-out of its question, and not before', async () => {
  const asked = await harness.start({});
  const not_before = await after(3 * HOUR);
  const turn = await confirmOpen(harness.client, asked.operation_id, { not_before, by: 'Anna' });
  expect(turn).toMatchObject({ state: 'scheduled', scheduled_for: not_before, processed: 0 });
  expect(turn.scheduled_batch).toMatchObject({ digest: asked.next_batch?.digest, by: 'Anna' });
  await passTo(scheduledFor(turn) - 60_000);
  expect(await harness.status(asked.operation_id)).toMatchObject({ state: 'scheduled', processed: 0 });
  expect(touched).toEqual([]);
  await passTo(scheduledFor(turn));
  const next = await inState(asked.operation_id, 'awaiting_confirmation');
  expect(next).toMatchObject({ processed: 10, next_batch: { number: 2, attempt: 1 } });
  expect(touched).toEqual(manyItems(10).map(({ id }) => id));
  expect(next.confirmations[0]).toMatchObject({ by: 'Anna', scheduled_for: not_before, outcome: 'accepted' });
  const [row] = (await getReport(harness.client, asked.operation_id)).rows;
  expect(row).toMatchObject({ confirmed_by: 'Anna', confirmed_at: next.confirmations[0]?.at });
  await cancelBulkOperation(harness.client, asked.operation_id);
  await env.client.workflow.getHandle(asked.operation_id).result();
  const record = await harness.store.ledger.read(asked.operation_id);
  expect(record?.status).toMatchObject({
    state: 'cancelled',
    confirmations: [{ scheduled_for: not_before }, { decision: 'cancel' }],
  });
  expect(await unreplayableOf(env.client, [asked.operation_id])).toEqual([]);
});

it('takes a confirmation back, and its batch never runs under it', async () => {
  const asked = await harness.start({ idle_timeout_seconds: 86_400 });
  const id = asked.operation_id;
  const confirmation = { not_before: await after(2 * HOUR), decision_id: 'first', by: 'Anna' };
  const turn = await confirmOpen(harness.client, id, confirmation);
  const open = await withdrawBulkOperation(harness.client, id, { by: 'Ben', reason: 'not tonight' });
  expect(open).toMatchObject({ state: 'awaiting_confirmation', next_batch: { number: 1, attempt: 2 } });
  // It is in the ledger long before the end, however many decisions follow.
  const answers = async () => (await harness.store.ledger.read(id))?.answers ?? [];
  while ((await answers()).length === 0);
  const withdrawn = { by: 'Ben', at: expect.any(String), scheduled_for: confirmation.not_before };
  expect(await answers()).toMatchObject([
    { batch: 1, attempt: 1, decision: 'continue', by: 'Anna', withdrawn },
  ]);
  // The same decision again, and one for the old question.
  const again = await continueBulkOperation(harness.client, id, confirmation);
  expect(again.processed).toBe(0);
  expect((await harness.status(id)).state).toBe('awaiting_confirmation');
  const { number: batch, digest } = asked.next_batch ?? {};
  expect(await codeOf(continueBulkOperation(harness.client, id, { batch, digest }))).toBe(
    'STALE_CONFIRMATION',
  );
  await passTo(scheduledFor(turn) + 60_000);
  const status = await harness.status(id);
  expect(touched).toEqual([]);
  expect(status.confirmations).toContainEqual(
    expect.objectContaining({ decision: 'withdraw', by: 'Ben', note: 'not tonight', batch: 1, attempt: 1 }),
  );
  const { number, attempt } = status.next_batch ?? {};
  await continueBulkOperation(harness.client, id, { batch: number, attempt });
  expect(touched).toHaveLength(10);
  await cancelBulkOperation(harness.client, id);
  expect(await unreplayableOf(env.client, [id])).toEqual([]);
});

it('is confirmed, taken back and cancelled by a plain Temporal client, with signals', async () => {
  const { operation_id: id, next_batch } = await harness.start({});
  const handle = env.client.workflow.getHandle(id);
  const { number: batch, attempt } = next_batch ?? {};
  await handle.signal('continue', { batch, attempt, not_before: await after(HOUR) });
  await inState(id, 'scheduled');
  await handle.signal('withdraw', { by: 'ops' });
  await inState(id, 'awaiting_confirmation');
  await handle.executeUpdate('continue', { args: [{ batch, attempt: 2, not_before: await after(HOUR) }] });
  const cancelled = await handle.executeUpdate<BulkTurn, []>('cancel');
  expect(cancelled).toMatchObject({ state: 'cancelled', processed: 0, remaining: 20 });
  expect(touched).toEqual([]);
  await expect(handle.executeUpdate('withdraw')).rejects.toThrow();
});

it('begins after the time of its start although it was confirmed before, and runs later batches at once', async () => {
  const not_before = await after(HOUR);
  const asked = await harness.start({ not_before, batch_size: 10 });
  const first = await confirmOpen(harness.client, asked.operation_id);
  expect(first).toMatchObject({ state: 'scheduled', scheduled_for: not_before });
  await passTo(scheduledFor(first));
  await inState(asked.operation_id, 'awaiting_confirmation');
  expect(await confirmOpen(harness.client, asked.operation_id)).toMatchObject({ state: 'completed' });
});

it('refuses a confirmation for a time that is too far ahead, or has no offset', async () => {
  const far = await after(31 * 24 * HOUR);
  const { operation_id: id } = await harness.start({});
  expect(await codeOf(confirmOpen(harness.client, id, { not_before: far }))).toBe('INVALID_INPUT');
  expect(await codeOf(confirmOpen(harness.client, id, { not_before: '2027-01-01T22:00:00' }))).toBe(
    'INVALID_INPUT',
  );
  await cancelBulkOperation(harness.client, id);
});

it('keeps a confirmation of a batch that the tool refuses for a time until then', async () => {
  const { operation_id: id } = await harness.start({});
  const until = await after(HOUR);
  refusal = new BatchgateError('RATE_LIMITED', 'Nothing was changed', 'Later.', { until });
  const failed = await confirmOpen(harness.client, id);
  expect(failed).toMatchObject({
    state: 'batch_failed',
    throttled_until: until,
    next_batch: { number: 1, attempt: 2 },
  });
  const waits = await confirmOpen(harness.client, id);
  expect(waits).toMatchObject({ state: 'scheduled', scheduled_for: until });
  expect(touched).toEqual([]);
  await passTo(Date.parse(until));
  expect(await inState(id, 'awaiting_confirmation')).toMatchObject({ processed: 10 });
  await cancelBulkOperation(harness.client, id);
});

it('puts a batch off until its window, within which the next one runs at once', async () => {
  const { operation_id: id } = await harness.start({ domain: 'nightly', idle_timeout_seconds: 10 * 86_400 });
  const turn = await confirmOpen(harness.client, id);
  expect(turn.state).toBe('scheduled');
  expect((scheduledFor(turn) - opens) % (24 * HOUR)).toBe(0);
  await passTo(scheduledFor(turn));
  expect(await inState(id, 'awaiting_confirmation')).toMatchObject({ processed: 10 });
  expect(await confirmOpen(harness.client, id)).toMatchObject({ state: 'completed', processed: 20 });
  expect(await unreplayableOf(env.client, [id])).toEqual([]);
});

it('keeps the local time of a window over a change of the clock after the confirmation', async () => {
  let day = (await now()) + 4 * DAY_MS;
  while (offsetAt(ZONE, day) === offsetAt(ZONE, day + DAY_MS)) day += DAY_MS;
  await passTo(day - 2 * DAY_MS);
  const { operation_id: id } = await harness.start({ domain: 'sundays' });
  const at = scheduledFor(await confirmOpen(harness.client, id));
  const local = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: ZONE,
  });
  expect(local.format(at)).toMatch(/^Sun\S* 12:00$/);
  expect(at - day).toBeLessThan(2 * DAY_MS);
  expect(offsetAt(ZONE, at)).not.toBe(offsetAt(ZONE, day));
  await passTo(at - HOUR / 60);
  expect(await harness.status(id)).toMatchObject({ state: 'scheduled', processed: 0 });
  await passTo(at);
  expect(await inState(id, 'awaiting_confirmation')).toMatchObject({ processed: 10 });
  await cancelBulkOperation(harness.client, id);
  expect(await unreplayableOf(env.client, [id])).toEqual([]);
});

/** The server that skips time stands still while a task waits for a worker, so this one takes its minute. */
it('runs nothing outside of its window when no worker was there in it, says so, and waits for the next one', async () => {
  const MINUTE = 60_000;
  const closes = Math.ceil((Date.now() + MINUTE / 2) / MINUTE) * MINUTE;
  const from = clock(closes - 2 * MINUTE);
  const windows = { nightly: [{ from, to: clock(closes), zone: 'UTC' }] };
  const own = await startHarness({ adapters: [tool('nightly')], windows });
  const { operation_id: id } = await own.start({ domain: 'nightly' });
  const not_before = new Date(closes - 1_000).toISOString();
  const turn = await confirmOpen(own.client, id, { not_before, by: 'Anna' });
  expect(turn).toMatchObject({ state: 'scheduled', scheduled_for: not_before });
  await own.stopWorker();
  await pause(closes - Date.now());
  await own.restartWorker();
  let late = await own.status(id);
  while (late.missed_at === undefined) {
    await lookAgain();
    late = await own.status(id);
  }
  expect(late).toMatchObject({ state: 'scheduled', processed: 0, missed_at: not_before });
  expect(scheduledFor(late)).toBe(closes - 2 * MINUTE + 24 * HOUR);
  expect(late.message).toContain('no worker was there while its window was open; nothing ran');
  expect(late.scheduled_batch).toMatchObject({ digest: turn.scheduled_batch?.digest, by: 'Anna' });
  expect(late.confirmations).toMatchObject([{ decision: 'continue', by: 'Anna', outcome: 'accepted' }]);
  expect(touched).toEqual([]);
  const back = await withdrawBulkOperation(own.client, id, {});
  expect(back).not.toHaveProperty('missed_at');
  await cancelBulkOperation(own.client, id);
  expect(await unreplayableOf(own.client, [id])).toEqual([]);
  await own.close();
});

it('keeps a schedule while its worker is away', async () => {
  const own = await startHarness({ adapters: [tool('fake')] });
  const { operation_id: id } = await own.start({});
  const not_before = new Date(Date.now() + 10_000).toISOString();
  await confirmOpen(own.client, id, { not_before });
  await own.stopWorker();
  await own.restartWorker();
  while ((await own.status(id)).processed < 10) await lookAgain();
  expect((await own.status(id)).confirmations).toMatchObject([{ scheduled_for: not_before }]);
  expect(touched).toEqual(manyItems(10).map((item) => item.id));
  await cancelBulkOperation(own.client, id);
  expect(await unreplayableOf(own.client, [id])).toEqual([]);
  await own.close();
});

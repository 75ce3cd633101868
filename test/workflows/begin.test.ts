import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { cancelBulkOperation, getJobs } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import { sentinelId } from '../../src/contract/sentinel';
import { codeOf, countingTool, gateway, manyItems, startHarness, type Harness } from '../helpers/harness';

/** Admission and plan of an operation are one step. These tests cover its tries, and a sentinel that is replaced. */
const LIMIT = 2;

let harness: Harness;
let called: string[];
/** What each method of the tool does first. */
let troubles: Partial<Record<string, () => Promise<void> | void>>;

beforeEach(async () => {
  called = [];
  troubles = {};
  const { adapter } = countingTool(5);
  const [prepare, count, page] = [
    adapter.prepare.bind(adapter),
    adapter.getTotalCount.bind(adapter),
    adapter.getNextBatch.bind(adapter),
  ];
  const first = async (method: string) => {
    called.push(method);
    await troubles[method]?.();
  };
  adapter.prepare = async (...args) => {
    await first('prepare');
    return prepare(...args);
  };
  adapter.getTotalCount = async (...args) => {
    await first('count');
    return count(...args);
  };
  adapter.getNextBatch = async (...args) => {
    await first('page');
    return page(...args);
  };
  harness = await startHarness({ adapters: [adapter], settings: { max_active_jobs: LIMIT } });
});
afterEach(() => harness.close());

const id = () => `job-${randomUUID()}`;
const timesCalled = (method: string) => called.filter((name) => name === method).length;

it('prepares, counts and reads in this order, once for each need', async () => {
  expect(await harness.start({})).toMatchObject({ state: 'awaiting_confirmation', total: 5 });
  expect(called.slice(0, 3)).toEqual(['prepare', 'count', 'page']);
  expect([timesCalled('prepare'), timesCalled('count')]).toEqual([1, 1]);
});

it('reads nothing for an operation that gets no slot', async () => {
  await Promise.all([harness.start({}), harness.start({})]);
  called = [];
  expect(await codeOf(harness.start({}))).toBe('JOB_LIMIT_REACHED');
  expect(called).toEqual([]);
});

it("reads nothing if the operator's limits refuse the batch size", async () => {
  expect(await codeOf(harness.start({ batch_size: 4 }))).toBe('INVALID_INPUT');
  expect(called).toEqual([]);
});

it.each([0, -1])('refuses a batch size of %d for named items, as for a search', async (batch_size) => {
  const message = `batch_size is ${batch_size}, and a batch has 5 to 20 items.`;
  const refusal = { code: 'INVALID_INPUT', message };
  await expect(harness.start({ params: {}, items: manyItems(3), batch_size })).rejects.toMatchObject(refusal);
  await expect(harness.start({ batch_size })).rejects.toMatchObject(refusal);
  expect(called).toEqual([]);
  expect(await harness.start({})).toMatchObject({ state: 'awaiting_confirmation', total: 5 });
});

it('retries if the tool fails twice, and treats its third failure as final', async () => {
  let failures = 2;
  const fails = () => {
    if (failures-- > 0) throw new BatchgateError('ADAPTER_UNAVAILABLE', 'It is away.', 'Wait.');
  };
  troubles.count = fails;
  expect(await harness.start({})).toMatchObject({ state: 'awaiting_confirmation', total: 5 });
  expect(timesCalled('count')).toBe(3);
  failures = Infinity;
  called = [];
  expect(await codeOf(harness.start({}))).toBe('ADAPTER_UNAVAILABLE');
  expect([timesCalled('prepare'), timesCalled('count'), timesCalled('page')]).toEqual([3, 3, 0]);
});

it('treats a refusal by the tool as final at once', async () => {
  troubles.prepare = () => {
    throw new BatchgateError('CREDENTIALS_INVALID', 'No.', 'Log in.');
  };
  expect(await codeOf(harness.start({}))).toBe('CREDENTIALS_INVALID');
  expect(called).toEqual(['prepare']);
});

it('keeps the slot of an operation that is being planned while the sentinel is replaced', async () => {
  const held = gateway();
  troubles.count = () => held.opened;
  const planning = id();
  const started = harness.start({}, planning);
  const handle = harness.client.workflow.getHandle(planning);
  const beating = async () => {
    const { raw } = await handle.describe();
    return raw.pendingActivities?.some(({ heartbeatDetails }) => heartbeatDetails?.payloads?.length);
  };
  while (!(await beating().catch(() => false))) await pause(20);
  await harness.client.workflow.getHandle(sentinelId(harness.taskQueue)).terminate();
  delete troubles.count;
  const other = await harness.start({});
  expect(await codeOf(harness.start({}))).toBe('JOB_LIMIT_REACHED');
  const jobs = await getJobs(harness.client, harness.taskQueue);
  expect(jobs.map(({ job_id }) => job_id).sort()).toEqual([other.operation_id, planning].sort());
  held.open();
  expect(await started).toMatchObject({ state: 'awaiting_confirmation', total: 5 });
  await cancelBulkOperation(harness.client, planning);
});

it('stops between two of its steps when it is cancelled', async () => {
  const reached = gateway();
  troubles.prepare = async () => {
    reached.open();
    await Context.current().cancelled.catch(() => undefined);
  };
  const cancelled = id();
  const started = harness.start({}, cancelled);
  await reached.opened;
  await cancelBulkOperation(harness.client, cancelled);
  expect(await started).toMatchObject({ state: 'cancelled', total: 0 });
  expect(called).toEqual(['prepare']);
});

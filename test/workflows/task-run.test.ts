import {
  completeTaskRun,
  getTaskRun,
  listTaskRuns,
  recordTaskRun,
  resumeJobs,
  startTaskRun,
} from '../../src/client';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import type { TaskRunInput } from '../../src/contract/task-run';
import { codeOf, countingTool, startHarness, type Harness } from '../helpers/harness';
import { itInLongRun } from '../helpers/long-run';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(1).adapter] });
});
afterAll(() => harness.close());

const start = (input: Partial<TaskRunInput> = {}, task_run_id?: string) =>
  startTaskRun(harness.client, { goal: 'Visit', ...input }, { task_queue: harness.taskQueue, task_run_id });

it('refuses to complete with two of three missing, says what to do, and completes with all three', async () => {
  const { task_run_id: id } = await start({ contract: { expected_total: 3, item_key: 'url' } });
  await recordTaskRun(harness.client, id, { completed: ['a'], cursor: '1' });
  expect(await completeTaskRun(harness.client, id)).toMatchObject({
    allowed: false,
    missing_count: 2,
    failed_count: 0,
    suggested_next_action: 'Process the remaining items.',
    hint: { level: 'warning', missing_count: 2 },
  });
  await recordTaskRun(harness.client, id, { completed: ['b', 'c', 'a'], cursor: '3' });
  expect(await completeTaskRun(harness.client, id)).toMatchObject({ allowed: true });
  expect(await getTaskRun(harness.client, id)).toMatchObject({
    state: 'completed',
    completed: ['a', 'b', 'c'],
    completed_count: 3,
    cursor: '3',
  });
  expect(await codeOf(recordTaskRun(harness.client, id, { completed: ['d'] }))).toBe('OPERATION_CLOSED');
});

it('completes with a failed item only if a person forces it with a reason, which it stores', async () => {
  const { task_run_id: id } = await start({ contract: { expected_items: ['a', 'b'] } });
  await recordTaskRun(harness.client, id, {
    completed: ['a'],
    failed: [{ item: 'b', reason: 'timeout', retryable: true }],
  });
  expect(await completeTaskRun(harness.client, id)).toMatchObject({ allowed: false, failed_count: 1 });
  expect(await codeOf(completeTaskRun(harness.client, id, { force: true }))).toBe('INVALID_INPUT');
  const guard = await completeTaskRun(harness.client, id, { force: true, reason: 'b is gone', by: 'ana' });
  // The facts, without the advice to go on.
  expect(guard).toEqual({
    allowed: true,
    reason: '1 item(s) failed, and the contract does not allow that.',
    missing_count: 0,
    failed_count: 1,
    evidence: 'It is complete by force, which is recorded: 1 of 2 completed, 1 failed, 0 skipped.',
  });
  expect(await getTaskRun(harness.client, id, { items: true })).toMatchObject({
    state: 'completed',
    forced: { reason: 'b is gone', by: 'ana' },
    guard: { allowed: true, failed_count: 1 },
    failed: [{ item: 'b', reason: 'timeout', retryable: true }],
    contract: { completed: ['a'], expected_items: ['a', 'b'] },
  });
});

it('records no failure without its reason', async () => {
  const { task_run_id: id } = await start({ contract: { expected_total: 1, failed_policy: 'allow' } });
  for (const reason of ['', '  '])
    expect(await codeOf(recordTaskRun(harness.client, id, { failed: [{ item: 'a', reason }] }))).toBe(
      'INVALID_INPUT',
    );
  expect((await completeTaskRun(harness.client, id)).missing_count).toBe(1);
});

it('shows the terms of its contract, names the unmet one, and says at its end what allowed that', async () => {
  const terms = { stop_condition: 'no next page', min_completed: 1, failed_policy: 'allow' as const };
  const { task_run_id: id } = await start({ contract: terms });
  const shown = { ...terms, skipped_policy: 'allow_with_reason' };
  expect(await getTaskRun(harness.client, id)).toMatchObject({ ...shown, stop_condition_satisfied: false });
  expect((await completeTaskRun(harness.client, id)).reason).toContain('at least 1 must be');
  await recordTaskRun(harness.client, id, { completed: ['a'], failed: [{ item: 'b', reason: 'gone' }] });
  expect((await completeTaskRun(harness.client, id)).reason).toContain(
    'the stop condition "no next page" is not marked satisfied',
  );
  expect(await completeTaskRun(harness.client, id, { stop_condition_satisfied: true })).toMatchObject({
    allowed: true,
    evidence: 'It is complete: 1 completed, 1 failed, 0 skipped. Its stop condition is satisfied.',
  });
});

it('without a session is named after a restart too, although it holds no slot', async () => {
  const { task_run_id: id } = await start();
  const { client, taskQueue: task_queue } = harness;
  const named = async () => {
    for await (const job of resumeJobs(client, { task_queue, expired_after: new Date().toISOString() }))
      if ('task' in job && job.task_run_id === id) return job.task;
    return undefined;
  };
  // Lists lag by moments.
  while (!(await named())) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await named()).toMatchObject({ state: 'running', goal: 'Visit' });
});

it('neither completes nor records on a job of another kind, by any id', async () => {
  const { operation_id: id } = await harness.start({});
  const forced = { force: true, reason: 'an agent says so' };
  expect(await codeOf(completeTaskRun(harness.client, id, forced))).toBe('NOT_FOUND');
  expect(await codeOf(recordTaskRun(harness.client, id, { completed: ['item-001'] }))).toBe('NOT_FOUND');
  expect(await harness.status(id)).toMatchObject({ state: 'awaiting_confirmation', processed: 0 });
});

it('completes at once if there is no contract', async () => {
  const { task_run_id: id } = await start();
  expect(await completeTaskRun(harness.client, id)).toEqual({ allowed: true });
  expect(await getTaskRun(harness.client, id)).toMatchObject({ state: 'completed', completed_count: 0 });
});

it('waits for a non-empty satisfied stop condition if the total is unknown', async () => {
  const { task_run_id: id } = await start({ contract: { stop_condition: 'no next page' } });
  await recordTaskRun(harness.client, id, { completed: ['page 1'] });
  expect((await completeTaskRun(harness.client, id)).allowed).toBe(false);
  await recordTaskRun(harness.client, id, { stop_condition_satisfied: false });
  expect((await completeTaskRun(harness.client, id)).allowed).toBe(false);
  await recordTaskRun(harness.client, id, { stop_condition_satisfied: true });
  expect((await completeTaskRun(harness.client, id)).allowed).toBe(true);
});

itInLongRun('continues over many records in a short history, with counts and cursor', async () => {
  const { task_run_id: id } = await start({ contract: { expected_total: 1_000 } });
  for (let at = 0; at < 1_000; at += 10) {
    const tens = Array.from({ length: 10 }, (_, more) => at + more);
    await Promise.all(
      tens.map((page) =>
        recordTaskRun(harness.client, id, { completed: [`page ${page}`], cursor: `${page}` }),
      ),
    );
  }
  const handle = harness.client.workflow.getHandle(id);
  const { raw, historyLength, runId } = await handle.describe();
  expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(runId);
  expect(historyLength).toBeLessThan(2_100);
  expect(await getTaskRun(harness.client, id)).toMatchObject({
    completed_count: 1_000,
    cursor: expect.stringMatching(/^99\d$/) as string,
  });
  expect((await completeTaskRun(harness.client, id)).allowed).toBe(true);
});

it('tells plain clients what is wrong, and accepts a cancellation', async () => {
  const { workflow } = harness.client;
  const raw = { taskQueue: harness.taskQueue, workflowId: `raw-${harness.taskQueue}` };
  const refused = await workflow.execute(WORKFLOW_TYPES.taskRun, { ...raw, args: [{ contract: {} }] });
  expect(refused).toMatchObject({ state: 'rejected', error: { code: 'INVALID_INPUT' } });
  const { task_run_id: id } = await start();
  await workflow.getHandle(id).cancel();
  expect(await workflow.getHandle(id).result()).toMatchObject({ state: 'cancelled' });
});

it('finds the existing run under the same id, and lists it with its goal', async () => {
  const id = `named-${harness.taskQueue}`;
  await start({ goal: 'Count the stars' }, id);
  await recordTaskRun(harness.client, id, { completed: ['Sirius'] });
  expect(await start({ goal: 'Count the stars' }, id)).toMatchObject({ completed_count: 1 });
  for (;;) {
    const found = (await listTaskRuns(harness.client)).find(({ task_run_id }) => task_run_id === id);
    if (!found?.state) continue;
    expect(found).toMatchObject({ state: 'running', goal: 'Count the stars' });
    return;
  }
});

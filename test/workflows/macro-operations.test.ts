import { randomUUID } from 'node:crypto';
import {
  awaitMacro,
  cancelMacro,
  cancelTaskRun,
  getBulkStatus,
  getJobs,
  getMacroTrace,
  handleMessage,
  startBulkOperation,
  startMacro,
} from '../../src/client';
import type { Step } from '../../src/contract/macro';
import type { BulkStatus } from '../../src/contract/operation';
import type { MacroTrace } from '../../src/contract/macro-run';
import { codeOf, countingTool, startHarness, type Harness } from '../helpers/harness';

/** Bulk operations that a macro starts share its session and its slot. */
const LIMIT = 2;
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(5).adapter], settings: { max_active_jobs: LIMIT } });
});
afterAll(() => harness.close());

const start = (args: object = {}): Step => ({
  type: 'command',
  command: 'start_bulk_operation',
  args: { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 5, ...args },
  output_variable: 'op',
});
const wait: Step = {
  type: 'command',
  command: 'wait_for_bulk_operation',
  args: { operation_id: '{{.op.operation_id}}' },
  output_variable: 'op',
};

const track = (session_id: string): Step => ({
  type: 'command',
  command: 'task_run_start',
  args: { goal: 'count', session_id, contract: { expected_total: 1 } },
});

async function begin(steps: Step[], session_id?: string): Promise<string> {
  const macro = { name: 'starts', steps };
  const input = { macro, ...(session_id !== undefined && { session_id }) };
  return (await startMacro(harness.client, input, { task_queue: harness.taskQueue })).run_id;
}

async function waiting(run_id: string): Promise<MacroTrace> {
  for (;;) {
    const trace = await getMacroTrace(harness.client, run_id);
    if (trace.steps.some(({ what, state }) => what === 'wait_for_bulk_operation' && state === 'running'))
      return trace;
    if (trace.state !== 'running') throw new Error(JSON.stringify(trace));
  }
}

const live = async () => (await getJobs(harness.client, harness.taskQueue)).map(({ job_id }) => job_id);

it('asks in the session of the macro, even if every slot is taken, and the macro continues with the outcome', async () => {
  const other = await begin([start(), wait]);
  const session = randomUUID();
  const run = await begin([start(), wait], session);
  const [operation = ''] = (await waiting(run)).operations ?? [];
  await waiting(other);
  expect(await live()).toHaveLength(2 * LIMIT);
  expect(await codeOf(harness.start({}))).toBe('JOB_LIMIT_REACHED');
  const context = { task_queue: harness.taskQueue, message_id: randomUUID() };
  const turn = await handleMessage(harness.client, session, 'continue', context);
  expect(turn).toMatchObject({ handled: true, status: { operation_id: operation, state: 'completed' } });
  expect(await awaitMacro(harness.client, run)).toMatchObject({
    state: 'completed',
    variables: { op: { state: 'completed', processed: 5 } },
  });
  await cancelMacro(harness.client, other);
  await awaitMacro(harness.client, other);
});

it.each(['before', 'after'])('counts its task run in no slot, started %s its operation', async (when) => {
  const other = await begin([start(), wait]);
  const session = randomUUID();
  const steps = when === 'before' ? [track(session), start()] : [start(), track(session)];
  const run = await begin([...steps, wait], session);
  await waiting(run);
  const jobs = await live();
  const tasks = jobs.filter((id) => id.startsWith('task-'));
  expect([jobs.length, tasks.length]).toEqual([2 * LIMIT + 1, 1]);
  for (const id of tasks) await cancelTaskRun(harness.client, id);
  for (const id of [run, other]) await cancelMacro(harness.client, id);
  for (const id of [run, other]) await awaitMacro(harness.client, id);
});

it('cancels its operation when it is cancelled, and releases everything', async () => {
  const run = await begin([start(), wait], randomUUID());
  const [operation = ''] = (await waiting(run)).operations ?? [];
  await cancelMacro(harness.client, run);
  expect(await awaitMacro(harness.client, run)).toMatchObject({ state: 'cancelled' });
  const ended = (await harness.client.workflow.getHandle(operation).result()) as BulkStatus;
  expect(ended).toMatchObject({ state: 'cancelled' });
  expect(await live()).toEqual([]);
});

it('starts an operation of an agent if an agent started it, without the reason that models must give', async () => {
  const macro = { name: 'starts', steps: [start()] };
  const by_agent = async (more: object) => {
    const input = { macro, session_id: randomUUID(), ...more };
    const { run_id } = await startMacro(harness.client, input, { task_queue: harness.taskQueue });
    const { operation_id } = (await awaitMacro(harness.client, run_id)).variables[
      'op'
    ] as unknown as BulkStatus;
    const status = await getBulkStatus(harness.client, operation_id);
    await harness.client.workflow.getHandle(operation_id).cancel();
    return status.by_agent;
  };
  expect(await by_agent({ by_agent: true })).toBe(true);
  expect(await by_agent({})).toBeUndefined();
});

it('leaves its operation with the slot and the session if it ends first', async () => {
  const session = randomUUID();
  const { variables } = await awaitMacro(harness.client, await begin([start()], session));
  const { operation_id } = variables['op'] as unknown as BulkStatus;
  expect(await live()).toEqual([operation_id]);
  expect(await codeOf(harness.start({ session_id: session }))).toBe('SESSION_LOCKED');
  await harness.client.workflow.getHandle(operation_id).cancel();
  await harness.client.workflow.getHandle(operation_id).result();
});

it('shares no slot with an operation that only claims to be started by a macro', async () => {
  const session_id = randomUUID();
  const run = await begin([start(), wait], session_id);
  const [operation = ''] = (await waiting(run)).operations ?? [];
  const parent = { job_id: run, run_id: (await harness.client.workflow.getHandle(run).describe()).runId };
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, session_id };
  for (const job_id of [run, operation, 'nobody'])
    expect(
      await codeOf(
        startBulkOperation(harness.client, input, {
          task_queue: harness.taskQueue,
          parent: { ...parent, job_id },
        }),
      ),
    ).toBe('FORBIDDEN');
  await cancelMacro(harness.client, run);
  await awaitMacro(harness.client, run);
});

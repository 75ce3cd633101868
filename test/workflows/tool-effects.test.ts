import { randomUUID } from 'node:crypto';
import {
  awaitMacro,
  getBulkProgress,
  getMacroTrace,
  getScratchpad,
  putScratchpad,
  startMacro,
} from '../../src/client';
import type { Step } from '../../src/contract/macro';
import { SIGNALS } from '../../src/contract/messages';
import { sentinelId } from '../../src/contract/sentinel';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { echo } from '../helpers/tools';

let harness: Harness;
const sent = gateway();
/** It changes something and never answers. */
const send = echo({
  ...{ name: 'send', read_only: false, idempotent: false },
  handler: () => {
    sent.open();
    return new Promise(() => undefined);
  },
});
const fail = echo({
  name: 'fail',
  handler: () => sent.opened.then(() => Promise.reject(new Error('broke'))),
});

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(12).adapter], tools: [echo(), send, fail] });
});
afterAll(() => harness.close());

it('signals activity to the sentinel at most once a minute, however many tools a macro calls', async () => {
  const { client, taskQueue } = harness;
  const steps: Step[] = Array.from({ length: 12 }, () => ({ type: 'command', command: 'echo', args: {} }));
  const options = { task_queue: taskQueue };
  const { run_id } = await startMacro(client, { macro: { name: 'busy', steps }, session_id: 'S' }, options);
  expect(await awaitMacro(client, run_id)).toMatchObject({ state: 'completed' });
  const { events } = await client.workflow.getHandle(sentinelId(taskQueue)).fetchHistory();
  const signals = events?.map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
  expect(signals?.filter((name) => name === SIGNALS.touch)).toHaveLength(1);
});

it('deletes the parts of an upload once the value is saved', async () => {
  const { client, taskQueue, store } = harness;
  const value = Array.from({ length: 5_000 }, (_, at) => `row ${at} ${'x'.repeat(80)}`);
  await putScratchpad(client, 'uploads', 'rows', value, taskQueue);
  expect(await getScratchpad(client, 'uploads', 'rows', taskQueue)).toEqual(value);
  const { sessions } = await store.hygiene.sessions(1_000);
  expect(
    sessions.map(({ session_id }) => session_id).filter((id) => id !== 'uploads' && id.startsWith('upload')),
  ).toEqual([]);
  expect(sessions.map(({ session_id }) => session_id)).toContain('uploads');
});

it('saves no number that would change', async () => {
  const { client, taskQueue } = harness;
  const put = (value: number) => putScratchpad(client, 'exact', 'n', [value], taskQueue);
  await expect(put(Infinity)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const plain = client.workflow.execute('scratchpad', {
    ...{ workflowId: `scratchpad-${randomUUID()}`, taskQueue },
    args: [{ verb: 'put', session_id: 'exact', key: 'n', text: '[9007199254740993]' }],
  });
  await expect(plain).rejects.toMatchObject({
    cause: {
      cause: { type: 'INVALID_INPUT', message: 'The number 9007199254740993 cannot be kept exactly.' },
    },
  });
  await expect(getScratchpad(client, 'exact', 'n', taskQueue)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('starts an operation with a contract, and with metadata that is kept unchanged', async () => {
  const { client, store, taskQueue } = harness;
  const metadata = { title: 'x'.repeat(600), limit: 10_000, ticket_id: 'y'.repeat(200) };
  const contract = { expected_total: 12, min_completed: 11, failed_policy: 'block' };
  const start = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  const run = async (more: object) => {
    const args = { ...start, metadata, ...more };
    const steps: Step[] = [
      { type: 'command', command: 'start_bulk_operation', args, output_variable: 'started' },
    ];
    const { run_id } = await startMacro(
      client,
      { macro: { name: 'plans', steps } },
      { task_queue: taskQueue },
    );
    return awaitMacro(client, run_id);
  };
  const { variables } = await run({ contract });
  const { operation_id } = variables['started'] as { operation_id: string };
  expect(await getBulkProgress(client, operation_id)).toMatchObject(contract);
  expect((await store.ledger.read(operation_id))?.metadata).toEqual(metadata);
  expect(await run({ contract: { expected_total: 1, min_completed: 2 } })).toMatchObject({
    ...{ state: 'failed', error: { message: expect.stringContaining('can never be completed') as string } },
  });
});

it('says of a call that was stopped with its group that its effect is unknown', async () => {
  const { client, taskQueue } = harness;
  const steps: Step[] = ['send', 'fail'].map((command) => ({ type: 'command', command, is_async: true }));
  const { run_id } = await startMacro(client, { macro: { name: 'both', steps } }, { task_queue: taskQueue });
  expect(await awaitMacro(client, run_id)).toMatchObject({ state: 'failed' });
  expect((await getMacroTrace(client, run_id)).steps).toMatchObject([
    {
      ...{ what: 'send', state: 'cancelled' },
      error: {
        message: expect.stringContaining('Its effect is unknown') as string,
        details: { path: 'steps[0]', cause: { outcome_unknown: true } },
      },
    },
    { what: 'fail', state: 'failed' },
  ]);
});

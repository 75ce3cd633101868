import { randomUUID } from 'node:crypto';
import { createGateway } from '../../activities/tools/gateway';
import { awaitMacro, getProfile, startMacro } from '../../src/client';
import type { Json, Step } from '../../src/contract/macro';
import type { Gateway } from '../../src/contract/tools';
import { createTools } from '../../src/worker/tools';
import { countingTool, startHarness, type Harness } from '../helpers/harness';

/** What reaches an assistant and a macro when the product refuses a call of a tool. */
let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(12).adapter], settings: { max_active_jobs: 50 } });
  const { client, taskQueue, store } = harness;
  gateway = createGateway({
    registry: createTools(() => ({ client, taskQueue, scratchpad: store.scratchpad })),
    ...{ scratchpad: store.scratchpad, maxLimit: 200 },
    profile: () => getProfile(client, undefined, taskQueue),
  });
});
afterAll(() => harness.close());

const call = (tool: string, args: object): Promise<unknown> =>
  gateway.call(
    { tool, args: { ...args }, caller: 'assistant' },
    {
      ...{ session_id: 'S', idempotency_key: randomUUID(), deadline: Date.now() + 60_000 },
      signal: new AbortController().signal,
    },
  );
const start = { domain: 'fake', action: 'mark', params: { group: 'all' } };

it('passes on the refusal of an operation, with its code', async () => {
  const unknown = { ...start, domain: 'nope', session_id: 'of-nothing' };
  await expect(call('start_bulk_operation', unknown)).rejects.toMatchObject({
    code: 'UNKNOWN_ADAPTER',
    message: expect.stringMatching(/^\[GATEWAY ERROR\] start_bulk_operation: UNKNOWN_ADAPTER: .*: nope\.$/),
    hint: expect.stringMatching(/^\[HINT\]: .*fake/) as string,
  });
});

it.each([
  ['a parameter of the adapter that is missing', { params: { mark: 'x' } }, 'This field is mandatory.'],
  ['no parameter at all', { params: {} }, 'This field is mandatory.'],
  ['a parameter of another type', { params: { group: 7 } }, 'Enclose the value in quotes.'],
  ['a nested argument of another type', { contract: { min_completed: 'two' } }, 'Give a number'],
  ['a nested argument that is missing', { items: [{ display_name: 'A' }] }, 'This field is mandatory.'],
])('tells an assistant and a macro of %s as the gateway does, with the hint', async (_, wrong, hint) => {
  const { client, taskQueue } = harness;
  const args = { ...start, session_id: randomUUID(), ...wrong };
  const told = {
    message: expect.stringMatching(/^\[GATEWAY ERROR\] start_bulk_operation: /) as string,
    hint: expect.stringContaining(`[HINT]: ${hint}`) as string,
  };
  await expect(call('start_bulk_operation', args)).rejects.toMatchObject(told);
  // A template, so that no validation of the file finds the mistake before.
  const steps: Step[] = [{ type: 'command', command: 'start_bulk_operation', args: mapped(args) }];
  const macro = { name: 'wrong', parameters: Object.keys(args), steps };
  const begun = await startMacro(client, { macro, args }, { task_queue: taskQueue });
  const { state, error } = await awaitMacro(client, begun.run_id);
  expect({ state, ...error }).toMatchObject({ state: 'failed', ...told });
});

const mapped = (args: object) =>
  Object.fromEntries(Object.keys(args).map((name): [string, Json] => [name, `{{.${name}}}`]));

it('refuses a contract that the items of a search cannot meet, before anything is asked', async () => {
  const wanted = (contract: object) =>
    call('start_bulk_operation', { ...start, session_id: randomUUID(), contract });
  for (const contract of [{ min_completed: 13 }, { expected_total: 13 }])
    await expect(wanted(contract)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/can never be completed\. .*13.*, and 12 item\(s\) were found\.$/),
    });
  expect(await wanted({ min_completed: 12 })).toMatchObject({ state: 'awaiting_confirmation' });
});

it('lets a macro keep a task run in its own session, beside an operation that it starts there', async () => {
  const { client, taskQueue } = harness;
  const session_id = randomUUID();
  const steps: Step[] = [
    {
      ...{ type: 'command', command: 'task_run_start', output_variable: 'run' },
      args: { goal: 'Count', session_id, contract: { expected_total: 1 } },
    },
    { ...{ type: 'command', command: 'start_bulk_operation', output_variable: 'op' }, args: start },
    {
      ...{ type: 'command', command: 'task_run_cancel' },
      args: { task_run_id: '{{.run.task_run_id}}' },
    },
  ];
  const input = { macro: { name: 'both', steps }, session_id };
  const { run_id } = await startMacro(client, input, { task_queue: taskQueue });
  const { state, variables } = await awaitMacro(client, run_id);
  expect({ state, variables }).toMatchObject({
    state: 'completed',
    variables: { run: { state: 'running' }, op: { state: 'awaiting_confirmation' } },
  });
});

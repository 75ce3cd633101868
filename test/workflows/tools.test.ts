import { randomUUID } from 'node:crypto';
import { createGateway } from '../../activities/tools/gateway';
import {
  awaitMacro,
  getMacroTrace,
  getProfile,
  getTaskRun,
  setProfile,
  startMacro,
  startTaskRun,
} from '../../src/client';
import type { Json, Step } from '../../src/contract/macro';
import type { BulkStatus } from '../../src/contract/operation';
import { DEFAULT_PROFILE, PROFILE_FIELD_NAMES, PROFILE_FIELDS } from '../../src/contract/profile';
import type { Gateway, ToolCaller, ToolContext } from '../../src/contract/tools';
import type { ToolRegistry } from '../../src/core/gateway/tool-registry';
import { historyToJson } from '../../src/testing/replay';
import { createTools } from '../../src/worker/tools';
import { codeOf, countingTool, gateway as latch, startHarness, type Harness } from '../helpers/harness';
import { echo } from '../helpers/tools';
import { historiesOf } from '../replay/stage';

type Latch = ReturnType<typeof latch>;
let harness: Harness;
let tools: ToolRegistry;
let gateway: Gateway;
/** Each call of `crowd` waits for `released`. The last of the `wanted` calls opens `reached`. */
let crowded: { wanted: number; reached: Latch; released: Latch };
const crowd = echo({
  name: 'crowd',
  handler: async () => {
    if (--crowded.wanted === 0) crowded.reached.open();
    await crowded.released.opened;
  },
});
const { adapter, touched } = countingTool(12);
beforeAll(async () => {
  const settings = { idle_threshold_seconds: 1_800 };
  harness = await startHarness({ adapters: [adapter], tools: [crowd], settings });
  const { client, taskQueue, store } = harness;
  tools = createTools(() => ({ client, taskQueue, scratchpad: store.scratchpad }));
  gateway = createGateway({
    ...{ registry: tools, scratchpad: store.scratchpad, maxLimit: 200 },
    profile: () => getProfile(client, undefined, taskQueue),
  });
});
afterAll(() => harness.close());

const call = <T = unknown>(
  tool: string,
  args: object,
  context: Partial<ToolContext> = {},
  caller: ToolCaller = 'assistant',
): Promise<T> =>
  gateway.call(
    { tool, args: { ...args }, caller },
    {
      session_id: 'S',
      idempotency_key: randomUUID(),
      signal: new AbortController().signal,
      deadline: Date.now() + 60_000,
      ...context,
    },
  ) as Promise<T>;
const start = { domain: 'fake', action: 'mark', params: { group: 'all' } };

it('starts a bulk operation that waits for a person, and a repeated call finds the same one', async () => {
  const idempotency_key = randomUUID();
  const [first, again] = await Promise.all(
    [1, 2].map(() =>
      call<BulkStatus>('start_bulk_operation', start, { idempotency_key, session_id: undefined }),
    ),
  );
  expect(first).toMatchObject({ state: 'awaiting_confirmation', total: 12, processed: 0 });
  expect(again?.operation_id).toBe(first?.operation_id);
  const other = await call<BulkStatus>('start_bulk_operation', start);
  expect(other.session_id).toBe('S');
  expect(other.operation_id).not.toBe(first?.operation_id);
});

it('takes items and parameters from the scratchpad', async () => {
  await call('scratchpad_save', { key: 'found', value: [{ id: 'item-001' }, { id: 'item-002' }] });
  const { total } = await call<BulkStatus>('start_bulk_operation', {
    ...{ domain: 'fake', action: 'mark', items: 'ref:found', session_id: 'of-two' },
  });
  expect(total).toBe(2);
});

it('gives a macro the references of its author and no others, and puts no data into the history', async () => {
  const { client, taskQueue, store } = harness;
  const session_id = 'refers';
  const kept = 'words-that-stay-in-the-scratchpad';
  await store.scratchpad.save(session_id, 'kept', kept);
  const save = (key: string, value: Json): Step => ({
    ...{ type: 'command', command: 'scratchpad_save', args: { key, value } },
  });
  const steps = [
    // A row of a database or a model's answer may contain such text.
    { type: 'set' as const, variable: 'row', value: { note: 'ref:kept', prefix: 'ref:' } },
    save('written', 'ref:kept'),
    save('by-name', ['ref:{{.name}}']),
    save('brought-in', '{{.row.note}}'),
    save('joined', '{{.row.prefix}}{{.name}}'),
    save('whole', '{{.row}}'),
  ];
  const macro = { name: 'refers', parameters: ['name'], steps };
  const input = { macro, args: { name: 'kept' }, session_id };
  const { run_id } = await startMacro(client, input, { task_queue: taskQueue });
  expect(await awaitMacro(client, run_id)).toMatchObject({ state: 'completed' });
  const saved = await store.scratchpad.read(session_id, [
    ...['written', 'by-name', 'brought-in', 'joined', 'whole'],
  ]);
  expect(Object.fromEntries(saved)).toEqual({
    ...{ written: kept, 'by-name': [kept], 'brought-in': 'ref:kept', joined: 'ref:kept' },
    whole: { note: 'ref:kept', prefix: 'ref:' },
  });
  const [history] = await historiesOf(client, run_id);
  const text = JSON.stringify(historyToJson(history ?? {})).replace(/"data":"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );
  expect(text).toContain('ref:kept');
  expect(text).not.toContain(kept);
});

it('takes a macro through the whole life of a task run', async () => {
  const { client, taskQueue } = harness;
  const step = (command: string, args: object, output_variable?: string): Step => ({
    ...{ type: 'command', command, args: { ...args }, ...(output_variable && { output_variable }) },
  });
  const of = (variable: string) => ({ task_run_id: `{{.${variable}.task_run_id}}` });
  const forced = { force: true, reason: 'gone' };
  const steps = [
    step('task_run_start', { goal: 'Visit', contract: { expected_items: ['a', 'b'] } }, 'run'),
    step('task_run_update', { ...of('run'), completed: ['a'], cursor: '1' }),
    step('task_run_complete', of('run'), 'early'),
    step('task_run_update', { ...of('run'), completed: ['b'] }),
    step('task_run_complete', of('run'), 'done'),
    step('task_run_get', of('run'), 'ended'),
    step('task_run_start', { goal: 'Leave' }, 'other'),
    step('task_run_cancel', of('other')),
    step('task_run_start', { goal: 'Force', contract: { expected_total: 1 } }, 'third'),
    step('task_run_complete', { ...of('third'), ...forced }),
    step('task_run_get', of('third'), 'third'),
  ];
  const { run_id } = await startMacro(
    client,
    { macro: { name: 'counts', steps } },
    { task_queue: taskQueue },
  );
  const { state, variables } = await awaitMacro(client, run_id);
  expect(state).toBe('completed');
  expect(variables).toMatchObject({
    early: { allowed: false, missing_count: 1, missing_items: ['b'] },
    done: { allowed: true },
    ended: { state: 'completed', completed: ['a', 'b'] },
    third: { state: 'completed', forced: { by: run_id, reason: 'gone' } },
  });
  // A call cannot name a person as the one who forced it.
  const named = { task_run_id: 'any', ...forced, by: 'ana' };
  await expect(call('task_run_complete', named)).rejects.toThrow(
    'task_run_complete: by: there is no such field',
  );
  const { task_run_id } = variables['other'] as { task_run_id: string };
  expect(await getTaskRun(client, task_run_id)).toMatchObject({ state: 'cancelled', goal: 'Leave' });
});

it('saves, shows, lists and deletes the values of a session', async () => {
  const entry = { key: 'plan', bytes: 11 };
  expect(await call('scratchpad_save', { key: 'plan', value: { steps: 3 } })).toMatchObject(entry);
  expect(await call('scratchpad_get', { key: 'plan' })).toEqual({ key: 'plan', value: { steps: 3 } });
  expect(await call('scratchpad_list', {})).toMatchObject({
    entries: expect.arrayContaining([expect.objectContaining(entry)]),
  });
  expect(await call('scratchpad_list', {}, { session_id: 'other' })).toEqual({ entries: [] });
  expect(await call('scratchpad_delete', { key: 'plan' })).toEqual({ deleted: true });
  await expect(call('scratchpad_get', { key: 'plan' })).rejects.toThrow(
    '[GATEWAY ERROR] scratchpad_get: NOT_FOUND',
  );
  await expect(call('scratchpad_save', { key: 'two words', value: 1 })).rejects.toThrow(
    'key: 1 to 150 characters',
  );
  await expect(call('scratchpad_list', {}, { session_id: undefined })).rejects.toThrow('this call has none');
});

describe('no tool confirms', () => {
  it('with any name and arguments: an open question stays open, with nothing changed and no decision recorded', async () => {
    const open = await harness.start({ session_id: 'asked' });
    const task = await startTaskRun(harness.client, { goal: 'look' }, { task_queue: harness.taskQueue });
    const macro = { name: 'count', steps: [{ type: 'set' as const, variable: 'n', value: 1 }] };
    const { run_id } = await startMacro(harness.client, { macro }, { task_queue: harness.taskQueue });
    const gate = open.next_batch;
    const everything: Record<string, unknown> = {
      ...{ operation_id: open.operation_id, task_run_id: task.task_run_id, session_id: 'asked', ...start },
      ...{ macro, run_id, batch: gate?.number, attempt: gate?.attempt, digest: gate?.digest },
      ...{ decision_id: 'd', text: 'continue', key: 'any', value: 'continue', limit: 5 },
      ...{ message: 'yes, continue', goal: 'look', completed: ['a'] },
    };
    const answered = new Set<string>();
    // In reverse order, so that most tools find what they read, and a task run changes before it ends.
    for (const { name, args } of [...tools.listTools()].reverse()) {
      const known = Object.keys(args.shape).filter((field) => field in everything);
      const fitting = Object.fromEntries(known.map((field) => [field, everything[field]]));
      for (const given of [everything, fitting])
        await call(name, given, { session_id: 'asked' }).then(
          () => answered.add(name),
          () => undefined,
        );
    }
    // Some tools need a transaction, which only a macro has.
    const callable = tools.listTools().filter(({ transactional }) => !transactional);
    const refused = callable.map(({ name }) => name).filter((name) => !answered.has(name));
    // The session has a live job already, and the task run has been completed.
    expect(refused.sort()).toEqual([
      ...['propose_macro', 'start_bulk_operation', 'task_run_cancel', 'task_run_start'],
    ]);
    expect(await harness.status(open.operation_id)).toMatchObject({
      ...{ state: 'awaiting_confirmation', processed: 0, confirmations: [], next_batch: gate },
    });
    expect(touched.size).toBe(0);
  });

  it('and none has a name that suggests it', () => {
    const names = tools.listTools().map(({ name }) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => /continue|confirm|approve|decide|message|say|resolve/.test(name))).toEqual(
      [],
    );
  });
});

describe('a profile', () => {
  const { client, taskQueue } = { client: () => harness.client, taskQueue: () => harness.taskQueue };
  const get = (name?: string) => getProfile(client(), name, taskQueue());
  const set = (changes: object, name?: string) => setProfile(client(), changes, name, taskQueue());

  it('has the documented defaults until it is set, and the operator’s idle threshold', async () => {
    const defaults = Object.entries(PROFILE_FIELDS).map(([field, { default: value }]) => [field, value]);
    expect(await get()).toEqual({
      ...Object.fromEntries(defaults),
      profile: DEFAULT_PROFILE,
      op_idle_threshold_seconds: 1_800,
    });
  });

  it('is changed through Temporal, stored by name, and applies to the very next call', async () => {
    await call('scratchpad_save', { key: 'long', value: 'x'.repeat(3_000) });
    expect(await call('scratchpad_get', { key: 'long' })).toHaveProperty('value');
    await set({ op_tool_output_limit_tokens: 100 }, 'tight');
    expect(await call('scratchpad_get', { key: 'long' })).toHaveProperty('value');
    await set({ op_tool_output_limit_tokens: 100 });
    expect(await call('scratchpad_get', { key: 'long' })).toMatchObject({ truncated: true });
    // A macro passes the whole value to its next step.
    expect(await call('scratchpad_get', { key: 'long' }, {}, 'macro')).toEqual({
      ...{ key: 'long', value: 'x'.repeat(3_000) },
    });
    expect(await set({ op_tool_output_limit_tokens: null })).toMatchObject({
      op_tool_output_limit_tokens: 4_000,
    });
    expect(await get('tight')).toMatchObject({ profile: 'tight', op_tool_output_limit_tokens: 100 });
  });

  it('limits the calls of a macro, concurrent and total, from the next run on', async () => {
    const step: Step = { type: 'command', command: 'crowd', is_async: true };
    const start = (calls: number) => {
      const list = Array.from({ length: calls }, (_, at) => at);
      const steps: Step[] = [{ type: 'loop', list, iterator: 'i', steps: [step] }];
      return startMacro(client(), { macro: { name: 'crowded', steps } }, { task_queue: taskQueue() });
    };
    crowded = { wanted: 2, reached: latch(), released: latch() };
    await set({ op_max_tool_calls_per_step: 2, op_max_total_tool_calls: 4 });
    const { run_id } = await start(4);
    await crowded.reached.opened;
    // All calls that may run together are in the trace before the first one is carried out.
    const { steps } = await getMacroTrace(client(), run_id);
    expect(steps.filter(({ what, state }) => what === 'crowd' && state === 'running')).toHaveLength(2);
    crowded.released.open();
    expect(await awaitMacro(client(), run_id)).toMatchObject({ state: 'completed' });
    await expect(start(5)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('The run made 4 calls, the maximum') as string,
      hint: 'Split the work, or raise op_max_total_tool_calls.',
    });
    await set({ op_max_tool_calls_per_step: null, op_max_total_tool_calls: null });
  });

  it.each(PROFILE_FIELD_NAMES)(
    'accepts %s from its minimum to its maximum, and refuses values outside',
    async (field) => {
      const { min, max } = PROFILE_FIELDS[field];
      for (const value of [min, max]) {
        await set({ [field]: value }, 'edge');
        expect(await get('edge')).toMatchObject({ [field]: value });
      }
      for (const value of [min - 1, max + 1])
        expect(await codeOf(set({ [field]: value }, 'edge'))).toBe('INVALID_INPUT');
      expect(await get('edge')).toMatchObject({ [field]: max });
    },
  );

  it.each([
    [{ op_max_steps: 0 }],
    [{ op_max_steps: 101 }],
    [{ op_max_steps: 1.5 }],
    [{ op_max_step: 5 }],
    [JSON.parse('{"__proto__": 5, "constructor": 1}') as object],
  ])('refuses %j', async (changes) => {
    expect(await codeOf(set(changes))).toBe('INVALID_INPUT');
    const unchecked = client().workflow.execute('profile', {
      ...{ workflowId: `profile-${randomUUID()}`, taskQueue: taskQueue() },
      args: [{ changes }],
    });
    await expect(unchecked).rejects.toMatchObject({ cause: { cause: { type: 'INVALID_INPUT' } } });
  });
});

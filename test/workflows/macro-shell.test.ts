import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { z } from 'zod';
import {
  awaitMacro,
  cancelMacro,
  getMacroTrace,
  pauseMacro,
  resumeMacro,
  startMacro,
} from '../../src/client';
import type { Macro, Step } from '../../src/contract/macro';
import type { MacroTurn } from '../../src/contract/macro-run';
import { QUERIES } from '../../src/contract/messages';
import { sentinelId } from '../../src/contract/sentinel';
import type { ToolContext } from '../../src/contract/tools';
import { codeOf, gateway, startHarness, type Harness } from '../helpers/harness';
import { macrosOf, tool } from '../helpers/macro-tools';

let harness: Harness;
let calls: ToolContext[] = [];
let begun = gateway();
let goOn = gateway();
/** Delays the validation of a macro until it opens. */
let admitted = gateway();

beforeAll(async () => {
  const work = async (_: unknown, context: ToolContext) => {
    calls.push(context);
    begun.open();
    await goOn.opened;
  };
  const none = z.strictObject({});
  const tools = [
    tool('work', none, work),
    tool('look', none, work, { read_only: true }),
    tool('large', z.strictObject({ of: z.string() }), ({ of }) => (of as string).repeat(800_000)),
  ];
  admitted.open();
  const limits = async () => {
    await admitted.opened;
    return { at_once: 10, calls: 100 };
  };
  harness = await startHarness({ adapters: [], macros: macrosOf(tools, { limits }) });
});
afterAll(() => harness.close());
beforeEach(() => {
  calls = [];
  begun = gateway();
  goOn = gateway();
});

const work: Step = { type: 'command', command: 'work' };
const macroOf = (steps: Step[]): Macro => ({ name: 'shell', steps });
const start = (steps: Step[], session_id?: string) =>
  startMacro(
    harness.client,
    { macro: macroOf(steps), ...(session_id !== undefined && { session_id }) },
    { task_queue: harness.taskQueue },
  );
const handleOf = (id: string) => harness.client.workflow.getHandle(id);
/** Starts a macro without our client, through Temporal alone. */
const startRaw = (steps: Step[], workflowId: string) =>
  harness.client.workflow.start('macro', {
    workflowId,
    taskQueue: harness.taskQueue,
    args: [{ macro: macroOf(steps) }],
  });

async function listed(id: string): Promise<Record<string, unknown>> {
  const { typedSearchAttributes } = await handleOf(id).describe();
  return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
}
async function pageOf(handle: WorkflowHandle): Promise<string> {
  const found = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return found.currentDetails ?? '';
}
async function scheduled(id: string): Promise<{ type: string; summary: unknown; attempts: number }[]> {
  const { events } = await handleOf(id).fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: activity, userMetadata }) =>
    activity
      ? [
          {
            type: activity.activityType?.name ?? '',
            summary: userMetadata?.summary
              ? defaultPayloadConverter.fromPayload(userMetadata.summary)
              : undefined,
            attempts: activity.retryPolicy?.maximumAttempts ?? 0,
          },
        ]
      : [],
  );
}

it('holds its slot and its session while it runs, and frees both', async () => {
  const session = `session-of-${harness.taskQueue}`;
  const { run_id } = await start([work], session);
  const sentinel = handleOf(sentinelId(harness.taskQueue));
  const holders = async () => JSON.stringify(await sentinel.query(QUERIES.jobs));
  expect(await holders()).toContain(run_id);
  expect(await codeOf(start([work], session))).toBe('SESSION_LOCKED');
  goOn.open();
  expect(await awaitMacro(harness.client, run_id)).toMatchObject({ state: 'completed' });
  expect(await holders()).not.toContain(run_id);
  expect((await awaitMacro(harness.client, (await start([], session)).run_id)).state).toBe('completed');
});

it('is listed by its state and session, and shows its status on its page', async () => {
  const session = `listed-${harness.taskQueue}`;
  const { run_id } = await start([work, work], session);
  expect(await listed(run_id)).toMatchObject({ BatchgateState: 'running', BatchgateSession: session });
  await begun.opened;
  await pauseMacro(harness.client, run_id);
  expect(await listed(run_id)).toMatchObject({ BatchgateState: 'paused' });
  expect(await pageOf(handleOf(run_id))).toContain('**Macro shell: paused**');
  await resumeMacro(harness.client, run_id);
  expect(await listed(run_id)).toMatchObject({ BatchgateState: 'running' });
  goOn.open();
  await awaitMacro(harness.client, run_id);
  expect(await listed(run_id)).toMatchObject({ BatchgateState: 'completed' });
  const page = await pageOf(handleOf(run_id));
  expect(page).toContain('**Macro shell: completed**, 2 steps, 2 calls.');
  expect(page).toContain('| 2 | `shell steps[1]` | command work | completed |');
});

it('stops before its first step if it was cancelled before it began', async () => {
  await harness.stopWorker();
  const { workflowId } = await startRaw([work], `early-${harness.taskQueue}`);
  await cancelMacro(harness.client, workflowId);
  await harness.restartWorker();
  expect(await awaitMacro(harness.client, workflowId)).toMatchObject({ state: 'cancelled' });
  expect(calls).toEqual([]);
  expect(await codeOf(resumeMacro(harness.client, workflowId))).toBe('OPERATION_CLOSED');
});

it('begins no step if it was paused before it began, and can be cancelled then', async () => {
  admitted = gateway();
  const handle = await startRaw([work], `held-${harness.taskQueue}`);
  const paused = await handle.startUpdate<MacroTurn, []>('pause', { waitForStage: 'ACCEPTED' });
  admitted.open();
  expect(await paused.result()).toMatchObject({ state: 'paused', steps_total: 0 });
  expect(await getMacroTrace(harness.client, handle.workflowId)).toMatchObject({
    state: 'paused',
    steps: [],
  });
  await cancelMacro(harness.client, handle.workflowId);
  expect(await awaitMacro(harness.client, handle.workflowId)).toMatchObject({ state: 'cancelled' });
  expect(calls).toEqual([]);
});

it('shows each call with a summary, and repeats only calls that may be repeated', async () => {
  goOn.open();
  const { run_id } = await start([work, { type: 'command', command: 'look' }]);
  await awaitMacro(harness.client, run_id);
  expect((await scheduled(run_id)).filter(({ type }) => type === 'callTool')).toEqual([
    { type: 'callTool', summary: 'command work', attempts: 1 },
    { type: 'callTool', summary: 'command look', attempts: 4 },
  ]);
});

it('gives each call its session and its own key', async () => {
  goOn.open();
  const session = `keys-${harness.taskQueue}`;
  const { run_id } = await start([work, { ...work, is_async: true }, work], session);
  await awaitMacro(harness.client, run_id);
  expect(calls.map(({ session_id }) => session_id)).toEqual([session, session, session]);
  expect(new Set(calls.map(({ idempotency_key }) => idempotency_key)).size).toBe(3);
  for (const { idempotency_key } of calls) expect(idempotency_key).toContain(run_id);
});

it('makes ten calls at a time in total, also in nested swarms', async () => {
  const many = (times: number, step: Step): Step => ({
    type: 'loop',
    list: Array.from({ length: times }, (_, at) => at),
    iterator: 'n',
    steps: [step],
  });
  const inner: Macro = { name: 'inner', steps: [many(8, { ...work, is_async: true })] };
  const outer = macroOf([many(3, { type: 'macro', macro_name: 'inner', is_async: true })]);
  const { run_id } = await startMacro(
    harness.client,
    { macro: outer, macros: { inner } },
    { task_queue: harness.taskQueue },
  );
  const atWork = async () => (await handleOf(run_id).describe()).raw.pendingActivities?.length;
  while (calls.length < 10) await atWork();
  const seen = [await atWork(), calls.length];
  goOn.open();
  expect(seen).toEqual([10, 10]);
  expect(await awaitMacro(harness.client, run_id)).toMatchObject({ state: 'completed' });
  expect(calls).toHaveLength(24);
});

it('fails if it becomes too large to continue as new while it asks a person', async () => {
  const large = (of: string): Step => ({
    ...{ type: 'command', command: 'large' },
    ...{ args: { of }, output_variable: of },
  });
  const { run_id } = await start([
    ...[large('a'), large('b')],
    { type: 'ask', of: 'person', prompt: 'Go on?', output_variable: 'answer' },
    { type: 'set', variable: 'c', value: 'c'.repeat(450_000) },
  ]);
  while ((await getMacroTrace(harness.client, run_id)).state !== 'awaiting_answer');
  // With this request the history has the size at which the server suggests to continue as new.
  await handleOf(run_id).executeUpdate('pause', { args: ['p'.repeat(1_500_000)] });
  await resumeMacro(harness.client, run_id);
  expect(await awaitMacro(harness.client, run_id)).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('are more than 2000000 bytes') as string },
  });
  const { steps } = await getMacroTrace(harness.client, run_id);
  expect(steps.at(-1)).toMatchObject({ type: 'ask', state: 'cancelled' });
});

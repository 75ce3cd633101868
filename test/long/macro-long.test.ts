import { z } from 'zod';
import {
  awaitMacro,
  cancelBulkOperation,
  getMacroTrace,
  startBulkOperation,
  startMacro,
} from '../../src/client';
import type { Step, Variables } from '../../src/contract/macro';
import { countingTool, gateway, startHarness, type Harness } from '../helpers/harness';
import { macrosOf, tool } from '../helpers/macro-tools';
import { confirmOpen } from '../helpers/confirm';
import { lookAgain } from '../helpers/look-again';

let harness: Harness;
/** The operation that the latest macro began. */
let begun: string | undefined;
/** How often `work` was called with each id. `most`: the most concurrent calls of `crowd`. */
const worked = new Map<number, number>();
let atWork = 0;
let most = 0;
let full = gateway();
let half = gateway();
/** The limit of calls in one run. */
let calls = 600;

beforeAll(async () => {
  const count = z.strictObject({ id: z.number() });
  const operationInput = z.strictObject({
    domain: z.string(),
    action: z.string(),
    params: z.looseObject({}),
  });
  const tools = [
    tool('work', count, ({ id }) => {
      worked.set(id as number, (worked.get(id as number) ?? 0) + 1);
      if (worked.size === 500) half.open();
    }),
    tool('crowd', count, async () => {
      most = Math.max(most, ++atWork);
      if (atWork === 4) full.open();
      await full.opened;
      atWork--;
    }),
    tool('start_bulk_operation', operationInput, async (args) => {
      const options = { task_queue: harness.taskQueue };
      const { operation_id, state } = await startBulkOperation(harness.client, args as never, options);
      begun = operation_id;
      return { operation_id, state };
    }),
  ];
  harness = await startHarness({
    adapters: [countingTool(10).adapter],
    macros: macrosOf(tools, { limits: () => Promise.resolve({ at_once: 4, calls }) }),
  });
});
afterAll(() => harness.close());
beforeEach(() => {
  begun = undefined;
  worked.clear();
  full = gateway();
  half = gateway();
  calls = 600;
});

const start = (steps: Step[], args: Variables = {}) =>
  startMacro(
    harness.client,
    { macro: { name: 'long', parameters: Object.keys(args), steps }, args },
    { task_queue: harness.taskQueue },
  );
const finish = (run_id: string) => awaitMacro(harness.client, run_id);

const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const runsOf = async (id: string) => {
  const { raw, runId } = await harness.client.workflow.getHandle(id).describe();
  return { moved: raw.workflowExecutionInfo?.firstRunId !== runId };
};

/** How many calls the first run of a chain scheduled and did not see end. The next run would repeat them. */
async function leftBehind(id: string): Promise<number> {
  const { raw } = await harness.client.workflow.getHandle(id).describe();
  const first = harness.client.workflow.getHandle(id, raw.workflowExecutionInfo?.firstRunId ?? undefined);
  const { events } = await first.fetchHistory();
  const count = (kind: 'activityTaskScheduledEventAttributes' | 'activityTaskCompletedEventAttributes') =>
    (events ?? []).filter((event) => event[kind]).length;
  return count('activityTaskScheduledEventAttributes') - count('activityTaskCompletedEventAttributes');
}

it('runs a loop of 5,000 rounds over several runs, and calls each tool once', async () => {
  const { run_id } = await start(
    [
      {
        type: 'loop',
        list: 'ids',
        iterator: 'id',
        steps: [
          { type: 'set', variable: 'seen', value: '{{.id}}' },
          {
            type: 'if',
            condition: 'id % 10 == 0',
            then: [{ type: 'command', command: 'work', args: { id: '{{.id}}' } }],
          },
        ],
      },
      { type: 'set', variable: 'ids', value: [] },
    ],
    { ids: range(5_000) },
  );
  expect(await finish(run_id)).toEqual({ run_id, state: 'completed', variables: { ids: [], seen: 4_999 } });
  expect(worked.size).toBe(500);
  expect([...worked.values()].every((times) => times === 1)).toBe(true);
  expect(await runsOf(run_id)).toEqual({ moved: true });
  const trace = await getMacroTrace(harness.client, run_id);
  expect(trace).toMatchObject({ calls: 500, steps_total: 10_502, steps_truncated: true });
  expect(trace.steps.length).toBeLessThanOrEqual(200);
});

it('hands a swarm over between two steps, and keeps to the limit of concurrent steps', async () => {
  full.open();
  const swarm: Step = { type: 'command', command: 'crowd', args: { id: '{{.id}}' }, is_async: true };
  const { run_id } = await start([{ type: 'loop', list: range(560), iterator: 'id', steps: [swarm] }]);
  expect(await finish(run_id)).toMatchObject({ state: 'completed' });
  expect(await runsOf(run_id)).toEqual({ moved: true });
  expect((await getMacroTrace(harness.client, run_id)).calls).toBe(560);
  expect(await leftBehind(run_id)).toBe(0);
});

it('uses all its slots, and no more', async () => {
  most = 0;
  const swarm: Step = { type: 'command', command: 'crowd', args: { id: '{{.id}}' }, is_async: true };
  const { run_id } = await start([{ type: 'loop', list: range(12), iterator: 'id', steps: [swarm] }]);
  expect(await finish(run_id)).toMatchObject({ state: 'completed' });
  expect(most).toBe(4);
});

it('ends when its calls are spent, whatever its steps would catch', async () => {
  calls = 60;
  const work: Step = { type: 'command', command: 'work', args: { id: 1 }, continue_on_error: true };
  const { run_id } = await start([
    { type: 'loop', list: range(75), iterator: 'i', steps: [work], continue_on_error: true },
  ]);
  expect(await finish(run_id)).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('The run made 60 calls, the maximum') as string },
  });
  expect(worked.get(1)).toBe(60);
});

describe('a macro that starts a bulk operation', () => {
  const operation: Step[] = [
    {
      type: 'command',
      command: 'start_bulk_operation',
      args: { domain: 'fake', action: 'mark', params: { group: 'all' } },
      output_variable: 'op',
    },
    {
      type: 'command',
      command: 'wait_for_bulk_operation',
      args: { operation_id: '{{.op.operation_id}}' },
      output_variable: 'done',
    },
  ];
  /** The operation whose end the run waits for. */
  const asked = async (run_id: string): Promise<string> => {
    for (;;) {
      const { steps } = await getMacroTrace(harness.client, run_id);
      if (steps.length >= 2 && begun !== undefined) return begun;
      await lookAgain();
    }
  };

  it('waits for its person, across workers, and gets its last status', async () => {
    const { run_id } = await start(operation);
    const id = await asked(run_id);
    await harness.restartWorker();
    await confirmOpen(harness.client, id);
    expect(await finish(run_id)).toMatchObject({
      state: 'completed',
      variables: { done: { operation_id: id, state: 'completed', succeeded: 10 } },
    });
  });

  it('continues while its person decides, also in another run', async () => {
    const [begin, wait] = operation as [Step, Step];
    const work: Step = { type: 'command', command: 'work', args: { id: '{{.i}}' } };
    const loop: Step = { type: 'loop', list: range(500), iterator: 'i', steps: [work] };
    const { run_id } = await start([begin, { ...wait, is_async: true }, loop]);
    const id = await asked(run_id);
    await half.opened;
    expect(await runsOf(run_id)).toEqual({ moved: true });
    await confirmOpen(harness.client, id);
    expect(await finish(run_id)).toMatchObject({
      state: 'completed',
      variables: { done: { operation_id: id, state: 'completed', succeeded: 10 } },
    });
  });

  it('continues if its person refuses: the macro decides what that means', async () => {
    const refused: Step = {
      type: 'if',
      condition: 'done.state == "cancelled"',
      then: [{ type: 'set', variable: 'said', value: 'no' }],
    };
    const { run_id } = await start([...operation, refused]);
    await cancelBulkOperation(harness.client, await asked(run_id));
    expect(await finish(run_id)).toMatchObject({ state: 'completed', variables: { said: 'no' } });
  });

  it('fails if there is no such operation', async () => {
    const wait: Step = {
      type: 'command',
      command: 'wait_for_bulk_operation',
      args: { operation_id: 'none' },
    };
    const { run_id } = await start([wait]);
    expect(await finish(run_id)).toMatchObject({
      state: 'failed',
      error: { details: { code: 'NOT_FOUND' } },
    });
  });
});

import { awaitMacro, startMacro } from '../../src/client';
import type { MacroResult } from '../../src/contract/macro-run';
import { startStage, type Stage } from '../helpers/fault-stage';
import type { WorkerProcess } from '../helpers/spawn-worker';

let stage: Stage;
let worker: WorkerProcess;
let next: () => Promise<WorkerProcess>;
beforeAll(async () => {
  stage = await startStage();
  worker = await stage.startWorker();
});
beforeEach(() => {
  next = stage.loadWorker();
});
afterAll(() => stage.close());

type Tool = 'touch_again' | 'touch_once';

/**
 * Runs a macro that calls a tool and then sets a variable, and kills or ends its worker during the call. `received`:
 * whether each request to the target was applied, one list per idempotency key.
 */
async function killed(
  tool: Tool,
  moment: 'held' | 'applied',
  how: 'kill' | 'end' = 'kill',
): Promise<{ result: MacroResult; received: boolean[][] }> {
  const trap = stage.target.trap(moment, 0, (item) => item.startsWith(`${tool}~`));
  const steps = [
    { type: 'command' as const, command: tool, args: {}, output_variable: 'done' },
    { type: 'set' as const, variable: 'went_on', value: true },
  ];
  const input = { macro: { name: 'killed', steps } };
  const { run_id } = await startMacro(stage.client, input, { task_queue: stage.taskQueue });
  await trap.sprung;
  await worker[how]();
  trap.release('drop');
  worker = await next();
  const result = await awaitMacro(stage.client, run_id);
  expect(await stage.unreplayable([run_id])).toEqual([]);
  const requests = [...stage.target.touches].filter(([item]) => item.includes(run_id));
  return { result, received: requests.map(([, touches]) => touches.map(({ applied }) => applied)) };
}

it.each([
  ['before it was carried out', 'held', [false, true]],
  ['after it was carried out, and before it was answered', 'applied', [true, true]],
] as const)(
  'repeats a call of an idempotent tool under the same key if its worker is killed %s',
  async (...row) => {
    const [, moment, calls] = row;
    const { result, received } = await killed('touch_again', moment);
    expect(result).toMatchObject({
      state: 'completed',
      variables: { done: { applied: true }, went_on: true },
    });
    expect(received).toEqual([calls]);
  },
);

it.each([
  ['before it was carried out', 'held', [false]],
  ['after it was carried out, and before it was answered', 'applied', [true]],
] as const)(
  'repeats no call of any other tool if its worker is killed %s, and reports its effect as unknown',
  async (...row) => {
    const [, moment, calls] = row;
    const { result, received } = await killed('touch_once', moment);
    expect(result).toMatchObject({
      state: 'failed',
      error: {
        code: 'MACRO_FAILED',
        message:
          '[TOOL ERROR] touch_once: its worker died, or it did not answer in time. Its effect is unknown (killed steps[0]).',
        hint: '[HINT]: Look at what it may have changed before it is called again.',
        details: { path: 'steps[0]', code: 'TOOL_FAILED', cause: { outcome_unknown: true } },
      },
    });
    expect(result.variables).toEqual({});
    expect(received).toEqual([calls]);
  },
);

it('repeats a call of an idempotent tool under the same key if its worker is stopped in order', async () => {
  const { result, received } = await killed('touch_again', 'held', 'end');
  expect(result).toMatchObject({ state: 'completed', variables: { done: { applied: true }, went_on: true } });
  expect(received).toEqual([[false, true]]);
});

it('repeats no call of any other tool if its worker is stopped in order', async () => {
  const { result, received } = await killed('touch_once', 'applied', 'end');
  expect(result).toMatchObject({
    state: 'failed',
    error: {
      message: '[TOOL ERROR] touch_once: it was cancelled. Its effect is unknown (killed steps[0]).',
      details: { cause: { outcome_unknown: true } },
    },
  });
  expect(received).toEqual([[true]]);
});

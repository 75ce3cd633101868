import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitMacro, startMacro } from '../../src/client';
import type { Macro, Step } from '../../src/contract/macro';
import type { MacroResult } from '../../src/contract/macro-run';
import { startStage, type Stage } from '../helpers/fault-stage';
import { startNeighbours, type Neighbours } from '../helpers/neighbours';
import type { WorkerProcess } from '../helpers/spawn-worker';

/** The memory of a small machine. These macros took more than two gigabytes when each step copied its values. */
const MEMORY_MB = 256;

let stage: Stage;
let worker: WorkerProcess;
let beside: Neighbours;
let resourcesDir: string;
const runs: string[] = [];

beforeAll(async () => {
  resourcesDir = await mkdtemp(join(tmpdir(), 'batchgate-rows-'));
  for (const count of [4_000, 6_000]) await writeFile(join(resourcesDir, `${count}.csv`), csv(count));
  stage = await startStage({ resourcesDir, memoryMb: MEMORY_MB });
  worker = await stage.startWorker();
  beside = await startNeighbours(stage.client, stage.taskQueue, 'idempotent');
});
afterAll(async () => {
  await stage.close();
  await rm(resourcesDir, { recursive: true, force: true });
});
afterEach(async () => {
  await beside.answerAll();
  expect(await beside.troubles(runs)).toEqual([]);
  expect(worker.alive()).toBe(true);
});

const csv = (count: number): string =>
  [
    'id,name,note',
    ...Array.from({ length: count }, (_, at) => `${at},Name ${at},${'lorem ipsum '.repeat(10)}`),
  ].join('\n');
const rows = (count: number): Step => ({
  type: 'fetch',
  source: '.',
  resource: `${count}.csv`,
  variable: 'rows',
});
const each = (steps: Step[]): Step => ({ type: 'loop', list: 'rows', iterator: 'r', steps });
const sub: Macro = {
  name: 'sub',
  parameters: ['all', 'id'],
  steps: [{ type: 'set', variable: 'x', value: '{{.id}}' }],
};
const passAll: Step = {
  type: 'macro',
  macro_name: 'sub',
  macro_args: { all: '{{.rows}}', id: '{{.r.id}}' },
  output_variable: 'last',
};

async function run(steps: Step[], options: object = {}): Promise<MacroResult> {
  const macro = { name: 'large', steps };
  const more = { task_queue: stage.taskQueue, ...options };
  const { run_id } = await startMacro(stage.client, { macro, macros: { sub } }, more);
  runs.push(run_id);
  return awaitMacro(stage.client, run_id);
}

it('passes all of 4,000 rows to a macro for each of them', async () => {
  expect(await run([rows(4_000), each([passAll])])).toMatchObject({ state: 'completed' });
});

it('ends a list that includes its former value 6,000 times, and suggests append', async () => {
  const collect: Step = { type: 'set', variable: 'all', value: ['{{.all}}', '{{.r.id}}'] };
  expect(
    await run([rows(6_000), { type: 'set', variable: 'all', value: [] }, each([collect])]),
  ).toMatchObject({
    state: 'failed',
    error: {
      code: 'MACRO_FAILED',
      message: expect.stringContaining('is nested deeper than 64 levels') as string,
      hint: expect.stringContaining('"append"') as string,
    },
  });
});

it('collects 6,000 values with append', async () => {
  const collect: Step = { type: 'set', variable: 'all', append: '{{.r.id}}' };
  const { state, variables } = await run([
    rows(6_000),
    each([collect]),
    { type: 'set', variable: 'rows', value: 0 },
  ]);
  expect(state).toBe('completed');
  expect(variables['all']).toHaveLength(6_000);
});

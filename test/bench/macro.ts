import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { z } from 'zod';
import type { MacroDependencies } from '../../activities/shared/dependencies';
import { macrosOf, tool } from '../helpers/macro-tools';
import { median, ratios } from './figures';
import { bundle, note, productWorker, running, type Ground } from './ground';
import { loop, range, runMacro, timed } from './macro-runs';
import { macroTransactionBench } from './macro-transaction';

const ROUNDS = 5;
const CALLS = 200;
const SWARM = 100;
/** The duration of each call of the swarm, which stands for a provider's answer. Milliseconds. */
const WAIT_MS = 50;

const macros: MacroDependencies = macrosOf([
  tool('touch', z.strictObject({ id: z.number() }), ({ id }) => id),
  tool(
    'wait',
    z.strictObject({ id: z.number() }),
    ({ id }) => new Promise((done) => setTimeout(done, WAIT_MS, id)),
  ),
]);

/**
 * Compares the interpreter with a workflow written by hand, and a swarm with a sequence, and measures a statement
 * within a transaction.
 */
export async function macroBench(ground: Ground): Promise<void> {
  const taskQueue = `bench-macro-${randomUUID()}`;
  const stopProduct = await productWorker(ground, taskQueue, [], macros);
  const bareQueue = `bench-bare-macro-${randomUUID()}`;
  const bare = await Worker.create({
    connection: ground.connection,
    namespace: 'default',
    taskQueue: bareQueue,
    workflowBundle: await bundle('./workflows.ts'),
    activities: { touch: ({ id }: { id: number }) => Promise.resolve(id) },
  });
  const stopBare = running(bare);
  const times: Record<string, number[]> = { macro: [], bare: [], swarm: [], sequence: [] };
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      note(round === 0 ? 'warming up' : `macros, round ${round} of ${ROUNDS}`);
      const found = {
        macro: await timed(() => runMacro(ground, taskQueue, loop('touch', CALLS, false))),
        bare: await timed(() => runBare(ground, bareQueue)),
        swarm: await timed(() => runMacro(ground, taskQueue, loop('wait', SWARM, true))),
        sequence: await timed(() => runMacro(ground, taskQueue, loop('wait', SWARM, false))),
      };
      if (round > 0) for (const [name, took] of Object.entries(found)) times[name]?.push(took);
    }
    print(times);
  } finally {
    await stopProduct();
    await stopBare();
  }
  await macroTransactionBench(ground);
}

async function runBare({ client }: Ground, taskQueue: string): Promise<void> {
  await client.workflow.execute('bareCalls', {
    workflowId: `bare-${randomUUID()}`,
    taskQueue,
    args: [range(CALLS)],
  });
}

function print({ macro = [], bare = [], swarm = [], sequence = [] }: Record<string, number[]>): void {
  const row = (name: string, values: number[], calls: number) =>
    console.log(
      `| ${name} | ${(median(values) / 1_000).toFixed(2)} s | ${(median(values) / calls).toFixed(1)} ms |`,
    );
  const ratio = (name: string, ours: number[], theirs: number[]) => {
    const { median: middle, least, most } = ratios(ours, theirs);
    console.log(`${name}: ${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`);
  };
  console.log(`\nWhole runs, ${ROUNDS} rounds, one contestant after the other.\n`);
  console.log('| | run, median | a call |');
  console.log('|---|---|---|');
  row(`${CALLS} calls as a macro`, macro, CALLS);
  row(`${CALLS} calls as a workflow written by hand`, bare, CALLS);
  row(`${SWARM} calls of ${WAIT_MS} ms beside each other, ten at a time`, swarm, SWARM);
  row(`${SWARM} calls of ${WAIT_MS} ms in sequence`, sequence, SWARM);
  console.log('');
  ratio('a macro against the workflow by hand', macro, bare);
  ratio('in sequence against beside each other', sequence, swarm);
}

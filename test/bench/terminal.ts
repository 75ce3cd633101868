import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBulkOperation } from '../../src/client';
import { loadConfig } from '../../src/host/config';
import { findTemporalCli } from '../../src/host/temporal/find-server';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { BATCH_SIZE, realisticItems } from './contestants';
import { plainFigure, ratioFigure, type Figure } from './figures';
import { productWorker, type Ground } from './ground';
import { inTurns } from './in-turns';

const run = promisify(execFile);
const ROUNDS = 15;
const DEMOS = 4;
const PROGRAM = join(__dirname, '../../bin/batchgate.cjs');

/** Measures what a person waits for at a terminal, where each command is a new process. */
export async function terminalBench(ground: Ground): Promise<Figure[]> {
  return [...(await looks(ground)), await demos()];
}

/** Compares our command line's view of an operation with Temporal's own, and with a Node that does nothing. */
async function looks(ground: Ground): Promise<Figure[]> {
  const taskQueue = `bench-terminal-${randomUUID()}`;
  const items = realisticItems((ROUNDS + 2) * BATCH_SIZE);
  const adapter = createFakeAdapter({ items: () => items, apply: () => Promise.resolve() });
  const stop = await productWorker(ground, taskQueue, [adapter]);
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-bench-terminal-'));
  try {
    const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: BATCH_SIZE };
    const begin = () => startBulkOperation(ground.client, input, { task_queue: taskQueue });
    const [{ operation_id }, confirmed] = [await begin(), await begin()];
    const { cacheDir } = loadConfig();
    const temporal = await findTemporalCli({ cacheDir, log: { info: () => undefined } });
    const at = ['--address', ground.address, '--workflow-id', operation_id];
    const env = { ...process.env, BATCHGATE_DATA_DIR: dataDir, TEMPORAL_ADDRESS: ground.address };
    const [ours = [], theirs = [], node = [], decided = []] = await inTurns(
      'a look from the terminal',
      ROUNDS,
      [
        { run: () => run(process.execPath, [PROGRAM, 'status', operation_id], { env }) },
        { run: () => run(temporal.path, ['workflow', 'describe', ...at]) },
        { run: () => run(process.execPath, ['--eval', '0']) },
        { run: () => run(process.execPath, [PROGRAM, 'continue', confirmed.operation_id], { env }) },
      ],
    );
    const describe = '`temporal workflow describe`';
    return [
      ratioFigure(`\`batchgate status\` against ${describe}`, ours, theirs, { atMost: 1.5 }),
      ratioFigure(`a Node that does nothing against ${describe}`, node, theirs),
      plainFigure('`batchgate status`', ours, 'ms'),
      plainFigure('`batchgate continue`, with its batch', decided, 'ms'),
    ];
  } finally {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Measures the demo of `npm start`, in a folder where it has run before. */
async function demos(): Promise<Figure> {
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-bench-demo-'));
  const { TEMPORAL_ADDRESS: _, ...inherited } = process.env;
  const env = { ...inherited, BATCHGATE_DATA_DIR: dataDir };
  let end = () => Promise.resolve();
  try {
    const [times = []] = await inTurns('`npm start`', DEMOS, [
      {
        prepare: () => end(),
        async run() {
          const demo = spawn(process.execPath, [PROGRAM, 'demo'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
          const ended = once(demo, 'exit');
          end = async () => {
            demo.stdin.end('cancel\n');
            await ended;
          };
          const failed = ended.then(() => Promise.reject(new Error('the demo ended before its question')));
          await Promise.race([questionOf(demo.stdout), failed]);
        },
      },
    ]);
    return plainFigure('`npm start` to the first question', times, 'ms');
  } finally {
    await end();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function questionOf(output: AsyncIterable<Buffer>): Promise<void> {
  let said = '';
  for await (const part of output) {
    said += part.toString();
    if (said.includes("Say 'continue'")) return;
  }
  throw new Error(`no question in: ${said}`);
}

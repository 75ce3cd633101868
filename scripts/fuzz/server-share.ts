import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { answerMacro, getMacroTurn } from '../../src/client';
import { isTooDeep } from '../../src/contract/text';
import type { MacroResult } from '../../src/contract/macro-run';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import { RUN_TYPESCRIPT } from '../../test/helpers/run-typescript';
import { troublesOf } from '../../test/helpers/workflow-troubles';
import { wrongEnd } from './findings';
import { DATABASES } from './model-run';
import { wrongIn, type Trial } from './model-share';
import type { FuzzWorkerOptions } from './worker-process';

/** A run that lasts longer is stuck. */
const STUCK_MS = 300_000;
/** A workflow task that takes longer keeps others from the worker, on a busy machine too. The default is 10 seconds. */
const TASK_MS = 60_000;
const LOOK_MS = 500;
const AT_ONCE = 6;
const SCRIPT = resolve(__dirname, 'worker-process.ts');

/** Runs generated macros with a real worker, in a process with little memory, and a real server. */
export interface ServerShare {
  /** Waits for a free place, then begins a run. */
  begin(trial: Trial): Promise<void>;
  /** Waits for all runs to end. Returns the failures. */
  finish(): Promise<{ runs: number; wrong: string[] }>;
  close(): Promise<void>;
}

export interface ServerShareOptions extends Omit<
  FuzzWorkerOptions,
  'taskQueue' | 'databaseUrls' | 'storeUrl'
> {
  newDatabase: () => Promise<string>;
  memoryMb: number;
}

export async function startServerShare(options: ServerShareOptions): Promise<ServerShare> {
  const { address, newDatabase, memoryMb } = options;
  const taskQueue = `fuzz-${randomUUID()}`;
  const databaseUrls: Record<string, string> = {};
  for (const name of DATABASES) databaseUrls[name] = await newDatabase();
  await Promise.all(Object.values(databaseUrls).map(prepare));
  const worker = await startWorker(
    { ...options, taskQueue, databaseUrls, storeUrl: await newDatabase() },
    memoryMb,
  );
  // A page of a history exceeds the default of 4 MB if each of its events has a megabyte.
  const channelArgs = { 'grpc.max_receive_message_length': 64 * 1024 * 1024 };
  const connection = await Connection.connect({ address, channelArgs });
  const client = new Client({ connection });
  const wrong: string[] = [];
  const running = new Set<Promise<void>>();
  let runs = 0;
  return {
    async begin(trial) {
      if (isTooDeep(trial.program)) return;
      while (running.size >= AT_ONCE) await Promise.race(running);
      const id = `fuzz-${++runs}-${randomUUID()}`;
      const ended = tried(client, taskQueue, id, trial)
        .then((faults) => void wrong.push(...faults))
        .finally(() => running.delete(ended));
      running.add(ended);
    },
    async finish() {
      await Promise.all(running);
      return { runs, wrong: [...wrong, ...worker.died()] };
    },
    async close() {
      await connection.close();
      await worker.kill();
    },
  };
}

async function prepare(url: string): Promise<void> {
  const database = new Postgres(url);
  await database.connect();
  await database.query('create table notes (text text)');
  await database.query("create table items as select 1 as id, 'a' as text");
  await database.end();
}

/** Runs one program to its end, and returns the faults of the run. */
async function tried(client: Client, taskQueue: string, id: string, trial: Trial): Promise<string[]> {
  const { program, mistakes } = trial;
  const timeouts = { workflowExecutionTimeout: STUCK_MS, workflowTaskTimeout: TASK_MS };
  const start = { workflowId: id, taskQueue, args: [program], ...timeouts };
  const handle = await client.workflow.start(WORKFLOW_TYPES.macro, start);
  let over = false;
  const answering = answer(client, id, () => over);
  try {
    const { state, error } = (await handle.result()) as MacroResult;
    const run = { ...trial.run, state, error, wrong: [] };
    // The random choices for the model do not apply here.
    const words = wrongIn({ program, mistakes, run: { ...run, calls: 1 } });
    const faults = [...wrongEnd(state, error), ...words, ...(await troublesOf(client, id))];
    return faults.map((one) => `${id}: ${one}`);
  } catch (error) {
    return [`${id}: it did not end: ${String(error)}`];
  } finally {
    over = true;
    await answering;
  }
}

/** Answers the questions of a run's steps. */
async function answer(client: Client, id: string, over: () => boolean): Promise<void> {
  while (!over()) {
    await pause(LOOK_MS);
    const { questions = [] } = await getMacroTurn(client, id).catch(() => ({ questions: [] }));
    for (const { number, output_schema } of questions) {
      const reply = { answer: output_schema ? {} : 'yes', question: number };
      await answerMacro(client, id, reply).catch(() => undefined);
    }
  }
}

async function startWorker(
  options: FuzzWorkerOptions,
  memoryMb: number,
): Promise<{ died(): string[]; kill(): Promise<void> }> {
  const { address, taskQueue, bundlePath, resourcesDir, storeUrl, databaseUrls } = options;
  const chosen = { address, taskQueue, bundlePath, resourcesDir, storeUrl, databaseUrls };
  const flags = [`--max-old-space-size=${memoryMb}`, ...RUN_TYPESCRIPT, SCRIPT];
  const child = spawn(process.execPath, [...flags, JSON.stringify(chosen)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const gone = once(child, 'exit');
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  const ready = once(createInterface({ input: child.stdout }), 'line');
  await Promise.race([
    ready,
    gone.then(() =>
      Promise.reject(new Error(`the worker did not start: ${Buffer.concat(output).toString()}`)),
    ),
  ]);
  return {
    died: () => (isGone() ? [`the worker died: ${Buffer.concat(output).toString().slice(-2_000)}`] : []),
    async kill() {
      if (!isGone()) child.kill('SIGKILL');
      await gone;
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { WorkerProcessOptions } from './worker-process';
import { RUN_TYPESCRIPT } from './run-typescript';

const living = new Set<ChildProcess>();

/** A worker in a separate process (worker-process.ts). */
export interface WorkerProcess {
  /** Resolves with the first past or future line that matches. */
  said(pattern: RegExp): Promise<string>;
  /** True if it is running, and has been since it was ready. */
  alive(): boolean;
  /** Sends SIGKILL, and waits for the end of the process. */
  kill(): Promise<void>;
  /** Sends SIGTERM, on which it shuts down in order, and waits for the end of the process. */
  end(): Promise<void>;
  /** Sends SIGSTOP: it holds its connections and answers nothing. */
  stop(): void;
  /** Sends SIGCONT. */
  goOn(): void;
}

/**
 * Loads a worker process. The returned function starts it: it then opens its store, and is ready once it polls. Loading
 * in advance saves time in a test that kills many.
 */
export function loadWorkerProcess(options: WorkerProcessOptions): () => Promise<WorkerProcess> {
  const script = join(__dirname, 'worker-process.ts');
  // Without the optimising compiler, which takes longer than it saves in a short process.
  const { memoryMb } = options;
  const limit = memoryMb === undefined ? [] : [`--max-old-space-size=${memoryMb}`];
  const flags = [...limit, ...RUN_TYPESCRIPT];
  const child = spawn(process.execPath, [...flags, script, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  living.add(child);
  const gone = once(child, 'exit').then(() => living.delete(child));
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const output: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => output.push(line));
  const ended = once(lines, 'close').then(() => {
    throw new Error(`the worker process ended: ${Buffer.concat(errors).toString()}`);
  });
  ended.catch(() => undefined);
  const waitFor = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = output.find((line) => pattern.test(line));
      if (match !== undefined) return match;
      await Promise.race([once(lines, 'line'), ended]);
    }
  };
  return async () => {
    child.stdin.write('go\n');
    await waitFor(/^ready$/);
    return {
      said: waitFor,
      alive: () => child.exitCode === null && child.signalCode === null,
      async kill() {
        child.kill('SIGKILL');
        await gone;
      },
      async end() {
        child.kill('SIGTERM');
        await gone;
      },
      stop: () => void child.kill('SIGSTOP'),
      goOn: () => void child.kill('SIGCONT'),
    };
  };
}

/** Ends every worker process that a test left running. */
export async function endWorkerProcesses(): Promise<void> {
  await Promise.all(
    [...living].map(async (child) => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }),
  );
}

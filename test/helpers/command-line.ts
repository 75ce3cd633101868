import { spawn } from 'node:child_process';
import { join } from 'node:path';

const entry = join(__dirname, '../../bin/batchgate.cjs');

interface RunOptions {
  dataDir: string;
  env?: Record<string, string>;
  input?: string;
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningVerb {
  readonly output: string;
  /** Resolves once it has printed the text on either stream; rejects when it ends before. */
  says(text: string): Promise<void>;
  write(line: string): void;
  endInput(): void;
  kill(): void;
  /** Ctrl-C, and waits for the end. */
  interrupt(): Promise<Finished>;
  readonly ended: Promise<Finished>;
}

/** Runs a verb of the built command line in a process of its own, with nothing of the caller's Temporal settings. */
export function startBatchgate(args: string[], { dataDir, env = {} }: RunOptions): RunningVerb {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...inherited(), BATCHGATE_DATA_DIR: dataDir, ...env },
  });
  const texts = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      texts[stream] += text;
      watchers.forEach((look) => look());
    });
  }
  const ended = new Promise<Finished>((resolve) =>
    child.once('close', (code) => resolve({ code, ...texts })),
  );
  return {
    get output() {
      return texts.stdout + texts.stderr;
    },
    says: (text) => printed(ended, watchers, () => (texts.stdout + texts.stderr).includes(text), text),
    write: (line) => child.stdin.write(`${line}\n`),
    endInput: () => child.stdin.end(),
    kill: () => child.kill('SIGKILL'),
    interrupt: () => {
      child.kill('SIGINT');
      return ended;
    },
    ended,
  };
}

/** Runs a verb to its end. */
export function runBatchgate(args: string[], options: RunOptions): Promise<Finished> {
  const running = startBatchgate(args, options);
  if (options.input !== undefined) running.write(options.input);
  running.endInput();
  return running.ended;
}

function printed(
  ended: Promise<Finished>,
  watchers: Set<() => void>,
  test: () => boolean,
  text: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!test()) return;
      watchers.delete(look);
      resolve();
    };
    watchers.add(look);
    look();
    void ended.then(({ stdout, stderr, code }) => {
      reject(new Error(`ended with ${code} before it said "${text}":\n${stdout}\n${stderr}`));
    });
  });
}

function inherited(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL_|BATCHGATE_|NODE_OPTIONS|JEST_)/.test(name),
  );
  return Object.fromEntries(kept);
}

import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Terminal } from '@xterm/headless';
import type { FromHost, ToHost } from './program-process';
import { SHORT_PROCESS } from './run-typescript';

const batchgate = [SHORT_PROCESS, join(__dirname, '../../bin/batchgate.cjs')];

interface RunOptions {
  dataDir: string;
  env?: Record<string, string>;
  input?: string;
  /** The time at which the command was typed, in milliseconds since the epoch; by default now. Shared process only. */
  begun?: number;
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningVerb {
  readonly output: string;
  /** Resolves once it has printed the text on either stream; rejects if it ends before. */
  says(text: string): Promise<void>;
  write(line: string): void;
  /** Sends keys unchanged, without the return key. */
  type(keys: string): void;
  endInput(): void;
  /** Closes the reading end of its notes. */
  closeNotes(): void;
  kill(): void;
  /** Sends Ctrl-C, and waits for the end. */
  interrupt(): Promise<Finished>;
  readonly ended: Promise<Finished>;
}

/** Runs a verb of the built command line in its own process, without the caller's Temporal settings. */
export function startBatchgate(args: string[], { dataDir, env = {} }: RunOptions): RunningVerb {
  return run(process.execPath, [...batchgate, ...args], {
    ...inherited(),
    BATCHGATE_DATA_DIR: dataDir,
    ...env,
  });
}

/** Like startBatchgate, on a terminal of 100 columns and 30 rows, where both streams are `stdout`. */
export function startOnTerminal(args: string[], { dataDir, env = {} }: RunOptions): RunningVerb {
  const words = [process.execPath, ...batchgate, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const command = `stty cols 100 rows 30; exec ${words.join(' ')}`;
  return run('script', ['-qefc', command, '/dev/null'], {
    ...inherited(),
    TERM: 'xterm-256color',
    BATCHGATE_DATA_DIR: dataDir,
    ...env,
  });
}

/** The screen of such a terminal after this output: lines without trailing spaces. */
export async function screenOf(output: string): Promise<string[]> {
  const terminal = new Terminal({ cols: 100, rows: 30, scrollback: 1_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(output, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true));
  terminal.dispose();
  return lines.map((line) => line ?? '');
}

function run(program: string, args: string[], env: NodeJS.ProcessEnv): RunningVerb {
  const child = spawn(program, args, { env });
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
    says: (text) => printed(ended, watchers, () => texts.stdout + texts.stderr, text),
    write: (line) => child.stdin.write(`${line}\n`),
    type: (keys) => child.stdin.write(keys),
    endInput: () => child.stdin.end(),
    closeNotes: () => child.stderr.destroy(),
    kill: () => child.kill('SIGKILL'),
    interrupt: () => {
      child.kill('SIGINT');
      return ended;
    },
    ended,
  };
}

/** Verbs that keep running, or that hold process-wide resources. */
const OF_A_PROCESS = ['up', 'demo', 'worker'];

/** Runs a verb to its end: in the shared process (program-process.ts), unless the verb needs its own. */
export function runBatchgate(args: string[], options: RunOptions): Promise<Finished> {
  if (!OF_A_PROCESS.includes(args[0] ?? '')) return runInHost(args, options);
  const running = startBatchgate(args, options);
  if (options.input !== undefined) running.write(options.input);
  running.endInput();
  return running.ended;
}

function runInHost(args: string[], { dataDir, env = {}, input, begun }: RunOptions): Promise<Finished> {
  const host = process.env['BATCHGATE_TEST_PROGRAM'];
  if (!host) throw new Error('run through jest: the global setup starts the program host');
  const socket = connect(host);
  const send = (message: ToHost) => socket.write(`${JSON.stringify(message)}\n`);
  send({
    args,
    env: { ...inherited(), BATCHGATE_DATA_DIR: dataDir, ...env },
    ...(begun !== undefined && { begun }),
  });
  if (input !== undefined) send({ input: `${input}\n` });
  send({ endInput: true });
  const texts = { stdout: '', stderr: '' };
  return new Promise((resolve, reject) => {
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as FromHost;
      if ('code' in message) resolve({ code: message.code, ...texts });
      else if ('stdout' in message) texts.stdout += message.stdout;
      else texts.stderr += message.stderr;
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the program host ended')));
  });
}

const EXPLAIN_MS = 60_000;

function printed(
  ended: Promise<Finished>,
  watchers: Set<() => void>,
  output: () => string,
  text: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // The error of a test that exceeds its time limit does not contain this text.
    const explain = setTimeout(
      () => process.stderr.write(`still waiting for "${text}" in:\n${output()}\n`),
      EXPLAIN_MS,
    ).unref();
    const look = () => {
      if (!output().includes(text)) return;
      watchers.delete(look);
      clearTimeout(explain);
      resolve();
    };
    watchers.add(look);
    look();
    void ended.then(({ stdout, stderr, code }) => {
      clearTimeout(explain);
      reject(new Error(`ended with ${code} before it said "${text}":\n${stdout}\n${stderr}`));
    });
  });
}

/** Variables that would affect the commands under test: our settings, and Node's colour settings. */
const reaching =
  /^(TEMPORAL_|BATCHGATE_|NODE_OPTIONS$|JEST_|NO_COLOR$|FORCE_COLOR$|NODE_DISABLE_COLORS$|COLORTERM$|CI$|TEAMCITY_|TF_BUILD$|TMUX$)/;

/** The environment without the variables that would affect the commands under test. */
export function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !reaching.test(name)));
}

/** The objects of an output with one per line. */
export const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export type Env = Readonly<Record<string, string | undefined>>;

const STOP_MS = 20_000;
const READY_MS = 120_000;
const LOG_LINES = 15;
const LINE_LENGTH = 400;

/** A part of the topology that runs until it is stopped. */
export interface Part {
  readonly name: string;
  readonly pid: number;
  /** Rejects with its last output if it ends by itself. */
  readonly ended: Promise<never>;
  /** Resolves once it has printed a line with this text. */
  says(text: string): Promise<void>;
  /** Sends SIGKILL, and waits for the end of the process. */
  kill(): Promise<void>;
  /** Ends it, by force if it does not end by itself. */
  stop(): Promise<void>;
}

/** Starts a program in its own process group, so that we decide the order of the end after Ctrl-C in the terminal. */
export function startPart(
  name: string,
  command: string,
  args: readonly string[],
  { env, log }: { env: Env; log: string },
): Part {
  const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(log);
  const lines = new Set<string>();
  const waiting = new Map<string, () => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      file.write(`${line}\n`);
      for (const [text, resolve] of waiting) if (line.includes(text)) resolve();
      lines.add(line);
    });
  }
  let expected = false;
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`));
  });
  const ended = gone.then(async (reason) => {
    if (expected) return new Promise<never>(() => undefined);
    throw new Error(`${name} is not there any more: ${reason}\n${await lastLines(log)}`);
  });
  // Callers that wait receive the rejection; without any, it is no error.
  ended.catch(() => undefined);
  const end = async (signal: NodeJS.Signals) => {
    expected = true;
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill(signal);
    const late = new AbortController();
    await Promise.race([
      gone,
      pause(STOP_MS, undefined, { signal: late.signal }).then(() => child.kill('SIGKILL')),
    ]);
    late.abort();
    await gone;
  };
  return {
    name,
    pid: child.pid ?? 0,
    ended,
    says: (text) =>
      Promise.race([
        ended,
        [...lines].some((line) => line.includes(text))
          ? Promise.resolve()
          : new Promise<void>((resolve) => waiting.set(text, resolve)),
      ]),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** Runs a program to its end and returns its output. Throws with the end of the output if it fails. */
export async function runToEnd(command: string, args: readonly string[], env: Env): Promise<string> {
  const options = { env, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
  const running = promisify(execFile)(command, args, options);
  const leave = () => running.child.kill();
  process.once('exit', leave);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const output = tail(`${stdout}${stderr}`);
    throw new Error(`\`${command} ${args.join(' ')}\` failed: ${message.split('\n')[0]}\n${output}`);
  } finally {
    process.off('exit', leave);
  }
}

export const lastLines = async (file: string): Promise<string> =>
  tail(await readFile(file, 'utf8').catch(() => ''));

const tail = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .slice(-LOG_LINES)
    .map((line) => line.slice(0, LINE_LENGTH))
    .join('\n');

/** Resolves when the part answers at `url`. Stops it and throws if it ends before, or does not answer. */
export async function untilServing(part: Part, url: string): Promise<void> {
  const stop = new AbortController();
  try {
    await Promise.race([part.ended, answers(url, stop.signal)]);
  } catch (error) {
    stop.abort();
    await part.stop();
    throw error;
  }
}

async function answers(url: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const answer = await fetch(url, { signal }).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Error(`nothing answers at ${url}`);
    await pause(200, undefined, { signal });
  }
}

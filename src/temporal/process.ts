import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TERMINATE_MS = 10_000;

/**
 * Whether a living process was started with this argument. A process id alone proves nothing: ids come back, and a
 * killed process keeps its own, without a command line, until its parent looks.
 */
export async function runsWith(pid: number, argument: string): Promise<boolean> {
  try {
    const line =
      process.platform === 'linux'
        ? await readFile(`/proc/${pid}/cmdline`, 'utf8')
        : // Without -ww it cuts the line off at the terminal's width, or at 79 columns where there is none.
          (await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout;
    return line.includes(argument);
  } catch {
    return false;
  }
}

/** Ends the process that `runsWith` the argument, by force when it does not end by itself. */
export async function terminate(pid: number, argument: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!(await runsWith(pid, argument))) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const deadline = Date.now() + TERMINATE_MS;
    while (Date.now() < deadline && (await runsWith(pid, argument))) await pause(50);
  }
}

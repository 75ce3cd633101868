import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
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
        : (await run('ps', ['-o', 'command=', '-p', String(pid)])).stdout;
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

/** A free port of the loopback interface, the preferred one when it is free. */
export function freePort(preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (preferred === 0 ? reject(error) : resolve(freePort(0))));
    server.listen(preferred, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });
}

import { spawn } from 'node:child_process';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BatchgateError } from '../contract/errors';
import { makeFolder } from '../folder';
import { findRunning, identify } from './address';
import type { MailboxRuntime } from './address';

export interface MailboxProcess extends MailboxRuntime {
  /** It ran already, from an earlier call or an earlier run of the program. */
  readonly reused: boolean;
  /** Ends the process, whoever started it, and resolves when it is gone. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const EXIT_TIMEOUT_MS = 1_000;

/**
 * The one mailbox process of this folder: the one that runs, or a new one. It has its own process group, so that a
 * terminal's Ctrl-C does not reach it, and it stays until `stop` or until its folder is gone.
 * `entry` and `execArgv` are for running it from source.
 * @throws BatchgateError `ADAPTER_UNAVAILABLE` when it does not start.
 */
export async function ensureMailboxProcess(options: {
  dataDir: string;
  entry?: string;
  execArgv?: readonly string[];
}): Promise<MailboxProcess> {
  await makeFolder(options.dataDir);
  const dataDir = await realpath(options.dataDir);
  const before = await findRunning(dataDir);
  if (before !== undefined) return handleOf(before, true);
  const pid = await spawnMailbox(
    [...(options.execArgv ?? []), options.entry ?? join(__dirname, 'main.js')],
    dataDir,
  );
  const after = await findRunning(dataDir);
  // Of two that start at once, one finds the other running and ends.
  if (after !== undefined) return handleOf(after, after.pid !== pid);
  throw new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    'The local mailbox did not start',
    'Look into mailbox.log in its folder for the reason.',
  );
}

/** Resolves when the new process says that it serves, or has ended. */
async function spawnMailbox(args: readonly string[], dataDir: string): Promise<number | undefined> {
  const output = await open(join(dataDir, 'mailbox.log'), 'a');
  try {
    const child = spawn(process.execPath, [...args, dataDir], {
      detached: true,
      stdio: ['ignore', output.fd, output.fd, 'ipc'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
    await new Promise<void>((resolve) => {
      child.once('message', () => resolve());
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    clearTimeout(timer);
    if (child.connected) child.disconnect();
    child.unref();
    return child.pid;
  } finally {
    await output.close();
  }
}

function handleOf(runtime: MailboxRuntime, reused: boolean): MailboxProcess {
  return { ...runtime, reused, stop: () => stopMailbox(runtime) };
}

async function stopMailbox({ url, pid }: MailboxRuntime): Promise<void> {
  // A process id is used again; only the one that answers as the mailbox is ended.
  if ((await identify(url))?.pid !== pid) return;
  signalTo(pid, 'SIGTERM');
  // Its port is free when its log is closed.
  for (const end = Date.now() + STOP_TIMEOUT_MS; await answers(url); await delay(20)) {
    if (Date.now() > end) signalTo(pid, 'SIGKILL');
  }
  // A dead process keeps its id until its parent looks, and that parent may never look.
  for (const end = Date.now() + EXIT_TIMEOUT_MS; signalTo(pid, 0) && Date.now() < end;) await delay(10);
}

const answers = (url: string): Promise<boolean> =>
  identify(url).then(
    (identity) => identity !== undefined,
    () => true,
  );

/** False when there is no such process. Signal 0 only asks. */
function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

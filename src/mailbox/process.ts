import { spawn } from 'node:child_process';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { plainEnvironment } from '../config';
import { BatchgateError } from '../contract/errors';
import { makeFolder } from '../folder';
import { isHeld, type Holder, terminate } from '../lock';
import { mailboxRecord, type MailboxRuntime } from './address';

export interface MailboxProcess extends MailboxRuntime {
  /** It ran already, from an earlier call or an earlier run of the program. */
  readonly reused: boolean;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  /** Ends the process, also one that was reused, and resolves when it is gone. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const LOOK_AGAIN_MS = 20;

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
  await makeFolder(options.dataDir, 0o700);
  const dataDir = await realpath(options.dataDir);
  const record = mailboxRecord(dataDir);
  const before = await record.find();
  if (before !== undefined) return handleOf(before, true);
  const pid = await spawnMailbox(
    [...(options.execArgv ?? []), options.entry ?? join(__dirname, 'main.js')],
    dataDir,
  );
  // Of two that start at once, one finds the other one's lock and ends; that one may not serve yet.
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await pause(LOOK_AGAIN_MS)) {
    const after = await record.find();
    if (after !== undefined) return handleOf(after, after.content.pid !== pid);
    if (!(await isHeld(record.lock))) break;
  }
  throw new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    'The local mailbox did not start',
    'Look into mailbox.log in its folder for the reason.',
  );
}

/** Resolves when the new process says that it serves, or has ended. */
async function spawnMailbox(args: readonly string[], dataDir: string): Promise<number | undefined> {
  const output = await open(join(dataDir, 'mailbox.log'), 'a', 0o600);
  try {
    const child = spawn(process.execPath, [...args, dataDir], {
      detached: true,
      env: plainEnvironment(),
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

function handleOf(found: { content: MailboxRuntime; holder: Holder }, reused: boolean): MailboxProcess {
  const { content, holder } = found;
  return { ...content, reused, ended: holder.released, stop: () => terminate(content.pid, holder) };
}

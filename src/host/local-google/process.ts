import { spawn } from 'node:child_process';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { plainEnvironment } from '../config';
import { BatchgateError } from '../../contract/errors';
import { makeFolder } from '../files';
import { isHeld, type Holder, terminate } from '../lock';
import { localGoogleProgram, mailboxRecord, type MailboxRuntime } from './record';

export interface MailboxProcess extends MailboxRuntime {
  /** Whether it was already running, from an earlier call or an earlier run of the program. */
  readonly reused: boolean;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Ends the process, also a reused one, and resolves when it has ended. */
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;
const LOOK_AGAIN_MS = 20;

/**
 * Returns the mailbox process of this folder, and starts it if necessary. It has its own process group, so that Ctrl-C
 * in the terminal does not reach it, and it runs until `stop` or until its folder is removed.
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
  const pid = await spawnMailbox([...(options.execArgv ?? []), options.entry ?? localGoogleProgram], dataDir);
  // If two start at once, one of them ends because the other holds the lock; the other may not serve yet.
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await pause(LOOK_AGAIN_MS)) {
    const after = await record.find();
    if (after !== undefined) return handleOf(after, after.content.pid !== pid);
    if (!(await isHeld(record.lock))) break;
  }
  throw new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    'The local mailbox did not start',
    'Read mailbox.log in its folder for the reason.',
  );
}

/** Resolves when the new process reports that it serves, or has ended. */
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

function handleOf(record: { content: MailboxRuntime; holder: Holder }, reused: boolean): MailboxProcess {
  const { content, holder } = record;
  return { ...content, reused, ended: holder.released, stop: () => terminate(content.pid, holder) };
}

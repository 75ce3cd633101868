import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { BatchgateError } from './contract/errors';

/** Nothing that is done under a lock takes this long. */
const STALE_MS = 300_000;

/**
 * Runs `action` while no other process of this machine does so under the same lock file.
 * @throws `stuck` when another process holds it and does not finish.
 */
export async function withLock<T>(file: string, stuck: BatchgateError, action: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + STALE_MS;
  while (!(await take(file))) {
    if (await isStale(file)) await rm(file, { force: true });
    else if (Date.now() < deadline) await pause(100);
    else throw stuck;
  }
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The holder is gone, or its process id is in use again by something that has been here longer than any start. */
async function isStale(file: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > STALE_MS) return true;
    const holder = Number(await readFile(file, 'utf8'));
    // The file is empty for the moment between its making and its writing.
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

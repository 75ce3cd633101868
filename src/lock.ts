import { open, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { BatchgateError } from './contract/errors';

/** Nothing that is done under a lock takes this long. */
const STALE_MS = 300_000;
/** Between the making of a lock and the writing of its holder. */
const UNSIGNED_MS = 10_000;
const POLL_MS = 50;

/**
 * Runs `action` while no other process of this machine does so under the same lock file.
 * @throws `stuck` when another process holds it and does not finish.
 */
export async function withLock<T>(file: string, stuck: BatchgateError, action: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + STALE_MS;
  while (!(await take(file))) {
    if (await isStale(file)) await clear(file, stuck);
    else if (Date.now() < deadline) await pause(POLL_MS);
    else throw stuck;
  }
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * One at a time: of two that both saw the dead holder, the slower one would remove the lock that the other one has
 * taken meanwhile.
 */
async function clear(file: string, stuck: BatchgateError): Promise<void> {
  await withLock(`${file}.stale`, stuck, async () => {
    if (await isStale(file)) await rm(file, { force: true });
  });
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
async function isStale(path: string): Promise<boolean> {
  const { age, holder } = await read(path);
  if (age > STALE_MS) return true;
  if (holder === 0) return age > UNSIGNED_MS;
  try {
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Age in milliseconds and process id of one and the same lock, also where it changes hands meanwhile. */
async function read(path: string): Promise<{ age: number; holder: number }> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return { age: 0, holder: 0 };
  try {
    const { mtimeMs } = await file.stat();
    return { age: Date.now() - mtimeMs, holder: Number(await file.readFile('utf8')) };
  } finally {
    await file.close();
  }
}

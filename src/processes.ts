import { releasesWithin, type Holder } from './lock';

const TERMINATE_MS = 10_000;

/** Ends the process that holds a lock, by force when it does not end by itself, and waits until it is gone. */
export async function terminate(pid: number, holder: Pick<Holder, 'released'>): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    // A process id is used again; only while the lock is held is it the holder's.
    if (await releasesWithin(holder, 0)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await releasesWithin(holder, TERMINATE_MS)) return;
  }
}

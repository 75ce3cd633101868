import { io } from './io';
import { note } from './output';

/** Stays until it is asked to stop, or until the run ends. The run's error takes precedence over one of stopping. */
export async function untilEnded(
  asked: Promise<void>,
  running: { ended: Promise<unknown>; stop(): Promise<unknown> },
): Promise<void> {
  try {
    await Promise.race([asked, running.ended]);
  } catch (error) {
    await running.stop().catch(() => undefined);
    throw error;
  }
  await running.stop();
}

/** The files that this process and its servers write are readable by this user only. */
export function keepPrivate(): void {
  process.umask(0o077);
}

/** Resolves at the first Ctrl-C or termination; a second one ends the process at once. */
export function interruption(): Promise<void> {
  return new Promise((resolve) => {
    io().onInterrupt(() => {
      note('Stopping. Press Ctrl-C again to stop at once.');
      resolve();
    });
  });
}

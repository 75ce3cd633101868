import { io } from './io';
import { note } from './output';

/** Waits for an interrupt or the end of the run. An error of the run takes precedence over one of stopping it. */
export async function untilEnded(
  interrupt: Promise<void>,
  running: { ended: Promise<unknown>; stop(): Promise<unknown> },
): Promise<void> {
  try {
    await Promise.race([interrupt, running.ended]);
  } catch (error) {
    await running.stop().catch(() => undefined);
    throw error;
  }
  await running.stop();
}

/** Makes the files that this process and its servers create readable by this user only. */
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

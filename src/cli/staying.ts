import { io } from './io';
import { note } from './output';

/** Stays until it is asked to stop, or what runs has ended. Why it ended counts for more than trouble in stopping. */
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

/** What this process and its servers write is for this user alone. */
export function keepPrivate(): void {
  process.umask(0o077);
}

/** Resolves at the first Ctrl-C or termination; a second one ends the process at once. */
export function interruption(): Promise<void> {
  return new Promise((resolve) => {
    io().onInterrupt(() => {
      note('Stopping; a second Ctrl-C stops at once.');
      resolve();
    });
  });
}

import { setTimeout as pause } from 'node:timers/promises';

/** Pauses between two reads of the same thing, so that reading does not slow the machine down. */
export const lookAgain = (): Promise<void> => pause(100);

/**
 * Repeats a look at a list until nothing in it throws: Temporal updates its lists a moment after its workflows. Throws
 * what the last look threw.
 */
export async function caughtUp<T>(look: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left--) {
    try {
      return await look();
    } catch (error) {
      if (left === 0) throw error;
    }
    await lookAgain();
  }
}

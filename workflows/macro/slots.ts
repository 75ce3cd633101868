import { CancellationScope, Trigger } from '@temporalio/workflow';

/** Runs a limited number at a time, in order of arrival. */
export interface Slots {
  /** Waits for a slot, runs the work and releases the slot. A cancellation of the scope ends the wait. */
  use<T>(work: () => Promise<T>): Promise<T>;
}

/** A slot is handed from one to the next: if several watched a counter, they would all see the same free slot. */
export function createSlots(count: number): Slots {
  let free = count;
  const queue: Trigger<void>[] = [];
  const release = () => {
    const next = queue.shift();
    if (next) next.resolve();
    else free++;
  };
  const acquire = async () => {
    if (free > 0) {
      free--;
      return;
    }
    const turn = new Trigger<void>();
    queue.push(turn);
    try {
      await Promise.race([turn, CancellationScope.current().cancelRequested]);
    } catch (error) {
      const at = queue.indexOf(turn);
      // The slot may have been handed over together with the cancellation.
      if (at >= 0) queue.splice(at, 1);
      else release();
      throw error;
    }
  };
  return {
    async use(work) {
      await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

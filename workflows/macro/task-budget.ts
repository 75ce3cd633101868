import { CancellationScope, sleep } from '@temporalio/workflow';

/** The server accepts 4 MB from a workflow task, which may include the state of a run. */
const MAX_SENT_BYTES = 2_000_000;

/** Ends a workflow task in time: the next one has a new deadline, and another message to the server. */
export interface TaskBudget {
  /** All threads wait together for the next task. */
  take(): Promise<void>;
  /** Resolves with the next task, while the threads wait for it. */
  taken(): Promise<void> | undefined;
  /** Waits until this many bytes fit into this task's message. */
  roomFor(bytes: number): Promise<void>;
}

export function createTaskBudget(): TaskBudget {
  let nextTask: Promise<void> | undefined;
  let bytesSent = 0;
  const take = () =>
    (nextTask ??= CancellationScope.nonCancellable(async () => {
      await sleep(1, { summary: 'Much work at once' });
      nextTask = undefined;
      bytesSent = 0;
    }));
  return {
    take,
    taken: () => nextTask,
    async roomFor(bytes) {
      while (nextTask ?? (bytesSent > 0 && bytesSent + bytes > MAX_SENT_BYTES)) await take();
      bytesSent += bytes;
    },
  };
}

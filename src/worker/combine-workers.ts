import type { Worker } from '@temporalio/worker';

/** The part of a worker that its runner needs. */
export type BatchgateWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

/** Workers that run as one: when one of them ends, however it does, the others are shut down. Then `close` is called. */
export function combineWorkers(
  workers: readonly [Worker, ...Worker[]],
  close: () => Promise<void> = () => Promise.resolve(),
): BatchgateWorker {
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  return {
    getState: () => workers[0].getState(),
    shutdown,
    async run() {
      const running = workers.map((worker) => worker.run().finally(shutdown));
      await Promise.allSettled(running);
      await close();
      await Promise.all(running);
    },
  };
}

/**
 * Restarts one worker within its process when its workflow thread dies, in `up` and in `worker` alike. Any other end of
 * a worker is final here; in `up`, stack-supervisor.ts then starts that part again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { UnexpectedError } from '@temporalio/worker';
import type { BatchgateWorker } from './create-worker';

interface RestartLog {
  error(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

export interface RestartingWorker {
  /** Settles when the worker ends, with its error unless its workflow thread died. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** The running time after which earlier failures of a worker no longer count. */
const SETTLED_MS = 300_000;

/**
 * Runs a worker, and replaces it when its workflow thread dies: one run that kills its thread must not end the process.
 * Such a run is never ended here. Its task fails, the server waits longer before each try, and after the third try it
 * is quarantined, so that a person decides. Between the tries, everything else continues.
 * @throws whatever the first worker's creation throws.
 */
export async function runRestarting(
  make: () => Promise<BatchgateWorker>,
  log: RestartLog,
): Promise<RestartingWorker> {
  const stopping = new AbortController();
  let worker = await make();
  const ended = (async () => {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const startedAt = Date.now();
      try {
        return await worker.run();
      } catch (error) {
        if (!(error instanceof UnexpectedError) || stopping.signal.aborted) throw error;
        if (Date.now() - startedAt >= SETTLED_MS) wait = FIRST_WAIT_MS;
        log.error(
          { error, wait_ms: wait },
          'the workflow thread of the worker died; the worker is started again',
        );
      }
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      worker = await make();
      if (stopping.signal.aborted) return await endNew(worker);
      log.info({}, 'the worker runs again');
    }
  })();
  // A caller that awaits the end receives its error; until then the rejection is handled here.
  ended.catch(() => undefined);
  return {
    ended,
    async stop() {
      stopping.abort();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended.catch(() => undefined);
    },
  };
}

/** Ends a new worker. Its resources are released only when it runs to its end. */
function endNew(worker: BatchgateWorker): Promise<void> {
  const ended = worker.run();
  worker.shutdown();
  return ended;
}

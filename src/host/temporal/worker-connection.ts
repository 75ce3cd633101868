import { setTimeout as pause } from 'node:timers/promises';
import { NativeConnection, TransportError } from '@temporalio/worker';
import { CONNECT_MS, unavailable, type Target } from './connection';

/**
 * Connects as a worker. It retries while the server is unreachable, because servers restart.
 * @param timeoutMs milliseconds for all attempts together.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE`.
 */
export async function connectWorker(
  { address, options }: Target,
  timeoutMs = CONNECT_MS,
): Promise<NativeConnection> {
  const deadline = Date.now() + timeoutMs;
  for (let wait = 100; ; wait = Math.min(2 * wait, 1_000)) {
    try {
      return await beforeDeadline(NativeConnection.connect({ ...options, address }), deadline);
    } catch (error) {
      if (!(error instanceof TransportError) || Date.now() + wait >= deadline) {
        throw unavailable(address, error);
      }
      await pause(wait);
    }
  }
}

async function beforeDeadline(
  connecting: Promise<NativeConnection>,
  deadline: number,
): Promise<NativeConnection> {
  const stop = new AbortController();
  const late = pause(deadline - Date.now(), 'late' as const, { signal: stop.signal });
  try {
    const first = await Promise.race([connecting, late]);
    if (first !== 'late') return first;
    void connecting.then(
      (connection) => connection.close(),
      () => undefined,
    );
    throw new Error('no answer in time');
  } finally {
    stop.abort();
  }
}

import type { CallLimits } from '../contract/adapter';

/**
 * Runs one call to a provider under its limits: the signal aborts at the deadline, or when `lost` does. It has a timer
 * of its own, because a timeout that only `AbortSignal.any` refers to may be collected in Node 20 and never fires
 * (https://github.com/nodejs/node/issues/57736).
 */
export async function withLimits<T>(
  deadline: number,
  lost: AbortSignal | undefined,
  work: (limits: CallLimits) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error('The time for this call is over'));
  const timer = setTimeout(abort, Math.max(0, deadline - Date.now()));
  lost?.addEventListener('abort', abort, { once: true });
  if (lost?.aborted) abort();
  try {
    return await work({ deadline, signal: controller.signal });
  } finally {
    clearTimeout(timer);
    lost?.removeEventListener('abort', abort);
  }
}

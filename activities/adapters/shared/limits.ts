import type { CallLimits } from '../../../src/contract/adapter';

/**
 * Runs one call to a provider within its limits: the signal aborts at the deadline, or when `lost` aborts. It uses its
 * own timer, because Node 20 can collect a timeout that only `AbortSignal.any` refers to, which then never fires
 * (https://github.com/nodejs/node/issues/57736).
 */
export async function withLimits<T>(
  deadline: number,
  lost: AbortSignal | undefined,
  work: (limits: CallLimits) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error('The time for this call has run out'));
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

/** The time that work has to end after its signal is aborted, in milliseconds. */
const GRACE_MS = 1_000;

/** Returns the result of `work`, or undefined if it does not end within `GRACE_MS` after its signal is aborted. */
export function unlessOverdue<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<undefined>((resolve) => {
    const begin = () => (timer = setTimeout(() => resolve(undefined), GRACE_MS));
    signal.addEventListener('abort', begin, { once: true });
    if (signal.aborted) begin();
  });
  return Promise.race([work, overdue]).finally(() => clearTimeout(timer));
}

/**
 * Returns the limits of a call that may take `timeoutMs` from now, not counting the time that it waits. Calls
 * `afterWait` after each wait.
 */
export function limits(timeoutMs: number, afterWait?: () => void): CallLimits {
  const controller = new AbortController();
  let deadline = Date.now() + timeoutMs;
  let waits = 0;
  let remaining = timeoutMs;
  let timer: NodeJS.Timeout;
  const resume = () => {
    deadline = Date.now() + remaining;
    timer = setTimeout(() => controller.abort(new Error('The time for this call has run out')), remaining);
    timer.unref();
  };
  resume();
  return {
    signal: controller.signal,
    get deadline() {
      return waits > 0 ? Date.now() + remaining : deadline;
    },
    wait() {
      if (waits++ === 0) {
        remaining = Math.max(0, deadline - Date.now());
        clearTimeout(timer);
      }
      return () => {
        afterWait?.();
        if (--waits === 0) resume();
      };
    },
  };
}

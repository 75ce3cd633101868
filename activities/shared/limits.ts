import type { CallLimits } from '../../src/contract/adapter';

/**
 * The limits of a call that may take this long from now on, apart from the time for which it waits. `waited`: is called
 * after each wait.
 */
export function limits(timeoutMs: number, waited?: () => void): CallLimits {
  const controller = new AbortController();
  let deadline = Date.now() + timeoutMs;
  let waits = 0;
  let left = timeoutMs;
  let timer: NodeJS.Timeout;
  const goOn = () => {
    deadline = Date.now() + left;
    timer = setTimeout(() => controller.abort(new Error('The time for this call has run out')), left);
    timer.unref();
  };
  goOn();
  return {
    signal: controller.signal,
    get deadline() {
      return waits > 0 ? Date.now() + left : deadline;
    },
    wait() {
      if (waits++ === 0) {
        left = Math.max(0, deadline - Date.now());
        clearTimeout(timer);
      }
      return () => {
        waited?.();
        if (--waits === 0) goOn();
      };
    },
  };
}

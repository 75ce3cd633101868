import type { CallLimits } from '../../src/contract/adapter';

/** The limits of a call that may take this long from now on. */
export function limits(timeoutMs: number): CallLimits {
  return { signal: AbortSignal.timeout(timeoutMs), deadline: Date.now() + timeoutMs };
}

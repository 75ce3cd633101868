import type { CallLimits } from '../../src/contract/adapter';

/** Limits of a call that may take so long from now on. */
export function limits(timeoutMs: number): CallLimits {
  return { signal: AbortSignal.timeout(timeoutMs), deadline: Date.now() + timeoutMs };
}

import { setTimeout as pause } from 'node:timers/promises';
import { TokenBucket } from 'limiter';
import type { CallLimits } from '../../../src/contract/adapter';
import { oneAtATime, unlessAborted } from '../../../src/core/shared/promises';
import { outOfTime } from './failure';

/** The rate limit of one credential, shared by every operation of this worker. */
export interface Allowance {
  /**
   * Waits until `cost` units are free, first come, first served.
   * @throws ProviderFailure `not_sent` if the time of the call runs out first.
   */
  take(cost: number, limits: CallLimits): Promise<void>;
}

/** `perInterval` units arrive evenly in `intervalMs` milliseconds; at most `burst` are kept, and that many at first. */
export function createAllowance(limit: {
  perInterval: number;
  intervalMs: number;
  burst: number;
}): Allowance {
  const { perInterval, intervalMs, burst } = limit;
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perInterval, interval: intervalMs });
  bucket.content = burst;
  const inTurn = oneAtATime();
  return {
    take(cost, limits) {
      const turn = inTurn(() => waitFor(bucket, cost, limits));
      // An aborted call fails at once, and its turn in the queue passes to the next one.
      return unlessAborted(limits.signal, turn, outOfTime);
    },
  };
}

/** So many units a second, or unlimited if the operator sets no limit. */
export function perSecond(limit: number | undefined): Allowance {
  if (limit === undefined) return unlimited;
  return createAllowance({ perInterval: limit, intervalMs: 1_000, burst: Math.max(1, limit) });
}

/** For servers without rate limits. */
export const unlimited: Allowance = { take: () => Promise.resolve() };

/** The bucket's own wait ignores aborts, and would take units for an abandoned call. */
async function waitFor(bucket: TokenBucket, cost: number, { signal, deadline }: CallLimits): Promise<void> {
  for (;;) {
    if (signal.aborted || Date.now() >= deadline) throw outOfTime();
    if (bucket.tryRemoveTokens(cost)) return;
    const wait = Math.min(bucket.getWaitTime(cost), deadline - Date.now());
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

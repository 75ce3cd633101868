import { setTimeout as pause } from 'node:timers/promises';
import { TokenBucket } from 'limiter';
import type { CallLimits } from '../../../src/contract/adapter';
import { oneAtATime, unlessAborted } from '../../../src/core/shared/promises';
import { outOfTime } from './failure';

/** The rate limit of one credential, shared by every operation of this worker. */
export interface Allowance {
  /**
   * Waits until `cost` units are free, first come, first served; a batch, which a person has confirmed, before reads.
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
  const [batches, reads] = [oneAtATime(), oneAtATime()];
  let waiting = 0;
  return {
    async take(cost, limits) {
      const isBatch = 'operation_id' in limits;
      const goOn = limits.wait?.();
      if (isBatch) waiting += 1;
      try {
        const turn = (isBatch ? batches : reads)(() =>
          waitFor(bucket, cost, limits, () => !isBatch && waiting > 0),
        );
        // An aborted call fails at once, and its turn in the queue passes to the next one.
        await unlessAborted(limits.signal, turn, outOfTime);
      } finally {
        if (isBatch) waiting -= 1;
        goOn?.();
      }
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

/** How often it looks whether the batches before it have what they need. */
const LOOK_MS = 20;

/** The bucket's own wait ignores aborts, and would take units for an abandoned call. */
async function waitFor(
  bucket: TokenBucket,
  cost: number,
  limits: CallLimits,
  isBehind: () => boolean,
): Promise<void> {
  const { signal } = limits;
  for (;;) {
    if (signal.aborted || Date.now() >= limits.deadline) throw outOfTime();
    if (!isBehind() && bucket.tryRemoveTokens(cost)) return;
    const wait = Math.min(Math.max(LOOK_MS, bucket.getWaitTime(cost)), limits.deadline - Date.now());
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

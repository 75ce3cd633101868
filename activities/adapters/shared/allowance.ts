import { setTimeout as pause } from 'node:timers/promises';
import { TokenBucket } from 'limiter';
import type { CallLimits } from '../../../src/contract/adapter';
import { oneAtATime, unlessAborted } from '../../../src/core/shared/promises';
import type { AllowanceLimit, Bucket } from '../../../src/contract/allowance';
import { outOfTime, ProviderFailure } from './failure';

/** The rate limit of one tool, shared by every operation. */
export interface Allowance {
  /**
   * Waits until `cost` units are free, first come, first served. A confirmed batch takes precedence over reads.
   * @throws ProviderFailure `not_sent` if the time of the call runs out first.
   */
  take(cost: number, limits: CallLimits): Promise<void>;
}

/** Creates an allowance for this worker alone, unless `bucket` is shared with other workers. */
export function createAllowance(limit: AllowanceLimit, bucket: Bucket = ownBucket(limit)): Allowance {
  const [batches, reads] = [oneAtATime(), oneAtATime()];
  let waiting = 0;
  return {
    async take(cost, limits) {
      const isBatch = 'operation_id' in limits;
      const resume = limits.wait?.();
      if (isBatch) waiting += 1;
      try {
        const turn = (isBatch ? batches : reads)(() =>
          waitFor(bucket, cost, limits, () => !isBatch && waiting > 0),
        );
        // An aborted call fails at once, and its turn in the queue passes to the next one.
        await unlessAborted(limits.signal, turn, outOfTime);
      } finally {
        if (isBatch) waiting -= 1;
        resume?.();
      }
    },
  };
}

function ownBucket({ perInterval, intervalMs, burst }: AllowanceLimit): Bucket {
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perInterval, interval: intervalMs });
  bucket.content = burst;
  return { take: (cost) => (bucket.tryRemoveTokens(cost) ? 0 : bucket.getWaitTime(cost)) };
}

/** Returns the limit of `limit` units per second. */
export const perSecond = (limit: number): AllowanceLimit => ({
  perInterval: limit,
  intervalMs: 1_000,
  burst: Math.max(1, limit),
});

/** An allowance for servers without rate limits. */
export const unlimited: Allowance = { take: () => Promise.resolve() };

/** The interval at which a read checks whether batches are waiting. */
const LOOK_MS = 20;

/** Waits for units. A bucket's own wait would ignore aborts, and take units for an abandoned call. */
async function waitFor(
  bucket: Bucket,
  cost: number,
  limits: CallLimits,
  isBehind: () => boolean,
): Promise<void> {
  const { signal } = limits;
  for (;;) {
    if (signal.aborted || Date.now() >= limits.deadline) throw outOfTime();
    const delay = isBehind() ? LOOK_MS : await unitsOf(bucket, cost);
    if (delay === 0) return;
    const wait = Math.min(Math.max(LOOK_MS, delay), limits.deadline - Date.now());
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

async function unitsOf(bucket: Bucket, cost: number): Promise<number> {
  try {
    return await bucket.take(cost);
  } catch {
    throw new ProviderFailure('not_sent', 'The store, which counts the requests to the tool, did not answer');
  }
}

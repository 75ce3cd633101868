import { setTimeout as pause } from 'node:timers/promises';
import { TokenBucket } from 'limiter';
import type { CallLimits } from '../contract/adapter';
import { outOfTime } from './failure';

/** What one credential may ask of its provider, shared by every operation of this worker. */
export interface Allowance {
  /**
   * Waits until `cost` units are free, first come, first served.
   * @throws ProviderFailure `not_sent` where the call's time is over first.
   */
  take(cost: number, limits: CallLimits): Promise<void>;
}

/** `perInterval` units flow in evenly every `intervalMs` milliseconds; at most `burst` are kept, as many as at first. */
export function createAllowance(limit: {
  perInterval: number;
  intervalMs: number;
  burst: number;
}): Allowance {
  const { perInterval, intervalMs, burst } = limit;
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perInterval, interval: intervalMs });
  bucket.content = burst;
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(cost, limits) {
      const turn = last.then(() => waitFor(bucket, cost, limits));
      last = turn.catch(() => undefined);
      return unlessAborted(limits.signal, turn);
    },
  };
}

/** So many units a second, or as many as are asked for where the operator names no limit. */
export function perSecond(limit: number | undefined): Allowance {
  if (limit === undefined) return unlimited;
  return createAllowance({ perInterval: limit, intervalMs: 1_000, burst: Math.max(1, limit) });
}

/** Nobody's limits: for servers of one's own. */
export const unlimited: Allowance = { take: () => Promise.resolve() };

/** Whoever gives up is told at once, and lets the next one by when its turn comes. */
async function unlessAborted(signal: AbortSignal, turn: Promise<void>): Promise<void> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(outOfTime());
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    await Promise.race([turn, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The bucket's own wait hears no abort, and would take units for a call that was given up. */
async function waitFor(bucket: TokenBucket, cost: number, { signal, deadline }: CallLimits): Promise<void> {
  for (;;) {
    if (signal.aborted || Date.now() >= deadline) throw outOfTime();
    if (bucket.tryRemoveTokens(cost)) return;
    const wait = Math.min(bucket.getWaitTime(cost), deadline - Date.now());
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

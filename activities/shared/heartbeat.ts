import { Context } from '@temporalio/activity';
import type { BatchProgress } from '../../src/contract/activities';
import type { PlanTry } from '../../src/contract/plans';
import type { Streamed } from '../../src/contract/assistant';
import { ApplicationFailure } from '@temporalio/common';

/**
 * Heartbeats begin early, so that a cancellation arrives at once, and become rarer: each is a call to the server, and
 * hundreds of batches may run at the same time.
 */
const FIRST_MS = 200;
const LONGEST_MS = 1_000;
/** The interval of heartbeats whose details are read as they arrive. */
export const STREAMING_MS = 200;
/** The minimum number of heartbeats within one heartbeat timeout. */
const WITHIN_TIMEOUT = 5;
const SHUTDOWN = 'WORKER_SHUTDOWN';
/** Cancellations by a person or a worker's shutdown: the current item is finished first. */
const ORDERLY = new Set(['CANCELLED', SHUTDOWN]);

type Carried = BatchProgress | PlanTry | Streamed;

export interface Pulse {
  /** True if the work must stop at the next item boundary. */
  readonly stopAsked: boolean;
  /** Aborted when the server has given up this attempt, which must stop at once. */
  readonly lost: AbortSignal;
  /** Sets the progress that heartbeats carry from now on. A function is called for each heartbeat. */
  report(progress: Carried | (() => Carried)): void;
  /** Reports progress, which restarts `forMs`. */
  readonly renew: () => void;
}

/** True if the server has given up this attempt without a request to end it. */
export const isGivenUp = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && !ORDERLY.has(reason instanceof Error ? reason.message : '');

/**
 * Runs work that another worker repeats if this worker shuts down, where the retry policy allows it. The error
 * of interrupted work may be final; Temporal always retries a cancellation by a shutdown.
 */
export async function againAfterShutdown<T>(work: () => Promise<T>): Promise<T> {
  const { cancellationSignal, info } = Context.current();
  try {
    return await work();
  } catch (error) {
    const reason: unknown = cancellationSignal.reason;
    const stopped = reason instanceof Error && reason.message === SHUTDOWN;
    throw stopped && info.attempt < (info.retryPolicy?.maximumAttempts ?? 1) ? reason : error;
  }
}

/**
 * Runs work under a heartbeat by timer, so that a slow call does not look like a dead worker.
 * @param longestMs maximum interval between two heartbeats.
 * @param forMs heartbeats stop this long after the last renewal, so that work without progress times out.
 */
export async function withHeartbeat<T>(
  work: (pulse: Pulse) => Promise<T>,
  longestMs = LONGEST_MS,
  forMs = Infinity,
): Promise<T> {
  const context = Context.current();
  const lost = new AbortController();
  let latest: Carried | (() => Carried) | undefined;
  let until = Date.now() + forMs;
  const pulse = {
    stopAsked: false,
    lost: lost.signal,
    report: (progress: Carried | (() => Carried)) => {
      latest = progress;
    },
    renew: () => {
      until = Date.now() + forMs;
    },
  };
  context.cancelled.catch((reason: unknown) => {
    pulse.stopAsked = true;
    if (!ORDERLY.has(reason instanceof Error ? reason.message : '')) lost.abort(reason);
  });
  const longest = Math.min(longestMs, (context.info.heartbeatTimeoutMs ?? Infinity) / WITHIN_TIMEOUT);
  let wait = Math.min(FIRST_MS, longest);
  const beat = () => {
    if (Date.now() >= until) return;
    context.heartbeat(typeof latest === 'function' ? latest() : latest);
    wait = Math.min(2 * wait, longest);
    timer = setTimeout(beat, wait);
  };
  let timer = setTimeout(beat, wait);
  try {
    return await work(pulse);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs work under a heartbeat, which also delivers a cancellation. */
export function heartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withHeartbeat(() => work(Context.current().cancellationSignal));
}

/** A waiting activity frees its place on the worker after this time, and is retried. */
const WATCH_MS = 300_000;

/** Waits for the end of another job. */
export const untilEnded = <T>(
  look: (signal: AbortSignal, withinMs: number) => Promise<T | undefined>,
): Promise<T> =>
  heartbeating(async (signal) => {
    const result = await look(signal, WATCH_MS);
    if (result !== undefined) return result;
    throw ApplicationFailure.retryable('It still goes on.', 'StillOpen');
  });

import { Context } from '@temporalio/activity';
import type { BatchProgress, PlanTry } from '../../src/contract/activities';
import type { Streamed } from '../../src/contract/assistant';

/**
 * Heartbeats begin soon, so that a person's cancel is heard at once, and then come more seldom: each is a call to the
 * server, and hundreds of batches may run at the same time.
 */
const FIRST_MS = 200;
const LONGEST_MS = 1_000;
/** Where somebody reads what they carry as it comes. */
export const STREAMING_MS = 200;
/** So many fit into the time after which the server gives the attempt up. */
const WITHIN_TIMEOUT = 5;
/** Ends that a person or a shutting-down worker asked for: the work in hand is finished first. */
const ORDERLY = new Set(['CANCELLED', 'WORKER_SHUTDOWN']);

type Carried = BatchProgress | PlanTry | Streamed;

export interface Pulse {
  /** Stop at the next item boundary. */
  readonly stopAsked: boolean;
  /** Aborted when the server no longer knows this attempt: nothing of it may go on. */
  readonly lost: AbortSignal;
  /** The progress that heartbeats carry from now on. */
  report(progress: Carried): void;
}

/** Whether a signal of an activity means that the server has given this attempt up, and that nobody asked for its end. */
export const isGivenUp = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && !ORDERLY.has(reason instanceof Error ? reason.message : '');

/**
 * Runs work under a heartbeat by timer, so that a slow call is not taken for a dead worker.
 * @param longestMs between two heartbeats.
 * @param forMs how long there are any; what takes longer is taken for dead.
 */
export async function withHeartbeat<T>(
  work: (pulse: Pulse) => Promise<T>,
  longestMs = LONGEST_MS,
  forMs = Infinity,
): Promise<T> {
  const context = Context.current();
  const lost = new AbortController();
  let carried: Carried | undefined;
  const pulse = {
    stopAsked: false,
    lost: lost.signal,
    report: (progress: Carried) => {
      carried = progress;
    },
  };
  context.cancelled.catch((reason: unknown) => {
    pulse.stopAsked = true;
    if (!ORDERLY.has(reason instanceof Error ? reason.message : '')) lost.abort(reason);
  });
  const longest = Math.min(longestMs, (context.info.heartbeatTimeoutMs ?? Infinity) / WITHIN_TIMEOUT);
  let wait = Math.min(FIRST_MS, longest);
  const until = Date.now() + forMs;
  const beat = () => {
    if (Date.now() >= until) return;
    context.heartbeat(carried);
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

/** Under a heartbeat, with which a cancellation comes. */
export function heartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withHeartbeat(() => work(Context.current().cancellationSignal));
}

import { Context } from '@temporalio/activity';
import type { BatchProgress } from '../../src/contract/activities';

const HEARTBEAT_INTERVAL_MS = 200;
/** Ends that a person or a shutting-down worker asked for: the work in hand is finished first. */
const ORDERLY = new Set(['CANCELLED', 'WORKER_SHUTDOWN']);

export interface Pulse {
  /** Stop at the next item boundary. */
  readonly stopAsked: boolean;
  /** Aborted when the server no longer knows this attempt: nothing of it may go on. */
  readonly lost: AbortSignal;
  /** The progress that heartbeats carry from now on. */
  report(progress: BatchProgress): void;
}

/** Whether a signal of an activity means that the server has given this attempt up, and that nobody asked for its end. */
export const isGivenUp = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && !ORDERLY.has(reason instanceof Error ? reason.message : '');

/** Runs work under a heartbeat by timer, so that a slow call is not taken for a dead worker. */
export async function withHeartbeat<T>(work: (pulse: Pulse) => Promise<T>): Promise<T> {
  const context = Context.current();
  const lost = new AbortController();
  let carried: BatchProgress | undefined;
  const pulse = {
    stopAsked: false,
    lost: lost.signal,
    report: (progress: BatchProgress) => {
      carried = progress;
    },
  };
  context.cancelled.catch((reason: unknown) => {
    pulse.stopAsked = true;
    if (!ORDERLY.has(reason instanceof Error ? reason.message : '')) lost.abort(reason);
  });
  const timer = setInterval(() => context.heartbeat(carried), HEARTBEAT_INTERVAL_MS);
  try {
    return await work(pulse);
  } finally {
    clearInterval(timer);
  }
}

/** Under a heartbeat, with which a cancellation comes. */
export function heartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withHeartbeat(() => work(Context.current().cancellationSignal));
}

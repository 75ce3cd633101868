import { Context } from '@temporalio/activity';

const HEARTBEAT_INTERVAL_MS = 200;
/** Ends that a person or a shutting-down worker asked for: the work in hand is finished first. */
const ORDERLY = new Set(['CANCELLED', 'WORKER_SHUTDOWN']);

export interface Pulse {
  /** Stop at the next item boundary. */
  readonly stopAsked: boolean;
  /** Aborted when the server no longer knows this attempt: nothing of it may go on. */
  readonly lost: AbortSignal;
}

/** Runs work under a heartbeat by timer, so that a slow call is not taken for a dead worker. */
export async function withHeartbeat<T>(work: (pulse: Pulse) => Promise<T>): Promise<T> {
  const context = Context.current();
  const lost = new AbortController();
  const pulse = { stopAsked: false, lost: lost.signal };
  context.cancelled.catch((reason: unknown) => {
    pulse.stopAsked = true;
    if (!ORDERLY.has(reason instanceof Error ? reason.message : '')) lost.abort(reason);
  });
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_INTERVAL_MS);
  try {
    return await work(pulse);
  } finally {
    clearInterval(timer);
  }
}

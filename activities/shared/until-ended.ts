import { ApplicationFailure } from '@temporalio/common';
import { heartbeating } from './heartbeat';

/** A waiting activity frees its slot on the worker after this long, and is tried again. */
const WATCH_MS = 300_000;

/** The end of another job. */
export const untilEnded = <T>(
  look: (signal: AbortSignal, withinMs: number) => Promise<T | undefined>,
): Promise<T> =>
  heartbeating(async (signal) => {
    const ended = await look(signal, WATCH_MS);
    if (ended !== undefined) return ended;
    throw ApplicationFailure.retryable('It still goes on.', 'StillOpen');
  });

import type { WaitOptions } from '../client';
import { io } from './io';
import { note } from './output';

/** Options that report what a start waits for. Ctrl-C ends the wait, but not the started job. */
export function waiting(seconds?: number): WaitOptions {
  const stop = new AbortController();
  io().onInterrupt(() => stop.abort());
  return {
    onWaiting: note,
    signal: stop.signal,
    ...(seconds !== undefined && { wait_ms: seconds * 1_000 }),
  };
}

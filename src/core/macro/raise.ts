import type { ErrorBody } from '../../contract/errors';
import type { Thread } from './machine-state';

/**
 * Lets an error go up through the frames of a thread. `to`: only this frame and those under it may catch it; of several
 * errors the first one is told, and the lowest such frame holds. -1: none may.
 */
export function raise(thread: Thread, error: ErrorBody, to?: number): void {
  const before = thread.unwinding;
  if (before === undefined) thread.unwinding = { error, ...(to !== undefined && { to }), cancelled: false };
  else if (to !== undefined) before.to = Math.min(before.to ?? to, to);
}

import { Context } from '@temporalio/activity';
import { withHeartbeat } from '../heartbeat';

/** Under a heartbeat, with which a cancellation comes. */
export function beating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withHeartbeat(() => work(Context.current().cancellationSignal));
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Call } from './context';

/** Tells a host that asked for progress that its call is alive, and how far it is. */
export interface Progress {
  tell(message: string): Promise<void>;
  pause(signal: AbortSignal): Promise<void>;
}

/** How long a host is known to wait for its call, and how to report progress if it asked for that. */
export function patienceOf({ request, context }: Call): {
  progress: Progress | undefined;
  signal: AbortSignal;
} {
  const { waits } = context;
  const progress = createProgress(request, waits.progress);
  const limit = AbortSignal.timeout(progress ? waits.told : waits.silent);
  return { progress, signal: AbortSignal.any([limit, request.signal]) };
}

/** Undefined if the host did not ask for progress. */
function createProgress(request: ServerContext['mcpReq'], everyMs: number): Progress | undefined {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return {
    // The number must grow; the message says what it counts. A disconnected host gets nothing.
    tell: (message) =>
      request
        .notify({
          method: 'notifications/progress',
          params: { progressToken, progress: ++progress, message },
        })
        .catch(() => undefined),
    pause: (signal) => sleep(everyMs, undefined, { signal }).catch(() => undefined),
  };
}

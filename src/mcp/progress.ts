import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Call } from './context';

/** Reports progress to a host that requested it. */
export interface Progress {
  tell(message: string): Promise<void>;
  pause(signal: AbortSignal): Promise<void>;
}

/** The time for which a host waits for its call, and the means to report progress if the host requested it. */
export function patienceOf({ request, context }: Call): {
  progress: Progress | undefined;
  signal: AbortSignal;
} {
  const { waits } = context;
  const progress = createProgress(request, waits.progress);
  const limit = AbortSignal.timeout(progress ? waits.told : waits.silent);
  return { progress, signal: AbortSignal.any([limit, request.signal]) };
}

/** Makes a call of the client, and reports to a host that requested progress that it is not over yet. */
export async function withProgress<T>(
  { request, context }: Pick<Call, 'request' | 'context'>,
  message: string,
  work: () => Promise<T>,
): Promise<T> {
  const progress = createProgress(request, context.waits.progress);
  if (!progress) return work();
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, request.signal]);
  const reports = (async () => {
    for (;;) {
      await progress.pause(signal);
      if (signal.aborted) return;
      await progress.tell(message);
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
    await reports;
  }
}

/** Undefined if the host did not ask for progress. */
function createProgress(request: ServerContext['mcpReq'], everyMs: number): Progress | undefined {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return {
    // The protocol requires a growing number. The report to a disconnected host is dropped.
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

import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { BatchgateError } from '../../src/contract/errors';

/** The longest standstill after the last fault. */
export const STUCK_MS = 120_000;
const TRY_AGAIN_MS = 200;

/** An operation that makes no progress although everything it needs is running. */
export class Stuck extends Error {}

/** Records the end of the last fault; during faults nothing counts as stuck. */
export interface Calm {
  readonly client: Client;
  since(): number | undefined;
}

/** Repeats a step until it succeeds, as a person does during an outage. @throws Stuck */
export async function patiently<T>(what: string, calm: Calm, step: () => Promise<T>): Promise<T> {
  const begun = Date.now();
  const deadline = () => {
    const calmSince = calm.since();
    return calmSince === undefined ? Infinity : Math.max(calmSince, begun) + STUCK_MS;
  };
  let last = 'no answer';
  for (;;) {
    const over = new AbortController();
    // Each call of the step adds a listener.
    setMaxListeners(0, over.signal);
    try {
      return await Promise.race([
        calm.client.withAbortSignal(over.signal, step),
        stuckAt(deadline, over.signal, () => `${what}: ${last}`),
      ]);
    } catch (error) {
      if (!(error instanceof BatchgateError) || !PASSING.includes(error.code)) throw error;
      last = error.message;
    } finally {
      over.abort();
    }
    await pause(TRY_AGAIN_MS);
  }
}

/** Errors that pass once the parts run again. */
const PASSING: readonly string[] = ['TEMPORAL_UNAVAILABLE', 'ADAPTER_UNAVAILABLE'];

async function stuckAt(deadline: () => number, over: AbortSignal, why: () => string): Promise<never> {
  while (Date.now() < deadline()) {
    await pause(TRY_AGAIN_MS, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return new Promise<never>(() => undefined);
  }
  throw new Stuck(why());
}

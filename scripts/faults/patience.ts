import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { BatchgateError } from '../../src/contract/errors';

/** How long anything may stand still once the last fault is over. */
export const STUCK_MS = 30_000;
const TRY_AGAIN_MS = 200;

/** An operation that stands still although everything it needs is there. */
export class Stuck extends Error {}

/** Says when the last fault was over; while faults go on nothing is stuck. */
export interface Calm {
  readonly client: Client;
  since(): number | undefined;
}

/** Repeats a step until it is done, as a person does while something is down. @throws Stuck */
export async function patiently<T>(what: string, calm: Calm, step: () => Promise<T>): Promise<T> {
  const begun = Date.now();
  const deadline = () => {
    const calmSince = calm.since();
    return calmSince === undefined ? Infinity : Math.max(calmSince, begun) + STUCK_MS;
  };
  let last = 'no answer';
  for (;;) {
    const over = new AbortController();
    // Each call that the step makes listens.
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

/** What goes away by itself once the parts are there again; a query fails as `INTERNAL` when its worker is suspended. */
const PASSING: readonly string[] = ['TEMPORAL_UNAVAILABLE', 'ADAPTER_UNAVAILABLE', 'INTERNAL'];

async function stuckAt(deadline: () => number, over: AbortSignal, why: () => string): Promise<never> {
  while (Date.now() < deadline()) {
    await pause(TRY_AGAIN_MS, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return new Promise<never>(() => undefined);
  }
  throw new Stuck(why());
}

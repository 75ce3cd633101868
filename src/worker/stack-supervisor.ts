/**
 * Supervises the parts of `up`: the Temporal server, the local mailbox and the worker. Starts a part again when it has
 * ended, shows that in runtime.json, and gives up after too many tries. `worker` has no parts and does without it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { BatchgateError } from '../contract/errors';
import type { Supervised } from '../host/runtime-file';

/** The waits before each restart of a part. After the last try, the part is given up. Milliseconds. */
const DELAYS_MS = [200, 500, 1_000, 2_000, 4_000, 8_000] as const;
/** The running time after which a part is considered to work. Milliseconds. */
const SETTLED_MS = 60_000;

/** Returns the number of ends and failed starts since the part last worked. */
export function failuresAfter(before: number, ranMs: number): number {
  return ranMs >= SETTLED_MS ? 1 : before + 1;
}

/** Returns the wait before the next try; undefined after too many. */
export function restartDelay(failures: number): number | undefined {
  return DELAYS_MS[failures - 1];
}

/** A part that runs until it is stopped. */
interface Running {
  /** Settles when it ends, with an error if the reason is known. Undefined if it never ends. */
  ended?: Promise<unknown>;
  stop(): Promise<unknown>;
}

export interface Supervisor {
  /** Restarts a part whenever it ends. `start` starts a new one at the same address. */
  watch(name: string, first: Running, start: () => Promise<Running>): void;
  /** Rejects when a part ends and cannot be started again. */
  failed: Promise<never>;
  /** Stops the restarts, and then the parts, the last one first. */
  stop(): Promise<void>;
}

export interface SupervisorOptions {
  /** Prints one line at the terminal. */
  say: (line: string) => void;
  /** Publishes the state of all parts at each change. */
  publish: (parts: Supervised[]) => Promise<void>;
}

interface Part {
  shown: Supervised;
  current: Running;
  startedAt: number;
  /** The running restart. */
  restarting: Promise<unknown>;
}

/** Keeps the parts running, with growing pauses between tries. */
export function createSupervisor({ say, publish }: SupervisorOptions): Supervisor {
  const parts: Part[] = [];
  const stopping = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined);

  // One at a time: two parts may end together.
  let published = Promise.resolve();
  const show = (part: Part, change: Partial<Supervised>) => {
    part.shown = { ...part.shown, ...change };
    published = published
      .then(() => publish(parts.map(({ shown }) => shown)))
      .catch((error: Error) => say(`runtime.json cannot be written: ${error.message}`));
    return published;
  };

  const keep = async (part: Part, start: () => Promise<Running>) => {
    const { name } = part.shown;
    for (let failures = 0; ;) {
      let reason = await endOf(part.current);
      if (stopping.signal.aborted) return;
      failures = failuresAfter(failures, Date.now() - part.startedAt);
      await show(part, { state: 'restarting', ended_at: new Date().toISOString(), reason });
      say(`The ${name} ended (${reason}). It is started again.`);
      for (let up = false; !up;) {
        const wait = restartDelay(failures);
        if (wait === undefined) return fail(givenUp(name, reason));
        await pause(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (stopping.signal.aborted) return;
        try {
          // The part may have left connections or files open.
          await part.current.stop();
          part.current = await start();
          up = true;
        } catch (error) {
          reason = textOf(error);
          failures += 1;
          await show(part, { reason });
          say(`The ${name} does not start: ${reason}`);
        }
      }
      if (stopping.signal.aborted) return;
      part.startedAt = Date.now();
      await show(part, { state: 'running', restarts: part.shown.restarts + 1 });
      say(`The ${name} runs again.`);
    }
  };

  return {
    failed,
    watch(name, first, start) {
      const shown: Supervised = { name, state: 'running', restarts: 0 };
      const part: Part = { shown, current: first, startedAt: Date.now(), restarting: Promise.resolve() };
      parts.push(part);
      part.restarting = keep(part, start);
    },
    async stop() {
      stopping.abort();
      for (const part of parts.splice(0).reverse()) await stopPart(part);
    },
  };
}

async function stopPart(part: Part): Promise<void> {
  const { current } = part;
  await current.stop();
  await part.restarting;
  // A new part has replaced it meanwhile.
  if (part.current !== current) await part.current.stop();
}

async function endOf({ ended }: Running): Promise<string> {
  try {
    const why = await (ended ?? new Promise(() => undefined));
    return why instanceof Error ? textOf(why) : 'its process is gone';
  } catch (error) {
    return textOf(error);
  }
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const givenUp = (name: string, reason: string) =>
  new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `The ${name} ended and could not be started again: ${reason}`,
    'Fix what the message names and run it again; nothing was lost. `npx batchgate doctor` checks each part.',
  );

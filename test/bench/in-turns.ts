import { performance } from 'node:perf_hooks';
import { note } from './ground';

/** One of the compared ways; `prepare` is not timed. */
export interface Way {
  prepare?(): Promise<unknown>;
  run(): Promise<unknown>;
}

/**
 * Milliseconds of each way in each round, after a warm-up round. Every round runs all ways, in rotating order, so
 * that load affects them alike.
 */
export async function inTurns(what: string, rounds: number, ways: readonly Way[]): Promise<number[][]> {
  const times: number[][] = ways.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    if (round === 0) note(`${what}: warming up`);
    else if (round % Math.ceil(rounds / 5) === 0) note(`${what}: round ${round} of ${rounds}`);
    for (let place = 0; place < ways.length; place++) {
      const at = (place + round) % ways.length;
      const way = ways[at] as Way;
      await way.prepare?.();
      const started = performance.now();
      await way.run();
      if (round > 0) times[at]?.push(performance.now() - started);
    }
  }
  return times;
}

/** Combines neighboring rounds into one, so that a figure of short runs shows less of their noise. */
export function grouped(times: readonly number[], size: number, of: (group: number[]) => number): number[] {
  return Array.from({ length: Math.floor(times.length / size) }, (_, at) =>
    of(times.slice(at * size, (at + 1) * size)),
  );
}

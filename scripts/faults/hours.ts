import type { WindowRule } from '../../src/contract/schedule';

const MINUTE_MS = 60_000;
/** Batches may begin in two of three minutes, for an hour. */
const [CYCLE, CLOSED, CYCLES] = [3, 1, 19] as const;

/** The times at which batches may begin. */
export interface Hours {
  rules: WindowRule[];
  /** The first time at or after `instant` at which a batch may begin. */
  from(instant: number): number;
}

export const ALWAYS: Hours = { rules: [], from: (instant) => instant };

/** Closed in every third minute, from the next full minute on. After an hour batches may always begin. */
export function hoursFrom(now: number): Hours {
  const begin = Math.ceil(now / MINUTE_MS) * MINUTE_MS;
  const clock = (minutes: number) => new Date(begin + minutes * MINUTE_MS).toISOString().slice(11, 16);
  const rule = (from: number, to: number): WindowRule => ({ from: clock(from), to: clock(to), zone: 'UTC' });
  const open = Array.from({ length: CYCLES }, (_, at) => rule(at * CYCLE + CLOSED, (at + 1) * CYCLE));
  return {
    rules: [...open, rule(CYCLES * CYCLE, 0)],
    from(instant) {
      const minutes = (instant - begin) / MINUTE_MS;
      const cycle = Math.floor(minutes / CYCLE);
      const isClosed = minutes >= 0 && cycle < CYCLES && minutes - cycle * CYCLE < CLOSED;
      return isClosed ? begin + (cycle * CYCLE + CLOSED) * MINUTE_MS : instant;
    },
  };
}

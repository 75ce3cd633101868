import { fingerprintOf } from '../progress/fingerprints';

/** Decision ids, each as 48 bits of its SHA-256, oldest first. `count`: the total number of decisions. */
export interface Remembered {
  marks: string;
  count: number;
}

const WIDTH = 8;

export const NOTHING_REMEMBERED: Remembered = { marks: '', count: 0 };

/** Adds a decision, which may have no id. Beyond `atMost` ids, the oldest are dropped. */
export function remember({ marks, count }: Remembered, id: string | undefined, atMost: number): Remembered {
  const all = id === undefined ? marks : marks + fingerprintOf(id).slice(0, WIDTH);
  return { marks: all.slice(-atMost * WIDTH), count: count + 1 };
}

export function isRemembered({ marks }: Remembered, id: string): boolean {
  const mark = fingerprintOf(id).slice(0, WIDTH);
  for (let at = 0; at < marks.length; at += WIDTH) if (marks.startsWith(mark, at)) return true;
  return false;
}

/** Whether ids were dropped. Then an old message cannot be distinguished from a new one. */
export function hasForgotten({ marks, count }: Remembered): boolean {
  return count * WIDTH > marks.length;
}

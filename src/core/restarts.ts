/** How long to wait before each try to start a part again. After the last one it is given up. Milliseconds. */
const DELAYS_MS = [200, 500, 1_000, 2_000, 4_000, 8_000] as const;
/** A part that ran for this long is taken to work. Milliseconds. */
const SETTLED_MS = 60_000;

/** Ends and failed starts since the part last worked. */
export function failuresAfter(before: number, ranMs: number): number {
  return ranMs >= SETTLED_MS ? 1 : before + 1;
}

/** The wait before the next try; undefined when there were too many. */
export function restartDelay(failures: number): number | undefined {
  return DELAYS_MS[failures - 1];
}

/** The smallest value that at least the share `p` of all values does not exceed. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
  if (found === undefined) throw new Error('no values');
  return found;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The ratio of each round, because only what ran side by side can be compared; their median and range. */
export function ratios(
  ours: readonly number[],
  theirs: readonly number[],
): { median: number; least: number; most: number } {
  const each = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return { median: median(each), least: Math.min(...each), most: Math.max(...each) };
}

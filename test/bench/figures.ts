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

/** The median and range of the rounds' ratios, because only values of the same round can be compared. */
export function ratios(
  ours: readonly number[],
  theirs: readonly number[],
): { median: number; least: number; most: number } {
  const each = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return { median: median(each), least: Math.min(...each), most: Math.max(...each) };
}

export type Goal = { atMost: number } | { atLeast: number };

/** A measured figure and its goal, if it has one. `least` and `most` of its rounds show its noise. */
export interface Figure {
  name: string;
  median: number;
  least: number;
  most: number;
  unit: 'times' | 'ms' | 'events' | 'bytes' | 'MiB';
  goal?: Goal;
}

/** Whether no round reached the goal. */
export function isMissed({ least, most, goal }: Figure): boolean {
  if (goal === undefined) return false;
  return 'atMost' in goal ? least > goal.atMost : most < goal.atLeast;
}

/** Compares the value of each round with the other side's value in the same round. */
export function ratioFigure(
  name: string,
  ours: readonly number[],
  theirs: readonly number[],
  goal?: Goal,
): Figure {
  return { name, ...ratios(ours, theirs), unit: 'times', goal };
}

/** A figure without a comparison. */
export function plainFigure(
  name: string,
  values: readonly number[],
  unit: Figure['unit'],
  goal?: Goal,
): Figure {
  return { name, median: median(values), least: Math.min(...values), most: Math.max(...values), unit, goal };
}

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** A span of time in its largest unit: `4 minutes`. */
export function spanText(seconds: number): string {
  const [size, unit] = UNITS.find(([length]) => seconds >= length) ?? ([1, 'second'] as const);
  const count = Math.round(seconds / size);
  if (seconds < 1) return 'less than a second';
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

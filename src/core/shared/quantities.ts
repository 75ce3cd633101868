/** A number with its noun: `1 item`, `2 items`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** A duration in the largest unit that divides it exactly: `1 hour`, `90 seconds`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const units: [number, string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ];
  const [size, name] = units.find(([length]) => seconds >= length && seconds % length === 0) ?? [1, 'second'];
  return plural(seconds / size, name, `${name}s`);
}

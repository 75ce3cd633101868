const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export const MOMENT_WORDS = 'a time such as 2026-11-27 or 2026-11-27T08:00:00Z, or a time ago: 30m, 12h, 7d';

/** Converts a person's date, time or time ago to ISO 8601; undefined for any other text. */
export function momentOf(text: string, now: number): string | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return isoOf(now - Number(count) * (UNITS_MS[unit] ?? 0));
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[-+]\d\d:\d\d))?$/.test(text);
  return isTime ? isoOf(Date.parse(text)) : undefined;
}

/** A time in milliseconds since the epoch, as ISO 8601. */
export const iso = (ms: number): string => new Date(ms).toISOString();

const isoOf = (ms: number): string | undefined => (Number.isNaN(ms) ? undefined : iso(ms));

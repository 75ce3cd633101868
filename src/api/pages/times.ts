/** An instant as programs write it, and as texts for a terminal do. What is quoted stays as it is. */
const TIMES =
  /“[^“”]*”|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:\d\d| UTC)|\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec) \d{4}, \d\d:\d\d UTC/g;

/** A part of a text; `time`: the instant that it writes, as ISO 8601. */
interface TimedPart {
  text: string;
  time?: string;
}

/** Splits a text into the times that it contains and the rest. */
export function timesIn(text: string): TimedPart[] {
  const parts: TimedPart[] = [];
  let end = 0;
  for (const { 0: written, index } of text.matchAll(TIMES)) {
    const instant = instantOf(written);
    if (Number.isNaN(instant)) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: written, time: new Date(instant).toISOString() });
    end = index + written.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

function instantOf(written: string): number {
  if (written.startsWith('“')) return NaN;
  return /^\d{4}-/.test(written)
    ? Date.parse(written.replace(' UTC', 'Z').replace(' ', 'T'))
    : Date.parse(written.replace(',', '').replace('Sept ', 'Sep '));
}

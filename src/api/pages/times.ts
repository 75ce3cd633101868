/** Instants in ISO 8601 and in the format of terminal texts. Quotations match as well, so that they stay unchanged. */
const TIMES =
  /“[^“”]*”|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:\d\d| UTC)|\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec) \d{4}, \d\d:\d\d UTC/g;

/** A part of a text. `time`: its instant as ISO 8601. */
interface TimedPart {
  text: string;
  time?: string;
}

/** Splits a text into the times that it contains and the rest. */
export function timesIn(text: string): TimedPart[] {
  const parts: TimedPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(TIMES)) {
    const instant = instantOf(match);
    if (Number.isNaN(instant)) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: match, time: new Date(instant).toISOString() });
    end = index + match.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

function instantOf(match: string): number {
  if (match.startsWith('“')) return NaN;
  return /^\d{4}-/.test(match)
    ? Date.parse(match.replace(' UTC', 'Z').replace(' ', 'T'))
    : Date.parse(match.replace(',', '').replace('Sept ', 'Sep '));
}

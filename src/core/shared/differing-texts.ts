import { cutAt, shortened } from '../../contract/text';

/** How much of what two texts have in common is shown before their first difference. */
const LEAD = 20;

/** A shortened text with its full length. */
export function withLength(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const length = ` (${text.length} characters)`;
  return `${shortened(text, maxLength - length.length)}${length}`;
}

/**
 * Two texts, each of at most so many characters. If they differ only where they would be cut off, they begin shortly
 * before their first difference, so that a person sees it.
 */
export function shortenedPair(one: string, other: string, maxLength: number): [string, string] {
  const plain: [string, string] = [withLength(one, maxLength), withLength(other, maxLength)];
  if (one === other || plain[0] !== plain[1]) return plain;
  const start = Math.max(0, firstDifference(one, other) - LEAD);
  const later = ([one, other] as const).map((text) => {
    const length = ` (${text.length} characters)`;
    const rest = text.slice(cutAt(text, start).length);
    return `…${shortened(rest, maxLength - length.length - 1)}${length}`;
  }) as [string, string];
  if (later[0] !== later[1]) return later;
  const mark = ', not the same';
  return [plain[0], `${shortened(other, maxLength - mark.length - 30)} (${other.length} characters${mark})`];
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

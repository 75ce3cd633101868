import { cutAt, shortened } from '../../contract/text';

/** The number of common characters that are shown before the first difference. */
const LEAD = 20;

/** A shortened text with its full length. */
export function withLength(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const length = ` (${text.length} characters)`;
  return `${shortened(text, maxLength - length.length)}${length}`;
}

/**
 * Shortens two texts to at most `maxLength` characters each. If they differ only beyond the cut, both begin shortly
 * before their first difference, so that a person sees it.
 */
export function shortenedPair(left: string, right: string, maxLength: number): [string, string] {
  const plain: [string, string] = [withLength(left, maxLength), withLength(right, maxLength)];
  if (left === right || plain[0] !== plain[1]) return plain;
  const start = Math.max(0, firstDifference(left, right) - LEAD);
  const later = ([left, right] as const).map((text) => {
    const length = ` (${text.length} characters)`;
    const rest = text.slice(cutAt(text, start).length);
    return `…${shortened(rest, maxLength - length.length - 1)}${length}`;
  }) as [string, string];
  if (later[0] !== later[1]) return later;
  const mark = ', not the same';
  return [plain[0], `${shortened(right, maxLength - mark.length - 30)} (${right.length} characters${mark})`];
}

function firstDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}

import { cutAt } from '../contract/text';
import { MAX_NAME_LENGTH } from '../contract/items';

/** Names as they are compared: in any case, without blanks around them. */
export const folded = (name: string): string => name.trim().toLowerCase();

/** At most three names that share letter pairs with `wanted`, the likest first (Dice's coefficient). */
export function nearestNames(names: readonly string[], wanted: string): string[] {
  const wantedPairs = pairs(wanted);
  return names
    .map((name) => {
      const own = pairs(name);
      const shared = [...own].filter((pair) => wantedPairs.has(pair)).length;
      return { name, likeness: (2 * shared) / (own.size + wantedPairs.size) };
    })
    .filter(({ likeness }) => likeness > 0.2)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
    .map(({ name }) => name);
}

const pairs = (text: string): Set<string> =>
  new Set(Array.from(folded(text), (letter, index) => letter + (folded(text)[index + 1] ?? '')));

/**
 * A name without its line breaks, cut between characters so that with `suffix` it is a display name; `none` where there is none.
 */
export function displayName(text: string, none: string, suffix = ''): string {
  const line = text.replace(/\s+/g, ' ').trim() || none;
  const room = MAX_NAME_LENGTH - suffix.length;
  const shown = line.length <= room ? line : `${cutAt(line, room - 1)}…`;
  return `${shown}${suffix}`;
}

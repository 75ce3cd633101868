import { cutAt } from '../../../src/contract/text';
import { MAX_NAME_LENGTH } from '../../../src/contract/items';

/** A name for comparison: without case and without surrounding white space. */
const folded = (name: string): string => name.trim().toLowerCase();

/** The candidates with exactly this name; if there are none, those that have it in another case. */
export function withName<T>(candidates: readonly T[], wanted: string, nameOf: (one: T) => string): T[] {
  const exact = candidates.filter((one) => nameOf(one) === wanted);
  return exact.length > 0 ? exact : candidates.filter((one) => folded(nameOf(one)) === folded(wanted));
}

/** At most three names that share letter pairs with `wanted`, most similar first (Dice's coefficient). */
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
 * A display name: `text` in one line, or `none` where it is empty, cut between characters so that `suffix` fits.
 */
export function displayName(text: string, none: string, suffix = ''): string {
  const line = text.replace(/\s+/g, ' ').trim() || none;
  const room = MAX_NAME_LENGTH - suffix.length;
  const shown = line.length <= room ? line : `${cutAt(line, room - 1)}…`;
  return `${shown}${suffix}`;
}

import { cutAt } from '../../../src/contract/text';
import { BatchgateError } from '../../../src/contract/errors';
import { MAX_NAME_LENGTH } from '../../../src/contract/items';

/** A name for comparison: without case and without surrounding white space. */
const folded = (name: string): string => name.trim().toLowerCase();

/** The candidates with exactly this name; if there are none, those that have it in another case. */
export function withName<T>(candidates: readonly T[], wanted: string, nameOf: (one: T) => string): T[] {
  const exact = candidates.filter((one) => nameOf(one) === wanted);
  return exact.length > 0 ? exact : candidates.filter((one) => folded(nameOf(one)) === folded(wanted));
}

/**
 * The candidate with this name, in any case. `kind`: as in "Shelf 'Attic' not found".
 * @throws BatchgateError `INVALID_INPUT` if none or several have this name.
 *
 * @example
 * byName('Shelf', [{ id: 's1', name: 'Travel' }], 'travel'); // { id: 's1', name: 'Travel' }
 */
export function byName(
  kind: string,
  candidates: readonly { readonly id: string; readonly name: string }[],
  wanted: string,
): { readonly id: string; readonly name: string } {
  const matches = withName(candidates, wanted, ({ name }) => name);
  const [first, ...others] = matches;
  if (first !== undefined && others.length === 0) return { id: first.id, name: first.name };
  if (first !== undefined) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `${kind} '${wanted}' is ambiguous: ${matches.length} have this name`,
      `Give the id of the right one: ${matches.map(({ id, name }) => `${name} (${id})`).join(', ')}.`,
    );
  }
  const near = nearestNames(
    candidates.map(({ name }) => name),
    wanted,
  );
  throw new BatchgateError(
    'INVALID_INPUT',
    `${kind} '${wanted}' not found`,
    near.length > 0 ? `The nearest names: ${near.join(', ')}.` : 'Check the name in the tool.',
  );
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
  const cut = line.length <= room ? line : `${cutAt(line, room - 1)}…`;
  return `${cut}${suffix}`;
}

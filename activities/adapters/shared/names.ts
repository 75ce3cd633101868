import { cutAt } from '../../../src/contract/text';
import type { BatchgateError } from '../../../src/contract/errors';
import { MAX_NAME_LENGTH } from '../../../src/contract/items';
import { mistake } from './failure';

/** Returns a name for comparison, without case and surrounding white space. */
const folded = (name: string): string => name.trim().toLowerCase();

/** Returns the candidates with exactly this name. If there are none, the candidates with this name in another case. */
export function withName<T>(candidates: readonly T[], name: string, nameOf: (candidate: T) => string): T[] {
  const exact = candidates.filter((candidate) => nameOf(candidate) === name);
  return exact.length > 0
    ? exact
    : candidates.filter((candidate) => folded(nameOf(candidate)) === folded(name));
}

/**
 * Returns the candidate with this name, in any case. `kind`: the noun in "Shelf 'Attic' not found".
 * @throws BatchgateError `INVALID_INPUT` if none or several have this name.
 *
 * @example
 * byName('Shelf', [{ id: 's1', name: 'Travel' }], 'travel'); // { id: 's1', name: 'Travel' }
 */
export function byName(
  kind: string,
  candidates: readonly { readonly id: string; readonly name: string }[],
  givenName: string,
): { readonly id: string; readonly name: string } {
  const matches = withName(candidates, givenName, ({ name }) => name);
  const [first, ...others] = matches;
  if (first !== undefined && others.length === 0) return { id: first.id, name: first.name };
  if (first !== undefined) {
    throw mistake(
      `${kind} '${givenName}' is ambiguous: ${matches.length} have this name`,
      `Give the id of the right one: ${matches.map(({ id, name }) => `${name} (${id})`).join(', ')}.`,
    );
  }
  const names = candidates.map(({ name }) => name);
  throw notFound(`${kind} '${givenName}' not found`, givenName, {
    names,
    otherwise: 'Check the name in the tool.',
  });
}

/**
 * Returns the error for an unknown name. `kinds`: the noun in "The nearest labels". `otherwise`: the hint if none is
 * near.
 */
export function notFound(
  message: string,
  givenName: string,
  { names, kinds = 'names', otherwise }: { names: readonly string[]; kinds?: string; otherwise: string },
): BatchgateError {
  const near = nearestNames(names, givenName);
  return mistake(message, near.length > 0 ? `The nearest ${kinds}: ${near.join(', ')}.` : otherwise);
}

/** Returns at most three names that share letter pairs with `target`, most similar first (Dice's coefficient). */
function nearestNames(names: readonly string[], target: string): string[] {
  const targetPairs = pairs(target);
  return names
    .map((name) => {
      const namePairs = pairs(name);
      const shared = [...namePairs].filter((pair) => targetPairs.has(pair)).length;
      return { name, likeness: (2 * shared) / (namePairs.size + targetPairs.size) };
    })
    .filter(({ likeness }) => likeness > 0.2)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
    .map(({ name }) => name);
}

const pairs = (text: string): Set<string> =>
  new Set(Array.from(folded(text), (letter, index) => letter + (folded(text)[index + 1] ?? '')));

/** Returns a name such as `Your invoice – Ana Duarte <ana@work.example>, 2026-01-05`. */
export function emailName(subject: string | undefined, sender: string, sent: Date): string {
  const day = Number.isNaN(sent.getTime()) ? '' : sent.toISOString().slice(0, 10);
  const details = [sender, day].filter((text) => text !== '').join(', ');
  return displayName(subject ?? '', '(no subject)', details === '' ? '' : ` – ${details}`);
}

/**
 * Returns a display name: `text` in one line, or `none` if it is empty, cut between characters so that `suffix` fits.
 */
export function displayName(text: string, none: string, suffix = ''): string {
  const line = text.replace(/\s+/g, ' ').trim() || none;
  const room = MAX_NAME_LENGTH - suffix.length;
  const cut = line.length <= room ? line : `${cutAt(line, room - 1)}…`;
  return `${cut}${suffix}`;
}

import { BatchgateError } from '../../../src/contract/errors';
import type { GmailClient } from './client';
import { GmailFailure } from './errors';

interface Label {
  readonly id: string;
  readonly name: string;
}

/**
 * The label of this name, in any case, as Gmail itself compares names. With `create`, one that is missing is made.
 * @throws BatchgateError `INVALID_INPUT` naming the nearest labels when there is none.
 */
export async function resolveLabel(
  client: GmailClient,
  name: string,
  options: { create: boolean; mayCreate: boolean },
): Promise<Label> {
  const labels = await client.labels();
  const found = findLabel(labels, name);
  if (found !== undefined) return found;
  if (!options.create) throw notFound(labels, name, options.mayCreate);
  try {
    return await client.createLabel(name);
  } catch (error) {
    // Somebody else made it in between (409; 400 for some names).
    const refused = error instanceof GmailFailure && (error.status === 409 || error.status === 400);
    const other = refused ? findLabel(await client.labels(), name) : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

const folded = (text: string) => text.trim().toLowerCase();

const findLabel = (labels: readonly Label[], name: string): Label | undefined =>
  labels.find((label) => label.name === name) ?? labels.find((label) => folded(label.name) === folded(name));

function notFound(labels: readonly Label[], name: string, mayCreate: boolean): BatchgateError {
  const near = nearestNames(labels, name);
  const hints = [
    near.length > 0 ? `The nearest labels: ${near.join(', ')}.` : 'Check the name in Gmail.',
    mayCreate ? 'Or send "create_label": true to make it.' : '',
  ];
  return new BatchgateError('INVALID_INPUT', `Label '${name}' not found`, hints.join(' ').trim());
}

/** At most three names that share letter pairs with `name`, the likest first (Dice's coefficient). */
function nearestNames(labels: readonly Label[], name: string): string[] {
  const wanted = pairs(name);
  return labels
    .map((label) => {
      const own = pairs(label.name);
      const shared = [...own].filter((pair) => wanted.has(pair)).length;
      return { name: label.name, likeness: (2 * shared) / (own.size + wanted.size) };
    })
    .filter(({ likeness }) => likeness > 0.2)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
    .map((label) => label.name);
}

const pairs = (text: string): Set<string> =>
  new Set(Array.from(folded(text), (letter, index) => letter + (folded(text)[index + 1] ?? '')));

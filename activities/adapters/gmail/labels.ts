import { BatchgateError } from '../../../src/contract/errors';
import { folded, nearestNames } from '../../../src/provider/names';
import type { GmailClient } from './client';
import { ProviderFailure } from '../../../src/provider/failure';

interface Label {
  readonly id: string;
  readonly name: string;
}

/**
 * The label of this name, in any case, as Gmail itself compares names; undefined where there is none and the change may
 * make it.
 * @throws BatchgateError `INVALID_INPUT` naming the nearest labels when there is none and the change may not make it.
 */
export async function lookUpLabel(
  client: GmailClient,
  name: string,
  options: { create: boolean; mayCreate: boolean },
): Promise<Label | undefined> {
  const labels = await client.labels();
  const found = findLabel(labels, name);
  if (found !== undefined || options.create) return found;
  throw notFound(labels, name, options.mayCreate);
}

/** The label of this name, which is made where there is none: the same again finds it. */
export async function makeLabel(client: GmailClient, name: string): Promise<Label> {
  const found = findLabel(await client.labels(), name);
  if (found !== undefined) return found;
  try {
    return await client.createLabel(name);
  } catch (error) {
    // Somebody else made it in between (409; 400 for some names).
    const refused = error instanceof ProviderFailure && (error.status === 409 || error.status === 400);
    const other = refused ? findLabel(await client.labels(), name) : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

export const findLabel = (labels: readonly Label[], name: string): Label | undefined =>
  labels.find((label) => label.name === name) ?? labels.find((label) => folded(label.name) === folded(name));

function notFound(labels: readonly Label[], name: string, mayCreate: boolean): BatchgateError {
  const near = nearestNames(
    labels.map((label) => label.name),
    name,
  );
  const hints = [
    near.length > 0 ? `The nearest labels: ${near.join(', ')}.` : 'Check the name in Gmail.',
    mayCreate ? 'Or send "create_label": true to make it.' : '',
  ];
  return new BatchgateError('INVALID_INPUT', `Label '${name}' not found`, hints.join(' ').trim());
}

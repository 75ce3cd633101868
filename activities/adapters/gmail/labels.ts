import { BatchgateError } from '../../../src/contract/errors';
import { nearestNames, withName } from '../shared/names';
import type { GmailClient } from './client';
import { ProviderFailure } from '../shared/failure';

interface Label {
  readonly id: string;
  readonly name: string;
}

/**
 * The label with this name, in any case, as Gmail itself compares names; undefined if there is none and the change may
 * create it.
 * @throws BatchgateError `INVALID_INPUT` with the nearest labels if there is none and the change may not create it.
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

/** The label with this name, created if necessary. Idempotent. */
export async function makeLabel(client: GmailClient, name: string): Promise<Label> {
  const found = findLabel(await client.labels(), name);
  if (found !== undefined) return found;
  try {
    return await client.createLabel(name);
  } catch (error) {
    // Another client created it meanwhile (409; 400 for some names).
    const refused = error instanceof ProviderFailure && (error.status === 409 || error.status === 400);
    const other = refused ? findLabel(await client.labels(), name) : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

export const findLabel = (labels: readonly Label[], name: string): Label | undefined =>
  withName(labels, name, (label) => label.name)[0];

/** The names of the labels that the user made. Gmail's own ones have their names as ids. */
export const ownLabels = (labels: readonly Label[]): string[] =>
  labels.filter(({ id, name }) => id !== name).map(({ name }) => name);

function notFound(labels: readonly Label[], name: string, mayCreate: boolean): BatchgateError {
  const near = nearestNames(
    labels.map((label) => label.name),
    name,
  );
  const hints = [
    near.length > 0 ? `The nearest labels: ${near.join(', ')}.` : 'Check the name in Gmail.',
    mayCreate ? 'Or send "create_label": true to create it.' : '',
  ];
  return new BatchgateError('INVALID_INPUT', `Label '${name}' not found`, hints.join(' ').trim());
}

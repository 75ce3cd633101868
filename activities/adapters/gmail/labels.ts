import { BatchgateError } from '../../../src/contract/errors';
import { quoted } from '../../../src/core/shared/plain-text';
import { mistake, ProviderFailure } from '../shared/failure';
import { notFound, withName } from '../shared/names';
import type { GmailClient, Label } from './client';

/** Labels that Gmail sets itself (https://developers.google.com/workspace/gmail/api/guides/labels). */
const SET_BY_GMAIL = new Set(['SENT', 'DRAFT', 'CHAT']);
/** Names of Gmail's own labels and views. Gmail creates no other label with such a name. */
const RESERVED =
  /^(inbox|sent( mail)?|drafts?|chats?|spam|trash|bin|starred|unread|important|all mail|muted|snoozed|scheduled|outbox)$/i;

export const findLabel = (labels: readonly Label[], name: string): Label | undefined =>
  withName(labels, name, (label) => label.name)[0];

/** Returns the names of the user's labels. The ids of Gmail's own labels are their names. */
export const ownLabels = (labels: readonly Label[]): string[] =>
  labels.filter(({ id, name }) => id !== name).map(({ name }) => name);

/**
 * Returns the label with this name, compared without case, as in Gmail. If it has no id, the first batch creates it.
 * @throws BatchgateError `INVALID_INPUT` if there is none, and the change may not create it or Gmail would refuse it.
 */
export async function resolveLabel(
  client: GmailClient,
  name: string,
  options: { create: boolean; mayCreate: boolean },
): Promise<{ id?: string; name: string }> {
  if (SET_BY_GMAIL.has(name.toUpperCase())) {
    throw mistake(
      `Gmail sets the label '${name.toUpperCase()}' itself; nobody can add or remove it`,
      'Name another label: one of your own, or INBOX, UNREAD, STARRED, IMPORTANT, SPAM or TRASH.',
    );
  }
  const labels = await client.labels();
  const match = findLabel(labels, name);
  if (match !== undefined) return { id: match.id, name: match.name };
  const refusal = refusalOf(name, labels);
  if (!options.create) throw noLabel(labels, name, options.mayCreate && refusal === undefined);
  if (refusal === undefined) return { name };
  throw mistake(`Gmail makes no label '${name}': ${refusal.why}`, refusal.hint);
}

/** Returns the reason that Gmail would not create a label with this name, if there is one. */
function refusalOf(name: string, labels: readonly Label[]): { why: string; hint: string } | undefined {
  const another = 'Choose another name.';
  const parts = name.split('/').map((part) => part.trim());
  if (parts.includes(''))
    return { why: 'one of the parts between its slashes is empty', hint: `Write it like 'Work/Reports'.` };
  if (/\p{Cc}/u.test(name)) return { why: 'it contains a control character', hint: another };
  if (parts.length > 1 && parts[0]?.toUpperCase() === 'INBOX')
    return {
      why: 'there are no labels below INBOX',
      hint: `Use '${parts.slice(1).join('/')}', for example.`,
    };
  if (RESERVED.test(name)) return { why: 'Gmail keeps this name for itself', hint: another };
  const other = labels.find((label) => conflicting(label.name) === conflicting(name));
  return (
    other && {
      why: `it takes the name for that of the label '${other.name}'`,
      hint: `Use the label '${other.name}', or choose another name.`,
    }
  );
}

/** Gmail compares names without case, and does not distinguish a slash from a hyphen. */
const conflicting = (name: string): string => name.trim().toLowerCase().replaceAll('/', '-');

function noLabel(labels: readonly Label[], name: string, mayCreate: boolean): BatchgateError {
  const names = labels.map(({ name }) => name).filter((labelName) => !SET_BY_GMAIL.has(labelName));
  const near = { names, kinds: 'labels', otherwise: 'Check the name in Gmail.' };
  const error = notFound(`Label '${name}' not found`, name, near);
  return mayCreate
    ? mistake(error.message, `${error.hint} Or send "create_label": true to create it.`)
    : error;
}

/** Creates a label, or returns it if another client has created it in the meantime. */
export async function makeLabel(client: GmailClient, name: string): Promise<Label> {
  try {
    return await client.createLabel(name);
  } catch (error) {
    if (!(error instanceof ProviderFailure) || error.kind === 'not_sent') throw error;
    const label = findLabel(await client.labels(), name);
    if (label !== undefined) return label;
    const what = `The label ${quoted(name)} was not created: ${error.message}`;
    // The email itself was not touched.
    if (error.kind !== 'refused') throw new ProviderFailure('not_sent', what);
    if (error.retryable || error.status === 403) throw error;
    throw mistake(what, 'Cancel, and start again with another name.');
  }
}

/** Returns the error for a label that has changed since a person confirmed it. No email of this call was changed. */
export const changedLabel = (name: string, now?: string): BatchgateError =>
  new BatchgateError(
    'CHANGED_SINCE_PREVIEW',
    now === undefined
      ? `The label ${quoted(name)} no longer exists. No further email was changed.`
      : `The label ${quoted(name)} is now called ${quoted(now)}. No further email was changed.`,
    now === undefined
      ? 'Make a label with this name in Gmail and confirm again, or cancel and start again.'
      : 'Give it back its name in Gmail and confirm again, or cancel and start again.',
  );

import { z } from 'zod';
import { shortened } from '../../../src/contract/text';
import type { Prepared } from '../kit/types';
import { emailName } from '../shared/names';
import type { Email } from './client';

/** The search of a prepared request. */
export const searchSchema = z
  .object({
    senders: z.array(z.string().min(1)).min(1).optional(),
    query: z.string().min(1).optional(),
    whole_conversations: z.boolean().optional(),
  })
  // An empty search matches the whole mailbox.
  .refine(({ senders, query }) => (senders ?? query) !== undefined);
export type EmailSearch = z.output<typeof searchSchema>;

/** The label that a prepared request adds or removes. A label without an id does not exist yet. */
export const changeSchema = z.object({
  label: z.object({ id: z.string().min(1).optional(), name: z.string().min(1) }),
  create: z.boolean().optional(),
});
export type EmailChange = z.output<typeof changeSchema>;
export type PreparedEmails = Prepared<EmailSearch, EmailChange>;

/** The state of an email, as far as the change concerns it. */
export const emailState = z.strictObject({
  /** Whether the email has the label of the change. */
  has: z.boolean(),
  /** If the label is a place, the other places that the email is in. Gmail moves an email from place to place. */
  places: z.array(z.string()).optional(),
  /** If the action is archive: its conversation, and the number of emails of that conversation in the inbox. */
  conversation: z.strictObject({ id: z.string(), inbox: z.number() }).optional(),
});
export type EmailState = z.output<typeof emailState>;

const PLACES = ['INBOX', 'SPAM', 'TRASH'];

/** `label`: the id of the label of the change; undefined while it does not exist. */
export function stateOf(labels: readonly string[], label: string | undefined): EmailState {
  const has = label !== undefined && labels.includes(label);
  if (label === undefined || !PLACES.includes(label)) return { has };
  return { has, places: PLACES.filter((place) => place !== label && labels.includes(place)) };
}

/** Returns the labels of a state. */
export const labelsOf = ({ has, places = [] }: EmailState, label: string): string[] =>
  has ? [label, ...places] : [...places];

const REMOVING = new Set(['unlabel', 'archive', 'mark_read']);
/** Returns true if a change adds its label. */
export const adds = ({ action, undo }: Pick<PreparedEmails, 'action' | 'undo'>): boolean =>
  REMOVING.has(action) === undo;

/** The words for one of Gmail's own labels that users do not see as a label. */
interface Mark {
  readonly field: string;
  readonly add: (emails: string) => string;
  readonly remove: (emails: string) => string;
  /** The time at which Gmail deletes an email with the label, in words. */
  readonly until?: string;
}

const place = (field: string, name: string, until?: string): Mark => ({
  field,
  add: (emails) => `Move ${emails} to ${name}`,
  remove: (emails) => `Take ${emails} out of ${name}`,
  ...(until !== undefined && { until }),
});

/** Gmail's own labels that users do not see as labels, by id. */
export const MARKS = new Map<string, Mark>([
  ['INBOX', place('in the inbox', 'the inbox')],
  ['SPAM', place('in spam', 'spam', 'Gmail empties spam, 30 days later')],
  ['TRASH', place('in the trash', 'the trash', 'Gmail empties the trash, 30 days later')],
  [
    'UNREAD',
    {
      field: 'unread',
      add: (emails) => `Mark ${emails} as unread`,
      remove: (emails) => `Mark ${emails} as read`,
    },
  ],
  [
    'STARRED',
    {
      field: 'starred',
      add: (emails) => `Star ${emails}`,
      remove: (emails) => `Take the star off ${emails}`,
    },
  ],
  [
    'IMPORTANT',
    {
      field: 'important',
      add: (emails) => `Mark ${emails} as important`,
      remove: (emails) => `Mark ${emails} as not important`,
    },
  ],
]);

/** Returns the state as words for display. */
export function showEmail(
  { has }: Partial<EmailState>,
  _name: unknown,
  { change: { label } }: PreparedEmails,
) {
  if (has === undefined) return {};
  const { field } = MARKS.get(label.id ?? '') ?? {};
  return field === undefined ? { label: has ? label.name : null } : { [field]: has ? 'yes' : 'no' };
}

/** Returns the number of conversations with emails in the inbox that the plan does not archive. */
export function conversationsLeft(states: readonly EmailState[]): number {
  const remaining = new Map<string, number>();
  for (const { has, conversation } of states)
    if (has && conversation)
      remaining.set(conversation.id, (remaining.get(conversation.id) ?? conversation.inbox) - 1);
  return [...remaining.values()].filter((count) => count > 0).length;
}

const MAX_SENDER = 120;

export function nameOf({ payload, internalDate }: Email): string {
  const header = (field: string) =>
    payload?.headers
      ?.find(({ name }) => name.toLowerCase() === field)
      ?.value.replace(/\s+/g, ' ')
      .trim();
  const sender = shortened(header('from') ?? '', MAX_SENDER);
  return emailName(header('subject'), sender, new Date(Number(internalDate ?? NaN)));
}

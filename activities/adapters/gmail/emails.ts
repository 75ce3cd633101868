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

/** The label that a prepared request adds or removes. Without an id it does not exist yet. */
export const changeSchema = z.object({
  label: z.object({ id: z.string().min(1).optional(), name: z.string().min(1) }),
  create: z.boolean().optional(),
});
export type EmailChange = z.output<typeof changeSchema>;
export type PreparedEmails = Prepared<EmailSearch, EmailChange>;

/** The state of an email that changes concern. */
export const emailState = z.strictObject({
  /** Whether it has the label of the change. */
  has: z.boolean(),
  /** Which others of the three places it is in, where the label is one: Gmail moves an email from one to another. */
  places: z.array(z.string()).optional(),
  /** Its conversation, where it is archived, and how many emails of that are in the inbox. */
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

/** The labels of a state. */
export const labelsOf = ({ has, places = [] }: EmailState, label: string): string[] =>
  has ? [label, ...places] : [...places];

const REMOVING = new Set(['unlabel', 'archive', 'mark_read']);
/** Whether a change adds its label. */
export const adds = ({ action, undo }: Pick<PreparedEmails, 'action' | 'undo'>): boolean =>
  REMOVING.has(action) === undo;

/** How people call what Gmail keeps as a label. */
interface Mark {
  readonly field: string;
  readonly add: (emails: string) => string;
  readonly remove: (emails: string) => string;
  /** Until when an email that has the label is there. */
  readonly until?: string;
}

const place = (field: string, name: string, until?: string): Mark => ({
  field,
  add: (emails) => `Move ${emails} to ${name}`,
  remove: (emails) => `Take ${emails} out of ${name}`,
  ...(until !== undefined && { until }),
});

/** Gmail's own labels that are no labels to people, by their ids. */
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

/** The state in words. */
export function showEmail(
  { has }: Partial<EmailState>,
  _name: unknown,
  { change: { label } }: PreparedEmails,
) {
  if (has === undefined) return {};
  const { field } = MARKS.get(label.id ?? '') ?? {};
  return field === undefined ? { label: has ? label.name : null } : { [field]: has ? 'yes' : 'no' };
}

/** How many conversations keep emails in the inbox that the plan does not archive. */
export function conversationsLeft(states: readonly EmailState[]): number {
  const left = new Map<string, number>();
  for (const { has, conversation } of states)
    if (has && conversation) left.set(conversation.id, (left.get(conversation.id) ?? conversation.inbox) - 1);
  return [...left.values()].filter((count) => count > 0).length;
}

const MAX_SENDER = 120;

export function nameOf({ payload, internalDate }: Email): string {
  const header = (wanted: string) =>
    payload?.headers
      ?.find(({ name }) => name.toLowerCase() === wanted)
      ?.value.replace(/\s+/g, ' ')
      .trim();
  const sender = shortened(header('from') ?? '', MAX_SENDER);
  return emailName(header('subject'), sender, new Date(Number(internalDate ?? NaN)));
}

import { z } from 'zod';
import { quoted } from '../../../src/core/shared/plain-text';
import type { ActionDefinition } from '../kit/types';
import {
  adds,
  conversationsLeft,
  MARKS,
  type EmailChange,
  type EmailSearch,
  type EmailState,
  type PreparedEmails,
} from './emails';

type Action = ActionDefinition<EmailState, EmailSearch, EmailChange>;

/** Returns true for an address, or for a domain such as `@work.example`. */
const isAddress = (word: string): boolean => /@./.test(word);

/** Returns the senders in a text: several addresses, or one address, name or part of a name. */
function sendersIn(text: string): string[] {
  const addresses = text.split(/[\s,;<>]+/).filter(isAddress);
  return addresses.length > 1 ? addresses : [text];
}

const senderText = z
  .string()
  .trim()
  .min(1)
  // Quotes and brackets are search syntax, so they could match emails of other senders.
  .regex(/^[^"(){}]+$/, 'no quotes or brackets; use query for a search')
  .refine((text) => !/\p{Cc}/u.test(text), 'no control characters');
const LIST = 'write several senders as a list: ["Ana Duarte", "Ben Okafor"]';
const MAX_SENDERS = 20;

const searched = {
  sender: z
    .union([
      senderText
        .max(2_000)
        .refine((text) => !/[,;]/.test(text) || sendersIn(text).length > 1, LIST)
        .refine((text) => sendersIn(text).length <= MAX_SENDERS, `at most ${MAX_SENDERS} senders`),
      z.array(senderText.max(320)).min(1).max(MAX_SENDERS),
    ])
    .optional()
    .describe('Emails from this address or name; several addresses with commas, or a list'),
  query: z.string().trim().min(1).max(1_000).optional().describe("A search in Gmail's own syntax"),
};

/** The parameters of a search, as validated. */
interface SearchParams {
  readonly sender?: string | string[];
  readonly query?: string;
  readonly whole_conversations?: boolean;
}

const search = (more: z.ZodRawShape = {}) =>
  z
    .strictObject({ ...searched, ...more })
    .refine(({ sender, query }: SearchParams) => (sender ?? query) !== undefined, {
      params: { missing: 'sender or query' },
    })
    .refine(({ sender, query }: SearchParams) => sender === undefined || query === undefined, {
      error: 'give sender or query, not both',
    });

export function searchOf({ sender, query, whole_conversations }: SearchParams): EmailSearch {
  const senders = typeof sender === 'string' ? sendersIn(sender) : sender;
  return {
    ...(senders && { senders: [...new Set(senders)] }),
    ...(query !== undefined && { query }),
    ...(whole_conversations === true && { whole_conversations }),
  };
}

/** Returns the searches in Gmail's syntax, one for each sender. Their emails are counted and listed together. */
export const searchesFor = ({ senders = [], query }: EmailSearch): string[] =>
  query === undefined
    ? senders.map((sender) => (/^[\p{L}\p{N}@._+-]+$/u.test(sender) ? `from:${sender}` : `from:"${sender}"`))
    : [query];

/** Returns the search in words; `each email` for named items. */
function which({ query: search }: PreparedEmails): string {
  const { senders = [], query, whole_conversations } = search ?? {};
  const names = senders.map((sender) => (/^[\w.+-]*@[\w.-]+$/.test(sender) ? sender : quoted(sender)));
  const from = [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');
  const rest = whole_conversations === true ? ' and the rest of its conversations' : '';
  if (query !== undefined) return `mail that matches ${quoted(query)}${rest}`;
  return from === '' ? 'each email' : `mail from ${from}${rest}`;
}

/**
 * Returns the summary of a change, with its emails: `Add the label “Later” to mail from news@northwind-weekly.example.`
 */
function summary(prepared: PreparedEmails): string {
  const { label, create } = prepared.change;
  const emails = which(prepared);
  const isAdded = adds({ ...prepared, undo: false });
  const mark = MARKS.get(label.id ?? '');
  if (mark) return `${(isAdded ? mark.add : mark.remove)(emails)}.`;
  const note = create === true && label.id === undefined ? ' (it will be created)' : '';
  return isAdded
    ? `Add the label ${quoted(label.name)}${note} to ${emails}.`
    : `Remove the label ${quoted(label.name)} from ${emails}.`;
}

const labelName = z.string().trim().min(1).max(225);
const noChange = z.strictObject({});

/** `add`: whether the action adds its label. */
const action = (
  add: boolean,
  definition: Pick<Action, 'description'> & Partial<Action>,
): Action & { query: z.ZodObject } => ({
  query: search(),
  change: noChange,
  to: (state) => ({ ...state, has: add }),
  summary,
  values: () => [],
  reversible({ change: { label } }) {
    const until = add ? MARKS.get(label.id ?? '')?.until : undefined;
    return { reversible: 'yes', ...(until !== undefined && { until }) };
  },
  ...definition,
});
const values: Action['values'] = ({ change }) => [{ name: 'label', to: change.label.name }];

export const GMAIL_ACTIONS = {
  label: action(true, {
    description: 'Add a label to emails',
    change: z.strictObject({
      label_name: labelName.describe('The label to add'),
      create_label: z
        .boolean()
        .optional()
        .describe('Create the label in the first confirmed batch if it does not exist'),
    }),
    values,
  }),
  unlabel: action(false, {
    description: 'Remove a label from emails',
    phrase: 'remove a label from {items}',
    change: z.strictObject({ label_name: labelName.describe('The label to remove') }),
    values,
  }),
  archive: action(false, {
    description: 'Archive emails',
    query: search({
      whole_conversations: z
        .boolean()
        .optional()
        .describe('Also archive the other emails of these conversations that are in the inbox'),
    }),
    scope(states) {
      const count = conversationsLeft(states);
      if (count === 0) return undefined;
      return `${count} ${count === 1 ? 'conversation keeps' : 'conversations keep'} other mails in the inbox`;
    },
  }),
  mark_read: action(false, {
    description: 'Mark emails as read',
    phrase: 'mark {items} as read',
    shortName: 'mark as read',
  }),
  mark_unread: action(true, {
    description: 'Mark emails as unread',
    phrase: 'mark {items} as unread',
    shortName: 'mark as unread',
  }),
  star: action(true, { description: 'Star emails' }),
  trash: action(true, {
    description: 'Move emails to the trash',
    phrase: 'move {items} to the trash',
  }),
} as const satisfies Record<string, Action>;

/** The actions that always use the same label, with that label. */
export const FIXED_LABELS = new Map([
  ['archive', 'INBOX'],
  ['mark_read', 'UNREAD'],
  ['mark_unread', 'UNREAD'],
  ['star', 'STARRED'],
  ['trash', 'TRASH'],
]);

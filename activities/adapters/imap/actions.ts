import { z } from 'zod';
import { quoted } from '../../../src/core/shared/plain-text';
import type { ActionDefinition } from '../kit/types';
import type { EmailChange, EmailSearch, EmailState, PreparedEmails } from './emails';

type Action = ActionDefinition<EmailState, EmailSearch, EmailChange>;

const words = (what: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(300)
    .refine((text) => !/\p{Cc}/u.test(text), 'no control characters')
    .optional()
    .describe(what);
const day = (what: string) => z.iso.date('must be a day like 2026-01-31').optional().describe(what);
const folderName = (what: string) => z.string().trim().min(1).max(300).describe(what);

const SEARCHED = {
  folder: folderName('Only emails in this folder; INBOX if it is left out').optional(),
  sender: words('Emails with this in their From line: an address, or a part of it or of a name'),
  subject: words('Emails with this in their subject'),
  text: words('Emails with this in their headers or their text'),
  since: day('Emails that arrived on this day or later'),
  before: day('Emails that arrived before this day'),
};
const query: z.ZodObject = z
  .strictObject(SEARCHED)
  .refine((params) => Object.values(params).some((value) => value !== undefined), {
    params: { missing: 'folder, sender, subject, text, since or before' },
  });

/** Returns the search in words; `each email` for named items. */
function which({ query: search }: PreparedEmails): string {
  if (!search) return 'each email';
  const { folder, sender, subject, text, since, before } = search;
  return [
    `each email in ${quoted(folder.name)}`,
    sender && `from ${quoted(sender)}`,
    subject && `with the subject ${quoted(subject)}`,
    text && `that contains ${quoted(text)}`,
    since && `since ${since}`,
    before && `before ${before}`,
  ]
    .filter(Boolean)
    .join(' ');
}

const READ_ONLY = 'The folder is read-only';
const NO_REMOVAL =
  'This server cannot remove single emails (it lacks UIDPLUS); move them to the trash instead';
const SEVERAL = 'There are several copies of it in the folder';
export const NO_COPY =
  'The email itself is in this folder, so removing it would delete it; use trash or move instead';

const LABEL = { label_name: 'a keyword of the server', target_folder: 'a folder that holds a copy' };
const label = z
  .strictObject({
    label_name: z.string().trim().min(1).max(100).optional().describe(`The label: ${LABEL.label_name}`),
    target_folder: folderName(`Instead of a label: ${LABEL.target_folder}`).optional(),
  })
  .refine(({ label_name, target_folder }) => (label_name ?? target_folder) !== undefined, {
    params: { missing: 'label_name or target_folder' },
  })
  .refine(({ label_name, target_folder }) => label_name === undefined || target_folder === undefined, {
    error: 'give label_name or target_folder, not both',
  });
const noChange = z.strictObject({});

/** Defines an action that sets or clears the flag of its change, or creates or removes the copy. */
const flagging = (
  has: boolean,
  more: Pick<Action, 'description'> & Partial<Action>,
): Action & { query: z.ZodObject } => ({
  ...{ query, change: noChange, sets: ['has'] },
  to: (state) => ({ ...state, has }),
  foresee(_state, { folder, flag = '' }, { facts }) {
    if (folder && has) return undefined;
    if (folder) return facts?.['among'] ? NO_COPY : Number(facts?.['copies']) > 1 ? SEVERAL : undefined;
    if (facts?.['readOnly']) return READ_ONLY;
    return (facts?.['kept'] as (flag: string) => boolean)(flag)
      ? undefined
      : `The server does not keep ${quoted(flag)} in this folder`;
  },
  values: () => [],
  ...more,
});

const labelling = (has: boolean, description: string, phrase?: string) =>
  flagging(has, {
    ...{ description, change: label, ...(phrase !== undefined && { phrase }) },
    summary(prepared) {
      const { folder, flag = '' } = prepared.change;
      if (folder) {
        const name = quoted(folder.name);
        return has
          ? `Copy ${which(prepared)} to ${name}.`
          : `Remove the copy in ${name} of ${which(prepared)}.`;
      }
      const emails = which(prepared);
      return has
        ? `Add the label ${quoted(flag)} to ${emails}.`
        : `Remove the label ${quoted(flag)} from ${emails}.`;
    },
    values: ({ change: { folder, flag } }) => [{ name: 'label', to: folder?.name ?? flag ?? '' }],
  });

const moving = (description: string, more: Partial<Action> = {}): Action & { query: z.ZodObject } => ({
  ...{ description, query, change: noChange, sets: ['folder'] },
  to: (state, { folder }) => ({ ...state, folder: folder?.id ?? '' }),
  foresee: (_state, _change, { facts }) => (facts?.['readOnly'] ? READ_ONLY : undefined),
  summary: (prepared) => `Move ${which(prepared)} to ${quoted(prepared.change.folder?.name ?? '')}.`,
  values: ({ change }) => [{ name: 'folder', to: change.folder?.name ?? '' }],
  ...more,
});

export const IMAP_ACTIONS = {
  label: labelling(true, 'Add a label to emails'),
  unlabel: labelling(false, 'Remove a label from emails', 'remove a label from {items}'),
  move: moving('Move emails to a folder', {
    change: z.strictObject({ target_folder: folderName('The folder to move them to') }),
  }),
  archive: moving('Move emails to the archive'),
  mark_read: flagging(true, {
    description: 'Mark emails as read',
    ...{ phrase: 'mark {items} as read', shortName: 'mark as read' },
    summary: (prepared) => `Mark ${which(prepared)} as read.`,
  }),
  mark_unread: flagging(false, {
    description: 'Mark emails as unread',
    ...{ phrase: 'mark {items} as unread', shortName: 'mark as unread' },
    summary: (prepared) => `Mark ${which(prepared)} as unread.`,
  }),
  flag: flagging(true, {
    description: 'Flag emails, as with a star',
    summary: (prepared) => `Flag ${which(prepared)}.`,
  }),
  unflag: flagging(false, {
    description: 'Take the flag off emails',
    phrase: 'take the flag off {items}',
    summary: (prepared) => `Take the flag off ${which(prepared)}.`,
  }),
  trash: moving('Move emails to the trash', { phrase: 'move {items} to the trash' }),
  delete: {
    ...{ description: 'Delete emails for good', phrase: 'delete {items} for good', query, change: noChange },
    ...{ to: () => null, undo: false, shortName: 'delete' },
    foresee: (_state, _change, { facts }) =>
      facts?.['readOnly'] ? READ_ONLY : facts?.['removes'] ? undefined : NO_REMOVAL,
    summary: (prepared) => `Delete ${which(prepared)} for good.`,
  },
} as const satisfies Record<string, Action>;

/** The actions that always set or clear the same flag, with that flag. */
export const FIXED_FLAGS = new Map([
  ['mark_read', '\\Seen'],
  ['mark_unread', '\\Seen'],
  ['flag', '\\Flagged'],
  ['unflag', '\\Flagged'],
]);
/** The actions with a fixed target folder, with the special uses (RFC 6154) of that folder. */
export const SPECIAL_FOLDERS = new Map([
  ['archive', ['\\Archive', '\\All']],
  ['trash', ['\\Trash']],
]);

import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { notPrepared } from '../shared/actions';

const queryShape = z
  .strictObject({
    sender: z
      .string()
      .trim()
      .min(1)
      .max(320)
      // Quotes and brackets are search syntax: with them a sender could match more than the sender.
      .regex(/^[^"(){}]+$/, 'no quotes or brackets; use query for a search')
      .refine((text) => !/\p{Cc}/u.test(text), 'no control characters')
      .optional()
      .describe('Emails from this address or name'),
    query: z.string().trim().min(1).max(1_000).optional().describe("A search in Gmail's own syntax"),
  })
  .refine(({ sender, query }) => sender !== undefined || query !== undefined, {
    params: { missing: 'sender or query' },
  })
  .refine(({ sender, query }) => sender === undefined || query === undefined, {
    error: 'give sender or query, not both',
  });

const labelName = z.string().trim().min(1).max(225);
const noChange = z.strictObject({});
const unlabelChange = z.strictObject({ label_name: labelName.describe('The label to remove') });
const labelChange = z.strictObject({
  label_name: labelName.describe('The label to add'),
  create_label: z
    .boolean()
    .optional()
    .describe('Create the label in the first confirmed batch if it does not exist'),
});

/** What one action does to an email's labels: it adds one, or it removes one. */
export type LabelChange = { readonly add: string } | { readonly remove: string };

interface GmailAction extends AdapterAction {
  /** The label change of actions that determine it by themselves. */
  readonly fixed?: LabelChange;
}

const action = (
  description: string,
  words: Pick<AdapterAction, 'phrase' | 'shortName'>,
  change: z.ZodObject,
  fixed?: LabelChange,
): GmailAction => ({
  description,
  ...words,
  undo: true,
  query: queryShape,
  change,
  fixed,
});

export const GMAIL_ACTIONS = {
  label: action('Add a label to emails', {}, labelChange),
  unlabel: action('Remove a label from emails', { phrase: 'remove a label from {items}' }, unlabelChange),
  archive: action('Archive emails', {}, noChange, { remove: 'INBOX' }),
  mark_read: action(
    'Mark emails as read',
    { phrase: 'mark {items} as read', shortName: 'mark as read' },
    noChange,
    { remove: 'UNREAD' },
  ),
  mark_unread: action(
    'Mark emails as unread',
    { phrase: 'mark {items} as unread', shortName: 'mark as unread' },
    noChange,
    { add: 'UNREAD' },
  ),
  star: action('Star emails', {}, noChange, { add: 'STARRED' }),
  trash: action('Move emails to the trash', { phrase: 'move {items} to the trash' }, noChange, {
    add: 'TRASH',
  }),
} as const satisfies Record<string, GmailAction>;
export type GmailActionName = keyof typeof GMAIL_ACTIONS;

/** Without an id the label does not exist yet, and the first confirmed batch creates it. */
const labelParams = z.object({ label_id: z.string().min(1).optional(), label_name: z.string().min(1) });

function actionOf(context: PreparedBulkContext): GmailAction {
  if (Object.hasOwn(GMAIL_ACTIONS, context.action)) {
    return GMAIL_ACTIONS[context.action as keyof typeof GMAIL_ACTIONS];
  }
  throw notPrepared('gmail', `it names the action ${context.action}`);
}

/** The name of the label that the change creates first; undefined if it creates none. */
export function missingLabel(context: PreparedBulkContext): string | undefined {
  if (actionOf(context).fixed !== undefined) return undefined;
  const { label_id, label_name } = labelOf(context);
  return label_id === undefined ? label_name : undefined;
}

/** The change of a prepared context. @throws BatchgateError `INVALID_INPUT` when this adapter did not prepare it. */
export function changeOf(context: PreparedBulkContext): LabelChange {
  const { fixed } = actionOf(context);
  if (fixed !== undefined) return fixed;
  const { label_id } = labelOf(context);
  if (label_id === undefined) throw notPrepared('gmail', 'its label has no id');
  return context.action === 'label' ? { add: label_id } : { remove: label_id };
}

/** The label that was looked up. @throws BatchgateError `INVALID_INPUT` when there is none. */
export function labelOf({ action_params }: PreparedBulkContext): z.infer<typeof labelParams> {
  const params = labelParams.safeParse(action_params);
  if (params.success) return params.data;
  throw notPrepared('gmail', 'its label is missing');
}

/**
 * The Gmail search of a prepared context.
 * @throws BatchgateError `INVALID_INPUT` when there is none, because an empty search matches the whole mailbox.
 */
export function searchOf(context: PreparedBulkContext): string {
  const params = queryShape.safeParse(context.query_params);
  const { sender, query } = params.data ?? {};
  if (query !== undefined) return query;
  if (sender === undefined) throw notPrepared('gmail', 'its search is missing');
  return /^[\p{L}\p{N}@._+-]+$/u.test(sender) ? `from:${sender}` : `from:"${sender}"`;
}

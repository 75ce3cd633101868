import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { PreparedBulkContext } from '../../../src/contract/items';

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
const unlabelChange = z.strictObject({ label_name: labelName.describe('The label to take off') });
const labelChange = z.strictObject({
  label_name: labelName.describe('The label to put on'),
  create_label: z.boolean().optional().describe('Make the label when there is none of this name'),
});

/** What one action does to an email's labels: it adds one, or it removes one. */
export type LabelChange = { readonly add: string } | { readonly remove: string };

interface GmailAction extends AdapterAction {
  /** The label, where the action itself says which. */
  readonly fixed?: LabelChange;
  readonly does: string;
}

const action = (
  description: string,
  does: string,
  change: z.ZodObject,
  fixed?: LabelChange,
): GmailAction => ({
  description,
  does,
  query: queryShape,
  change,
  ...(fixed === undefined ? {} : { fixed }),
});

export const GMAIL_ACTIONS = {
  label: action('Put a label on emails', 'Adds the label', labelChange),
  unlabel: action('Take a label off emails', 'Removes the label', unlabelChange),
  archive: action('Archive emails', 'Takes each email out of the inbox.', noChange, { remove: 'INBOX' }),
  mark_read: action('Mark emails as read', 'Marks each email as read.', noChange, { remove: 'UNREAD' }),
  mark_unread: action('Mark emails as unread', 'Marks each email as unread.', noChange, { add: 'UNREAD' }),
  star: action('Star emails', 'Stars each email.', noChange, { add: 'STARRED' }),
  trash: action('Move emails to the trash', 'Moves each email to the trash.', noChange, { add: 'TRASH' }),
} as const satisfies Record<string, GmailAction>;

const labelParams = z.object({ label_id: z.string().min(1), label_name: z.string().min(1) });

function actionOf(context: PreparedBulkContext): GmailAction {
  if (Object.hasOwn(GMAIL_ACTIONS, context.action)) {
    return GMAIL_ACTIONS[context.action as keyof typeof GMAIL_ACTIONS];
  }
  throw notPrepared(`it names the action ${context.action}`);
}

/** The change of a prepared context. @throws BatchgateError `INVALID_INPUT` when this adapter did not prepare it. */
export function changeOf(context: PreparedBulkContext): LabelChange {
  const { fixed } = actionOf(context);
  if (fixed !== undefined) return fixed;
  const params = labelParams.safeParse(context.action_params);
  if (!params.success) throw notPrepared('its label is missing');
  const { label_id } = params.data;
  return context.action === 'label' ? { add: label_id } : { remove: label_id };
}

/**
 * The Gmail search of a prepared context.
 * @throws BatchgateError `INVALID_INPUT` when there is none, for an empty search matches the whole mailbox.
 */
export function searchOf(context: PreparedBulkContext): string {
  const params = queryShape.safeParse(context.query_params);
  const { sender, query } = params.data ?? {};
  if (query !== undefined) return query;
  if (sender === undefined) throw notPrepared('its search is missing');
  return /^[\p{L}\p{N}@._+-]+$/u.test(sender) ? `from:${sender}` : `from:"${sender}"`;
}

export function describeGmailChange(context: PreparedBulkContext): string {
  const { does, fixed } = actionOf(context);
  if (fixed !== undefined) return does;
  const { label_name } = labelParams.parse(context.action_params);
  return `${does} '${label_name}' ${context.action === 'label' ? 'to' : 'from'} each email.`;
}

function notPrepared(why: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `This context is not one that the gmail adapter prepared: ${why}`,
    'Start the operation again, so that its parameters are prepared anew.',
  );
}

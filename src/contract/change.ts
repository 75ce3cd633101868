import { z } from 'zod';
import { upTo } from './text';

export const MAX_SUMMARY_LENGTH = 1_000;
export const MAX_CHANGE_FIELDS = 50;
export const MAX_FIELD_NAME_LENGTH = 150;
export const MAX_FIELD_VALUE_LENGTH = 300;
export const MAX_UNTIL_LENGTH = 150;

/** The adapter's description of the change to each item of a batch. Long texts are cut later. */
export const describedChangeSchema = z.strictObject({
  /** One or more whole sentences in the imperative, with names in place of ids. */
  summary: z.string().min(1),
  fields: z.array(z.strictObject({ name: z.string(), from: z.string().optional(), to: z.string() })),
  /** Whether the previous state can be restored in the tool. */
  reversible: z.enum(['yes', 'partly', 'no']),
  /** The time limit for restoring it, in words that follow "until". */
  until: z.string().min(1).optional(),
});

const count = z.number().int().min(0);
const value = upTo(MAX_FIELD_VALUE_LENGTH);
const field = z.strictObject({
  name: upTo(MAX_FIELD_NAME_LENGTH),
  from: value.optional(),
  to: value,
});

/** The change of an operation, in words and values. A person reads it before every confirmation. */
export const changeSchema = describedChangeSchema.extend({
  summary: upTo(MAX_SUMMARY_LENGTH).min(1),
  fields: z.array(field).max(MAX_CHANGE_FIELDS),
  until: upTo(MAX_UNTIL_LENGTH).min(1).optional(),
  /** A description of the items of the plan together: see `BulkAdapter.describeItems`. */
  scope: upTo(MAX_FIELD_VALUE_LENGTH).min(1).optional(),
  /** Present if the items differ: how many of the changed items can be restored, and how many in part. */
  undoable: z.strictObject({ items: count, partly: count, of: count }).optional(),
});
/** The change to each item in words and values, whether it can be undone (`reversible`), and until when (`until`). */
export type Change = z.infer<typeof changeSchema>;

/** The names of an action in sentences: `mark {items} as read` and `mark as read`. */
export interface ActionWords {
  phrase: string;
  short_name: string;
  /** A predicate for items that need no change: `already have this label`. */
  already?: string;
}

import { z } from 'zod';
import { upTo } from './text';

export const MAX_SUMMARY_LENGTH = 1_000;
export const MAX_CHANGE_FIELDS = 50;
export const MAX_FIELD_NAME_LENGTH = 150;
export const MAX_FIELD_VALUE_LENGTH = 300;
export const MAX_UNTIL_LENGTH = 150;

/** What one batch does to each of its items, from the adapter; its texts are then cut to their lengths. */
export const describedChangeSchema = z.strictObject({
  /** One or more whole sentences in the imperative, with names in place of ids. */
  summary: z.string().min(1),
  fields: z.array(z.strictObject({ name: z.string(), from: z.string().optional(), to: z.string() })),
  /** Whether the previous state can be restored in the tool. */
  reversible: z.enum(['yes', 'partly', 'no']),
  /** How long it can be restored, as words that follow "until". */
  until: z.string().min(1).optional(),
});

const count = z.number().int().min(0);
const value = upTo(MAX_FIELD_VALUE_LENGTH);
const field = z.strictObject({
  name: upTo(MAX_FIELD_NAME_LENGTH),
  from: value.optional(),
  to: value,
});

/** The change of an operation, in words and values: what a person reads before every confirmation. */
export const changeSchema = describedChangeSchema.extend({
  summary: upTo(MAX_SUMMARY_LENGTH).min(1),
  fields: z.array(field).max(MAX_CHANGE_FIELDS),
  until: upTo(MAX_UNTIL_LENGTH).min(1).optional(),
  /** What the items of the plan have in common that the change alone does not tell. */
  scope: upTo(MAX_FIELD_VALUE_LENGTH).min(1).optional(),
  /** Where it differs between the items: how many of those that it changes can be restored, some of them in part. */
  undoable: z.strictObject({ items: count, partly: count, of: count }).optional(),
});
export type Change = z.infer<typeof changeSchema>;

/** How sentences name an action: `mark {items} as read` and `mark as read`. */
export interface ActionWords {
  phrase: string;
  short_name: string;
  /** Of items that are as wished: `already have this label`. */
  already?: string;
}

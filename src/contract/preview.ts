import { z } from 'zod';
import { changeSchema } from './change';
import { upTo } from './text';

export const MAX_STATE_FIELDS = 20;
export const MAX_STATE_NAME_LENGTH = 100;
export const MAX_STATE_VALUE_LENGTH = 300;
export const MAX_STATE_LIST_LENGTH = 20;
export const MAX_REASON_LENGTH = 300;
export const MAX_OTHER_NAMES = 5;

const text = upTo(MAX_STATE_VALUE_LENGTH);

/**
 * A value as people read it: a text, a list such as labels, a time, or null where there is nothing. A time is ISO 8601:
 * an instant with its offset, or a date alone. Readers show an instant in their own zone.
 */
const stateValueSchema = z.union([
  text,
  z.array(text).max(MAX_STATE_LIST_LENGTH),
  z.strictObject({ time: upTo(40) }),
  z.null(),
]);
export type StateValue = z.infer<typeof stateValueSchema>;

/** What the change can alter on an item, by names that people know: `{ "list": "To do", "due": { "time": "…" } }`. */
export const itemStateSchema = z
  .record(upTo(MAX_STATE_NAME_LENGTH), stateValueSchema)
  .refine((state) => Object.keys(state).length <= MAX_STATE_FIELDS, `has over ${MAX_STATE_FIELDS} fields`);
export type ItemState = z.infer<typeof itemStateSchema>;

/** What a change means for one item, from what the plan froze. */
export const itemPreviewSchema = z.strictObject({
  /** The item now, and after the change. Both have the same fields; absent where the tool cannot be read. */
  before: itemStateSchema.optional(),
  after: itemStateSchema.optional(),
  /** The item is as wished already: it succeeds without a call, and an undo leaves it alone. */
  already: z.literal(true).optional(),
  /** Why the change of this item will probably fail: the label is gone, the event is locked. */
  expected_error: upTo(MAX_REASON_LENGTH).optional(),
  /** What the change depends on and the values above do not show: `its values, which are larger than 800 bytes`. */
  not_shown: upTo(MAX_REASON_LENGTH).optional(),
  /** Where it differs from the change as a whole. */
  reversible: z.enum(['yes', 'partly', 'no']).optional(),
  /** Other names by which the item was asked for: `0010` for the row 10. An exclusion by one of them excludes it. */
  named: z.array(text).max(MAX_OTHER_NAMES).optional(),
  /** In an undo: what somebody changed after the operation that is taken back. The item is kept as it is. */
  conflict: upTo(MAX_REASON_LENGTH).optional(),
});
export type ItemPreview = z.infer<typeof itemPreviewSchema>;

/** An item of a question: what it is now, and what it would be. */
export const shownItemSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  ...itemPreviewSchema.shape,
});
export type ShownItem = z.infer<typeof shownItemSchema>;

const count = z.number().int().min(0);

/** An item of a preview. `skipped`: an undo leaves it as it is. */
const previewedItemSchema = shownItemSchema.extend({
  batch: count.optional(),
  skipped: z.literal(true).optional(),
});
export type PreviewedItem = z.infer<typeof previewedItemSchema>;

/** What an operation would do: the result of the workflow `bulkPreview`. */
export const bulkPreviewSchema = z.object({
  preview_id: z.string(),
  /** `expect_digest` of a start that is to do exactly this. */
  digest: z.string(),
  domain: z.string(),
  action: z.string(),
  undoes: z.string().optional(),
  change: changeSchema,
  noun: z.object({ one: z.string(), many: z.string() }),
  total: count,
  already: count,
  expected_errors: count,
  skipped: count,
  batch_size: count,
  batches_total: count,
  items: z.array(previewedItemSchema),
  /** Not all items are listed. */
  items_truncated: z.boolean().optional(),
});
export type BulkPreview = z.infer<typeof bulkPreviewSchema>;

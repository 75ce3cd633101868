import { z } from 'zod';
import { changeSchema } from './change';
import { revisionSchema } from './revision';
import { upTo } from './text';

export const MAX_STATE_FIELDS = 20;
export const MAX_STATE_NAME_LENGTH = 100;
export const MAX_STATE_VALUE_LENGTH = 300;
export const MAX_STATE_LIST_LENGTH = 20;
export const MAX_REASON_LENGTH = 300;
export const MAX_OTHER_NAMES = 5;

const text = upTo(MAX_STATE_VALUE_LENGTH);

/**
 * A value for people: a text, a list such as labels, a time, or null for no value. A time is ISO 8601: an instant with
 * its offset, or a date alone. An instant is shown in the zone of its reader.
 */
export const stateValueSchema = z.union([
  text,
  z.array(text).max(MAX_STATE_LIST_LENGTH),
  z.strictObject({ time: upTo(40) }),
  z.null(),
]);
export type StateValue = z.infer<typeof stateValueSchema>;

/**
 * The state of an item that the change can alter, with names for people: `{ "list": "To do", "due": { "time": "…" } }`.
 */
export const itemStateSchema = z
  .record(upTo(MAX_STATE_NAME_LENGTH), stateValueSchema)
  .refine((state) => Object.keys(state).length <= MAX_STATE_FIELDS, `has over ${MAX_STATE_FIELDS} fields`);
export type ItemState = z.infer<typeof itemStateSchema>;

/** The effect of a change on one item, from the frozen data of the plan. */
export const itemPreviewSchema = z.strictObject({
  /** The state of the item now and after the change. Both have the same fields; absent if the tool cannot be read. */
  before: itemStateSchema.optional(),
  after: itemStateSchema.optional(),
  /** Set if the item already has the target state. It succeeds without a call, and an undo does not touch it. */
  already: z.literal(true).optional(),
  /** The reason why this item will probably fail: the label is gone, the event is locked. */
  expected_error: upTo(MAX_REASON_LENGTH).optional(),
  /** The data of the change that `before` and `after` do not show: `its values, which are larger than 800 bytes`. */
  not_shown: upTo(MAX_REASON_LENGTH).optional(),
  /** Whether this item can be restored, if it differs from the change as a whole. */
  reversible: z.enum(['yes', 'partly', 'no']).optional(),
  /** Other ids under which the item was requested: `0010` for the row 10. Each of them can be used to exclude it. */
  named: z.array(text).max(MAX_OTHER_NAMES).optional(),
  /** For an undo: a later change to the item by somebody else. The item is not restored. */
  conflict: upTo(MAX_REASON_LENGTH).optional(),
});
export type ItemPreview = z.infer<typeof itemPreviewSchema>;

/** An item of a question, with its preview. */
export const shownItemSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  ...itemPreviewSchema.shape,
});
export type ShownItem = z.infer<typeof shownItemSchema>;

const count = z.number().int().min(0);

/** An item of a preview. `skipped`: an undo does not restore it. */
const previewedItemSchema = shownItemSchema.extend({
  batch: count.optional(),
  skipped: z.literal(true).optional(),
});
export type PreviewedItem = z.infer<typeof previewedItemSchema>;

/** Items with the same effect, outliers first. `fails` and `conflict` are predictions. */
export const itemGroupSchema = z.object({
  kind: z.enum(['fails', 'conflict', 'already', 'changes']),
  count,
  /** The effect in words: `labels: none → “Later”`. Empty if only the change as a whole describes it. */
  text: z.string(),
  /** The fields that change. Values are omitted if they differ between the items. */
  fields: z.array(z.object({ name: z.string(), from: z.string().optional(), to: z.string().optional() })),
  expected_error: z.string().optional(),
  conflict: z.string().optional(),
  reversible: z.enum(['yes', 'partly', 'no']).optional(),
  /** The ids in the order of the batch or the plan; absent in a status for the groups of a whole plan. */
  items: z.array(z.string()).optional(),
});
export type ItemGroup = z.infer<typeof itemGroupSchema>;

/** The preview of an operation: the result of the workflow `bulkPreview`. */
export const bulkPreviewSchema = z.object({
  preview_id: z.string(),
  /** Pass this digest as `expect_digest` to start exactly this operation. */
  digest: z.string(),
  domain: z.string(),
  action: z.string(),
  undoes: z.string().optional(),
  /** The operation that this one revises, and the differences from it. */
  revises: z.string().optional(),
  revision: revisionSchema.optional(),
  change: changeSchema,
  noun: z.object({ one: z.string(), many: z.string() }),
  total: count,
  already: count,
  expected_errors: count,
  skipped: count,
  batch_size: count,
  batches_total: count,
  /** All items of the plan grouped by effect. A group has only the ids that are listed in `items`. */
  groups: z.array(itemGroupSchema),
  items: z.array(previewedItemSchema),
  /** Set if not all items are listed. */
  items_truncated: z.boolean().optional(),
  /** The requested sizes of growing batches, and the same in words with the number of questions. */
  batch_sizes: z.array(z.number().int()).optional(),
  batches_text: z.string().optional(),
  /** The requirement of the policies for each batch, in words. */
  policy: z.string().optional(),
});
/** The effect of an operation on each item. Pass `digest` as `expect_digest` to start exactly this operation. */
export type BulkPreview = z.infer<typeof bulkPreviewSchema>;

/** The columns of a table of previewed items, in order. */
export const PREVIEW_COLUMNS = [
  ...['id', 'display_name', 'batch', 'before', 'after', 'already', 'skipped'],
  ...['expected_error', 'reversible', 'conflict', 'not_shown'],
];

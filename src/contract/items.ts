import { z } from 'zod';
import type { ItemPreview } from './preview';
import { holdsNoNumber, isTooDeep, NO_NUMBER, TOO_DEEP, holdsNul, idSchema, textSchema, upTo } from './text';

/** Lengths that every id and name keeps (specification G2). */
export const MAX_ID_LENGTH = 500;
export const MAX_NAME_LENGTH = 500;
/** An item's `raw_data`, as JSON, in UTF-8 bytes: what the adapter needs to act, not the whole object. */
export const MAX_RAW_DATA_BYTES = 2_048;
/** The same in an undo: the state now, the state to restore, the state that was left, and what its write kept. */
const MAX_UNDO_DATA_BYTES = 4 * MAX_RAW_DATA_BYTES;

const rawDataOf = (maxBytes: number) =>
  z
    .record(z.string(), z.unknown())
    .refine((data) => !isTooDeep(data), { error: TOO_DEEP, abort: true })
    .refine((data) => !holdsNoNumber(data), { error: NO_NUMBER, abort: true })
    .refine((data) => utf8Length(JSON.stringify(data)) <= maxBytes, {
      message: `raw_data is larger than ${maxBytes} bytes; keep only what the action needs`,
    });
const rawData = rawDataOf(MAX_RAW_DATA_BYTES);

/** One item of a bulk operation (specification A12). */
export const bulkItemSchema = z.strictObject({
  id: idSchema(MAX_ID_LENGTH),
  display_name: upTo(MAX_NAME_LENGTH),
  raw_data: rawData.optional(),
});
export type BulkItem = z.infer<typeof bulkItemSchema>;

/** An item as the plan of an undo freezes it. */
export const undoItemSchema = bulkItemSchema.extend({ raw_data: rawDataOf(MAX_UNDO_DATA_BYTES).optional() });

/** An item of a plan, with what the change means for it. */
export interface FrozenItem extends BulkItem {
  preview?: ItemPreview;
  /** A hash of all of it, from the activity that froze or read it: see src/core/bulk/seal.ts. */
  seal?: string;
}

/** An item as a person may write it: the name defaults to the id. */
export const bulkItemInputSchema = bulkItemSchema.extend({
  display_name: textSchema(MAX_NAME_LENGTH).optional(),
  raw_data: rawData.refine((data) => !holdsNul(data), 'holds a NUL character').optional(),
});

/** The result of one item (specification A8). `outcome_unknown`: the request was sent and the answer never came. */
export const bulkResultSchema = z.object({
  item_id: z.string(),
  success: z.boolean(),
  error: z.string().optional(),
  retryable: z.boolean().optional(),
  outcome_unknown: z.boolean().optional(),
  /** The item is not as the plan froze it, so it was not touched: `error` says what was before and what is now. */
  changed_since_preview: z.boolean().optional(),
  /** What only the tool's answer tells and an undo needs: see `UndoData`. Larger data than that of an item is not kept. */
  kept: z.record(z.string(), z.unknown()).optional(),
});
export type BulkResult = z.infer<typeof bulkResultSchema>;

/** What `prepare` found out: the query apart from the change, names resolved to ids (specification A3). */
export const preparedBulkContextSchema = z.object({
  tool_name: z.string(),
  action: z.string(),
  query_params: z.record(z.string(), z.unknown()),
  action_params: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** Where the changes are made: see `BulkAdapter.place`. */
  place: z.string().optional(),
  /** The change of this context is taken back, item by item: see `UndoData`. */
  undo: z.literal(true).optional(),
});
export type PreparedBulkContext = z.infer<typeof preparedBulkContextSchema>;

/** What an undo knows of an item, in `raw_data.undo`. */
export interface UndoData {
  /** `raw_data` as it was frozen before the change: the state to restore. */
  to: Record<string, unknown>;
  /** Where the operation to take back was an undo itself: the state that it restored. */
  left?: Record<string, unknown>;
  /** What the write of the change kept: `BulkResult.kept`. */
  kept?: Record<string, unknown>;
}

/** UTF-8 length without an encoder, which the workflow sandbox does not have everywhere. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else {
      bytes += 3;
      // The two halves of a pair are four bytes together.
      const next = text.charCodeAt(at + 1);
      if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
        bytes += 1;
        at++;
      }
    }
  }
  return bytes;
}

import { z } from 'zod';
import type { ItemPreview } from './preview';
import { holdsNoNumber, isTooDeep, NO_NUMBER, TOO_DEEP, holdsNul, idSchema, textSchema, upTo } from './text';

/** The maximum lengths of ids and names of items. */
export const MAX_ID_LENGTH = 500;
export const MAX_NAME_LENGTH = 500;
/**
 * The maximum size of an item's `raw_data` as JSON, in UTF-8 bytes. It holds what the adapter needs, not the whole
 * object.
 */
export const MAX_RAW_DATA_BYTES = 2_048;
/**
 * The maximum in an undo: the current state, the state to restore, the state that the change left, and the kept data.
 */
const MAX_UNDO_DATA_BYTES = 4 * MAX_RAW_DATA_BYTES;

const recordWithin = (maxBytes: number, message: string) =>
  z
    .record(z.string(), z.unknown())
    .refine((value) => !isTooDeep(value), { error: TOO_DEEP, abort: true })
    .refine((value) => !holdsNoNumber(value), { error: NO_NUMBER, abort: true })
    .refine((value) => utf8Length(JSON.stringify(value)) <= maxBytes, message);

export const smallRecord = (what: string) =>
  recordWithin(16_384, `${what} is larger than 16 KiB`).refine(
    (value) => !holdsNul(value),
    `${what} holds a NUL character`,
  );

const rawDataOf = (maxBytes: number) =>
  recordWithin(maxBytes, `raw_data is larger than ${maxBytes} bytes; keep only what the action needs`);
const rawData = rawDataOf(MAX_RAW_DATA_BYTES);

/** One item of a bulk operation (specification A12). */
export const bulkItemSchema = z.strictObject({
  id: idSchema(MAX_ID_LENGTH),
  display_name: upTo(MAX_NAME_LENGTH),
  raw_data: rawData.optional(),
});
/** One item: its id in the tool, its name for people, and at most 2,048 bytes that the adapter needs to act on it. */
export type BulkItem = z.infer<typeof bulkItemSchema>;

/** An item in the plan of an undo. */
export const undoItemSchema = bulkItemSchema.extend({ raw_data: rawDataOf(MAX_UNDO_DATA_BYTES).optional() });

/** An item of a plan, with its preview. */
export interface FrozenItem extends BulkItem {
  preview?: ItemPreview;
  /** A random salt from the ledger, which hides the item in its seal. Adapters and workflows do not get it. */
  salt?: string;
  /** A hash of the whole item, by the activity that froze or read it: see src/core/bulk/seal.ts. */
  seal?: string;
}

/** An item in the input of an operation. The name defaults to the id. */
export const bulkItemInputSchema = bulkItemSchema.extend({
  id: bulkItemSchema.shape.id.describe('The id of the item in its tool'),
  display_name: textSchema(MAX_NAME_LENGTH).optional().describe('Its name for people; default: the id'),
  raw_data: rawData
    .refine((data) => !holdsNul(data), 'holds a NUL character')
    .optional()
    .describe('What the adapter needs to act on it'),
});

/** The result of one item of a batch (specification A8). */
export interface BulkResult {
  item_id: string;
  success: boolean;
  /** The reason of a failure, for people. */
  error?: string;
  /** The same change may succeed later. */
  retryable?: boolean;
  /** The request was sent, and no answer was received. */
  outcome_unknown?: boolean;
  /** The item differs from the frozen one, so it was not changed. `error` names both states. */
  changed_since_preview?: boolean;
  /**
   * Data from the tool's answer that an undo needs: see `UndoData`. Data larger than the limit of `raw_data` is not
   * kept.
   */
  kept?: Record<string, unknown>;
}

/** The result of `prepare` of an adapter: the query and the change, with names resolved to ids (specification A3). */
export interface PreparedBulkContext {
  tool_name: string;
  action: string;
  query_params: Record<string, unknown>;
  action_params: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  /** The address of the changes: see `BulkAdapter.place`. */
  place?: string;
  /** Set if the change of this context is undone, item by item: see `UndoData`. */
  undo?: true;
  /**
   * For an undo of an operation whose change was edited: the contexts of its earlier editions. An adapter never
   * receives them; it is called with the context of each item.
   */
  earlier?: Record<string, PreparedBulkContext>;
}

/** The data of an undo about an item, in `raw_data.undo`. */
export interface UndoData {
  /** The `raw_data` that was frozen before the change: the state to restore. */
  to: Record<string, unknown>;
  /** The state that the operation to undo restored, if it was an undo itself. */
  left?: Record<string, unknown>;
  /** The data that the change kept: `BulkResult.kept`. */
  kept?: Record<string, unknown>;
  /** The edition of the plan under which the item was changed, if it is not the last one. */
  edition?: number;
}

/** The UTF-8 length. It uses no encoder, because not every workflow sandbox has one. */
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

/**
 * The outcome of one item: `p` pending, `s` succeeded, `f` failed, `k` skipped, `d` in doubt. It is a single letter,
 * because every batch writes it into history, and every continue-as-new carries it over.
 */
export type OutcomeCode = 'p' | 's' | 'f' | 'k' | 'd';

/**
 * Details of an outcome other than success. For skipped items, `retryable` is true if the item changed since the
 * preview, false if it changed after the operation to undo, and absent if a person excluded it.
 */
export interface OutcomeDetail {
  error?: string;
  retryable?: boolean;
}

/** The outcomes of a list of items: `codes[i]` is the outcome of the i-th item, and `details[i]` has its details. */
export interface Outcomes {
  codes: string;
  details?: Record<string, OutcomeDetail>;
}

/** An item of the plan with its place. The adapter gets its `raw_data` back. */
export interface PlannedItem extends FrozenItem {
  /** From 0. */
  index: number;
}

/**
 * The data of an item that a workflow holds: the parts that people read, and the hash of the whole item. `raw_data`
 * stays in the ledger.
 */
export type KnownItem = Omit<FrozenItem, 'raw_data' | 'salt'>;

/** An item that is sent to a workflow, with the details of its outcome if it has one. */
export interface NamedItem extends KnownItem {
  index: number;
  detail?: OutcomeDetail;
}

/**
 * The data that a workflow still lacks about the items of its next question, in their order. Their places follow from
 * their batch. If the workflow has their names, usually only the concatenated hashes are sent, so a name enters a
 * history once.
 */
export type AskedItems =
  | string
  | (Omit<NamedItem, 'index' | 'id' | 'display_name'> & Partial<Pick<NamedItem, 'id' | 'display_name'>>)[];

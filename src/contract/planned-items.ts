import type { FrozenItem } from './items';
import type { ItemPreview } from './preview';

/**
 * The outcome of one item: `p` pending, `s` succeeded, `f` failed, `k` skipped, `d` in doubt. It is one letter, because
 * every batch writes it into history, and every continue-as-new carries it over.
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
 * The items of a batch in columns. Each batch writes them into history, where repeated keys would double their size.
 * Without `names`, the rest of each item is in the ledger.
 */
export interface ItemColumns {
  indexes: number[];
  ids: string[];
  names?: string[];
  raw?: (Record<string, unknown> | null)[];
  previews?: (ItemPreview | null)[];
}

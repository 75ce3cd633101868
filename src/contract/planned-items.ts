import type { FrozenItem } from './items';
import type { ItemPreview } from './preview';

/**
 * One letter an item, in the order of the items it speaks of: `p` pending, `s` succeeded, `f` failed, `k` skipped,
 * `d` in doubt. Compact, because it is written into history with every batch and carried by every continue-as-new.
 */
export type OutcomeCode = 'p' | 's' | 'f' | 'k' | 'd';

/**
 * What is worth saying of an outcome that is not a plain success. A skipped item that changed since the preview may be
 * tried again; one that somebody changed after the operation that is taken back may not; `retryable` says nothing of an
 * item that a person left out.
 */
export interface OutcomeDetail {
  error?: string;
  retryable?: boolean;
}

/** Outcomes of a list of items: `codes[i]` is that of the i-th item, `details[i]` what there is to say of it. */
export interface Outcomes {
  codes: string;
  details?: Record<string, OutcomeDetail>;
}

/** An item of the plan with its place in it; `raw_data` is what the adapter asked to be handed back. */
export interface PlannedItem extends FrozenItem {
  /** From 0. */
  index: number;
}

/**
 * The items of a batch in columns: each batch writes them into history, where their keys would weigh as much as they
 * do. Without `names`, the ledger has the rest of each.
 */
export interface ItemColumns {
  indexes: number[];
  ids: string[];
  names?: string[];
  raw?: (Record<string, unknown> | null)[];
  previews?: (ItemPreview | null)[];
}

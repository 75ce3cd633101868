import type { Confirmed, PlanRecord, RecordResolutionInput } from './activities';
import type { OutcomeDetail, PlannedItem } from './items';
import type { LedgerRecord } from './ledger-record';
import type { FrozenItem } from './items';
import type { BulkStatus } from './operation';

/** A claim of a batch. Epochs of a batch only grow, and each claim fences off the previous one. */
export interface Claim {
  operation_id: string;
  batch: number;
  epoch: number;
}

export interface LedgerResult extends OutcomeDetail {
  index: number;
  /** `skipped`: the item differed from the frozen one. */
  state: 'succeeded' | 'failed' | 'skipped' | 'in_doubt';
  /** Data for an undo besides the plan: `BulkResult.kept`. */
  kept?: Record<string, unknown>;
}

/** An item of the plan: whole, or by place and id if the ledger has the rest. */
export type ItemRef = Pick<PlannedItem, 'index' | 'id'> & Partial<PlannedItem>;

/** The record of an item when its batch was fenced. `deadline` is when its last request ends, in milliseconds. */
export interface FencedItem extends OutcomeDetail {
  index: number;
  state: 'planned' | 'intended' | 'succeeded' | 'failed' | 'skipped' | 'in_doubt';
  deadline?: number;
}

/**
 * The evidence of what was done. A running batch writes only under its own epoch, so that a worker that was suspended
 * and resumed writes nothing more.
 */
export interface Ledger {
  /** The id of this store, created with it. */
  readonly storeId: string;
  /**
   * Fences for good every batch that an earlier run of this chain has claimed. Returns the highest epoch; null if no
   * batch was claimed.
   */
  fenceAll(operationId: string, runId: string): Promise<number | null>;
  /** Records the operation and its frozen items, from the plan's `offset` on. Idempotent. */
  recordPlan(plan: PlanRecord, items: readonly FrozenItem[]): Promise<void>;
  /** Returns the items from one place up to another, in order. */
  planPage(operationId: string, from: number, to: number): Promise<PlannedItem[]>;
  /** Returns the place of an item by its id. */
  findItem(operationId: string, itemId: string): Promise<number | null>;
  /**
   * Raises the epoch of the batch and, in the same statement, writes the intents of the first slice (`items`) and the
   * skipped items. Returns `items` and `later`, in order, as they were planned; null if this epoch or a later one
   * exists.
   * @throws BatchgateError `INTERNAL` if an item already has an outcome, or differs from the plan. Then nothing was
   * written.
   */
  claim(
    claim: Claim,
    batch: {
      items: readonly ItemRef[];
      /** Items of later slices, which are only read. */
      later?: readonly ItemRef[];
      skipped: readonly { item: PlannedItem; reason: string }[];
      confirmed: Confirmed;
      deadline: number;
    },
  ): Promise<PlannedItem[] | null>;
  /** Writes the intents of a later slice. False if the claim was fenced off. */
  intend(claim: Claim, items: readonly PlannedItem[], deadline: number): Promise<boolean>;
  /** Writes results. False if the claim was fenced off; then nothing was written. */
  record(claim: Claim, results: readonly LedgerResult[]): Promise<boolean>;
  /** Raises the epoch for good, records the skipped items, and returns the record of each item of the batch. */
  fence(claim: Claim, skipped?: readonly { item: PlannedItem; reason: string }[]): Promise<FencedItem[]>;
  /**
   * Writes the results of reconciliation under the epoch of the fence. `planned` cancels an intent that changed
   * nothing.
   */
  settle(
    claim: Claim,
    results: readonly (LedgerResult | { index: number; state: 'planned' })[],
  ): Promise<void>;
  resolve(resolution: RecordResolutionInput): Promise<void>;
  /** Marks a plan as a preview with this digest. */
  keepPreview(operationId: string, digest: string): Promise<void>;
  /** Returns the id of the plan of the latest preview with this digest. */
  findPreview(digest: string): Promise<string | null>;
  close(operationId: string, status: BulkStatus): Promise<void>;
  /** Returns the operation with its items from a place on, as many as fit into one payload. */
  read(operationId: string, from?: number): Promise<LedgerRecord | null>;
}

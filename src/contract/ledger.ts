import type { Confirmed, PlanRecord, RecordResolutionInput } from './activities';
import type { OutcomeDetail, PlannedItem } from './planned-items';
import type { LedgerRecord } from './ledger-record';
import type { FrozenItem } from './items';
import type { BulkStatus } from './operation';

/** One claim of one batch. Epochs of a batch only grow, and a claim is fenced off by the next one. */
export interface Claim {
  operation_id: string;
  batch: number;
  epoch: number;
}

export interface LedgerResult extends OutcomeDetail {
  index: number;
  /** `skipped`: it was not as the plan froze it. */
  state: 'succeeded' | 'failed' | 'skipped' | 'in_doubt';
  /** What an undo needs besides the plan: `BulkResult.kept`. */
  kept?: Record<string, unknown>;
}

/** An item of the plan, whole or by its place and id, where the ledger has the rest. */
export type ItemRef = Pick<PlannedItem, 'index' | 'id'> & Partial<PlannedItem>;

/** What was known of an item when its batch was fenced. `deadline`: when its last request is over, in milliseconds. */
export interface FencedItem extends OutcomeDetail {
  index: number;
  state: 'planned' | 'intended' | 'succeeded' | 'failed' | 'skipped' | 'in_doubt';
  deadline?: number;
}

/**
 * The evidence of what was done. Every write of a running batch is on condition of its own epoch, so that a worker
 * that lost its server, slept, and woke writes nothing more.
 */
export interface Ledger {
  /** This store's own id, made when it was made. */
  readonly storeId: string;
  /**
   * Fences every batch that an earlier run of this chain has claimed, for good. Answers the highest epoch then; null if
   * no batch was claimed.
   */
  fenceAll(operationId: string, runId: string): Promise<number | null>;
  /** Records the operation and its frozen items, from the plan's `offset` on. Idempotent. */
  recordPlan(plan: PlanRecord, items: readonly FrozenItem[]): Promise<void>;
  /** The items from one place up to another, in their order. */
  planPage(operationId: string, from: number, to: number): Promise<PlannedItem[]>;
  /** The place of an item by its id. */
  findItem(operationId: string, itemId: string): Promise<number | null>;
  /**
   * Bumps the batch's epoch and, in the same statement, writes the intents of the first slice (`items`) and the skipped
   * items. Answers `items` and `later`, in their order, as they were planned; null when this epoch or a later one is
   * there already.
   * @throws BatchgateError `INTERNAL` when an item has an outcome already, or is not as it was planned. Then nothing was
   * written.
   */
  claim(
    claim: Claim,
    batch: {
      items: readonly ItemRef[];
      /** Items of further slices, to be read only. */
      later?: readonly ItemRef[];
      skipped: readonly { item: PlannedItem; reason: string }[];
      confirmed: Confirmed;
      deadline: number;
    },
  ): Promise<PlannedItem[] | null>;
  /** Writes the intents of a further slice. False when the claim was fenced off. */
  intend(claim: Claim, items: readonly PlannedItem[], deadline: number): Promise<boolean>;
  /** Writes results. False when the claim was fenced off, and then nothing was written. */
  record(claim: Claim, results: readonly LedgerResult[]): Promise<boolean>;
  /** Bumps the epoch for good, records the skipped items, and answers what is known of each item of the batch. */
  fence(claim: Claim, skipped?: readonly { item: PlannedItem; reason: string }[]): Promise<FencedItem[]>;
  /** Writes what reconciliation found, under the fence's epoch. `planned` undoes an intent that did nothing. */
  settle(
    claim: Claim,
    results: readonly (LedgerResult | { index: number; state: 'planned' })[],
  ): Promise<void>;
  resolve(resolution: RecordResolutionInput): Promise<void>;
  /** Marks a plan as a preview of this digest. */
  keepPreview(operationId: string, digest: string): Promise<void>;
  /** The latest preview of this digest, by the id of its plan. */
  findPreview(digest: string): Promise<string | null>;
  close(operationId: string, status: BulkStatus): Promise<void>;
  /** The operation, with so many items from a place on as one payload takes. */
  read(operationId: string, from?: number): Promise<LedgerRecord | null>;
}

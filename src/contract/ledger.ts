import type { Change } from './change';
import type { AdoptInput, PlanEdition, StagedPlan } from './edits';
import type { AuditedDecision } from './counted-approvals';
import type { Confirmed, Exclusion, RecordResolutionInput } from './activities';
import type { PlanRecord } from './plans';
import type { OutcomeDetail, PlannedItem, PreparedBulkContext } from './items';
import type { FrozenText, ItemEvidence } from './item-proof';
import type { LedgerRecord } from './ledger-record';
import type { Requirement } from './policy';
import type { Requester } from './requester';
import type { FrozenItem } from './items';
import type { BulkStatus } from './operation';
import type { StatsFilter, StatsRow } from './stats';

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

/** Items of a plan, with the data of the plan that applies to all of them. */
export interface PlannedItems {
  context: PreparedBulkContext;
  change: Change;
  /** In order. `error` and `retryable` are those of their outcomes so far. */
  items: (PlannedItem & OutcomeDetail)[];
  /** The requester and reason in the question; absent without a reason. */
  requester?: Requester;
  /** The operation that this one revises. */
  revises?: string;
  /** The requirement of a policy for each batch. */
  requirement?: Requirement;
}

/**
 * The record of an item when its batch was fenced. `deadline` is when its last request ends, in milliseconds since the
 * epoch by this machine's clock. The store keeps it by its own clock, so the clocks of two workers may differ.
 */
export interface FencedItem extends OutcomeDetail {
  index: number;
  state: 'planned' | 'intended' | 'succeeded' | 'failed' | 'skipped' | 'in_doubt';
  deadline?: number;
}

/**
 * The evidence of all changes. A running batch writes only under its own epoch, so that a worker that was suspended and
 * resumed cannot write any more.
 */
export interface Ledger {
  /** The id of this store, created with it. */
  readonly storeId: string;
  /**
   * Fences for good every batch that an earlier run of this chain has claimed. Returns the highest epoch; null if no
   * batch was claimed.
   */
  fenceAll(operationId: string, runId: string): Promise<number | null>;
  /**
   * Records the operation and its frozen items, from the plan's `offset` on. Idempotent. Returns the salts of the
   * items, in order.
   */
  recordPlan(plan: PlanRecord, items: readonly FrozenItem[]): Promise<string[]>;
  /** Returns the items of some parts of a plan, each from one place up to another; null without such a plan. */
  planned(operationId: string, parts: readonly { from: number; to: number }[]): Promise<PlannedItems | null>;
  /** Returns the place of an item by its id. */
  findItem(operationId: string, itemId: string): Promise<number | null>;
  /** Returns an item with the confirmed questions that asked about it; null without such an item. */
  evidenceOf(operationId: string, itemId: string): Promise<ItemEvidence | null>;
  /**
   * Raises the epoch of the batch and, in the same statement, writes the intents of the first slice and the skipped
   * items. False if this epoch or a later one exists, or the plan has another edition.
   * @throws BatchgateError `INTERNAL` if an item already has an outcome, or is not in the plan. Then nothing was
   * written.
   */
  claim(
    claim: Claim,
    batch: {
      items: readonly { index: number }[];
      skipped: readonly Exclusion[];
      confirmed: Confirmed;
      /** The frozen texts of the items of the question, for the audit record. */
      frozen?: readonly FrozenText[];
      deadline: number;
      /** The edition of the plan that was confirmed. Default: any. */
      edition?: number;
    },
  ): Promise<boolean>;
  /** Writes the intents of a later slice. False if the claim was fenced off. */
  intend(claim: Claim, items: readonly { index: number }[], deadline: number): Promise<boolean>;
  /** Writes results. False if the claim was fenced off; then nothing was written. */
  record(claim: Claim, results: readonly LedgerResult[]): Promise<boolean>;
  /**
   * Raises the epoch for good, records the skipped items, and returns the record of each item of the batch. `part` is
   * the range of its items, which a ramp may have moved since the plan. Default: the items that the plan assigns to it.
   */
  fence(
    claim: Claim,
    skipped?: readonly Exclusion[],
    part?: { from: number; to: number },
  ): Promise<FencedItem[]>;
  /**
   * Writes the results of reconciliation under the epoch of the fence. `planned` cancels an intent that changed
   * nothing.
   */
  settle(
    claim: Claim,
    results: readonly (LedgerResult | { index: number; state: 'planned' })[],
  ): Promise<void>;
  resolve(resolution: RecordResolutionInput): Promise<void>;
  /** Writes decisions into the audit record, each once. Those that begin a batch are written with its claim. */
  recordDecisions(operationId: string, decisions: readonly AuditedDecision[]): Promise<void>;
  /** Writes a new plan for some places. The current plan stays in force. */
  stagePlan(plan: StagedPlan): Promise<void>;
  /**
   * Puts a staged plan in force, and keeps the rows that it replaces. Idempotent.
   * @throws BatchgateError `INTERNAL` if the plan has another edition by now, or an item was touched. Then nothing was
   * written.
   */
  adoptPlan(adoption: Omit<AdoptInput, 'store_id'>): Promise<void>;
  /** Returns the editions of a plan that were in force, and the highest attempt number of an edit's question. */
  editions(operationId: string): Promise<{ editions: PlanEdition[]; attempt: number }>;
  /** Marks a plan as a preview with this digest. */
  keepPreview(operationId: string, digest: string): Promise<void>;
  /** Returns the id of the plan of the latest preview with this digest. */
  findPreview(digest: string): Promise<string | null>;
  /** Returns the ids of the operations that revise this one, except those that were refused. */
  revisionsOf(operationId: string): Promise<string[]>;
  /**
   * Writes the last status, unless the ledger has the plan of another use of this id: that one keeps its own.
   * `decisions` are not in the audit record yet.
   */
  close(
    operationId: string,
    runId: string,
    status: BulkStatus,
    decisions?: readonly AuditedDecision[],
  ): Promise<void>;
  /** Counts the outcomes of operations and their questions, by domain and action. */
  stats(filter: StatsFilter): Promise<StatsRow[]>;
  /** Returns the operation with its items from a place on, as many as fit into one payload. */
  read(operationId: string, from?: number): Promise<LedgerRecord | null>;
}

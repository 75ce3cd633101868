import { z } from 'zod';
import type { LedgerEdit } from './edits';
import type { BulkItem, NamedItem } from './items';
import type { OperationTerms } from './ledger-record';
import type { Requirement } from './policy';
import type { Foreseen, Prepared } from './prepared';
import type { Door } from './record';
import type { FrozenWindow } from './schedule';
import type { JobKey } from './sentinel';

/** The part of a plan that a workflow receives. The plan itself is in the ledger. */
export interface Plan {
  /** The items of the first question, and the names of others. Empty for a later part. */
  items: NamedItem[];
  /** The number of frozen items, and their size as JSON in bytes. */
  total: number;
  bytes: number;
  /** A mark of each group of items. A group has as many as the largest batch: see src/core/bulk/seal.ts. */
  marks: string;
  foreseen: Foreseen;
  /** The outcomes of the items at the start, if some are skipped: `k` for an item in conflict. */
  codes?: string;
  /** The id of the ledger that holds the plan and the evidence of this operation. No other ledger does. */
  store_id: string;
  /** Absent for a later part. */
  prepared?: Prepared;
  /** Present if the run was reset in Temporal. Then the plan and the outcomes come from the ledger. */
  attempt?: number;
  /** With `attempt`: the batches at which the sizes restarted. */
  restarts?: readonly number[];
  /** The edition of a plan whose change was edited before the reset, and its edits. */
  edition?: number;
  edits?: LedgerEdit[];
  /** The requirement of a policy for each batch, and its windows. */
  requirement?: Requirement;
  windows?: FrozenWindow[];
}

/** The ledger's data of an operation whose run was reset after its plan. */
export interface ResetResults {
  /** The outcome codes of the whole plan. */
  codes: string;
  /** The items of the next question, and the names of others. */
  items: NamedItem[];
  /** The first attempt number that no earlier run has used for any batch. */
  attempt: number;
  /** The batches at which the sizes restarted. */
  restarts?: readonly number[];
  /** The plan in the ledger, if its change was edited. */
  edited?: Pick<Plan, 'marks' | 'foreseen'> & {
    edition: number;
    edits: LedgerEdit[];
    prepared: Omit<Prepared, 'change_params'>;
  };
}

/** The input of a plan, or of one part of a plan. */
export interface PlanInput {
  operation_id: string;
  /** The first run of the chain. It distinguishes operations that used the same id one after the other. */
  run_id: string;
  session_id?: string;
  requested_by?: string;
  domain: string;
  action: string;
  params: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  batch_size: number;
  /** The other terms of the start. A follow-up starts with the same terms. */
  terms: OperationTerms;
  max_total_items: number;
  /** The items, if the caller named them. A long list is planned in several calls, one part each. */
  items?: BulkItem[];
  /** The number of named items in all parts. */
  named?: number;
  /** For a later part: the place of its first item in the plan, and the preparation of the first part. */
  later?: { offset: number; prepared: Prepared };
  /** The operation to undo. Its items come from the ledger. */
  undoes?: string;
  /** The items to restore even if they were changed after that operation. */
  overwrite?: 'all' | string[];
  /** The door of the start and, for a preview, which has no session, the session of the start. Policies read both. */
  via?: Door;
  preview_session?: string;
}

/**
 * The plan to make after the admission, without the values from the worker's settings. `items` is the first part of the
 * named items. If `named` is given without `items`, one batch of them is too large, and nothing is planned.
 */
export interface BeginInput extends Omit<PlanInput, 'max_total_items' | 'later'> {
  /** The job that claims to be the parent. */
  parent?: JobKey;
  /** The deadline that the start requested. */
  asked_seconds?: number;
}
/** The details of the heartbeats of `begin` after the admission: the number of this try of the plan. */
export const planTrySchema = z.object({ plan_try: z.number() });
export type PlanTry = z.infer<typeof planTrySchema>;

/** A plan in the ledger, without its items. */
export interface PlanRecord
  extends
    Pick<PlanInput, 'operation_id' | 'run_id' | 'session_id' | 'requested_by' | 'metadata' | 'batch_size'>,
    Pick<PlanInput, 'terms' | 'undoes' | 'overwrite'>,
    Pick<Prepared, 'context' | 'change_params' | 'noun' | 'change'> {
  /** The place of the first recorded item in the plan; 0 by default. */
  offset?: number;
}

export interface ComparePreviewInput {
  operation_id: string;
  expect_digest: string;
}

/** `preview_id` is the id of the preview's plan in the ledger. */
export interface KeepPreviewInput {
  preview_id: string;
}

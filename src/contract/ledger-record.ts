import type { Change } from './change';
import type { Answer } from './record';
import type { LedgerEdit } from './edits';
import type { PreparedBulkContext } from './items';
import type { BulkOperationInput, BulkStatus, Confirmation } from './operation';
import type { Judgement } from './policy';
import type { ItemPreview } from './preview';

/** The input of an operation besides the change and its items. */
export type OperationTerms = Pick<
  BulkOperationInput,
  | 'idle_timeout_seconds'
  | 'contract'
  | 'failure_threshold'
  | 'overwrite'
  | 'reason'
  | 'by_agent'
  | 'revises'
  | 'batch_sizes'
  | 'not_before'
  | 'approvers'
  | 'requested_subject'
  | 'editors'
> & {
  /** The judgement of the worker's policies. It is not part of the start. */
  policy?: Judgement;
};

/** The ledger's record of one operation. It answers queries when the workflow cannot. */
export interface LedgerRecord {
  operation_id: string;
  /** The first run of its chain. */
  run_id?: string;
  domain: string;
  action: string;
  session_id?: string;
  requested_by?: string;
  metadata?: Record<string, unknown>;
  change_params?: Record<string, unknown>;
  batch_size: number;
  terms?: OperationTerms;
  noun?: { one: string; many: string };
  change?: Change;
  context?: PreparedBulkContext;
  undoes?: string;
  created_at: string;
  updated_at: string;
  /** The last status, if the workflow of the operation ended by itself. */
  status?: BulkStatus;
  /** Whether any item has a state before or after the change or a resolution, and whether any question was answered. */
  shows: { before: boolean; after: boolean; resolutions: boolean; questions: boolean };
  items: LedgerItem[];
  /** The answers to the questions of the batches of these items. */
  answers: Answer[];
  /** The edition of the plan: 1, plus one for each edit of its change. */
  edition?: number;
  edits?: LedgerEdit[];
  /** The place of the next item to read; absent after the last item. */
  next?: number;
}
export interface LedgerItem {
  index: number;
  id: string;
  display_name: string;
  raw_data?: Record<string, unknown>;
  preview?: ItemPreview;
  /** See `FrozenItem`. Only the worker reads it. */
  salt?: string;
  batch: number;
  /** `intended`: the request may have been sent, and no result was recorded. */
  state: 'planned' | 'intended' | 'succeeded' | 'failed' | 'skipped' | 'in_doubt';
  error?: string;
  retryable?: boolean;
  /** The edition of the plan to which this item belongs. */
  edition?: number;
  /** Data for an undo besides the plan. Only the worker reads it. */
  kept?: Record<string, unknown>;
  confirmed_by?: string;
  confirmed_via?: Confirmation['via'];
  confirmed_assurance?: Confirmation['assurance'];
  confirmed_at?: string;
  finished_at?: string;
  /** The resolution by a person, if the item was in doubt. */
  resolution?: Resolution;
}

export interface Resolution {
  outcome: 'succeeded' | 'failed';
  reason: string;
  by?: string;
  at: string;
  assurance?: Confirmation['assurance'];
}
